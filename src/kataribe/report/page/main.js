// Everything in its place, and what is drawn again when something changes.

// Where the opened item stands below the list instead of beside it.
const isNarrow = matchMedia("(max-width: 900px)");

function redraw(keys) {
  const changed = (...names) => names.some((name) => keys.includes(name));
  if (changed("measure", "one", "other")) {
    showChoices();
    drawFigures();
  }
  if (changed("query") && byId("search").value !== state.query) byId("search").value = state.query;
  if (changed("measure", "one", "other", "query", "sort", "down")) drawTable();
  if (changed("item")) {
    grid.active = Math.max(0, grid.rows.indexOf(placeOf.get(state.item)));
    revealActive();
  }
  if (changed("item") && state.item && isNarrow.matches) byId("item").scrollIntoView();
  if (changed("item", "one", "other", "measure", "query", "sort", "down")) drawItem();
}

function start() {
  startTheme();
  readAddress();
  drawLeaderboard();
  for (const name of data.views) if (views[name].section) byId("sections").append(views[name].section(contentOf(name)));
  drawChoices();
  drawFigures();
  if (byId("data-agreement")) showAgreement(contentOf("agreement"), (item) => openItem(placeOf.get(item)));
  byId("search").value = state.query;
  drawTable();
  drawItem();
  if (state.item) revealActive();
  onChange(redraw);

  let waiting;
  byId("search").addEventListener("input", (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => change({ query: event.target.value }), 120);
  });
  byId("search").addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "Enter") {
      event.preventDefault();
      byId("grid").focus();
    }
  });
  byId("copy-link").addEventListener("click", () => copy(location.href, "Link"));
  byId("copy-latex").addEventListener("click", () => copy(data.copies.latex, "LaTeX"));
  byId("copy-csv").addEventListener("click", () => copy(data.copies.csv, "CSV"));
  byId("copy-items-latex").addEventListener("click", () => copy(latexTable(gridCells({ shown: true })), "LaTeX"));
  byId("copy-items-csv").addEventListener("click", () => copy(csvTable(gridCells({ shown: false })), "CSV"));
  // The address belongs to the view, so this link must not write into it.
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("items-title").focus();
  });
  for (const event of ["popstate", "hashchange"]) window.addEventListener(event, () => announce(readAddress()));
  window.addEventListener("resize", () => {
    clearTimeout(start.resizing);
    start.resizing = setTimeout(drawRows, 150);
  });
}

start();
