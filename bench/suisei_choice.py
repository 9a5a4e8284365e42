"""Which head is trained by default: a cross-validation on Nebula's test part alone.

    folds       5, of whole components: nothing that is scored shares a picture or a text with what was learned
    figures     Pearson's correlation and tau-c of all out-of-fold scores with the ratings of
                nebula    the rated captions
                machine   these, and two candidates of other pictures beside each, rated 0
                human     captions by people only: one reference of each item, left out of its references, rated 1;
                          two references of other pictures and three near ones, rated 0
    criterion   the mean of the six figures
    rule        the highest criterion among those with none of the six below the plain cosine's

In each of the three, the style of a caption says nothing about its rating. Every head is trained as `kataribe train
suisei` does by default, with one seed; a blend has five members, each of 70% of the groups. mix is the mean of the
boosted blend and residual, as it is by definition.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.data import ROOT
from bench.report import Options

PAGE = ROOT / "docs" / "suisei-results.md"
FOLDS, SEED, BAGS = 5, 15, 5
COSINE, MIX = "sentence_cosine", "mix"
SETS = ("nebula", "machine", "human")
# Of the captions of another picture that stand beside each rated caption.
MACHINE, HUMAN, NEAR = 2, 2, 3


class Scored(NamedTuple):
    """What is scored in one fold: rated captions and drawn ones, of which `kinds` says what each is."""

    examples: Any
    kinds: np.ndarray


@dataclass(frozen=True)
class Figures:
    """Pearson's correlation and tau-c times 100, of the three sets in turn."""

    values: tuple[float, ...]

    @property
    def criterion(self) -> float:
        return float(np.mean(self.values))

    def is_never_below(self, other: Figures) -> bool:
        return all(one >= two for one, two in zip(self.values, other.values, strict=True))


@dataclass(frozen=True)
class Table:
    figures: Mapping[str, Figures]
    notes: Sequence[str]

    @property
    def chosen(self) -> str:
        return choose(self.figures)

    def markdown(self, machine: Sequence[str]) -> str:
        columns = [f"{name} {measure}" for name in SETS for measure in ("r", "tau-c")]
        lines = [["model", "criterion", *columns, "never below the cosine"], ["---", *["---:"] * 7, "---"]]
        baseline = self.figures[COSINE]
        for name, found in sorted(self.figures.items(), key=lambda each: -each[1].criterion):
            shown = [f"{value:.2f}" for value in (found.criterion, *found.values)]
            verdict = "" if name == COSINE else "yes" if found.is_never_below(baseline) else "no"
            lines.append([f"**{name}**" if name == self.chosen else name, *shown, verdict])
        table = ["| " + " | ".join(cells) + " |" for cells in lines]
        return "\n".join([*table, "", f"Chosen by the rule: {self.chosen}.", "", *(f"- {note}" for note in self.notes)])


def choose(figures: Mapping[str, Figures]) -> str:
    """The highest criterion among those that are nowhere below the cosine; the cosine itself if there is none."""
    fit = [name for name, found in figures.items() if found.is_never_below(figures[COSINE])]
    return max(fit, key=lambda name: figures[name].criterion)


def measure(options: Options) -> Table:
    examples = read_nebula(options.fraction)
    folds = list(split_folds(examples))
    scored = [drawn_around(examples[inside], fold) for fold, (inside, _) in enumerate(folds)]
    figures: dict[str, Figures] = {}
    scores: dict[str, list[np.ndarray]] = {}
    start = time.perf_counter()
    for name, score in candidates().items():
        learned = (replace(examples[outside], warnings=()) for _, outside in folds)
        scores[name] = [score(train, part.examples) for train, part in zip(learned, scored, strict=True)]
        halves = [scores[half] for half in ("blend, boosting", "residual") if half in scores]
        figures[name] = figures_of(scores[name], scored)
        _report(name, figures[name], start)
        if len(halves) == 2 and MIX not in figures:
            figures[MIX] = figures_of([(one + other) / 2 for one, other in zip(*halves, strict=True)], scored)
            _report(MIX, figures[MIX], start)
    kinds = np.concatenate([part.kinds for part in scored])
    counts = ", ".join(f"{(kinds == kind).sum():,} {kind}" for kind in dict.fromkeys(kinds.tolist()))
    return Table(figures, [f"Captions that are scored: {counts}; {FOLDS} folds by component."])


def read_nebula(fraction: float = 1.0) -> Any:
    """Its rated captions, from 0 to 1; a fraction of them to try things out."""
    from kataribe.people.rated import read_rated

    roots = [os.environ.get("KATARIBE_DATA"), ROOT.parent / "shared" / "data"]
    paths = [Path(root) / "human-judgements" / "nebula_test.json" for root in roots if root]
    found = next((path for path in paths if path.is_file()), None)
    if found is None:
        raise SystemExit("bench: this needs human-judgements/nebula_test.json in the folder that KATARIBE_DATA names")
    examples = read_rated(found).examples((0.0, 1.0))
    return examples[: round(len(examples) * fraction)]


def split_folds(examples: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The rows inside and outside of each fold."""
    from kataribe.captions.suisei.material import linked
    from kataribe.learning.splits import split

    for inside in split(linked(examples), {str(fold): 1.0 for fold in range(FOLDS)}, SEED).values():
        yield inside, np.setdiff1d(np.arange(len(examples)), inside)


def drawn_around(examples: Any, fold: int) -> Scored:
    """The captions of a fold, and what is drawn from the fold alone."""
    from kataribe.captions.suisei.drawn import Drawing
    from kataribe.captions.suisei.material import Material, linked

    texts: dict[str, int] = {}
    material = Material.of(examples, texts)
    drawing = Drawing(material, list(texts), linked(examples))
    rng = np.random.default_rng([SEED, fold])
    rows = np.arange(len(examples))
    others = {
        "swapped machine captions": (np.repeat(rows, MACHINE), material.layout.candidates),
        "human captions of other pictures": (np.repeat(rows, HUMAN), material.picture_references()),
        "near human captions": (np.repeat(rows, NEAR), None),
    }
    parts = [(rows, material.layout.candidates, material.layout.references, examples.ratings, "rated captions")]
    for kind, (own, pool) in others.items():
        chosen = drawing.near(own, rng) if pool is None else drawing.strangers(own, pool, rng)
        parts.append((own, chosen, material.layout.references[own], np.zeros(len(own)), kind))
    left_out = drawing.positives(1.0, rng)
    layout = left_out.layout
    parts.append((left_out.rows, layout.candidates, layout.references, left_out.ratings, "left-out references"))
    listed = list(texts)
    own = np.concatenate([part[0] for part in parts])
    every = replace(
        examples[own],
        ids=[f"{fold}:{number}" for number in range(len(own))],
        candidates=[listed[text] for part in parts for text in part[1].tolist()],
        references=[[listed[text] for text in found.tolist()] for part in parts for found in part[2]],
        ratings=np.concatenate([part[3] for part in parts]),
    )
    return Scored(every, np.concatenate([np.full(len(part[0]), part[4]) for part in parts]))


def candidates() -> dict[str, Callable[[Any, Any], np.ndarray]]:
    """How each model learns from the captions of four folds and scores those of the fifth."""
    blends = {f"blend, {kind}": _trained("blend", seeds=BAGS, blend=kind) for kind in ("ridge", "monotone", "boosting")}
    heads = {head: _trained(head, seeds=1) for head in ("residual", "set", "suisei", "polos", "comet")}
    return {COSINE: lambda _, scored: _cosine(scored), **blends, **heads}


def _cosine(scored: Any) -> np.ndarray:
    from kataribe.captions.suisei.material import RatedSet
    from kataribe.core.registry import parse

    metric = parse(COSINE)
    return np.asarray(metric.per_item(metric.rows(RatedSet("scored", scored).captions())).value)


def _trained(head: Any, **options: Any) -> Callable[[Any, Any], np.ndarray]:
    from kataribe.captions.suisei.material import RatedSet, refuse_overlap, split_parts
    from kataribe.captions.suisei.options import ModelOptions, TrainingOptions
    from kataribe.captions.suisei.runs import Setup
    from kataribe.captions.suisei.training import train_members

    def score(learned: Any, scored: Any) -> np.ndarray:
        rated, test = RatedSet("learned", learned), RatedSet("scored", scored)
        refuse_overlap(rated, test, allowed=False)
        training = TrainingOptions(held_out=0.0, device="cpu", **options)
        parts = split_parts(rated, training)
        run = train_members(Setup(rated, ModelOptions(head=head), training, parts, (test,)))
        return run.predictions["scored"]

    return score


def figures_of(scores: Sequence[np.ndarray], scored: Sequence[Scored]) -> Figures:
    """Of all folds together."""
    from kataribe.stats.correlation import Rows

    predicted = np.concatenate(list(scores))
    ratings = np.concatenate([part.examples.ratings for part in scored])
    kinds = np.concatenate([part.kinds for part in scored])
    is_rated, is_machine = kinds == "rated captions", kinds == "swapped machine captions"
    found: list[float] = []
    for rows in (is_rated, is_rated | is_machine, ~is_rated & ~is_machine):
        values = Rows(predicted[rows], ratings[rows]).values()
        found += [100 * values["pearson"], 100 * values["tau_c"]]
    return Figures(tuple(found))


def _report(name: str, figures: Figures, start: float) -> None:
    shown = " ".join(f"{value:.2f}" for value in figures.values)
    seconds = time.perf_counter() - start
    print(f"bench: {name}: {figures.criterion:.2f} | {shown} | {seconds:.0f} s", file=sys.stderr, flush=True)
