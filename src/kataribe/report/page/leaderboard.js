// Scores of all systems: a card for each metric with intervals, anchors and signatures; then the tests between
// systems, and what was covered.

function drawLeaderboard() {
  const place = byId("leaderboard");
  const notices = data.incomparable.map((reason) => element("li", {}, reason));
  if (notices.length) {
    place.append(element("div", { class: "notice" },
      element("strong", {}, "These results are not comparable, so nothing is tested: "), element("ul", {}, ...notices)));
  }
  place.append(element("div", { class: "cards" }, ...data.metrics.map(metricCard)));
  if (data.comparison) place.append(testTable());
  place.append(coverageTable());
}

function systemName(system) {
  const { name, letter } = data.systems[system];
  return element("span", { class: "system" }, element("span", { class: `swatch s${system % 8}`, "aria-hidden": "true" }),
    data.systems.length > 1 ? element("span", { class: "letter" }, letter) : null, name);
}

function metricCard(metric) {
  const standing = metric.systems.map((entry, system) => ({ entry, system })).filter(({ entry }) => entry);
  const best = Math.max(...standing.map(({ entry }) => entry.value));
  const anchored = standing.some(({ entry }) => entry.anchors);
  const header = ["system", "score", "95% interval", ...(anchored ? ["normalised"] : [])];
  const rows = standing.map(({ entry, system }) => element("tr", {},
    element("th", { scope: "row" }, systemName(system)),
    element("td", {}, element(standing.length > 1 && score(entry.value) === score(best) ? "b" : "span", {}, score(entry.value)),
      entry.beats ? element("sup", { title: `significantly better than ${entry.beats}` }, entry.beats) : null),
    element("td", { class: "nowrap" }, entry.interval ? `${score(entry.interval[0])} \u2013 ${score(entry.interval[1])}` : NONE),
    anchored ? element("td", {}, entry.anchors?.normalised == null ? NONE : score(entry.anchors.normalised)) : null));
  const parts = [...new Set(standing.flatMap(({ entry }) => Object.keys(entry.parts)))];
  return element("article", { class: "card" },
    element("h3", {}, metric.name),
    element("div", { class: "wide" }, element("table", {},
      element("thead", {}, element("tr", {}, ...header.map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, ...rows))),
    intervalAxis(metric.name, standing),
    parts.length ? element("details", {}, element("summary", {}, "Parts"), partTable(parts, standing)) : null,
    element("details", {}, element("summary", {}, "Signature"),
      ...[...new Set(standing.map(({ entry }) => entry.signature))].map((text) => element("code", {}, text))));
}

function partTable(parts, standing) {
  return element("div", { class: "wide" }, element("table", {},
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "part"),
      ...standing.map(({ system }) => element("th", { scope: "col" }, systemName(system))))),
    element("tbody", {}, ...parts.map((part) => element("tr", {}, element("th", { scope: "row" }, part),
      ...standing.map(({ entry }) => element("td", {}, score(entry.parts[part]))))))));
}

// One axis for scores, intervals and anchors: where the systems stand between chance (null) and people (human).
function intervalAxis(name, standing) {
  const anchors = standing.find(({ entry }) => entry.anchors)?.entry.anchors;
  const marks = [["null", anchors?.null], ["human", anchors?.human]].filter(([, value]) => value != null);
  const values = standing.flatMap(({ entry }) => [entry.value, ...(entry.interval ?? [])]).concat(marks.map(([, v]) => v));
  let [low, high] = extent(values);
  const margin = (high - low) * 0.08 || 0.01;
  [low, high] = [Math.max(Math.min(0, low), low - margin), high + margin];
  const [width, row, top] = [420, 18, marks.length ? 20 : 6];
  const bottom = top + row * standing.length;
  const x = linear([low, high], [8, width - 8]);
  const said = [...standing.map(({ entry, system }) => `${data.systems[system].name} ${score(entry.value)}`),
    ...marks.map(([mark, value]) => `${mark} ${score(value)}`)].join(", ");
  const svg = shape("svg", { viewBox: `0 0 ${width} ${bottom + 22}`, role: "img", "aria-label": `${name}: ${said}`, class: "chart" });
  const ticks = niceTicks(100 * low, 100 * high);
  for (const tick of ticks) {
    svg.append(shape("line", { class: "grid", x1: x(tick / 100), x2: x(tick / 100), y1: top, y2: bottom }),
      shape("text", { class: "tick", x: x(tick / 100), y: bottom + 15, "text-anchor": "middle" }, tickText(tick, ticks)));
  }
  svg.append(shape("line", { class: "axis", x1: 8, x2: width - 8, y1: bottom, y2: bottom }));
  const isTight = marks.length === 2 && Math.abs(x(marks[0][1]) - x(marks[1][1])) < 45;
  for (const [mark, value] of marks) {
    const isLeft = isTight && value === Math.min(...marks.map(([, other]) => other));
    const anchor = isTight ? (isLeft ? "end" : "start") : x(value) < 40 ? "start" : x(value) > width - 40 ? "end" : "middle";
    svg.append(shape("line", { class: "anchor", x1: x(value), x2: x(value), y1: top - 4, y2: bottom }),
      shape("text", { class: "tick", x: x(value), y: top - 8, "text-anchor": anchor }, mark));
  }
  standing.forEach(({ entry, system }, place) => {
    const y = top + row * (place + 0.5);
    const color = `s${system % 8}`;
    if (entry.interval) svg.append(shape("line", { class: `bar ${color}`, x1: x(entry.interval[0]), x2: x(entry.interval[1]), y1: y, y2: y }));
    svg.append(shape("circle", { class: `dot ${color}`, cx: x(entry.value), cy: y, r: 5 },
      shape("title", {}, `${data.systems[system].name}: ${score(entry.value)}`)));
  });
  return svg;
}

function testTable() {
  const { tests, forced, notes } = data.comparison;
  const header = ["metric", "systems", "difference", "95% interval", "p", "p corrected", "p bootstrap", "effect", "wins / ties / losses"];
  const rows = tests.map((test) => element("tr", { class: test.significant ? "significant" : null },
    element("th", { scope: "row" }, test.metric),
    element("td", { class: "text" }, `${test.one} \u2212 ${test.other}`),
    element("td", {}, signed(test.difference)),
    element("td", {}, `${signed(test.interval[0])} to ${signed(test.interval[1])}`),
    element("td", {}, pValue(test.permutation)),
    element("td", {}, element(test.significant ? "b" : "span", {}, pValue(test.corrected))),
    element("td", {}, pValue(test.bootstrap)),
    element("td", {}, test.effect === null ? NONE : test.effect.toFixed(2)),
    element("td", {}, outcomeBar(test.outcomes))));
  return element("details", { open: tests.length <= 8 }, element("summary", {}, "Significance"),
    ...[...forced, ...notes].map((remark) => element("p", { class: "notice" }, remark)),
    element("p", { class: "note" }, data.legend),
    element("div", { class: "wide" }, element("table", {},
      element("thead", {}, element("tr", {}, ...header.map((name) => element("th", { scope: "col", class: name === "systems" ? "text" : null }, name)))),
      element("tbody", {}, ...rows))));
}

function outcomeBar({ wins, ties, losses }) {
  const total = wins + ties + losses || 1;
  const width = 90;
  const [a, b] = [(width * wins) / total, (width * ties) / total];
  return element("span", { class: "outcomes" }, `${wins} / ${ties} / ${losses}`,
    shape("svg", { viewBox: `0 0 ${width} 8`, "aria-hidden": "true" },
      shape("rect", { class: "win", x: 0, y: 0, width: a, height: 8 }),
      shape("rect", { class: "tie", x: a, y: 0, width: b, height: 8 }),
      shape("rect", { class: "loss", x: a + b, y: 0, width: Math.max(0, width - a - b), height: 8 })));
}

function coverageTable() {
  const names = ["references", "predicted", "scored", "missing", "extra", "empty"];
  const warned = data.systems.reduce((sum, system) => sum + system.warnings.length, 0);
  const title = warned ? `Coverage, ${warned} warning${warned > 1 ? "s" : ""}` : "Coverage";
  return element("details", { open: warned > 0 }, element("summary", {}, title),
    element("div", { class: "wide" }, element("table", {},
      element("thead", {}, element("tr", {}, ...["system", ...names].map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, ...data.systems.map((system, place) => element("tr", {},
        element("th", { scope: "row" }, systemName(place)),
        ...names.map((name) => element("td", {}, system.coverage[name].toLocaleString("en")))))))),
    ...data.systems.filter((system) => system.warnings.length).map((system) => element("div", { class: "warnings" },
      element("strong", {}, system.name), element("ul", {}, ...system.warnings.map((text) => element("li", {}, text))))));
}
