// The researcher's page: asks the server for the state of the study every few seconds.

import { byId, element, fill } from "./dom.js";

const EVERY = 4000;
let data, drawn;

async function refresh() {
  try {
    const response = await fetch("/admin/data");
    if (response.status === 403) return location.reload();
    if (response.ok) {
      data = await response.json();
      const now = JSON.stringify([data.raters, data.coverage, data.agreement]);
      if (now !== drawn) draw();
      drawn = now;
    }
  } catch { /* the server is away for a moment */ }
  setTimeout(refresh, EVERY);
}

async function post(address) {
  return fetch(address, { method: "POST", headers: { "x-kataribe-form": data.form } });
}

async function release(rater) {
  if (!confirm(fill(data.words.admin_release_sure, rater))) return;
  await post(`/admin/release/${rater.number}`);
}

async function invite() {
  const response = await post("/admin/invite");
  if (!response.ok) return;
  const { name, path } = await response.json();
  const link = new URL(path, location.href).href;
  byId("notice").replaceChildren(fill(data.words.admin_invited, { name }), element("code", {}, link));
  byId("notice").scrollIntoView({ block: "nearest" });
}

function draw() {
  const { words, raters } = data;
  const section = (title, ...children) => element("section", { class: "card" }, element("h2", {}, title), children);
  byId("admin").replaceChildren(
    section(words.admin_raters, raters.length ? raterTable() : element("p", {}, words.admin_nobody),
      element("p", { class: "actions" },
        element("button", { type: "button", onclick: invite }, words.admin_invite),
        element("a", { class: "button", href: "/admin/ratings.csv", download: true }, words.admin_export))),
    section(words.admin_agreement, table([words.admin_dimension, words.admin_alpha, words.admin_units],
      data.agreement.map(({ dimension, alpha, units }) =>
        [dimension, alpha === null ? words.admin_no_alpha : alpha.toFixed(3), String(units)]))),
    section(words.admin_coverage, bars()));
}

function raterTable() {
  const { words } = data;
  const header = [words.admin_rater, words.admin_progress, words.admin_checks, words.admin_pace, words.admin_last, words.admin_state];
  return table(header, data.raters.map((rater) => [
    rater.name,
    element("span", { class: "of" }, element("progress", { max: rater.total, value: rater.answered }),
      ` ${rater.answered} / ${rater.total}`),
    rater.checked ? element("span", { class: rater.passed < rater.checked ? "bad" : "good" }, `${rater.passed} / ${rater.checked}`) : "–",
    rater.seconds === null ? "–" : fill(words.seconds, { n: rater.seconds.toFixed(1) }),
    rater.last === null ? "–" : new Date(rater.last * 1000).toLocaleString(document.documentElement.lang),
    rater.started
      ? element("button", { type: "button", onclick: () => release(rater) }, words.admin_release)
      : words.admin_free,
  ]));
}

function table(header, rows) {
  return element("div", { class: "wide" }, element("table", {},
    element("thead", {}, element("tr", {}, header.map((cell) => element("th", { scope: "col" }, cell)))),
    element("tbody", {}, rows.map(([first, ...cells]) => element("tr", {},
      element("th", { scope: "row" }, first), cells.map((cell) => element("td", {}, cell)))))));
}

function bars() {
  const most = Math.max(1, ...data.coverage.map(([, questions]) => questions));
  return element("ul", { class: "bars" }, data.coverage.map(([raters, questions]) => {
    const bar = element("i", { "aria-hidden": true });
    bar.style.width = `${(100 * questions) / most}%`;
    return element("li", {}, bar, element("span", {}, `${questions} ${fill(data.words.admin_coverage_row, { n: raters })}`));
  }));
}

refresh();
