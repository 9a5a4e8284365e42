// A caption beside its references, with the words that METEOR and the tuples that JaSPICE matched.

registerView("captions", {
  words(content, place) {
    return [...content.references[place], ...content.systems.map((system) => system.candidates[place] ?? "")];
  },

  item(content, place, { systems }) {
    const counted = new Map();
    const candidates = systems.map((system) => captionOf(content, place, system, counted));
    const references = content.references[place].map((text, number) => element("li", {}, text,
      ...(counted.get(number) ?? []).map((name) => element("span", { class: "badge" }, `matched by ${name}`))));
    return element("div", { class: "captions" },
      element("div", { class: "side-by-side" }, ...candidates),
      element("h4", {}, references.length === 1 ? "Reference" : `${references.length} references`),
      element("ol", { class: "references" }, ...references));
  },
});

function captionOf(content, place, system, counted) {
  const { candidates, alignments, scenes } = content.systems[system];
  const text = candidates[place];
  const [metric, rows] = Object.entries(alignments)[0] ?? [];
  const alignment = rows?.[place];
  if (alignment) {
    const names = counted.get(alignment[0]) ?? [];
    counted.set(alignment[0], [...names, data.systems[system].name]);
  }
  return element("section", { class: "candidate" },
    element("h4", {}, systemName(system)),
    text === null ? element("p", { class: "note" }, "not in this result")
      : text.trim() ? element("blockquote", {}, text) : element("p", { class: "unmatched-note" }, "an empty caption"),
    alignment ? wordAlignment(metric, alignment) : null,
    ...Object.entries(scenes).map(([name, sides]) => (sides[place] ? sceneTuples(name, sides[place]) : null)));
}

function sceneTuples(metric, sides) {
  const counts = sides.map((tuples) => `${tuples.filter(([, matched]) => matched).length} of ${tuples.length}`);
  const line = (tuples) => element("p", {}, ...tuples.map(([text, matched]) => (
    matched ? element("mark", { class: "stage-exact" }, text) : element("span", { class: "lone" }, text))));
  return element("div", { class: "alignment scene" },
    element("p", { class: "note" }, `${metric}: ${counts[0]} tuples are in the references`), line(sides[0]),
    element("p", { class: "note" }, `the references' tuples, ${counts[1]} found`), line(sides[1]));
}

function wordAlignment(metric, [reference, candidateWords, referenceWords, matches]) {
  const block = element("div", { class: "alignment" });
  const marked = (words, side) => {
    const starts = new Map(matches.map((match, number) => [match[2 * side], { length: match[2 * side + 1], number }]));
    const pieces = [];
    for (let at = 0; at < words.length;) {
      const found = starts.get(at);
      const length = found ? found.length : 1;
      const text = words.slice(at, at + length).join(" ");
      const piece = found
        ? matchedWord(block, text, found.number, matches[found.number]) : element("span", { class: "lone" }, text);
      pieces.push(piece, " ");
      at += length;
    }
    return element("p", {}, ...pieces);
  };
  const stages = [...new Set(matches.map((match) => match[4]))];
  block.append(
    element("p", { class: "note" }, `${metric}: ${matches.length} matches with reference ${reference + 1}`,
      ...stages.map((stage) => element("span", { class: `stage ${stageClass(stage)}` }, stage))),
    marked(candidateWords, 0), marked(referenceWords, 1));
  return block;
}

function matchedWord(block, text, number, match) {
  const light = (on) => () => {
    for (const node of block.querySelectorAll(`[data-match="${number}"]`)) node.classList.toggle("lit", on);
  };
  return element("mark", {
    class: stageClass(match[4]), "data-match": number, title: match[4], tabindex: 0,
    onpointerenter: light(true), onpointerleave: light(false), onfocus: light(true), onblur: light(false),
  }, text);
}

function stageClass(stage) {
  return ["exact", "stem", "synonym", "paraphrase"].includes(stage) ? `stage-${stage}` : "stage-other";
}
