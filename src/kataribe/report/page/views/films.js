// A told film: dialogue, the reference and every narrator as tracks on the film's axis, under its video. Names are marked
// right or wrong. One cue is the tab stop; arrow keys walk along a track (left, right) and across tracks (up, down).

const ZOOMS = [["whole film", null], ["5 minutes", 300], ["1 minute", 60]];
const LONG = 900;
const MARKS = { right: "\u2713", wrong: "\u2717", lost: "\u25cb" };

registerView("films", {
  section(content) {
    return filmSection(content);
  },
});

function filmSection(content) {
  const view = { content, film: 0, zoom: 0, place: null, video: null, width: 0, boxes: new Map() };
  const stage = element("div", { class: "film-stage" });
  const clip = element("div", { class: "card film-clip", "aria-live": "polite" });
  const script = element("details", { class: "card spaced" });
  const show = () => {
    view.place = content.films[view.film].places[0];
    drawStage(view, stage, clip);
    drawClip(view, clip);
    drawScript(view, script);
  };
  const films = content.films.map(({ name }) => name);
  const choices = element("div", { class: "tools" },
    films.length > 1 ? filmChoice("Film ", films, (place) => { view.film = place; show(); }) : null,
    filmChoice("In view ", ZOOMS.map(([name]) => name), (place) => { view.zoom = place; view.redraw?.(); }));
  show();
  // The clips of a long film would be slivers.
  view.zoom = view.last > LONG ? 1 : 0;
  choices.lastChild.querySelector("select").value = view.zoom;
  return element("section", { "aria-labelledby": "films-title", class: "films" },
    element("div", { class: "section-head" }, element("h2", { id: "films-title" }, "Told films"), choices),
    narratorTable(content), stage, clip, script);
}

function filmChoice(title, names, choose) {
  const chosen = (event) => choose(Number(event.target.value));
  return element("label", {}, title, element("select", { "aria-label": title.trim(), onchange: chosen },
    ...names.map((name, place) => element("option", { value: place }, name))));
}

// Every narrator's scores and, where people ranked them, what people made of it and which metric agrees with them.
function narratorTable({ people }) {
  const [ranked] = people;
  if (data.systems.length < 2 && !ranked) return null;
  const rows = data.systems.map(({ name }, system) => [systemName(system),
    ...data.metrics.map(({ systems, unit }) => score(systems[system]?.value, unit)),
    ...(ranked ? [rank(ranked.systems[name])] : [])]);
  if (ranked) {
    rows.push([`agrees with people (${ranked.measure})`,
      ...data.metrics.map(({ name }) => score(ranked.metrics[name] ?? null)), ""]);
  }
  const header = ["narrator", ...data.metrics.map(({ name, lower }) => (lower ? `${name} \u2193` : name)),
    ...(ranked ? [`${ranked.label}, ${ranked.name}`] : [])];
  const table = dataTable(header, rows);
  if (ranked) table.querySelector("tbody").lastChild.classList.add("people");
  return element("article", { class: "card" }, table,
    data.metrics.some(({ lower }) => lower) ? element("p", { class: "note" }, "\u2193 lower is better") : null);
}

// The tracks of the chosen film; a cue is { track, place, start, end, text, tone }.
function filmTracks(view) {
  const { content } = view;
  const { name, places } = content.films[view.film];
  const texts = contentOf("captions");
  const tracks = [];
  const said = content.dialogue[name];
  if (said) tracks.push({ name: "dialogue", kind: "dialogue", cues: said.map(([start, end, text]) => ({ start, end, text })) });
  tracks.push({
    name: "reference", kind: "reference",
    cues: places.map((place) => ({ place, start: content.times[place][0], end: content.times[place][1], text: texts.references[place][0] ?? "" })),
  });
  data.systems.forEach((entry, system) => {
    const { times, names } = content.systems[system];
    const cues = places.filter((place) => times[place] && texts.systems[system].candidates[place]).map((place) => ({
      place, start: times[place][0], end: times[place][1], text: texts.systems[system].candidates[place], tone: toneOf(names[place]),
    }));
    tracks.push({ name: entry.name, kind: "told", system, cues });
  });
  tracks.forEach((track, at) => track.cues.forEach((cue) => { cue.track = at; }));
  return tracks;
}

// Of a line: a wrong name, else a role that it does not name, else a right one; nothing where nobody is named.
function toneOf(names) {
  if (!names) return null;
  const [said, , lost] = names;
  if (said.some(([, , isRight]) => !isRight)) return "wrong";
  return lost.length ? "lost" : said.length ? "right" : null;
}

function drawStage(view, stage, clip) {
  const { name } = view.content.films[view.film];
  const tracks = filmTracks(view);
  view.tracks = tracks;
  view.last = Math.max(1, ...tracks.flatMap(({ cues }) => cues.map(({ end }) => end)));
  view.video = filmVideo(view, name, tracks);
  const scroller = element("div", { class: "film-scroll", role: "group", "aria-label": `${name} on a time axis` });
  const choose = (cue) => {
    if (cue.place !== undefined) {
      view.place = cue.place;
      drawClip(view, clip);
      light(view);
    }
    if (view.video) view.video.currentTime = cue.start;
  };
  view.redraw = () => {
    if (view.width > 0) scroller.replaceChildren(filmAxis(view, choose));
  };
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (Math.abs(width - view.width) > 4 || !scroller.firstChild) {
      view.width = width;
      view.redraw();
    }
  }).observe(scroller);
  const has = (tone) => tracks.some(({ cues }) => cues.some((cue) => cue.tone === tone));
  const legend = ["right", "wrong", "lost"].filter(has).map((tone) => element("span", { class: `tone-${tone}` },
    element("i", { "aria-hidden": "true" }, MARKS[tone]), { right: "right names", wrong: "a wrong name", lost: "a role is not named" }[tone]));
  stage.replaceChildren(...[view.video && element("div", { class: "film-video" }, view.video, onVideoChoice(view, tracks)),
    legend.length ? element("p", { class: "shades", role: "note" }, ...legend) : null, scroller].filter(Boolean));
}

function filmVideo(view, film, tracks) {
  const src = data.videos[film];
  if (!src) return null;
  const video = element("video", { controls: true, preload: "metadata", src, "aria-label": `Video ${film}` });
  for (const { name, cues } of tracks) {
    const track = video.addTextTrack("captions", name);
    for (const { start, end, text } of cues) track.addCue(new VTTCue(start, Math.max(end, start + 0.1), cueText(text)));
    track.mode = "hidden";
  }
  for (const event of ["timeupdate", "seeking"]) video.addEventListener(event, () => placeHead(view));
  return video;
}

// The text of a cue is mark-up of its own.
function cueText(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function onVideoChoice(view, tracks) {
  const first = tracks.findIndex(({ kind }) => kind === "told");
  const choose = (place) => {
    tracks.forEach((_, at) => { view.video.textTracks[at].mode = at === place - 1 ? "showing" : "hidden"; });
  };
  const label = filmChoice("On the video ", ["nothing", ...tracks.map(({ name }) => name)], choose);
  label.querySelector("select").value = first + 1;
  choose(first + 1);
  return label;
}

function placeHead(view) {
  if (!view.head) return;
  const left = view.x(view.video.currentTime);
  view.head.style.left = `${left}px`;
  const scroller = view.head.closest(".film-scroll");
  if (!view.video.paused && (left < scroller.scrollLeft || left > scroller.scrollLeft + scroller.clientWidth - 40)) {
    scroller.scrollLeft = left - 40;
  }
}

function filmAxis(view, choose) {
  const seconds = ZOOMS[view.zoom][1];
  const width = Math.max(view.width, seconds ? Math.ceil((view.width * view.last) / seconds) : 0);
  view.x = linear([0, view.last], [6, width - 6]);
  view.boxes = new Map();
  const axis = shape("svg", { class: "story", width, height: AXIS, viewBox: `0 0 ${width} ${AXIS}`, "aria-hidden": "true" },
    ...timeAxis(view.x, view.last, AXIS));
  view.head = element("div", { class: "playhead", hidden: !view.video });
  const rows = view.tracks.map((track) => filmTrack(view, track, width));
  const tracks = element("div", { class: "film-tracks" }, axis, ...rows, view.head);
  tracks.style.width = `${width}px`;
  const home = [...view.boxes.keys()].find((cue) => cue.place === view.place) ?? [...view.boxes.keys()][0];
  for (const [cue, box] of view.boxes) {
    box.setAttribute("tabindex", cue === home ? 0 : -1);
    box.addEventListener("click", () => choose(cue));
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        choose(cue);
      }
      const next = cueBeside(view, cue, event.key);
      if (!next) return;
      event.preventDefault();
      box.setAttribute("tabindex", -1);
      view.boxes.get(next).setAttribute("tabindex", 0);
      view.boxes.get(next).focus();
    });
  }
  light(view);
  if (view.video) view.head.style.left = `${view.x(view.video.currentTime)}px`;
  return tracks;
}

function filmTrack(view, track, width) {
  const lanes = inLanes(track.cues);
  const height = lanes * LANE;
  const name = track.system === undefined ? track.name : systemName(track.system);
  const svg = shape("svg", { class: "story", width, height, viewBox: `0 0 ${width} ${height}` });
  for (const cue of track.cues) {
    const box = cueBox(view, track, cue);
    view.boxes.set(cue, box);
    svg.append(box);
  }
  return element("div", { class: "film-track" }, element("span", { class: "track-name" }, name,
    track.cues.length ? null : element("span", { class: "note" }, " tells nothing of it")), svg);
}

function cueBox(view, track, cue) {
  const [left, right] = [view.x(cue.start), view.x(cue.end)];
  const span = Math.max(3, right - left - 1);
  const mark = cue.tone ? MARKS[cue.tone] : "";
  const shown = shortened(cue.text, span - 8 - (mark ? 13 : 0));
  const y = cue.lane * LANE;
  const said = `${track.name} ${moment(cue.start)}\u2013${moment(cue.end)}: ${cue.text}${cue.tone ? `, ${cue.tone}` : ""}`;
  return shape("g", { class: `caption ${track.kind} ${cue.tone ? `tone-${cue.tone}` : ""}`, role: "button", "aria-label": said },
    shape("title", {}, said),
    shape("rect", { x: left, y, width: span, height: LANE - 4, rx: 4 }),
    mark && span > 12 ? shape("text", { class: "mark", x: left + 4, y: y + 15 }, mark) : null,
    shown ? shape("text", { x: left + (mark ? 17 : 5), y: y + 15 }, shown) : null);
}

// As much of a text as fits into so many pixels; letters of East Asia are twice as wide.
function shortened(text, pixels) {
  let used = 0;
  const letters = Array.from(text);
  for (let at = 0; at < letters.length; at += 1) {
    used += /[\u1100-\uffef]/.test(letters[at]) || letters[at].length > 1 ? 11.6 : 6.1;
    if (used > pixels) return at < 3 ? "" : `${letters.slice(0, at - 1).join("")}\u2026`;
  }
  return text;
}

function cueBeside(view, cue, key) {
  const along = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (along) {
    const { cues } = view.tracks[cue.track];
    return cues[cues.indexOf(cue) + along];
  }
  const across = { ArrowUp: -1, ArrowDown: 1 }[key];
  for (let at = cue.track + across; across && view.tracks[at]; at += across) {
    const near = [...view.tracks[at].cues].sort((a, b) => Math.abs(a.start - cue.start) - Math.abs(b.start - cue.start))[0];
    if (near) return near;
  }
  return undefined;
}

function light(view) {
  for (const [cue, box] of view.boxes) box.classList.toggle("chosen", cue.place !== undefined && cue.place === view.place);
}

// Along the axis alone: the page itself stays where it is.
function reveal(view) {
  const scroller = view.head.closest(".film-scroll");
  const left = view.x(view.content.times[view.place][0]);
  if (left < scroller.scrollLeft || left > scroller.scrollLeft + scroller.clientWidth - 60) scroller.scrollLeft = left - 40;
}

// A clip as it was told by everybody, with the scores of each telling.
function drawClip(view, clip) {
  const { content, place } = view;
  const texts = contentOf("captions");
  const id = data.ids[place];
  const [start, end] = content.times[place];
  const [ranked] = content.people;
  const judged = ranked?.clips[id];
  const measures = data.metrics.map(({ name }) => data.measures.findIndex((measure) => measure.name === name));
  const reference = ["reference", referenceOf(content, place), ...measures.map(() => ""), ...(ranked ? [""] : [])];
  const rows = data.systems.map((entry, system) => {
    const names = content.systems[system].names[place];
    const text = texts.systems[system].candidates[place];
    const told = text === null || !text.trim() ? element("span", { class: "unmatched-note" }, "nothing")
      : element("span", {}, markedNames(text, names?.[0] ?? []));
    if (names?.[2].length) told.append(element("span", { class: "tone-lost" }, ` ${MARKS.lost} not named: ${names[2].join(", ")}`));
    return [systemName(system), told, ...measures.map((measure) => score(valueAt(system, place, measure), data.measures[measure].unit)),
      ...(ranked ? [rank(judged?.people[entry.name])] : [])];
  });
  const pairs = judged && ["pairs as people have them", "", ...data.metrics.map(({ name }) => {
    const found = judged.pairs[name];
    return found ? `${found[0]} of ${found[1]}` : NONE;
  }), ""];
  const header = ["", "narration", ...data.metrics.map(({ name }) => name), ...(ranked ? [ranked.label] : [])];
  const table = dataTable(header, [reference, ...rows, ...(pairs ? [pairs] : [])], { texts: [1] });
  if (pairs) table.querySelector("tbody").lastChild.classList.add("people");
  // Where the screen is narrow, each row is a block, and its numbers carry the names of their columns.
  for (const row of table.querySelectorAll("tbody tr")) [...row.cells].forEach((cell, at) => { cell.dataset.label = header[at]; });
  const { places } = content.films[view.film];
  const step = (label, sign, by) => {
    const next = places[places.indexOf(place) + by];
    return element("button", {
      type: "button", "aria-label": label, disabled: next === undefined,
      onclick: () => { view.place = next; drawClip(view, clip); light(view); reveal(view); },
    }, sign);
  };
  clip.replaceChildren(element("div", { class: "item-head" },
    element("h3", {}, `${moment(start)}\u2013${moment(end)}`),
    element("div", { class: "tools" }, step("Previous clip", "\u2190", -1), step("Next clip", "\u2192", 1),
      element("button", { type: "button", onclick: () => openItem(place) }, "Open in the list"))), table);
}

// The reference with the names in it, as any system that has them found them.
function referenceOf(content, place) {
  const names = content.systems.map((system) => system.names[place]?.[1]).find(Boolean) ?? [];
  return element("span", {}, ...withNames(contentOf("captions").references[place][0] ?? "", names, (name) => element("b", {}, name)));
}

function markedNames(text, names) {
  return withNames(text, names, (name, isRight) => {
    const tone = isRight ? "right" : "wrong";
    return element("mark", { class: `tone-${tone}`, title: `${tone} name` }, name, element("small", {}, MARKS[tone]));
  });
}

// A text with each name of the cast as `mark` makes it. Places count letters, not the halves that some letters have here.
function withNames(text, names, mark) {
  const letters = Array.from(text);
  const pieces = [];
  let at = 0;
  for (const [start, end, isRight] of names) {
    pieces.push(letters.slice(at, start).join(""), mark(letters.slice(start, end).join(""), isRight));
    at = end;
  }
  return [...pieces, letters.slice(at).join("")];
}

// The same without a drawing: the film from its first line to its last.
function drawScript(view, script) {
  const { content } = view;
  const texts = contentOf("captions");
  const lines = view.tracks.filter(({ kind }) => kind === "dialogue").flatMap(({ cues }) => cues)
    .map(({ start, text }) => [start, [moment(start), element("i", {}, text), ...data.systems.map(() => "")]]);
  const clips = content.films[view.film].places.map((place) => [content.times[place][0], [moment(content.times[place][0]),
    referenceOf(content, place),
    ...data.systems.map((_, system) => element("span", {},
      ...markedNames(texts.systems[system].candidates[place] ?? "", content.systems[system].names[place]?.[0] ?? [])))]]);
  const rows = [...lines, ...clips].sort(([one], [other]) => one - other).map(([, row]) => row);
  const heading = lines.length ? "reference; what is said in italics" : "reference";
  const header = ["time", heading, ...data.systems.map((_, system) => systemName(system))];
  script.replaceChildren(element("summary", {}, "The whole film as a table"),
    dataTable(header, rows, { texts: header.map((_, place) => place).slice(1) }));
}

function rank(value) {
  return value === undefined ? NONE : value.toFixed(2);
}
