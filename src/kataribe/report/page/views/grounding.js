// Grounding: the queries of a film on its axis, and an opened query with what people marked and what a system offers.
// A span is a button: it opens its query in the film's picture, and makes the video jump to it in the query's own.

const GROUND = { row: 40, bar: 9, lane: 22, label: 92, curve: 70, top: 22 };

registerView("grounding", {
  words(content, place) {
    const query = content.queries[place];
    const answers = content.systems.map((system) => system[place]?.[3] ?? "");
    return query ? [content.videos[query[0]], query[1], ...answers] : [];
  },

  section(content) {
    const chooser = element("select", { "aria-label": "Which video" },
      ...content.videos.map((video, number) => element("option", { value: number }, video)));
    const drawing = element("div", { class: "film" });
    const note = element("p", { class: "note" });
    const draw = () => drawFilm(content, Number(chooser.value), drawing, note);
    chooser.addEventListener("change", draw);
    onChange((keys) => { if (keys.some((key) => ["one", "other"].includes(key))) draw(); });
    watchWidth(drawing, draw);
    return element("section", { "aria-label": "Videos" },
      element("div", { class: "section-head" }, element("h2", {}, "Videos"), element("div", { class: "tools" }, chooser)),
      element("div", { class: "card" }, groundLegend(), note, drawing, filmScores(content)));
  },

  item(content, place, { systems }) {
    const query = content.queries[place];
    if (!query) return element("p", { class: "note" }, "not in this result");
    const video = videoOf(data.ids[place]);
    return element("div", { class: "grounding" }, element("blockquote", {}, query[1]),
      element("p", { class: "note" }, `${content.videos[query[0]]}, ${moment(query[2][0])}\u2013${moment(query[2][1])}`),
      video, groundLegend(),
      element("div", { class: "side-by-side" }, ...systems.map((system) => groundPanel(content, place, system, video))));
  },
});

function groundLegend() {
  const mark = (kind, text) => element("span", {}, element("i", { class: `span-key ${kind}` }), text);
  return element("p", { class: "shades", role: "note" }, mark("reference", "true span"), mark("predicted", "predicted"),
    mark("anchor", "anchor shot"));
}

function watchWidth(drawing, draw) {
  let width = 0;
  new ResizeObserver(([entry]) => {
    const wanted = Math.floor(entry.contentRect.width);
    if (wanted > 0 && Math.abs(wanted - width) > 4) {
      width = wanted;
      draw();
    }
  }).observe(drawing);
}

function filmScores(content) {
  const names = Object.keys(content.films[0] ?? {});
  if (content.videos.length < 2 || !names.length) return null;
  const many = content.films.length > 1;
  const counts = content.videos.map((_, video) => content.queries.filter((query) => query?.[0] === video).length);
  const header = ["video", "queries", ...content.films.flatMap((_, system) =>
    names.map((name) => (many ? `${systemName(system)}: ${name}` : name)))];
  const units = new Map(data.metrics.map((metric) => [metric.name, metric.unit]));
  const rows = content.videos.map((video, row) => [video, count(counts[row]),
    ...content.films.flatMap((columns) => names.map((name) => score(columns[name]?.[row], units.get(name))))]);
  return element("details", {}, element("summary", {}, "Scores of each video"), dataTable(header, rows));
}

// Every query of a film: its words, its true spans, below them the first prediction and the anchor shot.
function drawFilm(content, video, drawing, note) {
  const width = Math.floor(drawing.clientWidth);
  if (!width) return;
  const system = state.one;
  const places = content.queries.map((query, place) => (query?.[0] === video ? place : -1)).filter((place) => place >= 0);
  const start = (place) => content.queries[place][3][0]?.[0]?.[0] ?? content.queries[place][2][0];
  places.sort((one, other) => start(one) - start(other));
  const extents = places.map((place) => content.queries[place][2]);
  const low = Math.min(...extents.map(([from]) => from)), high = Math.max(...extents.map(([, to]) => to));
  const x = linear([low, high], [2, width - 2]);
  const height = GROUND.top + places.length * GROUND.row + 4;
  const svg = shape("svg", { class: "story", width, height, viewBox: `0 0 ${width} ${height}`, role: "group",
    "aria-label": `Queries of ${content.videos[video]}` }, ...spanAxis(x, low, high, height));
  places.forEach((place, row) => svg.append(queryRow(content, place, system, x, GROUND.top + row * GROUND.row, width)));
  drawing.replaceChildren(svg);
  note.textContent = `${count(places.length)} queries; predictions of ${data.systems[system].name}. Choose one to open it.`;
}

function queryRow(content, place, system, x, y, width) {
  const [, text, , truth] = content.queries[place];
  const [moments, anchor] = content.systems[system][place] ?? [[], null];
  const shown = fitting(text, width - 12);
  const first = moments[0];
  const said = `${text} ${first ? `predicted ${moment(first[0])} to ${moment(first[1])}` : "nothing predicted"}`;
  const open = () => openItem(place);
  return shape("g", {
    class: "query", tabindex: 0, role: "button", "aria-label": said, onclick: open,
    onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(); } },
  },
  shape("rect", { class: "row", x: 0, y, width, height: GROUND.row - 2, rx: 4 }),
  shape("text", { x: 4, y: y + 13 }, shown),
  ...truth.flat().map(([from, to]) => bar("reference", x, from, to, y + 17)),
  anchor ? bar("anchor", x, anchor[0], anchor[1], y + 17, 2 * GROUND.bar + 1) : null,
  first ? bar("predicted", x, first[0], first[1], y + 18 + GROUND.bar) : null);
}

function bar(kind, x, from, to, y, height = GROUND.bar) {
  const [low, high] = [x(Math.min(from, to)), x(Math.max(from, to))];
  return shape("rect", { class: `span ${kind}`, x: low, y, width: Math.max(2, high - low), height, rx: 2 });
}

function spanAxis(x, low, high, bottom) {
  const room = Math.max(2, Math.floor((x(high) - x(low)) / 64));
  const step = TIME_STEPS.find((seconds) => (high - low) / seconds <= room) ?? TIME_STEPS.at(-1);
  const marks = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) {
    const anchor = x(tick) - x(low) < 18 ? "start" : x(high) - x(tick) < 18 ? "end" : "middle";
    marks.push(shape("line", { class: "grid", x1: x(tick), x2: x(tick), y1: GROUND.top - 6, y2: bottom }),
      shape("text", { class: "tick", x: x(tick), y: 11, "text-anchor": anchor }, clock(tick)));
  }
  return marks;
}

// One query by one system: near the moment, or on the whole axis of the video.
function groundPanel(content, place, system, video) {
  const head = element("h4", {}, systemName(system));
  const prediction = content.systems[system][place];
  if (!prediction) return element("section", {}, head, element("p", { class: "note" }, "not in this result"));
  const [, , extent, truth] = content.queries[place];
  const near = surroundings(extent, truth, prediction);
  const drawing = element("div", { class: "timeline" });
  let isNear = near !== null;
  const draw = () => drawing.clientWidth && drawing.replaceChildren(
    grounded(truth, prediction, isNear ? near : extent, Math.floor(drawing.clientWidth), video));
  const zoom = near && element("button", { type: "button", "aria-pressed": "false", onclick: (event) => {
    isNear = !isNear;
    event.target.setAttribute("aria-pressed", String(!isNear));
    draw();
  } }, "Whole video");
  watchWidth(drawing, draw);
  const answer = prediction[3] === null || prediction[3] === undefined ? null
    : element("p", { class: "note" }, `read in: ${prediction[3]}`);
  return element("section", {}, element("div", { class: "item-head" }, head, zoom), drawing, answer,
    prediction[0].length ? momentTable(prediction[0]) : element("p", { class: "unmatched-note" }, "nothing predicted"));
}

// The part of a long video that holds the true spans, the anchor and the first moments; null where it is most of it.
function surroundings(extent, truth, [moments, anchor]) {
  const spans = [...truth.flat(), ...moments.slice(0, 3), ...(anchor ? [anchor] : [])];
  if (!spans.length) return null;
  const [first, last] = [Math.min(...spans.map(([from]) => from)), Math.max(...spans.map(([, to]) => to))];
  const margin = Math.max(5, (last - first) * 0.15);
  const near = [Math.max(extent[0], first - margin), Math.min(extent[1], last + margin)];
  return near[1] - near[0] < 0.6 * (extent[1] - extent[0]) ? near : null;
}

function grounded(truth, [moments, anchor, curve], [low, high], width, video) {
  const x = linear([low, high], [GROUND.label, width - 4]);
  const svg = shape("svg", { class: "story", width, role: "group", "aria-label": "Spans on the video's axis" });
  let y = GROUND.top;
  const lane = (label, spans, kind) => {
    svg.append(shape("text", { class: "track", x: 2, y: y + 13 }, label));
    for (const span of spans) {
      if (span[1] > low && span[0] < high) svg.append(spanBox(kind, label, span, x, y, low, high, video));
      else svg.append(awayNote(span, span[0] >= high, x(span[0] >= high ? high : low), y));
    }
    y += GROUND.lane;
  };
  truth.forEach((spans, person) => lane(truth.length > 1 ? `person ${person + 1}` : "true", spans, "reference"));
  if (anchor) lane("anchor shot", [anchor], "anchor");
  moments.slice(0, 10).forEach((span, rank) => lane(`predicted ${rank + 1}`, [span], "predicted"));
  if (curve?.length) {
    svg.append(...scoreCurve(curve, x, y, low, high));
    y += GROUND.curve;
  }
  svg.setAttribute("height", y + 4);
  svg.setAttribute("viewBox", `0 0 ${width} ${y + 4}`);
  svg.prepend(...spanAxis(x, low, high, y));
  return svg;
}

// A span that lies outside of what is shown: where it is.
function awayNote(span, isLater, at, y) {
  const words = isLater ? `${moment(span[0])} \u25b8` : `\u25c2 ${moment(span[0])}`;
  return shape("text", { class: "tick", x: at, y: y + 13, "text-anchor": isLater ? "end" : "start" }, words);
}

function spanBox(kind, label, [from, to, , overlap], x, y, low, high, video) {
  const [left, right] = [x(Math.max(low, from)), x(Math.min(high, to))];
  const words = `${moment(from)}\u2013${moment(to)}`;
  const play = () => {
    if (!video) return;
    video.currentTime = from;
    video.play().catch(() => toast("this browser cannot play the video"));
  };
  const good = overlap === undefined || overlap === null ? "" : `, IoU ${score(overlap)}`;
  return shape("g", {
    class: `caption ${kind}`, tabindex: 0, role: "button", "aria-label": `${label}, ${words}${good}`, onclick: play,
    onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); play(); } },
  },
  shape("rect", { x: left, y, width: Math.max(3, right - left), height: GROUND.lane - 5, rx: 3 }),
  shape("title", {}, `${words}${good}`),
  right - left > 88 ? shape("text", { x: left + 5, y: y + 13 }, words) : null);
}

// How well each moment fits, as the system sees it; its lowest score is the floor of the picture.
function scoreCurve(curve, x, y, low, high) {
  const inside = curve.filter(([time, value]) => value !== null && time >= low && time <= high);
  const [least, most] = extent(curve.map(([, value]) => value));
  const height = linear([least, most], [y + GROUND.curve - 6, y + 8]);
  const points = inside.map(([time, value]) => `${x(time).toFixed(1)},${height(value).toFixed(1)}`).join(" ");
  return [
    shape("text", { class: "track", x: 2, y: y + 14 }, "score"),
    shape("text", { class: "tick", x: GROUND.label - 4, y: y + 14, "text-anchor": "end" }, plain(most)),
    shape("text", { class: "tick", x: GROUND.label - 4, y: y + GROUND.curve - 6, "text-anchor": "end" }, plain(least)),
    shape("polyline", { class: "score-curve", points, role: "img", "aria-label": `score from ${plain(least)} to ${plain(most)}` }),
  ];
}

function momentTable(moments) {
  const rows = moments.map(([from, to, value, overlap], rank) =>
    [String(rank + 1), `${moment(from)}\u2013${moment(to)}`, value === null ? NONE : value.toFixed(3), score(overlap)]);
  return element("details", {}, element("summary", {}, "As a table"),
    dataTable(["rank", "span", "score", "IoU with the best true span"], rows));
}
