// The opened item: its scores, and what the views of its kind draw.

function openItem(place) {
  change({ item: data.ids[place] }, { remember: true });
}

function step(by) {
  const next = grid.rows[grid.rows.indexOf(placeOf.get(state.item)) + by];
  if (next !== undefined) openItem(next);
}

function drawItem() {
  const panel = byId("item");
  if (!state.item) {
    panel.replaceChildren(element("p", { class: "note" }, "Choose an item to see what was scored."));
    return;
  }
  byId("spoken").textContent = `opened ${state.item}`;
  const place = placeOf.get(state.item);
  const row = grid.rows.indexOf(place);
  const systems = shownSystems();
  const context = { systems, metric: data.measures[state.measure].metric };
  const drawn = data.views.filter((name) => views[name].item)
    .map((name) => views[name].item(contentOf(name), place, context));
  const stepButton = (label, sign, by) => element("button", {
    type: "button", "aria-label": label, disabled: row < 0 || !(row + by in grid.rows), onclick: () => step(by),
  }, sign);
  panel.replaceChildren(
    element("div", { class: "item-head" },
      element("h3", {}, state.item),
      element("div", { class: "tools" },
        stepButton("Previous item", "\u2190", -1), stepButton("Next item", "\u2192", 1))),
    itemScores(place, systems), ...drawn,
    drawn.length ? "" : element("p", { class: "note" }, "The result file holds no texts: score with -o to keep them."));
}

function itemScores(place, systems) {
  const measures = data.metrics.map(({ name }) => data.measures.findIndex((measure) => measure.name === name));
  const rows = systems.map((system) =>
    [systemName(system), ...measures.map((measure) => score(valueAt(system, place, measure), data.measures[measure].unit))]);
  return dataTable(["system", ...data.metrics.map(({ name }) => name)], rows);
}
