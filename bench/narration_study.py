"""`python -m bench.narration_study`: what each metric makes of narrations whose names or words were spoiled.

Movie101's validation narrations are scored against themselves and against copies of themselves:

    names removed     every role name taken out
    names replaced    every role name replaced by another of the film's cast, drawn at random
    words replaced    every noun and verb (as jieba tags them) replaced by another one of the corpus, drawn at random;
                      role names stay
    another line      every line replaced by the one before it in the film

The first three are the degraded candidates that people ranked in the Movie101 paper, made here for all narrations, as
`kataribe degrade narration` makes them.
The table goes to standard output and, with --write, into docs/narration.md.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import kataribe
from bench.data import ROOT
from bench.report import write_section
from kataribe.audit.narration import CLEAN_ROLES
from kataribe.audit.narration_attacks import previous_line
from kataribe.core import grid, registry
from kataribe.core.types import Cast, Narration
from kataribe.films.casts import read_casts
from kataribe.narration.degraded import DegradeOptions, degrade
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

SPOILT = {
    "names removed": DegradeOptions(names="remove"),
    "names replaced": DegradeOptions(names="replace"),
    "words replaced": DegradeOptions(words="nouns,verbs"),
}


def variants(written: Mapping[str, Narration], casts: Mapping[str, Cast], seed: int) -> dict[str, list[Narration]]:
    """The narrations as they are, spoilt by the package's own code, and each replaced by the one before it."""
    narrations = list(written.values())
    spoilt = {
        name: list(degrade(narrations, casts, replace(options, seed=seed)).lines) for name, options in SPOILT.items()
    }
    return {"itself": narrations, **spoilt, "another line": _moved(written, casts)}


def _moved(written: Mapping[str, Narration], casts: Mapping[str, Cast]) -> list[Narration]:
    lines = list(written.values())
    items, _, _ = join(written, written, films(casts, None), "error")
    moved = list(lines)
    for film, rows in items.by_film.items():
        for row, text in zip(rows.tolist(), previous_line([lines[r].text for r in rows], casts[film]), strict=True):
            moved[row] = replace(lines[row], text=text)
    return moved


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
