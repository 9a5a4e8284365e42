// Scores of all systems: a card for each metric with intervals, anchors and signatures; then the tests between
// systems, and what was covered.

function drawLeaderboard() {
  const place = byId("leaderboard");
  const notices = data.incomparable.map((reason) => element("li", {}, reason));
  if (notices.length) {
    const title = "These results are not comparable, so nothing is tested: ";
    place.append(element("div", { class: "notice" }, element("strong", {}, title), element("ul", {}, ...notices)));
  }
  place.append(element("div", { class: "cards" }, ...data.metrics.map(metricCard)));
  if (data.comparison) place.append(testTable());
  place.append(coverageTable());
}

function systemName(system) {
  const { name, letter } = data.systems[system];
  return element("span", { class: "system" },
    element("span", { class: `swatch s${system % 8}`, "aria-hidden": "true" }),
    data.systems.length > 1 ? element("span", { class: "letter" }, letter) : null, name);
}

function metricCard(metric) {
  const standing = metric.systems.map((entry, system) => ({ entry, system })).filter(({ entry }) => entry);
  const values = standing.map(({ entry }) => entry.value);
  const best = score(metric.lower ? Math.min(...values) : Math.max(...values), metric.unit);
  const isAnchored = standing.some(({ entry }) => entry.anchors);
  const header = ["system", "score", "95% interval", ...(isAnchored ? ["normalised"] : [])];
  const rows = standing.map(({ entry, system }) => [
    systemName(system),
    scoreWithLetters(entry, standing.length > 1 && score(entry.value, metric.unit) === best),
    scoreInterval(entry.interval, metric.unit),
    ...(isAnchored ? [score(entry.anchors?.normalised)] : []),
  ]);
  const parts = [...new Set(standing.flatMap(({ entry }) => Object.keys(entry.parts)))];
  const signatures = [...new Set(standing.map(({ entry }) => entry.signature))];
  return element("article", { class: "card" },
    element("h3", {}, metric.name, metric.lower ? element("small", {}, " lower is better") : null),
    dataTable(header, rows),
    intervalAxis(metric, standing),
    ...againstWhat(standing),
    parts.length ? element("details", {}, element("summary", {}, "Parts"), partTable(parts, standing)) : null,
    element("details", {}, element("summary", {}, "Signature"),
      ...signatures.map((text) => element("code", {}, text))));
}

function scoreWithLetters(entry, isBest) {
  const letters = entry.beats
    ? element("sup", { title: `significantly better than ${entry.beats}` }, entry.beats) : null;
  return element("span", {}, element(isBest ? "b" : "span", {}, score(entry.value, entry.unit)), letters);
}

function partTable(parts, standing) {
  const header = ["part", ...standing.map(({ system }) => systemName(system))];
  const shown = (part) => standing.map(({ entry }) => score(entry.parts[part], entry.unit));
  return dataTable(header, parts.map((part) => [part, ...shown(part)]));
}

// What chance, people and the rings on the axis were scored against; the dots are the scores, against all references.
function againstWhat(standing) {
  const anchored = standing.filter(({ entry }) => entry.anchors);
  const said = new Set(anchored.map(({ entry }) => entry.anchors.against));
  const rings = anchored.map(({ entry, system }) =>
    `${data.systems[system].name} ${score(entry.anchors.system, entry.unit)}`);
  return [...said].map((against) => element("p", { class: "note" },
    `Rings are the systems scored as people are: ${rings.join(", ")}. Rings, null and human: against ${against}. `
    + "normalised = (ring \u2212 null) / (human \u2212 null)."));
}

// One axis for scores, intervals and anchors: where the systems stand between chance (null) and people (human).
function intervalAxis({ name, unit }, standing) {
  const anchors = standing.find(({ entry }) => entry.anchors)?.entry.anchors;
  const marks = [["null", anchors?.null], ["human", anchors?.human]].filter(([, value]) => value != null);
  const scores = standing.flatMap(({ entry }) =>
    [entry.value, ...(entry.interval ?? []), ...(entry.anchors ? [entry.anchors.system] : [])]);
  let [low, high] = extent([...scores, ...marks.map(([, value]) => value)]).map((value) => displayed(value, unit));
  const margin = (high - low) * 0.08 || 1;
  [low, high] = [Math.max(Math.min(0, low), low - margin), high + margin];
  const [width, row, top] = [420, 18, marks.length ? 20 : 6];
  const bottom = top + row * standing.length;
  const along = linear([low, high], [8, width - 8]);
  const x = (value) => along(displayed(value, unit));
  const said = [...standing.map(({ entry, system }) => `${data.systems[system].name} ${score(entry.value, unit)}`),
    ...marks.map(([mark, value]) => `${mark} ${score(value, unit)}`)].join(", ");
  const svg = shape("svg", {
    viewBox: `0 0 ${width} ${bottom + 22}`, role: "img", "aria-label": `${name}: ${said}`, class: "chart",
  });
  const ticks = niceTicks(low, high);
  for (const tick of ticks) {
    const at = along(tick);
    svg.append(shape("line", { class: "grid", x1: at, x2: at, y1: top, y2: bottom }),
      shape("text", { class: "tick", x: at, y: bottom + 15, "text-anchor": "middle" }, tickText(tick, ticks)));
  }
  svg.append(shape("line", { class: "axis", x1: 8, x2: width - 8, y1: bottom, y2: bottom }));
  // Labels stand over their lines, or on the outer sides of two lines that are close.
  const isTight = marks.length === 2 && Math.abs(x(marks[0][1]) - x(marks[1][1])) < 45;
  const leftmost = Math.min(...marks.map(([, value]) => value));
  for (const [mark, value] of marks) {
    const at = x(value);
    const toTheLeft = isTight ? value === leftmost : at > width - 40;
    const toTheRight = isTight ? value !== leftmost : at < 40;
    svg.append(shape("line", { class: "anchor", x1: at, x2: at, y1: top - 4, y2: bottom }), shape("text", {
      class: "tick", x: at, y: top - 8, "text-anchor": toTheLeft ? "end" : toTheRight ? "start" : "middle",
    }, mark));
  }
  standing.forEach(({ entry, system }, place) => {
    const y = top + row * (place + 0.5);
    const color = `s${system % 8}`;
    if (entry.interval) {
      const [x1, x2] = entry.interval.map(x);
      svg.append(shape("line", { class: `bar ${color}`, x1, x2, y1: y, y2: y }));
    }
    svg.append(shape("circle", { class: `dot ${color}`, cx: x(entry.value), cy: y, r: 5 },
      shape("title", {}, `${data.systems[system].name}: ${score(entry.value, unit)}`)));
    if (entry.anchors) {
      const ring = score(entry.anchors.system, unit);
      svg.append(shape("circle", { class: `dot hollow ${color}`, cx: x(entry.anchors.system), cy: y, r: 5 },
        shape("title", {}, `${data.systems[system].name}, scored as people are: ${ring}`)));
    }
  });
  return svg;
}

function testTable() {
  const { tests, remarks, units } = data.comparison;
  const header = ["metric", "systems", "difference", "95% interval", "p", "p corrected", "p bootstrap", "effect",
    "wins / ties / losses"];
  const rows = tests.map((test) => [
    test.metric,
    `${test.one} \u2212 ${test.other}`,
    signed(test.difference, units[test.metric]),
    signedInterval(test.interval, units[test.metric]),
    pValue(test.permutation),
    element(test.significant ? "b" : "span", {}, pValue(test.corrected)),
    pValue(test.bootstrap),
    test.effect === null ? NONE : test.effect.toFixed(2),
    outcomeBar(test.outcomes),
  ]);
  return element("details", { open: tests.length <= 8 }, element("summary", {}, "Significance"),
    ...remarks.map((remark) => element("p", { class: "notice" }, remark)),
    element("p", { class: "note" }, data.legend),
    dataTable(header, rows, { texts: [1], marked: tests.map((test) => test.significant) }));
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
  const warned = data.systems.filter((system) => system.warnings.length);
  const count = warned.reduce((sum, system) => sum + system.warnings.length, 0);
  const title = count ? `Coverage, ${count} warning${count > 1 ? "s" : ""}` : "Coverage";
  const rows = data.systems.map(({ coverage }, place) =>
    [systemName(place), ...names.map((name) => coverage[name].toLocaleString("en"))]);
  return element("details", { open: count > 0 }, element("summary", {}, title), dataTable(["system", ...names], rows),
    ...warned.map(({ name, warnings }) => element("div", { class: "warnings" },
      element("strong", {}, name), element("ul", {}, ...warnings.map(({ id, text }) => element("li", {}, `${text} [${id}]`))))));
}
