"""What learned metrics are worth: every head and ablation trained on one set of ratings, tested on another.

    nebula -> Flickr8k-Expert           English captions of photographs; all 16,992 ratings, none of them seen before
    Flickr8k-Expert -> nebula           and back; nebula whole and without the captions that are rated 0
    shapes, English and Japanese        generated pictures with rated captions: what image and idf are worth

Trained models are kept in the cache folder, so that a run that was stopped goes on. It takes hours: `python -m bench`
runs it only when it is named. The two sets of real ratings are looked for where `bench/data.py` looks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.data import ROOT
from bench.report import Options
from kataribe.captions.suisei.options import ModelOptions, TrainingOptions
from kataribe.core.cache import cache_folder
from kataribe.core.progress import reporting
from kataribe.people.ablation import ablate
from kataribe.people.options import AgreementOptions
from kataribe.people.rated_sets import RatedFile, read_sets, read_tests
from kataribe.people.result import Ablation
from kataribe.people.shapes.dataset import ShapesOptions, make_shapes
from kataribe.people.shapes.files import write_shapes
from kataribe.report.ablation import render_ablation

PAGE = ROOT / "docs" / "suisei-results.md"

SEEDS = 5
NEBULA, EXPERT = "nebula_test.json", "flickr8k_expert.json"


class Experiment(NamedTuple):
    """One table: what is trained on, what is tested on, and with which options."""

    title: str
    training: RatedFile
    tests: Sequence[RatedFile]
    model: ModelOptions
    options: TrainingOptions
    allow_overlap: bool = False


@dataclass(frozen=True)
class Results:
    """All tables, as a page shows them."""

    found: Sequence[tuple[str, Ablation | str]]

    def markdown(self, machine: Sequence[str]) -> str:
        lines = ["### Results", ""]
        for title, found in self.found:
            shown = found if isinstance(found, str) else render_ablation(found, "markdown")
            lines += [f"#### {title}", "", shown, ""]
        return "\n".join([*lines, *(f"- {line}" for line in machine)])


def measure(options: Options) -> Results:
    folder = cache_folder() / "bench-suisei"
    folder.mkdir(parents=True, exist_ok=True)
    found: list[tuple[str, Ablation | str]] = []
    with reporting(_said()):
        for number, make in enumerate((_onto_expert, _onto_nebula, _english_shapes, _japanese_shapes)):
            for experiment in make(folder, options):
                if isinstance(experiment, str):
                    found.append((experiment, "Its data is not here."))
                    continue
                print(f"bench: {experiment.title}", file=sys.stderr, flush=True)
                own = folder / f"experiment-{number}{'' if options.fraction == 1 else '-part'}"
                own.mkdir(exist_ok=True)
                found.append((experiment.title, _run(experiment, own, options)))
    return Results(found)


def _run(experiment: Experiment, folder: Path, options: Options) -> Ablation:
    return ablate(
        experiment.training,
        experiment.tests,
        folder,
        experiment.model,
        experiment.options,
        allow_overlap=experiment.allow_overlap,
        agreement=AgreementOptions(bootstrap=1000 if options.fraction == 1 else 100),
    )


def _said() -> Callable[[str, int, int], None]:
    """A line for each variant and seed that is begun."""
    last = ""

    def say(stage: str, done: int, total: int) -> None:
        nonlocal last
        if stage != last and not stage.startswith("encoding"):
            last = stage
            print(f"bench: {stage}: {done:,} of {total:,}", file=sys.stderr, flush=True)

    return say


def _training(options: Options, **changes: object) -> TrainingOptions:
    quick = {} if options.fraction == 1 else {"epochs": 1}
    return replace(TrainingOptions(seeds=SEEDS if options.fraction == 1 else 2, held_out=0.0), **{**changes, **quick})  # type: ignore[arg-type]


def _onto_expert(folder: Path, options: Options) -> Iterator[Experiment | str]:
    title = "Trained on nebula, tested on Flickr8k-Expert"
    nebula, expert = _judgements(NEBULA), _judgements(EXPERT)
    if nebula is None or expert is None:
        yield title
        return
    training = read_sets([nebula], scale=(0, 1))
    model = ModelOptions()
    yield Experiment(
        title,
        _part(training, options),
        [_part(test, options) for test in read_tests([expert])],
        model,
        _training(options, epochs=8, patience=3),
    )


def _onto_nebula(folder: Path, options: Options) -> Iterator[Experiment | str]:
    title = "Trained on Flickr8k-Expert, tested on nebula, with and without captions that are rated 0"
    nebula, expert = _judgements(NEBULA), _judgements(EXPERT)
    if nebula is None or expert is None:
        yield title
        return
    (test,) = read_tests([nebula])
    examples = test.set.examples
    rated = [id for id, rating in zip(examples.ids, examples.ratings.tolist(), strict=True) if rating > 0]
    tests = [test, test.only(rated, f"{test.name}, without zeros")]
    # Every candidate is a reference of another picture there: all captions are one component.
    by_picture = _training(options, split="picture", epochs=8, patience=3, negatives=0.0, positives=0.0)
    training = _part(read_sets([expert], scale=(1, 4)), options)
    yield Experiment(title, training, [_part(each, options) for each in tests], ModelOptions(), by_picture)


def _english_shapes(folder: Path, options: Options) -> Iterator[Experiment | str]:
    yield _shapes(folder, options, "Shapes, captions in English", ShapesOptions(language="en"), ModelOptions())


def _japanese_shapes(folder: Path, options: Options) -> Iterator[Experiment | str]:
    title, model = "Shapes, captions in Japanese", ModelOptions(encoder="e5")
    yield _shapes(folder, options, title, ShapesOptions(language="ja"), model)


def _shapes(folder: Path, options: Options, title: str, shapes: ShapesOptions, model: ModelOptions) -> Experiment:
    """Generated for this: pictures of shapes with captions, right and wrong, and simulated raters."""
    if options.fraction < 1:
        shapes = replace(shapes, size="smoke")
    place = folder / f"shapes-{shapes.language}-{shapes.size}"
    write_shapes(place, make_shapes(shapes))
    images = place / "images"
    training = read_sets([place / "train.csv"], images=images, scale=(1, 5))
    # Captions of other pictures are among the rated ones, and references tell only a part.
    fitted = _training(options, epochs=15, patience=4, negatives=0.0, positives=0.0)
    return Experiment(title, training, read_tests([place / "test.csv"], images=[images]), model, fitted)


def _judgements(name: str) -> Path | None:
    roots = [os.environ.get("KATARIBE_DATA"), ROOT.parent / "shared" / "data"]
    files = [Path(root) / "human-judgements" / name for root in roots if root]
    return next((file for file in files if file.is_file()), None)


def _part(rated: RatedFile, options: Options) -> RatedFile:
    """Some of the pictures, to try things out."""
    if options.fraction == 1:
        return rated
    examples = rated.set.examples
    groups = list(dict.fromkeys(examples.groups))
    kept = set(np.random.default_rng(0).permutation(groups)[: max(40, round(len(groups) * options.fraction))].tolist())
    ids = [id for id, group in zip(examples.ids, examples.groups, strict=True) if group in kept]
    return rated.only(ids, rated.name)
