"""What does somebody get in temporal grounding who never looks at a video?

    random   spans whose ends are drawn evenly from the video
    whole    the whole video
    drawn    spans of training queries, relative to their videos, drawn at random
    fixed    the fixed relative spans that fit the training queries best, chosen for each measure

Each guesser offers one span, five and ten, beside people (where several marked the queries) and whatever systems are
given. What a guesser reaches, a system need not have looked for. After

Otani, M., Nakashima, Y., Rahtu, E., Heikkila, J. (2020). Uncovering hidden challenges in query-based video moment
retrieval. BMVC.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.audit.result import BLIND, BLIND_PLAYERS, GroundingAudit, GroundingPlayer
from kataribe.core.options import Options, RunOptions, option, same_as
from kataribe.core.progress import report
from kataribe.core.signature import format_signature
from kataribe.formats.source import Paths
from kataribe.grounding.average_precision import MomentMAP
from kataribe.grounding.files import read_lengths
from kataribe.grounding.items import Queries
from kataribe.grounding.join import join, queries_alone
from kataribe.grounding.mean_iou import MomentIoU
from kataribe.grounding.moments import MomentMetric
from kataribe.grounding.panel import SYSTEM, Protocol
from kataribe.grounding.predictions import read_predictions
from kataribe.grounding.recall import MomentRecall
from kataribe.grounding.several_people import read_references
from kataribe.grounding.task import GroundingOptions, read_train

GUESSES = (1, 5, 10)
IOUS = (0.1, 0.3, 0.5, 0.7)


@dataclass(frozen=True)
class GroundingAuditOptions(Options):
    protocol: Protocol = same_as(GroundingOptions, "protocol")
    lengths: Mapping[str, Any] | Path | str | Paths | None = same_as(GroundingOptions, "lengths")
    suppress: str | None = same_as(GroundingOptions, "suppress")
    trials: int = option(10, "Draws of the guessers that draw.", minimum=1)
    seed: int = same_as(RunOptions, "seed")


def audit(
    references: Any, train: Any, systems: Mapping[str, Any] | None = None, options: GroundingAuditOptions | None = None
) -> GroundingAudit:
    """Every measure of systems, people, and guessers who know the training spans alone."""
    options = options or GroundingAuditOptions()
    lengths = read_lengths(options.lengths) if options.lengths is not None else {}
    truth, known = read_references(references, lengths), read_train(train, lengths)
    assert known is not None
    queries = replace(queries_alone(truth), train=known, seed=options.seed)
    warnings = list(truth.warnings)
    panel = _Panel(options)
    players = [panel.player("human", queries, None)] if queries.has_several_people else []
    for given, predictions in (systems or {}).items():
        name = f"{given} (system)" if given in BLIND_PLAYERS else given
        predicted, _, doubts, _ = join(read_predictions(predictions), truth, "zero")
        warnings += [caution.about(name) for caution in doubts if caution not in warnings]
        scored = replace(predicted, seed=options.seed)
        players += [replace(panel.player(SYSTEM, scored, guesses), name=name) for guesses in panel.guesses]
    todo = [(name, guesses) for name in BLIND for guesses in panel.guesses if name != "whole" or guesses == 1]
    for done, (name, guesses) in enumerate(todo, start=1):
        players.append(panel.player(name, queries, guesses))
        report("guessing", done, len(todo))
    most = panel.guesses[-1]
    is_strict = panel.recall(1).edge == "more"
    best = {f"{at:g}": known.for_recall((at,), most, is_strict=is_strict).tolist() for at in IOUS}
    return GroundingAudit(
        queries=len(queries),
        videos=len(set(queries.videos)),
        train_spans=len(known.relative),
        protocol=options.protocol,
        trials=options.trials,
        seed=options.seed,
        players=players,
        best_guesses={at: [(start, end) for start, end in spans] for at, spans in best.items()},
        signatures=panel.signatures(),
        warnings=warnings,
    )


class _Panel:
    """All measures as a protocol has them."""

    def __init__(self, options: GroundingAuditOptions) -> None:
        self.options = options
        kept = MomentRecall.protocols[options.protocol].get("keep", 0)
        self.guesses = tuple(count for count in GUESSES if not kept or count <= kept)

    def recall(self, guesses: int) -> MomentRecall:
        suppress = {} if self.options.suppress is None else {"suppress": self.options.suppress}
        preset = {**MomentRecall.protocols[self.options.protocol], **suppress}
        return MomentRecall(n=guesses, iou=IOUS, trials=self.options.trials, **preset)

    def others(self) -> dict[str, MomentMetric]:
        protocol, trials = self.options.protocol, self.options.trials
        return {
            "mean IoU": MomentIoU(trials=trials, **MomentIoU.protocols[protocol]),
            "mAP": MomentMAP(trials=trials, **MomentMAP.protocols[protocol]),
        }

    def player(self, name: str, queries: Queries, guesses: int | None) -> GroundingPlayer:
        """Mean IoU and mAP have no number of guesses: they are read once, with the smallest and the largest."""
        recall = _values(self.recall(guesses or 1), name, queries)
        measures = {f"IoU {at:g}".replace("0.", "."): value for at, value in zip(IOUS, recall, strict=True)}
        first, last = self.guesses[0], self.guesses[-1]
        others = self.others()
        is_only = guesses is None or name == "whole"
        for measure, needed in (("mean IoU", first), ("mAP", last)):
            is_read = is_only or guesses == needed
            values = _values(others[measure], name, queries) if is_read else [np.nan]
            measures[measure] = float(np.mean(values))
        return GroundingPlayer(name, guesses, measures)

    def signatures(self) -> dict[str, str]:
        metrics: Iterable[MomentMetric] = (*map(self.recall, self.guesses), *self.others().values())
        return {str(metric): format_signature(metric.name, metric.signature(None)) for metric in metrics}


def _values(metric: MomentMetric, player: str, queries: Queries) -> list[float]:
    """A player's value at each threshold."""
    first, *others = metric.rows_of(player, queries, None).sum(axis=0).tolist()
    return [total / first if first else np.nan for total in others]
