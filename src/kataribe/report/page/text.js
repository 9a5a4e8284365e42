// Numbers and tables as text. The page's data are as they were measured; only here does a unit decide how they are
// shown: fractions times 100, numbers (a perplexity, say) as they are.

const NONE = "\u2013";

const DISPLAYED_TIMES = { fraction: 100, number: 1 };

function displayed(value, unit) {
  return DISPLAYED_TIMES[unit] * value;
}

function score(value, unit = "fraction", digits = 2) {
  return value === null || value === undefined ? NONE : displayed(value, unit).toFixed(digits);
}

function scoreInterval(interval, unit = "fraction") {
  return interval ? `${score(interval[0], unit)} \u2013 ${score(interval[1], unit)}` : NONE;
}

function signed(value, unit = "fraction") {
  return value === null || value === undefined ? NONE : (value >= 0 ? "+" : "\u2212") + score(Math.abs(value), unit);
}

function signedInterval(interval, unit = "fraction") {
  return interval ? `${signed(interval[0], unit)} to ${signed(interval[1], unit)}` : NONE;
}

function plain(value) {
  if (value === null || value === undefined) return NONE;
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
}

function count(number) {
  return number === null || number === undefined ? NONE : number.toLocaleString("en");
}

function pValue(p) {
  if (p === null) return NONE;
  return p < 0.001 ? "<0.001" : p.toFixed(3);
}

function clock(seconds) {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function moment(seconds) {
  return seconds === null ? "?" : clock(seconds) + (seconds % 1).toFixed(1).slice(1);
}

function csvTable(rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\n");
}

const LATEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };

function latexTable(rows) {
  const cell = (value) => String(value ?? "").replace(/[\\~^&%$#_{}]/g, (mark) => LATEX[mark] ?? `\\${mark}`);
  const [header, ...body] = rows.map((row) => row.map(cell).join(" & ") + " \\\\");
  const columns = "l" + "r".repeat(rows[0].length - 1);
  const rule = "\\hline";
  return [`\\begin{tabular}{${columns}}`, rule, header, rule, ...body, rule, "\\end{tabular}"].join("\n");
}

// The words of a sentence with those that the other sentence also has. For metrics that keep no alignment of words.
function sharedWords(text, other) {
  const words = (sentence) => sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const theirs = new Set(words(other));
  return text.split(/([\p{L}\p{N}]+)/u).map((piece, place) =>
    place % 2 && theirs.has(piece.toLowerCase()) ? element("mark", {}, piece) : piece);
}
