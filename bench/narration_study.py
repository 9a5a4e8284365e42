"""`python -m bench.narration_study`: what each metric makes of narrations whose names or words were spoiled.

Movie101's validation narrations are scored against themselves and against copies of themselves:

    names removed     every role name taken out
    names replaced    every role name replaced by another of the film's cast, drawn at random
    words replaced    every noun and verb (as jieba tags them) replaced by another one of the corpus, drawn at random;
                      role names stay
    another line      every line replaced by the one before it in the film

The first three are the degraded candidates that people ranked in the Movie101 paper, made here for all narrations.
The table goes to standard output and, with --write, into docs/narration.md.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import kataribe
from bench.data import ROOT
from bench.report import write_section
from kataribe.audit.narration import CLEAN_ROLES
from kataribe.audit.narration_attacks import no_names, previous_line
from kataribe.core import grid, registry
from kataribe.core.types import Cast, Narration
from kataribe.films.casts import read_casts
from kataribe.films.names import Names
from kataribe.narration.files import read_narrations
from kataribe.narration.join import films, join

PAGE = ROOT / "docs" / "narration.md"

# (what the row is called, the metric, the tokenizers it is read with)
METRICS = (
    ("RoleF1, official", "role_f1", (None,)),
    ("RoleF1, paper", CLEAN_ROLES, (None,)),
    ("BLEU-4", "bleu", ("char", "zh")),
    ("ROUGE-L", "rouge_l", ("char", "zh")),
    ("METEOR", "meteor", ("char", "zh")),
    ("CIDEr", "cider", ("char", "zh")),
    ("R@1/16 by ROUGE-L", "recall_at(1, text=rouge_l)", ("char", "zh")),
    ("repetition (lower is better)", "repetition", ("char", "zh")),
    ("DIV", "div", ("char", "zh")),
    ("BERTScore", "bertscore", (None,)),
    ("BERTScore, rescaled", "bertscore(rescale=own)", (None,)),
)

Spoil = Callable[[Sequence[str], Cast], list[str]]


def names_replaced(rng: np.random.Generator) -> Spoil:
    def spoil(lines: Sequence[str], cast: Cast) -> list[str]:
        names = Names.of_cast(cast)
        return ["".join(_renamed(line, names, cast, rng)) for line in lines]

    return spoil


def _renamed(line: str, names: Names, cast: Cast, rng: np.random.Generator) -> Iterator[str]:
    end = 0
    for mention in names.mentions(line):
        others = [name for name in cast.names if name != mention.role] or [mention.role]
        yield line[end : mention.start] + others[rng.integers(len(others))]
        end = mention.end
    yield line[end:]


def words_replaced(lines: Sequence[str], casts: Sequence[Cast], rng: np.random.Generator) -> Spoil:
    """Words come from the same corpus, drawn as often as they stand there, nouns for nouns and verbs for verbs."""
    from jieba import posseg

    def pieces(line: str, names: Names) -> Iterator[tuple[str, str]]:
        """(text, its kind: n, v or nothing); a role name is one piece of no kind."""
        end = 0
        for mention in [*names.mentions(line), None]:
            stretch = line[end : mention.start if mention else len(line)]
            for word, tag in posseg.cut(stretch):
                yield word, tag[0] if tag[0] in "nv" and not tag.startswith("nr") else ""
            if mention:
                yield line[mention.start : mention.end], ""
                end = mention.end

    pools: dict[str, list[str]] = {"n": [], "v": []}
    everybody = Names.of_all(casts)
    for line in lines:
        for word, kind in pieces(line, everybody):
            if kind:
                pools[kind].append(word)

    def other(word: str, kind: str) -> str:
        drawn = word
        while drawn == word:
            drawn = pools[kind][rng.integers(len(pools[kind]))]
        return drawn

    def spoil(spoilt: Sequence[str], cast: Cast) -> list[str]:
        names = Names.of_cast(cast)
        return ["".join(other(word, kind) if kind else word for word, kind in pieces(line, names)) for line in spoilt]

    return spoil


def variants(written: Mapping[str, Narration], casts: Mapping[str, Cast], seed: int) -> dict[str, list[Narration]]:
    items, _, _ = join(written, written, films(casts, None), "error")
    narrations = list(written.values())
    words = words_replaced([line.text for line in narrations], list(casts.values()), np.random.default_rng(seed))
    spoilt: dict[str, Spoil] = {
        "itself": lambda lines, cast: list(lines),
        "names removed": no_names,
        "names replaced": names_replaced(np.random.default_rng(seed)),
        "words replaced": words,
        "another line": previous_line,
    }
    made: dict[str, list[Narration]] = {}
    for name, spoil in spoilt.items():
        lines = list(narrations)
        for film, rows in items.by_film.items():
            for row, text in zip(rows.tolist(), spoil([narrations[r].text for r in rows], casts[film]), strict=True):
                lines[row] = replace(narrations[row], text=text)
        made[name] = lines
    return made


def study(folder: Path, seed: int, *, with_models: bool) -> str:
    casts = read_casts(folder / "cast.json")
    written = read_narrations(folder / "N" / "val.json")
    made = variants(written, casts, seed)
    rows = []
    for label, metric, tokenizers in METRICS:
        if metric.partition("(")[0] not in registry.names() or (metric.startswith("bertscore") and not with_models):
            print(f"narration study: {label} was left out", file=sys.stderr)
            continue
        for tok in tokenizers:
            scores = []
            for lines in made.values():
                result = kataribe.evaluate("narration", lines, list(written.values()), [metric], cast=casts, tok=tok)
                scores.append(next(iter(result)).value)
            rows.append([label, tok or "", *(f"{100 * score:.2f}" for score in scores)])
            print("narration study:", *rows[-1], file=sys.stderr, flush=True)
    return "\n".join(grid.markdown(["metric", "tok", *made], rows)).replace("| --- | ---: |", "| --- | --- |", 1)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.narration_study", description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="also write the table into docs/narration.md")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draws; default 0")
    parser.add_argument("--no-models", action="store_true", help="leave out what needs a neural encoder")
    arguments = parser.parse_args()
    roots = [os.environ.get("KATARIBE_DATA"), ROOT.parent / "shared" / "data"]
    folders = [Path(root) / "movie101" for root in roots if root]
    folder = next((folder for folder in folders if (folder / "N" / "val.json").is_file()), None)
    if folder is None:
        parser.error("Movie101 is not here; KATARIBE_DATA names the folder of the public data sets")
    table = study(folder, arguments.seed, with_models=not arguments.no_models)
    print(table)
    if arguments.write:
        write_section(PAGE, "narration_study", table)


if __name__ == "__main__":
    main()
