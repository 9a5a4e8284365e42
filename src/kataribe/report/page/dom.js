// Elements from names, attributes and children. Children that are strings become text nodes, so that nothing a
// stranger wrote is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

function element(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

function shape(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

function furnish(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

// A table that scrolls by itself where it is too wide. The first cell of a row names it; columns listed in `texts` hold
// sentences, the others names and numbers.
function dataTable(header, rows, { texts = [], marked = [] } = {}) {
  const side = (place) => (texts.includes(place) ? "text" : null);
  const headCells = header.map((cell, place) => element("th", { scope: "col", class: side(place) }, cell));
  const bodyRows = rows.map(([first, ...cells], row) => element("tr", { class: marked[row] ? "marked" : null },
    element("th", { scope: "row", class: side(0) }, first),
    ...cells.map((cell, place) => element("td", { class: side(place + 1) }, cell))));
  return element("div", { class: "wide" }, element("table", {},
    element("thead", {}, element("tr", {}, ...headCells)),
    element("tbody", {}, ...bodyRows)));
}

// A name that may be broken behind the marks that paths and options are made of.
function breakable(name) {
  return name.split(/(?<=[/(,=_-])/).flatMap((piece, place) => (place ? [element("wbr"), piece] : [piece]));
}

function byId(id) {
  return document.getElementById(id);
}

function toast(message) {
  const place = byId("toast");
  place.textContent = message;
  place.classList.add("shown");
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => place.classList.remove("shown"), 2500);
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page opened from a file may have no clipboard; the old way needs a selected field.
    const field = element("textarea", { class: "offscreen", readonly: true });
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  toast(`${what} copied`);
}
