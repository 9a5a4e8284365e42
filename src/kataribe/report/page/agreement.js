// Metrics beside people: standings with intervals, a heat map, every text, every system. A page of its own and the
// report page show the same section; all of it stands in one function, whose names are its own on either page.
// `open(item)` is what a click on a text does.

function showAgreement(data, open) {
  const state = { dimension: 0, measure: data.measures.indexOf(data.dimensions[0].by) };

  const chosen = () => data.dimensions[state.dimension];
  const measure = () => data.measures[state.measure];

  function drawChoices() {
    const choice = (key, title, names) => element("label", {}, title,
      element("select", { id: `agreement-${key}`, onchange: (event) => { state[key] = Number(event.target.value); draw(); } },
        ...names.map((name, place) => element("option", { value: place, selected: place === state[key] }, name))));
    if (data.dimensions.length > 1) {
      byId("agreement-choices").append(choice("dimension", "Dimension ", data.dimensions.map((dimension) => dimension.name)));
    }
    byId("agreement-choices").append(choice("measure", "Measure ", data.measures));
  }

  // Metrics in their order, people last.
  function standings(dimension) {
    const all = data.metrics.map((name, place) => ({
      name, place, letter: data.letters[place], beats: dimension.beats[name], of: dimension.metrics[name],
    }));
    return dimension.people ? [...all, { name: "people", place: null, of: dimension.people }] : all;
  }

  function interval(entry) {
    return scoreInterval(entry.interval);
  }

  function metricName({ name, place, letter }) {
    if (place === null) return name;
    return element("span", { class: "system" },
      element("span", { class: `swatch s${place % 8}`, "aria-hidden": "true" }),
      element("span", { class: "letter" }, letter), ...breakable(name),
      data.lower.includes(name) ? element("small", {}, " lower is better") : null);
  }

  function standingTable(dimension) {
    const best = Math.max(...data.metrics.map((name) => dimension.metrics[name][measure()].value ?? -Infinity));
    const rows = standings(dimension).map((entry) => {
      const found = entry.of[measure()];
      const letters = entry.beats && measure() === dimension.by
        ? element("sup", { title: `significantly better than ${entry.beats}` }, entry.beats) : null;
      const isBest = entry.place !== null && data.metrics.length > 1 && score(found.value) === score(best);
      const value = element("span", {}, element(isBest ? "b" : "span", {}, score(found.value)), letters);
      return [metricName(entry), value, interval(found), count(dimension.distinct[entry.name])];
    });
    const table = dataTable(["metric", measure(), "95% interval", "distinct"], rows);
    if (dimension.people) table.querySelector("tbody").lastChild.classList.add("people");
    return element("article", { class: "card" }, table);
  }

  // All metrics on one axis; the dashed line is people.
  function standingChart(dimension) {
    const entries = standings(dimension).filter(({ place, of }) => place !== null && of[measure()].value !== null);
    const people = dimension.people?.[measure()].value ?? null;
    const [low, high] = extent([0, people, ...entries.flatMap(({ of }) => [of[measure()].value, ...(of[measure()].interval ?? [])])]);
    const [width, row, top] = [420, 22, people === null ? 6 : 20];
    const bottom = top + row * entries.length;
    const [least, most] = [displayed(low, "fraction"), displayed(high, "fraction")];
    const along = linear([least, most + (most - least) * 0.05], [8, width - 8]);
    const x = (value) => along(displayed(value, "fraction"));
    const said = [...entries.map(({ name, of }) => `${name} ${score(of[measure()].value)}`),
      ...(people === null ? [] : [`people ${score(people)}`])].join(", ");
    const svg = shape("svg", {
      viewBox: `0 0 ${width} ${bottom + 22}`, role: "img", "aria-label": `${measure()}: ${said}`, class: "chart",
    });
    const ticks = niceTicks(least, most);
    for (const tick of ticks) {
      svg.append(shape("line", { class: "grid", x1: along(tick), x2: along(tick), y1: top, y2: bottom }),
        shape("text", { class: "tick", x: along(tick), y: bottom + 15, "text-anchor": "middle" }, tickText(tick, ticks)));
    }
    if (people !== null) {
      const anchor = x(people) > width - 40 ? "end" : "middle";
      svg.append(shape("line", { class: "anchor", x1: x(people), x2: x(people), y1: top - 4, y2: bottom }),
        shape("text", { class: "tick", x: x(people), y: top - 8, "text-anchor": anchor }, "people"));
    }
    entries.forEach(({ name, place, of }, at) => {
      const y = top + row * (at + 0.5);
      const found = of[measure()];
      if (found.interval) {
        const [x1, x2] = found.interval.map(x);
        svg.append(shape("line", { class: `bar s${place % 8}`, x1, x2, y1: y, y2: y }));
      }
      svg.append(shape("circle", { class: `dot s${place % 8}`, cx: x(found.value), cy: y, r: 5 },
        shape("title", {}, `${name}: ${score(found.value)}`)));
    });
    return element("article", { class: "card" }, svg, element("p", { class: "note" }, dimension.legend));
  }

  function testTable(dimension) {
    const rows = dimension.tests.map((test) => [
      `${test.one} \u2212 ${test.other}`, signed(test.difference),
      signedInterval(test.interval), pValue(test.permutation),
      element(test.significant ? "b" : "span", {}, pValue(test.corrected)), pValue(test.bootstrap), pValue(test.williams),
    ]);
    const header = ["metrics", `difference in ${dimension.by}`, "95% interval", "p", "p corrected", "p bootstrap", "p Williams"];
    return element("details", { class: "card spaced" }, element("summary", {}, "Tests between metrics"), dataTable(header, rows));
  }

  // Which of two systems people voted for, by the majority of each item's voters and vote by vote.
  function preferenceTable(dimension) {
    const share = (counts, side) => {
      const all = counts.one + counts.other + counts.neither;
      return `${((100 * counts[side]) / Math.max(all, 1)).toFixed(1)}% (${count(counts[side])})`;
    };
    const rows = dimension.preferences.flatMap(({ one, other, items, votes }) =>
      [["majority of an item", items], ["votes", votes]].map(([unit, counts]) =>
        [`${one}, ${other}: ${unit}`, share(counts, "one"), share(counts, "other"), share(counts, "neither")]));
    return element("article", { class: "card spaced" }, element("p", { class: "note" }, "What people prefer"),
      dataTable(["preferred by", "first", "second", "neither"], rows));
  }

  // Weights between 0 and 1, a row for each part.
  function weightChart(weights, published) {
    const [width, row, left, parts] = [420, 26, 110, Object.keys(weights)];
    const bottom = row * parts.length;
    const x = linear([0, 1], [left, width - 12]);
    const said = parts.map((part) => `${part} ${plain(weights[part].value)}, published ${plain(published[part])}`).join("; ");
    const svg = shape("svg", { viewBox: `0 0 ${width} ${bottom + 22}`, role: "img", "aria-label": `weights: ${said}`, class: "chart" });
    for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
      svg.append(shape("line", { class: "grid", x1: x(tick), x2: x(tick), y1: 0, y2: bottom }),
        shape("text", { class: "tick", x: x(tick), y: bottom + 15, "text-anchor": "middle" }, String(tick)));
    }
    parts.forEach((part, place) => {
      const { value, interval: ends } = weights[part];
      const y = row * (place + 0.5);
      svg.append(shape("text", { class: "label", x: left - 10, y: y + 4, "text-anchor": "end" }, fitting(part, left - 16)));
      if (ends) svg.append(shape("line", { class: `bar s${place}`, x1: x(ends[0]), x2: x(ends[1]), y1: y, y2: y }));
      svg.append(shape("circle", { class: `dot hollow s${place}`, cx: x(published[part]), cy: y, r: 5 },
        shape("title", {}, `${part}, published: ${published[part].toFixed(3)}`)));
      if (value !== null) {
        svg.append(shape("circle", { class: `dot s${place}`, cx: x(value), cy: y, r: 5 },
          shape("title", {}, `${part}: ${value.toFixed(3)}${ends ? ` (${ends.map((end) => end.toFixed(3)).join(" to ")})` : ""}`)));
      }
    });
    return svg;
  }

  function drawFit() {
    byId("agreement-fit-part").hidden = !data.fit;
    if (!data.fit) return;
    byId("agreement-fit-title").textContent = `Weights of ${data.fit.mixture}`;
    byId("agreement-fit").replaceChildren(...data.fit.dimensions.map((fitted) => element("article", { class: "card" },
      element("p", { class: "note" }, fitted.said),
      weightChart(fitted.weights, data.fit.published),
      dataTable(data.fit.weight_header, fitted.weight_rows),
      dataTable(data.fit.accuracy_header, fitted.accuracy_rows),
      fitted.metric ? element("code", {}, `-m "${fitted.metric}"`) : null)));
  }

  function signatures() {
    return element("details", { class: "card spaced" }, element("summary", {}, "Signatures"),
      ...data.signatures.map((text) => element("code", {}, text)));
  }

  // Metrics by dimension for the chosen measure; of a single dimension, metrics by measure.
  function drawHeat() {
    const several = data.dimensions.length > 1;
    const columns = several ? data.dimensions.map((dimension) => [dimension.name, dimension, measure()])
      : data.measures.map((name) => [name, data.dimensions[0], name]);
    const heat = (value) => (value === null ? "" : value < 0 ? "hn" : `h${Math.min(6, Math.floor(value * 7))}`);
    const row = (name, pick, isPeople) => element("tr", { class: isPeople ? "people" : null },
      element("th", { scope: "row" }, name),
      ...columns.map(([, dimension, of]) => {
        const value = pick(dimension)?.[of]?.value ?? null;
        return element("td", { class: heat(value) }, score(value, "fraction", 1));
      }));
    const rows = data.metrics.map((name) => row(name, (dimension) => dimension.metrics[name], false));
    if (data.dimensions.some((dimension) => dimension.people)) {
      rows.push(row("people", (dimension) => dimension.people, true));
    }
    byId("agreement-heat").replaceChildren(
      element("p", { class: "note" }, several ? `${measure()} with people, by dimension` : "every measure, times 100"),
      element("div", { class: "wide" }, element("table", { class: "heat" },
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "metric"),
          ...columns.map(([name]) => element("th", { scope: "col" }, name)))),
        element("tbody", {}, ...rows))));
  }

  // Thousands of texts on a scale of a few steps would be a few lines: each is moved a little sideways, always alike.
  function spread(values) {
    const steps = [...new Set(values)].sort((a, b) => a - b);
    if (values.length < 300 || steps.length > 40 || steps.length < 2) return values;
    const step = Math.min(...steps.slice(1).map((value, place) => value - steps[place]));
    return values.map((value, place) => value + (((place * 0.618034) % 1) - 0.5) * 0.7 * step);
  }

  function drawScatter(dimension) {
    const people = spread(dimension.points.people);
    const label = dimension.people_label + (people === dimension.points.people ? "" : " (spread sideways)");
    byId("agreement-scatter").replaceChildren(...data.metrics.map((name, place) => scatter(
      name, [{ name, color: `s${place % 8}`, values: dimension.points[name] }], people, label, name, data.units[name],
      (text) => open(dimension.items[text], dimension.texts[text]),
      `${measure()} ${score(dimension.metrics[name][measure()].value)}`, dimension.texts)));
  }

  function drawSystems(dimension) {
    byId("agreement-systems-part").hidden = !dimension.systems;
    if (!dimension.systems) return;
    const { systems, people, scores, metrics } = dimension.systems;
    const order = systems.map((_, place) => place).sort((a, b) => people[b] - people[a]);
    const standing = dataTable(["metric", measure(), "95% interval"], data.metrics.map((name, place) => [
      metricName({ name, place, letter: data.letters[place] }), score(metrics[name][measure()].value), interval(metrics[name][measure()]),
    ]));
    const table = dataTable(["system", dimension.people_label, ...data.metrics.map(breakable)], order.map((place) => [
      systems[place], plain(people[place]), ...data.metrics.map((name) => score(scores[name][place], data.units[name])),
    ]));
    byId("agreement-systems").replaceChildren(element("article", { class: "card" }, standing), element("article", { class: "card" }, table));
  }

  // One text: what it describes, what it says, what it should say, and what people and the metric think of it.
  function exampleCard(example, metric) {
    const picture = example.image === null ? null
      : element("img", { src: data.pictures[example.image], alt: example.picture ?? example.name });
    const references = example.references.map((text) => element("li", {}, text));
    return element("article", { class: "card example" }, picture, element("div", {},
      element("p", { class: "note" }, example.name),
      element("blockquote", {}, example.candidate || "(empty)"),
      element("ul", { class: "references" }, ...references),
      element("p", {}, "rating ", element("b", {}, plain(example.rating)),
        element("span", { class: "badge" }, `percentile ${Math.round(100 * example.rating_percentile)}`)),
      element("p", {}, "prediction ", element("b", {}, score(example.prediction, data.units[metric])),
        element("span", { class: "badge" }, example.standing))));
  }

  function drawExamples(dimension) {
    const metrics = Object.keys(dimension.examples);
    byId("agreement-examples-part").hidden = !metrics.length;
    byId("agreement-examples").replaceChildren(...metrics.map((metric, place) => {
      const part = (title, examples) => element("section", {}, element("h4", { class: "part" }, title),
        element("div", { class: "examples" }, ...examples.map((example) => exampleCard(example, metric))));
      const { best, worst } = dimension.examples[metric];
      return element("details", { open: place === 0 }, element("summary", {}, element("b", {}, metric)),
        part("People and metric agree", best), part("People and metric disagree", worst));
    }));
  }

  function draw() {
    const dimension = chosen();
    byId("agreement-counted").textContent = `${dimension.name}: ${dimension.counted}`;
    byId("agreement-standings").replaceChildren(standingTable(dimension), standingChart(dimension));
    byId("agreement-details").replaceChildren(...(dimension.preferences ? [preferenceTable(dimension)] : []),
      ...(dimension.tests.length ? [testTable(dimension)] : []), signatures());
    drawHeat();
    drawScatter(dimension);
    drawExamples(dimension);
    drawSystems(dimension);
  }

  if (data.warnings.length) {
    byId("agreement-warnings").append(element("div", { class: "warnings" },
      element("ul", {}, ...data.warnings.map(({ id, text }) => element("li", {}, `${text} [${id}]`)))));
  }
  drawChoices();
  draw();
  drawFit();
  byId("copy-agreement-latex").addEventListener("click", () => copy(data.copies.latex, "LaTeX"));
  byId("copy-agreement-csv").addEventListener("click", () => copy(data.copies.csv, "CSV"));
}
