// What is being looked at. It lives in the address, so that a link reopens the same view.

const data = JSON.parse(byId("data").textContent);
const viewData = {};
const views = {};

const DEFAULTS = {
  measure: 0, one: 0, other: Math.min(1, data.systems.length - 1), query: "", sort: "", down: 1, item: "",
};
const NUMBERS = ["measure", "one", "other", "down"];
const state = { ...DEFAULTS };
const listeners = [];

// A room's own drawing: `item(place, context)` for an opened item, `section(content)` for a part of the page.
function registerView(name, view) {
  views[name] = view;
}

// Parsed when first asked for: the page opens before the captions of 5,000 videos are read.
function contentOf(name) {
  viewData[name] ??= JSON.parse(byId(`data-${name}`).textContent);
  return viewData[name];
}

function onChange(listener) {
  listeners.push(listener);
}

function change(patch, { remember = false } = {}) {
  const keys = Object.keys(patch).filter((key) => state[key] !== patch[key]);
  if (!keys.length) return;
  Object.assign(state, patch);
  history[remember ? "pushState" : "replaceState"](null, "", address());
  announce(keys);
}

function announce(keys) {
  for (const listener of listeners) listener(keys);
}

function address() {
  const fields = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) if (value !== DEFAULTS[key]) fields.set(key, value);
  const text = fields.toString();
  return text ? `#${text}` : location.pathname + location.search;
}

function readAddress() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const read = { ...DEFAULTS };
  for (const key of Object.keys(DEFAULTS)) {
    if (!fields.has(key)) continue;
    const value = fields.get(key);
    read[key] = NUMBERS.includes(key) ? Number(value) : value;
  }
  // An address is anybody's text: what points nowhere is as good as absent.
  if (!data.measures[read.measure]) read.measure = DEFAULTS.measure;
  for (const key of ["one", "other"]) if (!data.systems[read[key]]) read[key] = DEFAULTS[key];
  if (!placeOf.has(read.item)) read.item = "";
  const keys = Object.keys(state).filter((key) => state[key] !== read[key]);
  Object.assign(state, read);
  return keys;
}

const placeOf = new Map(data.ids.map((id, place) => [id, place]));

function isPair() {
  return data.systems.length > 1 && state.one !== state.other;
}

function column(system, measure = state.measure) {
  return data.measures[measure].values[system];
}

function valueAt(system, place, measure = state.measure) {
  return column(system, measure)?.[place] ?? null;
}

function differenceAt(place) {
  const [one, other] = [valueAt(state.one, place), valueAt(state.other, place)];
  return one === null || other === null ? null : one - other;
}

// The systems that figures and the opened item show: the chosen pair, or the only one.
function shownSystems() {
  return isPair() ? [state.one, state.other] : [state.one];
}
