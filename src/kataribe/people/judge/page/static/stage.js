// What is judged: the video or picture, what people wrote about it, and the texts under their letters.

import { clock, element, fill } from "./dom.js";

const AT_END = 0.08;

export function stage(task, { words, language }) {
  const player = task.media?.video ? clipPlayer(task, words) : null;
  const timelines = [];
  const show = (text) => (typeof text === "string" || !text.length
    ? plain(String(text), words)
    : story(text, task, player, timelines));
  const shown = task.media
    ? element("figure", { class: "media" }, player ? [player.node, player.controls] : picture(task, words))
    : null;
  const references = task.references.length
    ? element("section", { class: "card reference" }, element("h3", {}, words.reference),
      element("div", { lang: language || null }, task.references.map(show)))
    : null;
  player?.node.addEventListener("timeupdate", () => timelines.forEach((move) => move(player.time())));
  return {
    scene: shown || references ? element("div", { class: "scene" }, shown, references) : null,
    player,
    card: ({ letter, text }) => element("section", { class: "card text", "aria-label": fill(words.text, { letter }) },
      task.texts.length > 1 ? element("h3", { class: "letter-mark", "aria-hidden": true }, letter) : null,
      element("div", { class: "words", lang: language || null },
        around(task.context?.[0], words.before), show(text), around(task.context?.[1], words.after))),
  };
}

// What is told before or after the text in its film.
function around(text, title) {
  return text?.trim() ? element("p", { class: "around" }, element("span", { class: "around-name" }, title), text) : null;
}

function plain(text, words) {
  return text.trim() ? element("p", { class: "caption" }, text) : element("p", { class: "caption soft" }, words.no_text);
}

function picture(task, words) {
  return element("img", { src: mediaAddress(task), alt: words.picture });
}

const mediaAddress = (task) => `${location.pathname}/media/${task.number}`;

// A video of which only the part from `start` to `end` plays. The browser's own controls would show the whole film, in
// which a clip is a hair's breadth; these show the clip.
function clipPlayer(task, words) {
  const { start, end } = task.media;
  const fragment = end === null ? (start ? `#t=${start}` : "") : `#t=${start},${end}`;
  const node = element("video", { src: mediaAddress(task) + fragment, playsinline: true, preload: "metadata",
    "aria-label": words.video, onclick: () => toggle() });
  const last = () => end ?? (Number.isFinite(node.duration) ? node.duration : start);
  const length = () => Math.max(0, last() - start);
  const go = (seconds) => { node.currentTime = Math.min(Math.max(seconds, start), last()); };
  const toggle = () => {
    if (!node.paused) return node.pause();
    if (node.currentTime >= last() - AT_END || node.currentTime < start - AT_END) go(start);
    node.play();
  };
  const play = element("button", { type: "button", "aria-label": words.play, onclick: toggle }, icon("play"));
  const mute = element("button", { type: "button", "aria-label": words.mute, "aria-pressed": "false",
    onclick: () => { node.muted = !node.muted; } }, icon("sound"));
  const large = element("button", { type: "button", "aria-label": words.large, onclick: () => node.requestFullscreen?.() }, icon("large"));
  const slider = element("input", { type: "range", min: 0, max: 1, step: 0.05, value: 0, "aria-label": words.position,
    oninput: () => go(start + Number(slider.value)) });
  const time = element("span", { class: "time" });
  const update = () => {
    slider.max = String(length() || 1);
    slider.value = String(node.currentTime - start);
    time.textContent = `${clock(node.currentTime - start)} / ${clock(length())}`;
    slider.setAttribute("aria-valuetext", time.textContent);
  };
  for (const happening of ["timeupdate", "durationchange", "seeked"]) node.addEventListener(happening, update);
  node.addEventListener("timeupdate", () => { if (end !== null && node.currentTime >= end && !node.paused) node.pause(); });
  node.addEventListener("play", () => play.replaceChildren(icon("pause")));
  node.addEventListener("pause", () => play.replaceChildren(icon("play")));
  node.addEventListener("volumechange", () => {
    mute.replaceChildren(icon(node.muted ? "silence" : "sound"));
    mute.setAttribute("aria-pressed", String(node.muted));
  });
  update();
  return {
    node,
    controls: element("div", { class: "player" }, play, slider, time, mute, large),
    time: () => node.currentTime - start,
    toggle,
    skip: (seconds) => go(node.currentTime + seconds),
    seek: (seconds) => go(start + seconds),
    replay: () => { go(start); node.play(); },
  };
}

const ICONS = {
  play: "M5 3l14 8-14 8z", pause: "M5 3h5v16H5zM13 3h5v16h-5z", large: "M3 3h7v2H5v5H3zM19 19h-7v-2h5v-5h2z",
  sound: "M3 8h4l5-5v16l-5-5H3zM14 6q4 5 0 10v-2q2-3 0-6z", silence: "M3 8h4l5-5v16l-5-5H3z",
};

function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const node = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  node.setAttribute("viewBox", "0 0 22 22");
  node.setAttribute("aria-hidden", "true");
  path.setAttribute("d", ICONS[name]);
  node.append(path);
  return node;
}

// Captions as bars on a time axis, and as a list; the two point at each other.
function story(captions, task, player, timelines) {
  const duration = task.duration || Math.max(1, ...captions.map(([, end]) => end));
  const percent = (seconds) => `${Math.min(100, Math.max(0, (100 * seconds) / duration))}%`;
  const rows = lanes(captions);
  const head = element("div", { class: "playhead", hidden: !player });
  const axis = element("div", { class: "axis", "aria-hidden": true }, head);
  axis.style.setProperty("--lanes", Math.max(1, ...rows.map((row) => row + 1)));
  const list = element("ol", { class: "captions" });
  captions.forEach(([start, end, text], place) => {
    const bar = element("div", { class: "span", onclick: () => player?.seek(start) }, String(place + 1));
    bar.style.left = percent(start);
    bar.style.width = `max(1.2em, ${percent(Math.max(0, end - start))})`;
    bar.style.setProperty("--lane", rows[place]);
    const time = `${clock(start)}–${clock(end)}`;
    const line = element("li", {},
      player ? element("button", { type: "button", class: "time", onclick: () => player.seek(start) }, time)
        : element("span", { class: "time" }, time),
      element("span", { class: "caption" }, text));
    for (const [one, other] of [[bar, line], [line, bar]]) {
      one.addEventListener("pointerenter", () => other.classList.add("lit"));
      one.addEventListener("pointerleave", () => other.classList.remove("lit"));
    }
    axis.append(bar);
    list.append(line);
  });
  timelines.push((seconds) => { head.style.left = percent(seconds); });
  const scale = element("div", { class: "scale", "aria-hidden": true }, element("span", {}, "0:00"), element("span", {}, clock(duration)));
  return element("div", { class: "story" }, axis, scale, list);
}

// The row of each bar, so that bars which overlap in time do not overlap on the page.
function lanes(captions) {
  const ends = [];
  return captions.map(([start, end]) => {
    let row = ends.findIndex((last) => last <= start);
    if (row < 0) row = ends.push(0) - 1;
    ends[row] = end;
    return row;
  });
}
