// What the scores of single items look like, for the measure and the systems that are chosen.

function drawChoices() {
  const choice = (key, title, entries) => element("label", {}, title,
    element("select", { id: key, onchange: (event) => change({ [key]: Number(event.target.value) }) },
      ...entries.map((entry, place) => element("option", { value: place }, entry.name))));
  byId("choices").append(choice("measure", "Measure ", data.measures));
  if (data.systems.length > 1) {
    byId("choices").append(choice("one", "System ", data.systems), choice("other", "against ", data.systems));
  }
  showChoices();
}

function showChoices() {
  for (const key of ["measure", "one", "other"]) if (byId(key)) byId(key).value = state[key];
}

function drawFigures() {
  const { name, unit } = data.measures[state.measure];
  const series = shownSystems().filter((system) => column(system)).map((system) => ({
    name: data.systems[system].name, color: `s${system % 8}`, values: column(system),
  }));
  const drawn = [histogram("Distribution", series, name, { unit })];
  if (isPair() && series.length === 2) {
    const differences = data.ids.map((_, place) => differenceAt(place));
    const title = `${series[0].name} \u2212 ${series[1].name}`;
    const difference = { name: title, color: series[0].color, values: differences };
    drawn.push(histogram("Difference by item", [difference], title, { unit, zero: true }));
  }
  for (const [property, values] of Object.entries(data.properties)) {
    drawn.push(scatter(`Against ${property}`, series, values, property, name, unit, openItem));
  }
  byId("figures").replaceChildren(...drawn);
}
