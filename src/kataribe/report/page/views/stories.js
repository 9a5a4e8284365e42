// A story on its time axis: reference captions above, predicted ones below, arcs between those that a metric aligned.
// One caption is the tab stop of a story; arrow keys walk along a side (left, right) and across an arc (up, down).

const LANE = 26;
const ARCS = 84;
const AXIS = 22;
const SHADES = [0.02, 0.05, 0.1, 0.2, 0.35, 0.5];
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200];

registerView("stories", {
  words(content, place) {
    return [...content.references[place], ...content.systems.map((system) => system.predictions[place] ?? [])]
      .flat().map((caption) => caption[2]);
  },

  item(content, place, { systems, metric }) {
    const video = videoOf(data.ids[place]);
    const panels = systems.map((system) => storyPanel(content, place, system, metric, video));
    return element("div", { class: "stories" }, video, shadeLegend(),
      element("div", { class: "side-by-side" }, ...panels));
  },
});

function videoOf(id) {
  const src = data.videos[id];
  return src ? element("video", { controls: true, preload: "metadata", src, "aria-label": `Video ${id}` }) : null;
}

function shade(value) {
  return SHADES.filter((limit) => value >= limit).length;
}

function shadeLegend() {
  const limits = [0, ...SHADES].map((limit) => score(limit, "fraction", 0));
  return element("p", { class: "shades", role: "note" }, "IoU \u00d7 text score, from: ",
    ...limits.map((limit, place) => element("span", {}, element("i", { class: `q${place}` }), limit)),
    element("span", {}, element("i", { class: "alone" }), "no partner"));
}

function storyPanel(content, place, system, metric, video) {
  const { predictions, alignments } = content.systems[system];
  const head = element("h4", {}, systemName(system));
  if (!predictions[place]) return element("section", {}, head, element("p", { class: "note" }, "not in this result"));
  const aligned = alignments[metric] ? metric : Object.keys(alignments)[0];
  const readings = (aligned && alignments[aligned][place]) || [];
  const start = Math.max(0, readings.findIndex((reading) => reading[0]));
  const body = element("div", {});
  const show = (reading) => body.replaceChildren(...storyBody(content, place, system, reading, video));
  show(readings[start]);
  const note = aligned ? `arcs: ${aligned}` : "no metric in this result aligns captions";
  const options = readings.map((reading, number) =>
    element("option", { value: number, selected: number === start }, readingName(reading)));
  const chooser = readings.length < 2 ? null : element("select", {
    "aria-label": "Which reading", onchange: (event) => show(readings[Number(event.target.value)]),
  }, ...options);
  return element("section", { class: "story-panel" },
    element("div", { class: "item-head" }, head, element("span", { class: "note" }, note, chooser)), body);
}

function readingName([counts, tiou, f1, annotators]) {
  const threshold = tiou === null ? "" : `tIoU ${tiou}, `;
  const who = annotators.length === 1 ? `annotator ${annotators[0] + 1}, ` : "";
  return `${threshold}${who}F1 ${score(f1)}${counts ? "" : " (not counted)"}`;
}

// The captions of both sides with their partners, then the drawing, the spoken details and the list of pairs.
function storyBody(content, place, system, reading, video) {
  const pairs = (reading?.[4] ?? []).map(([annotator, reference, prediction, iou, text]) =>
    ({ from: `r${annotator}.${reference}`, to: `p${prediction}`, iou, text, product: iou * text }));
  const captions = new Map();
  const add = (key, track, [start, end, text], isRead) => captions.set(key, {
    key, track, start, end, text, isRead, pairs: pairs.filter((pair) => pair.from === key || pair.to === key),
  });
  content.references[place].forEach((told, annotator) => told.forEach((caption, number) =>
    add(`r${annotator}.${number}`, annotator, caption, !reading || reading[3].includes(annotator))));
  content.systems[system].predictions[place].forEach((caption, number) => add(`p${number}`, "p", caption, true));
  const story = { captions, pairs, hasReading: Boolean(reading), duration: content.durations[place], video };
  const details = element("div", { class: "details", "aria-live": "polite" });
  const drawing = element("div", { class: "timeline" });
  let width = 0;
  new ResizeObserver(([entry]) => {
    const wanted = Math.floor(entry.contentRect.width);
    if (wanted > 0 && Math.abs(wanted - width) > 4) {
      width = wanted;
      drawing.replaceChildren(timeline(story, width, details));
    }
  }).observe(drawing);
  describeStory(story, details);
  return [drawing, details, pairList(story)];
}

function inTimeOrder(one, other) {
  return one.start - other.start || one.end - other.end;
}

function inLanes(captions) {
  const ends = [];
  for (const caption of [...captions].sort(inTimeOrder)) {
    let lane = ends.findIndex((end) => end <= caption.start);
    if (lane < 0) lane = ends.push(0) - 1;
    ends[lane] = caption.end;
    caption.lane = lane;
  }
  return Math.max(1, ends.length);
}

function timeline(story, width, details) {
  const drawn = [...story.captions.values()].filter(({ start, end }) => start !== null && end !== null);
  const last = Math.max(story.duration ?? 0, ...drawn.map(({ end }) => end), 1);
  const x = linear([0, last], [2, width - 2]);
  const tracks = [...new Set(drawn.map(({ track }) => track))].filter((track) => track !== "p").sort();
  const svg = shape("svg", { class: "story", width, role: "group", "aria-label": "Story on a time axis" });
  let y = AXIS;
  const label = (text) => {
    svg.append(shape("text", { class: "track", x: 2, y: y + 12 }, text));
    y += 17;
  };
  for (const track of tracks) {
    label(tracks.length > 1 ? `reference, annotator ${track + 1}` : "reference");
    const members = drawn.filter((caption) => caption.track === track);
    const lanes = inLanes(members);
    for (const caption of members) caption.y = y + caption.lane * LANE;
    y += lanes * LANE + 4;
  }
  const referenceBottom = y;
  y += ARCS - 17;
  const predicted = drawn.filter((caption) => caption.track === "p");
  label(predicted.length ? "predicted" : "predicted: nothing");
  const lanes = inLanes(predicted);
  for (const caption of predicted) caption.y = y + caption.lane * LANE;
  y += lanes * LANE;
  svg.setAttribute("height", y + 4);
  svg.setAttribute("viewBox", `0 0 ${width} ${y + 4}`);
  svg.prepend(...timeAxis(x, last, y));
  const arcs = story.pairs.map((pair) => arc(story, pair, x, referenceBottom));
  const boxes = new Map(drawn.map((caption) => [caption.key, captionBox(story, caption, x, width)]));
  svg.append(...arcs.filter(Boolean), ...boxes.values());
  let home = null;
  const choose = (key) => {
    home?.setAttribute("tabindex", -1);
    home = boxes.get(key);
    home.setAttribute("tabindex", 0);
  };
  const light = (key) => {
    const pairs = key ? story.captions.get(key).pairs : story.pairs;
    const lit = new Set(key ? [key, ...pairs.flatMap(({ from, to }) => [from, to])] : boxes.keys());
    for (const [name, box] of boxes) box.classList.toggle("dim", !lit.has(name));
    story.pairs.forEach((pair, number) => arcs[number]?.classList.toggle("dim", !pairs.includes(pair)));
    if (key) describeCaption(story, story.captions.get(key), details);
  };
  for (const [key, box] of boxes) {
    box.addEventListener("pointerenter", () => light(key));
    box.addEventListener("pointerleave", () => light(null));
    box.addEventListener("focus", () => { choose(key); light(key); });
    box.addEventListener("blur", () => light(null));
    box.addEventListener("click", () => playFrom(story, key));
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        playFrom(story, key);
      }
      const next = neighbour(story, drawn, key, event.key);
      if (!next) return;
      event.preventDefault();
      boxes.get(next).focus();
    });
  }
  if (drawn.length) choose(drawn[0].key);
  return svg;
}

function playFrom(story, key) {
  if (!story.video) return;
  story.video.currentTime = story.captions.get(key).start;
  story.video.play().catch(() => toast("this browser cannot play the video"));
}

function neighbour(story, drawn, key, pressed) {
  const caption = story.captions.get(key);
  const steps = { ArrowLeft: -1, ArrowRight: 1 };
  if (pressed in steps) {
    const side = drawn.filter(({ track }) => track === caption.track).sort(inTimeOrder);
    return side[side.indexOf(caption) + steps[pressed]]?.key;
  }
  const isPrediction = caption.track === "p";
  if (pressed === (isPrediction ? "ArrowUp" : "ArrowDown")) {
    const partner = caption.pairs[0] && (isPrediction ? caption.pairs[0].from : caption.pairs[0].to);
    // Without a partner, across to whatever is nearest in time.
    const across = drawn.filter(({ track }) => (track === "p") !== isPrediction)
      .sort((a, b) => Math.abs(a.start - caption.start) - Math.abs(b.start - caption.start))[0];
    return partner ?? across?.key;
  }
  return undefined;
}

function timeAxis(x, last, bottom) {
  const room = Math.max(2, Math.floor((x(last) - x(0)) / 64));
  const step = TIME_STEPS.find((seconds) => last / seconds <= room) ?? TIME_STEPS.at(-1);
  const marks = [];
  for (let tick = 0; tick <= last; tick += step) {
    const anchor = tick === 0 ? "start" : x(last) - x(tick) < 18 ? "end" : "middle";
    marks.push(shape("line", { class: "grid", x1: x(tick), x2: x(tick), y1: AXIS - 6, y2: bottom }),
      shape("text", { class: "tick", x: x(tick), y: 11, "text-anchor": anchor }, clock(tick)));
  }
  return marks;
}

function captionBox(story, caption, x, width) {
  const [left, right] = [x(Math.max(0, Math.min(caption.start, caption.end))), x(Math.max(caption.start, caption.end))];
  const span = Math.max(3, Math.min(right, width) - left);
  const isAlone = story.hasReading && caption.isRead && !caption.pairs.length;
  const room = Math.floor((span - 8) / 6.1);
  const shown = room < 3 ? "" : caption.text.length <= room ? caption.text : `${caption.text.slice(0, room - 1)}\u2026`;
  const classes = ["caption", sideOf(caption), isAlone ? "alone" : "", caption.isRead ? "" : "unread"];
  return shape("g", {
    class: classes.filter(Boolean).join(" "), "data-key": caption.key,
    tabindex: -1, role: "button", "aria-label": captionSaid(story, caption),
  },
  shape("rect", { x: left, y: caption.y, width: span, height: LANE - 4, rx: 4 }),
  shown ? shape("text", { x: left + 5, y: caption.y + 15 }, shown) : null);
}

function captionSaid(story, caption) {
  const partner = caption.pairs.length
    ? caption.pairs.map((pair) => `aligned, IoU ${score(pair.iou, "fraction", 0)}, text ${score(pair.text, "fraction", 0)}`).join("; ")
    : story.hasReading && caption.isRead ? "no partner" : "";
  return `${sideOf(caption)} ${span(caption)}: ${caption.text}. ${partner}`;
}

function sideOf(caption) {
  return caption.track === "p" ? "predicted" : "reference";
}

function span(caption) {
  return `${moment(caption.start)}\u2013${moment(caption.end)}`;
}

function arc(story, pair, x, referenceBottom) {
  const [from, to] = [story.captions.get(pair.from), story.captions.get(pair.to)];
  if (from?.y === undefined || to?.y === undefined) return null;
  const centre = (caption) => x((caption.start + caption.end) / 2);
  const [x1, y1, x2, y2] = [centre(from), from.y + LANE - 4, centre(to), to.y];
  const bend = Math.max(30, (y2 - Math.max(y1, referenceBottom)) / 2 + 10);
  return shape("path", {
    class: `arc q${shade(pair.product)}`, d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`,
  }, shape("title", {}, `IoU ${score(pair.iou)}, text ${score(pair.text)}, product ${score(pair.product)}`));
}

function describeStory(story, details) {
  const alone = [...story.captions.values()].filter((caption) => caption.isRead && !caption.pairs.length);
  const told = alone.filter(({ track }) => track !== "p").length;
  details.replaceChildren(element("p", { class: "note" }, story.hasReading
    ? `${story.pairs.length} pairs; without partner: ${told} reference and ${alone.length - told} predicted captions. `
    : "", "Point at a caption, or tab to one and use the arrow keys."));
}

function describeCaption(story, caption, details) {
  if (!caption.pairs.length) {
    const why = story.hasReading ? (caption.isRead ? "no partner" : "not read: another annotator counts") : "";
    details.replaceChildren(sentence(caption, [caption.text]), element("p", { class: "unmatched-note" }, why));
    return;
  }
  details.replaceChildren(...caption.pairs.flatMap((pair) => {
    const [from, to] = [story.captions.get(pair.from), story.captions.get(pair.to)];
    return [
      pairNumbers(pair),
      sentence(from, sharedWords(from.text, to.text)),
      sentence(to, sharedWords(to.text, from.text)),
    ];
  }));
}

function pairNumbers({ iou, text, product }) {
  const bold = (value) => element("b", {}, score(value));
  return element("p", { class: "numbers" }, "IoU ", bold(iou), " \u00d7 text ", bold(text), " = ",
    element("span", { class: `value q${shade(product)}` }, bold(product)),
    element("span", { class: "note" }, " shared words are marked"));
}

function sentence(caption, pieces) {
  const side = sideOf(caption);
  const badge = element("span", { class: "badge" }, `${side} ${span(caption)}`);
  return element("p", { class: `sentence ${side}` }, badge, " ", ...pieces);
}

// The same without a drawing: for a screen reader, for paper, for who wants to copy it.
function pairList(story) {
  const told = (caption) => `${span(caption)} ${caption.text}`;
  const gap = () => element("span", { class: "unmatched-note" }, "no partner");
  const pairs = story.pairs.map(({ from, to, iou, text, product }) => [
    told(story.captions.get(from)), told(story.captions.get(to)), score(iou), score(text), score(product),
  ]);
  const alone = [...story.captions.values()].filter((caption) => caption.isRead && !caption.pairs.length)
    .map((caption) => [...(caption.track === "p" ? [gap(), told(caption)] : [told(caption), gap()]), NONE, NONE, NONE]);
  const header = ["reference", "predicted", "IoU", "text", "product"];
  return element("details", {}, element("summary", {}, "As a table"),
    dataTable(header, [...pairs, ...alone], { texts: [1] }));
}
