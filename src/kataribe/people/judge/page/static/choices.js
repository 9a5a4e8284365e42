// Questions answered by one choice of a few: A, B or equal; 1 to 5. Each is a group of native radio buttons, so that
// tab and arrow keys do what they do everywhere. Letters and digits answer the group in focus, else the first open one,
// else the first.

import { element } from "./dom.js";

export function choices(groups, changed) {
  const boxes = groups.map((group, place) => draw(group, place, () => changed()));
  const value = (place) => boxes[place].querySelector("input:checked")?.value ?? null;
  const open = () => groups.findIndex((_, place) => value(place) === null);
  return {
    boxes,
    values: () => groups.map((_, place) => value(place)),
    set(values) {
      values.forEach((chosen, place) => {
        const input = [...boxes[place].querySelectorAll("input")].find((one) => one.value === String(chosen));
        if (input) input.checked = true;
      });
    },
    // True when the key was an answer. The next open group, if any, gets the focus.
    key(event) {
      const inFocus = boxes.findIndex((box) => box.contains(document.activeElement));
      const place = inFocus >= 0 ? inFocus : Math.max(0, open());
      const option = groups[place].options.find(({ keys }) => keys.includes(event.key.toLowerCase()));
      if (!option) return false;
      const input = [...boxes[place].querySelectorAll("input")].find((one) => one.value === option.value);
      input.checked = true;
      changed();
      const next = open();
      if (next >= 0) boxes[next].querySelector("input").focus();
      else input.focus();
      return true;
    },
  };
}

function draw({ title, name, options, low, high }, place, changed) {
  const id = `choice-${place}`;
  return element("fieldset", { class: "choices" },
    title ? element("legend", {}, title) : null,
    element("div", { class: "options" }, options.map(({ value, label, keys }) =>
      element("label", { class: "option" },
        element("input", { type: "radio", name: `${id}-${name}`, value, onchange: changed,
          "aria-keyshortcuts": keys.join(" ") }),
        element("span", {}, label)))),
    low || high ? element("div", { class: "ends" }, element("span", {}, low), element("span", {}, high)) : null);
}
