// Several texts, put into places from best to worst on every dimension. A letter is dragged by mouse or finger, placed
// by two taps (letter, place), or by keys: a digit is a place, arrows move, 0 takes the letter back.

import { byId, element, fill } from "./dom.js";

export function ask({ dimensions, words }, task, stage, changed) {
  const boards = dimensions.map((dimension) => board(dimension, task.texts.map(({ letter }) => letter), words, changed));
  return {
    node: element("div", { class: "asked" },
      element("div", { class: "candidates" }, task.texts.map(stage.card)),
      element("div", { class: "questions" }, element("p", { class: "soft hint" }, words.rank_hint),
        boards.map(({ node }) => node))),
    given: () => Object.fromEntries(dimensions.map(({ name }, place) => [name, boards[place].places()])),
    complete: () => boards.every((one) => one.places().every((place) => place !== null)),
    set: (given) => boards.forEach((one, place) => one.set(given[dimensions[place].name] ?? [])),
    key(event) {
      const inFocus = boards.findIndex(({ node }) => node.contains(document.activeElement));
      const place = inFocus >= 0 ? inFocus : boards.findIndex((one) => one.places().includes(null));
      if (place < 0 || !boards[place].key(event)) return false;
      if (/^[1-9]$/.test(event.key)) {
        const open = boards.find((one) => one.places().includes(null));
        (open ?? boards[place]).focusOpen();
      }
      return true;
    },
  };
}

function board({ name, question }, letters, words, changed) {
  const count = letters.length;
  const places = letters.map(() => null);
  const tray = element("div", { class: "tray", "aria-label": words.unplaced, role: "group", onclick: () => moveHeld(null) });
  const slots = Array.from({ length: count }, (_, place) => element("div",
    { class: "slot", role: "group", "aria-label": fill(words.place, { n: place + 1 }), onclick: () => moveHeld(place) },
    element("span", { class: "slot-name", "aria-hidden": true }, String(place + 1))));
  const chips = letters.map((letter, chip) => {
    const node = element("button", { type: "button", class: "chip" }, letter);
    node.addEventListener("click", (event) => { event.stopPropagation(); hold(held === chip ? null : chip); });
    draggable(node, [tray, ...slots], (target) => move(chip, target === tray ? null : slots.indexOf(target)));
    return node;
  });
  let held = null;

  function hold(chip) {
    held = chip;
    chips.forEach((node, place) => node.classList.toggle("held", place === chip));
  }

  function moveHeld(place) {
    if (held === null) return;
    move(held, place);
    hold(null);
  }

  function move(chip, place, quietly = false) {
    places[chip] = place;
    const home = place === null ? tray : slots[place];
    // Letters of one place stay in alphabetical order.
    const after = chips.find((node, other) => other > chip && node.parentNode === home);
    home.insertBefore(chips[chip], after ?? null);
    const told = place === null ? words.unplaced : fill(words.place, { n: place + 1 });
    chips[chip].setAttribute("aria-label", `${letters[chip]}: ${told}`);
    if (quietly) return;
    byId("notice").textContent = place === null ? "" : fill(words.placed, { letter: letters[chip], n: place + 1 });
    changed();
  }

  chips.forEach((_, chip) => move(chip, null, true));
  const ends = element("div", { class: "ends" }, element("span", {}, words.best), element("span", {}, words.worst));
  return {
    node: element("fieldset", { class: "board" }, element("legend", {}, question || name), tray,
      element("div", { class: "slots" }, slots), ends),
    places: () => places.map((place) => (place === null ? null : place + 1)),
    set: (given) => given.forEach((place, chip) => place && chip < count && move(chip, place - 1, true)),
    focusOpen() {
      const open = places.indexOf(null);
      if (open >= 0) chips[open].focus();
    },
    key(event) {
      const inFocus = chips.indexOf(document.activeElement);
      const chip = inFocus >= 0 ? inFocus : places.indexOf(null);
      if (chip < 0) return false;
      // Arrows scroll the page and move sliders unless a letter has the focus.
      const step = inFocus < 0 ? 0 : { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
      if (event.key === "0") move(chip, null);
      else if (/^[1-9]$/.test(event.key) && Number(event.key) <= count) move(chip, Number(event.key) - 1);
      else if (step && places[chip] === null) move(chip, step > 0 ? 0 : count - 1);
      else if (step) move(chip, Math.min(count - 1, Math.max(0, places[chip] + step)));
      else return false;
      chips[chip].focus();
      return true;
    },
  };
}

// Pointer events serve mouse, pen and finger alike. A press that does not move stays a click.
function draggable(node, targets, drop) {
  let from = null;
  const under = (event) => targets.find((target) => {
    const box = target.getBoundingClientRect();
    return event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
  });
  const mark = (target) => targets.forEach((one) => one.classList.toggle("over", one === target));
  const stop = () => {
    from = null;
    node.classList.remove("dragged");
    node.style.translate = "";
    mark(null);
  };
  node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    from = { x: event.clientX, y: event.clientY, moved: false };
    node.setPointerCapture(event.pointerId);
  });
  node.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [x, y] = [event.clientX - from.x, event.clientY - from.y];
    from.moved ||= Math.hypot(x, y) > 6;
    if (!from.moved) return;
    node.classList.add("dragged");
    node.style.translate = `${x}px ${y}px`;
    mark(under(event));
  });
  node.addEventListener("pointerup", (event) => {
    const target = from?.moved ? under(event) : null;
    const moved = from?.moved;
    stop();
    if (target) drop(target);
    if (moved) node.addEventListener("click", (click) => click.stopImmediatePropagation(), { once: true, capture: true });
  });
  node.addEventListener("pointercancel", stop);
}
