// What is judged: the video or picture, what people wrote about it, and the texts under their letters.

import { clock, element, fill } from "./dom.js";

const AT_END = 0.08;

export function stage(task, words) {
  const player = task.media?.video ? clipPlayer(task) : null;
  const timelines = [];
  const show = (text) => (typeof text === "string" ? plain(text, words) : story(text, task, player, timelines));
  const shown = task.media
    ? element("figure", { class: "media" }, player?.node ?? picture(task, words))
    : null;
  const references = task.references.length
    ? element("section", { class: "card reference" }, element("h3", {}, words.reference), task.references.map(show))
    : null;
  player?.node.addEventListener("timeupdate", () => timelines.forEach((move) => move(player.time())));
  return {
    scene: shown || references ? element("div", { class: "scene" }, shown, references) : null,
    player,
    card: ({ letter, text }) => element("section", { class: "card text", "aria-label": fill(words.text, { letter }) },
      task.texts.length > 1 ? element("h3", { class: "letter-mark", "aria-hidden": true }, letter) : null, show(text)),
  };
}

function plain(text, words) {
  return text.trim() ? element("p", { class: "caption" }, text) : element("p", { class: "caption soft" }, words.no_text);
}

function picture(task, words) {
  return element("img", { src: mediaAddress(task), alt: words.picture });
}

const mediaAddress = (task) => `${location.pathname}/media/${task.number}`;

// A video of which only the part from `start` to `end` plays.
function clipPlayer(task) {
  const { start, end } = task.media;
  const fragment = end === null ? (start ? `#t=${start}` : "") : `#t=${start},${end}`;
  const node = element("video", { src: mediaAddress(task) + fragment, controls: true, playsinline: true,
    preload: "metadata", tabindex: 0 });
  const last = () => end ?? (node.duration || Infinity);
  const keepInside = () => {
    if (node.currentTime > last() + AT_END) node.currentTime = last();
    else if (node.currentTime < start - AT_END) node.currentTime = start;
  };
  node.addEventListener("seeking", keepInside);
  node.addEventListener("timeupdate", () => {
    if (end !== null && node.currentTime >= end && !node.paused) node.pause();
  });
  node.addEventListener("play", () => {
    if (node.currentTime >= last() - AT_END) node.currentTime = start;
  });
  const go = (seconds) => { node.currentTime = Math.min(Math.max(seconds, start), last()); };
  return {
    node,
    time: () => node.currentTime - start,
    toggle: () => (node.paused ? node.play() : node.pause()),
    skip: (seconds) => go(node.currentTime + seconds),
    seek: (seconds) => go(start + seconds),
    replay: () => { go(start); node.play(); },
  };
}

// Captions as bars on a time axis, and as a list; the two point at each other.
function story(captions, task, player, timelines) {
  const duration = task.duration || Math.max(1, ...captions.map(([, end]) => end));
  const percent = (seconds) => `${Math.min(100, Math.max(0, (100 * seconds) / duration))}%`;
  const rows = lanes(captions);
  const head = element("div", { class: "playhead" });
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
