"""A result beside its anchors: what people and chance score on the same data (see anchors.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.metric import Metric
from kataribe.core.options import RunOptions
from kataribe.core.result import Result
from kataribe.core.run import run
from kataribe.core.signature import with_field
from kataribe.core.types import Anchors
from kataribe.formats.storytable import StoryTable
from kataribe.stories.anchors import describe_chance, describe_rounds, null_predictions, rounds
from kataribe.stories.items import Missing
from kataribe.stories.join import join
from kataribe.stories.segments import Segments


@dataclass(frozen=True)
class _Scorer:
    """Scores stories the way the result was scored."""

    metrics: Mapping[str, Metric]
    missing: Missing | None
    options: RunOptions

    def mean(self, pairs: Sequence[tuple[StoryTable, Sequence[StoryTable]]]) -> dict[str, float]:
        """Each metric's mean over pairs of predictions and references."""
        runs = []
        for predictions, references in pairs:
            items, coverage, _ = join(predictions, references, self.missing, self.options.seed)
            runs.append(run("stories", self.metrics, items, coverage=coverage, fields={}, options=self.options))
        return {name: float(np.mean([found.metrics[name].value for found in runs])) for name in self.metrics}


def with_anchors(
    result: Result,
    metrics: Mapping[str, Metric],
    predicted: StoryTable,
    references: Sequence[StoryTable],
    missing: Missing | None,
    options: RunOptions,
) -> Result:
    # Only a captioner that was given the segments can be scored on given segments: people and chance cannot.
    metrics = {name: metric for name, metric in metrics.items() if not isinstance(metric, Segments)}
    if not metrics:
        problem = "segments(...) has no anchors: people were not given the segments"
        raise UsageError(problem, hint="leave <anchors> out", options=["anchors"])
    scorer = _Scorer(metrics, missing, replace(options, bootstrap=0, details=False))
    turns = rounds(references, predicted.videos)
    against: list[Sequence[StoryTable]] = [turn.references for turn in turns] or [references]
    chance = null_predictions(references, options.seed)
    people = scorer.mean([(turn.left_out, turn.references) for turn in turns]) if turns else None
    null = scorer.mean([(chance, stories) for stories in against])
    system = scorer.mean([(predicted, stories) for stories in against])
    description = describe_rounds(len(references), len(turns))
    conditions = describe_chance(chance, len(turns), options.seed)
    anchored = {
        name: replace(
            metric,
            anchors=Anchors(people[name] if people else None, null[name], system[name], description),
            signature=with_field(metric.signature, "anchors", conditions),
        )
        for name, metric in result.metrics.items()
        if name in metrics
    }
    warnings = result.warnings
    if not turns:
        text = "no video was told by two annotators, which says nothing about how well people agree: no human anchor"
        warnings += (Caution("no-human-anchor", text),)
    return replace(result, metrics={**result.metrics, **anchored}, warnings=warnings)
