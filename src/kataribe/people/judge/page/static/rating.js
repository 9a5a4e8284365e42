// One text or several, each rated, or given a label, on every dimension.

import { choices } from "./choices.js";
import { element } from "./dom.js";

export function ask({ kind, dimensions, scale }, task, stage, changed) {
  const steps = Array.from({ length: scale }, (_, place) => {
    const value = String(place + 1);
    return { value, label: value, keys: [value === "10" ? "0" : value] };
  });
  const named = (labels) => labels.map(([value, label], place) => ({ value, label, keys: [String(place + 1)] }));
  const read = (value) => (value === null || kind === "labels" ? value : Number(value));
  const groups = task.texts.flatMap((_, text) => dimensions.map(({ name, question, low, high, labels }) =>
    ({ title: question || name, name: `${name}-${text}`, options: kind === "labels" ? named(labels) : steps, low, high })));
  const asked = choices(groups, changed);
  const of = (text) => asked.boxes.slice(text * dimensions.length, (text + 1) * dimensions.length);
  return {
    node: element("div", { class: "asked ratings" }, task.texts.map((entry, text) =>
      element("div", { class: "rated" }, stage.card(entry), element("div", { class: "questions" }, of(text))))),
    given() {
      const values = asked.values().map(read);
      return Object.fromEntries(dimensions.map(({ name }, place) =>
        [name, task.texts.map((_, text) => values[text * dimensions.length + place])]));
    },
    complete: () => asked.values().every((value) => value !== null),
    set: (given) => asked.set(groups.map((_, place) =>
      given[dimensions[place % dimensions.length].name]?.[Math.floor(place / dimensions.length)] ?? null)),
    key: (event) => asked.key(event),
  };
}
