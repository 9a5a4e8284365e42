// Two texts, one choice for each dimension.

import { choices } from "./choices.js";
import { element } from "./dom.js";

export function ask({ dimensions, words, equal }, task, stage, changed) {
  const options = [
    { value: "a", label: words.a_better, keys: ["a"] },
    ...(equal ? [{ value: "equal", label: words.equal, keys: ["e", "="] }] : []),
    { value: "b", label: words.b_better, keys: ["b"] },
  ];
  const asked = choices(dimensions.map(({ name, question }) => ({ title: question || name, name, options })), changed);
  return {
    node: element("div", { class: "asked" },
      element("div", { class: "side-by-side" }, task.texts.map(stage.card)),
      element("div", { class: "questions" }, asked.boxes)),
    given() {
      const values = asked.values();
      return Object.fromEntries(dimensions.map(({ name }, place) => [name, values[place]]));
    },
    complete: () => asked.values().every((value) => value !== null),
    set: (given) => asked.set(dimensions.map(({ name }) => given[name])),
    key: (event) => asked.key(event),
  };
}
