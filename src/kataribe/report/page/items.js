// The list of items. Only the rows in sight exist, so that 5,000 or 50,000 items scroll alike; it is a grid to a screen
// reader and to the keyboard: arrows, Page Up, Page Down, Home, End, Enter.

const ROW_HEIGHT = 30;
const grid = { columns: [], rows: [], active: 0, texts: null };

function gridColumns() {
  const columns = [{ key: "id", name: "id", text: true, at: (place) => data.ids[place], show: String }];
  const chosen = data.measures[state.measure];
  const scores = (key, name, at, unit) => columns.push({ key, name, at, show: (value) => score(value, unit) });
  if (data.systems.length === 1) {
    for (const { name } of data.metrics) {
      const measure = data.measures.findIndex((entry) => entry.name === name);
      scores(name, name, (place) => valueAt(0, place, measure), data.measures[measure].unit);
    }
    if (chosen.name !== chosen.metric) scores("measure", chosen.name, (place) => valueAt(0, place), chosen.unit);
  } else {
    data.systems.forEach(({ letter, name }, system) => {
      scores(`system ${letter}`, name, (place) => valueAt(system, place), chosen.unit);
    });
    if (isPair()) {
      const show = (value) => signed(value, chosen.unit);
      columns.push({ key: "difference", name: "difference", at: differenceAt, show });
    }
  }
  for (const [property, values] of Object.entries(data.properties)) {
    columns.push({ key: property, name: property, at: (place) => values[place], show: plain });
  }
  return columns;
}

// All that can be searched of each item, in lower case; gathered when somebody first searches.
function searchTexts() {
  grid.texts ??= data.ids.map((id, place) => {
    const words = data.views.flatMap((name) => views[name].words?.(contentOf(name), place) ?? []);
    return [id, ...words].join("\n").toLowerCase();
  });
  return grid.texts;
}

function arrange() {
  grid.columns = gridColumns();
  const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  let rows = data.ids.map((_, place) => place);
  if (words.length) {
    const texts = searchTexts();
    rows = rows.filter((place) => words.every((word) => texts[place].includes(word)));
  }
  const by = grid.columns.find((entry) => entry.key === state.sort);
  if (by) {
    const sign = state.down ? -1 : 1;
    const keys = data.ids.map((_, place) => by.at(place));
    // What is not known comes last whichever way the list runs.
    rows.sort((a, b) => {
      const [one, other] = [keys[a], keys[b]];
      if (one === null || other === null) return (one === null) - (other === null) || a - b;
      return (by.text ? one.localeCompare(other) : one - other) * sign || a - b;
    });
  }
  grid.rows = rows;
  grid.active = Math.max(0, rows.indexOf(placeOf.get(state.item)));
}

function drawTable() {
  arrange();
  const header = element("div", { role: "row", class: "grid-row grid-head", "aria-rowindex": 1 },
    ...grid.columns.map(columnHeader));
  const body = element("div", { class: "grid-body", role: "rowgroup" });
  const viewport = element("div", {
    class: "grid", role: "grid", tabindex: 0, id: "grid", "aria-label": "Items", "aria-rowcount": grid.rows.length + 1,
    "aria-colcount": grid.columns.length, onscroll: drawRows, onkeydown: moveByKey,
  }, header, body);
  const widths = grid.columns.map((entry) => (entry.text ? "minmax(0, 2fr)" : "minmax(0, 1fr)"));
  viewport.style.setProperty("--columns", widths.join(" "));
  viewport.style.setProperty("--narrowest", `${8.5 + 4.1 * (grid.columns.length - 1)}rem`);
  body.style.height = `${grid.rows.length * ROW_HEIGHT}px`;
  byId("table").replaceChildren(viewport);
  byId("found").textContent = grid.rows.length === data.ids.length
    ? `${data.ids.length.toLocaleString("en")} items`
    : `${grid.rows.length.toLocaleString("en")} of ${data.ids.length.toLocaleString("en")} items`;
  drawRows();
}

function columnHeader(entry) {
  const sorted = state.sort === entry.key ? (state.down ? "descending" : "ascending") : "none";
  const arrow = { none: "", descending: " \u2193", ascending: " \u2191" }[sorted];
  return element("div", { role: "columnheader", "aria-sort": sorted, class: entry.text ? "first" : "number" },
    element("button", { type: "button", onclick: () => sortBy(entry), title: `Sort by ${entry.name}` },
      entry.name, element("span", { "aria-hidden": "true" }, arrow)));
}

function drawRows() {
  const viewport = byId("grid");
  const body = viewport.querySelector(".grid-body");
  const first = Math.max(0, Math.floor(viewport.scrollTop / ROW_HEIGHT) - 8);
  const last = Math.min(grid.rows.length, first + Math.ceil(viewport.clientHeight / ROW_HEIGHT) + 16);
  const rows = [];
  for (let row = first; row < last; row += 1) rows.push(gridRow(row));
  body.replaceChildren(...rows);
  if (grid.rows.length) viewport.setAttribute("aria-activedescendant", `row-${grid.active}`);
}

function gridRow(row) {
  const place = grid.rows[row];
  const isOpen = data.ids[place] === state.item;
  const node = element("div", {
    role: "row", id: `row-${row}`, "aria-rowindex": row + 2, "aria-selected": isOpen,
    class: `grid-row${row === grid.active ? " active" : ""}${isOpen ? " open" : ""}`, onclick: () => openItem(place),
  }, ...grid.columns.map((entry) => {
    const value = entry.at(place);
    const tone = entry.key === "difference" && value ? differenceTone(value) : "";
    const side = entry.text ? "first" : "number";
    const title = entry.text ? value : null;
    return element("div", { role: "gridcell", class: side + tone, title }, entry.show(value));
  }));
  node.style.top = `${row * ROW_HEIGHT}px`;
  return node;
}

function differenceTone(value) {
  return (value > 0) === !data.measures[state.measure].lower ? " better" : " worse";
}

function sortBy(entry) {
  const down = state.sort === entry.key ? 1 - state.down : Number(!entry.text);
  change({ sort: entry.key, down });
}

function moveByKey(event) {
  const page = Math.max(1, Math.floor(byId("grid").clientHeight / ROW_HEIGHT) - 2);
  const last = grid.rows.length - 1;
  const moves = {
    ArrowDown: grid.active + 1, ArrowUp: grid.active - 1, PageDown: grid.active + page, PageUp: grid.active - page,
    Home: 0, End: last,
  };
  if (event.target !== byId("grid")) return;
  if (event.key in moves && last >= 0) {
    event.preventDefault();
    grid.active = Math.max(0, Math.min(last, moves[event.key]));
    revealActive();
  } else if ((event.key === "Enter" || event.key === " ") && last >= 0) {
    event.preventDefault();
    openItem(grid.rows[grid.active]);
  }
}

function revealActive() {
  const viewport = byId("grid");
  const head = viewport.querySelector(".grid-head").offsetHeight;
  const [top, height] = [grid.active * ROW_HEIGHT, viewport.clientHeight - head];
  if (top < viewport.scrollTop) viewport.scrollTop = top;
  else if (top + ROW_HEIGHT > viewport.scrollTop + height) viewport.scrollTop = top + ROW_HEIGHT - height;
  drawRows();
}

// The list as it is filtered and sorted: numbers in full for programs, or as they are shown.
function gridCells({ shown }) {
  const cell = (entry, place) => (shown ? entry.show(entry.at(place)) : entry.at(place));
  const rows = grid.rows.map((place) => grid.columns.map((entry) => cell(entry, place)));
  return [grid.columns.map((entry) => entry.name), ...rows];
}
