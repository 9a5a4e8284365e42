// The rater's page: one task at a time. An answer counts when the server has it on disk; until then the page says so,
// tries again and stays where it is. What is half answered survives a reload in the browser's session storage.

import { byId, element, fill } from "./dom.js";
import { stage } from "./stage.js";
import * as pairs from "./pairs.js";
import * as ranking from "./ranking.js";
import * as rating from "./rating.js";

// A label is chosen as a rating is.
const KINDS = { pairs, ranking, rating, labels: rating };
const home = location.pathname;
let study, task, asked, onStage, number, openedAt;
let busy = false;

async function start() {
  study = await getJson(`${home}/state`);
  byId("next").addEventListener("click", save);
  byId("back").addEventListener("click", back);
  byId("help-button").addEventListener("click", showHelp);
  document.addEventListener("keydown", onKey);
  addEventListener("hashchange", () => { if (wanted() !== number) show(wanted()); });
  await show(wanted());
}

async function getJson(address) {
  for (let wait = 500; ; wait = Math.min(8000, wait * 2)) {
    try {
      const response = await fetch(address);
      if (response.status === 403 || response.status === 404) location.reload();
      if (response.ok) return await response.json();
    } catch { /* the network is away: say so and try again */ }
    if (study) tell(study.words.offline);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

const total = () => study.answered.length;
const firstOpen = () => study.answered.indexOf(false) + 1 || total() + 1;

// The address names the task, so that a reload comes back to it; nobody skips ahead of an open one.
function wanted() {
  const named = Number(location.hash.slice(1));
  return Number.isInteger(named) && named >= 1 ? Math.min(named, firstOpen()) : firstOpen();
}

async function show(which) {
  number = which;
  history.replaceState(null, "", `#${number}`);
  onStage?.player?.node.pause();
  const done = study.answered.filter(Boolean).length;
  byId("progress").value = done / total();
  byId("progress").setAttribute("aria-label", fill(study.words.progress, { done, total: total() }));
  byId("back").hidden = number === 1;
  if (number > total()) return finish();
  byId("task").setAttribute("aria-busy", "true");
  const loaded = await getJson(`${home}/tasks/${number}`);
  if (loaded.number !== number) return; // somebody went on meanwhile
  task = loaded;
  onStage = stage(task, study);
  asked = KINDS[study.kind].ask(study, task, onStage, changed);
  const heading = element("h2", { tabindex: -1 }, fill(study.words.task, { n: number, total: total() }));
  byId("task").className = `${study.kind} ${onStage.scene ? "with-scene" : ""}`;
  byId("task").replaceChildren(heading, onStage.scene ?? "", asked.node);
  byId("task").removeAttribute("aria-busy");
  const draft = sessionStorage.getItem(draftName());
  if (draft) asked.set(JSON.parse(draft));
  else if (task.given) asked.set(task.given);
  byId("next").hidden = false;
  tell("");
  ready();
  openedAt = performance.now();
  scrollTo(0, 0);
  heading.focus({ preventScroll: true });
}

const draftName = () => `kataribe ${home} ${number}`;

function changed() {
  sessionStorage.setItem(draftName(), JSON.stringify(asked.given()));
  ready();
}

function ready() {
  byId("next").classList.toggle("ready", asked.complete());
}

async function save() {
  if (busy || number > total()) return;
  if (!asked.complete()) return tell(study.words.unanswered);
  busy = true;
  tell(study.words.saving);
  const body = JSON.stringify({ given: asked.given(), seconds: (performance.now() - openedAt) / 1000 });
  await post(`${home}/tasks/${number}`, body);
  sessionStorage.removeItem(draftName());
  study.answered[number - 1] = true;
  busy = false;
  await show(number + 1);
}

// Comes back when the answer is saved; a refusal that will not change leads to a fresh page.
async function post(address, body) {
  for (let wait = 500; ; wait = Math.min(8000, wait * 2)) {
    try {
      const headers = { "content-type": "application/json", "x-kataribe-form": study.form };
      const response = await fetch(address, { method: "POST", headers, body });
      if (response.ok) return;
      if (response.status < 500) return location.reload();
    } catch { /* as above */ }
    tell(study.words.offline);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

function back() {
  if (!busy && number > 1) show(number - 1);
}

function finish() {
  asked = onStage = null;
  const thanks = study.thanks || study.words.finished_text;
  const heading = element("h2", { tabindex: -1 }, study.words.finished);
  byId("task").className = "letter finished";
  byId("task").replaceChildren(heading, ...paragraphs(thanks),
    element("p", {}, element("button", { type: "button", onclick: () => show(1) }, study.words.review)));
  byId("task").removeAttribute("aria-busy");
  byId("next").hidden = true;
  tell(fill(study.words.progress, { done: total(), total: total() }));
  heading.focus({ preventScroll: true });
}

function tell(message) {
  byId("notice").textContent = message;
}

const paragraphs = (text) => text.trim().split(/\n\s*\n/).filter(Boolean).map((part) => element("p", {}, part));

function showHelp() {
  const { words, kind, instructions, scale, equal, dimensions } = study;
  const labels = Math.max(...dimensions.map((dimension) => dimension.labels.length));
  const chosen = { pairs: equal ? ["A", "B", "E"] : ["A", "B"], rating: ["1", "…", String(scale)],
    labels: ["1", "…", String(labels)], ranking: ["1", "2", "…"] }[kind];
  const keys = [[chosen, words[`key_choose_${kind}${kind === "pairs" && !equal ? "_forced" : ""}`]], [["Tab", "Shift+Tab"], words.key_tab],
    [["Enter"], words.key_next], [["Backspace"], words.key_back], [["P"], words.key_play], [["J", "L"], words.key_seek],
    [["R"], words.key_replay], [["?"], words.key_help]];
  const dialog = byId("help");
  dialog.replaceChildren(
    element("h2", { id: "help-title" }, instructions ? words.instructions : words.keys), ...paragraphs(instructions),
    instructions ? element("h3", {}, words.keys) : "",
    element("dl", { class: "keys" }, keys.flatMap(([names, what]) =>
      [element("dt", {}, names.map((name) => element("kbd", {}, name))), element("dd", {}, what)])),
    element("form", { method: "dialog" }, element("button", { class: "primary" }, words.close)));
  dialog.showModal();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || byId("help").open) return;
  const player = onStage?.player;
  const plays = { p: () => player.toggle(), j: () => player.skip(-2), l: () => player.skip(2), r: () => player.replay() };
  const key = event.key.toLowerCase();
  const onControl = document.activeElement?.matches("button, a, summary");
  if (event.key === "?") showHelp();
  else if (event.key === "Backspace") back();
  else if (event.key === "Enter" && !(onControl && !document.activeElement.matches(".chip"))) save();
  else if (asked?.key(event)) { /* an answer */ }
  else if (player && key in plays) plays[key]();
  else return;
  event.preventDefault();
}

start();
