"""The task: predicted moments and what people marked -> joined queries -> scores.

Several references are joined: a query that is in more than one was marked by the people of all.

>>> import kataribe
>>> truth = [{"id": "1", "video": "v", "query": "A dog runs.", "duration": 30.0, "windows": [[4, 10]]}]
>>> result = kataribe.evaluate("grounding", {"1": [[5, 11, 0.9], [20, 30, 0.2]]}, truth, ["moment_recall(1)"])
>>> round(result["moment_recall(1)"].parts["@0.7"], 2), round(result["moment_recall(1)"].parts["@0.5"], 2)
(1.0, 1.0)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.groups import Groups
from kataribe.core.join import Joined, data_fields
from kataribe.core.metric import Metric
from kataribe.core.options import TaskOptions, option
from kataribe.core.task import Defaults, Evaluation, Files, Names, Task
from kataribe.core.types import Moment
from kataribe.formats.source import Paths
from kataribe.grounding.annotated import AnnotatedQuery, Prediction
from kataribe.grounding.files import read_lengths
from kataribe.grounding.guesses import TrainSpans
from kataribe.grounding.items import Queries
from kataribe.grounding.join import NOTHING, Missing, by_id, join, queries_alone
from kataribe.grounding.panel import Protocol
from kataribe.grounding.predictions import read_predictions
from kataribe.grounding.result import GroundedQuery
from kataribe.grounding.several_people import References, read_references

SPAN_METRICS = ("moment_recall(1)", "moment_recall(5)", "moment_recall(10)", "moment_iou")
BY_LENGTH = tuple(f"moment_map(length={length})" for length in ("short", "middle", "long"))
HIGHLIGHT_METRICS = tuple(
    f"highlight_{measure}({level})" for level in ("fair", "good", "very_good") for measure in ("map", "hit")
)
SHOT_METRICS = ("shot_recall(1)", "shot_recall(5)", "shot_recall(10)")


@dataclass(frozen=True)
class GroundingOptions(TaskOptions):
    # Published scorers of this task have names of their own; there is no one `official` number.
    protocol: Protocol = option(  # type: ignore[assignment]
        "clean", "As who scores: clean, 2dtan, ianet, movie101 or qvhighlights.", noun="protocol"
    )
    missing: Missing = option("zero", "Queries without prediction: zero, error or drop.", noun="policy")
    train: Any | Paths | None = option(
        None, "Training queries, for the floor of the best fixed span; repeatable.", metavar="FILE", many=True
    )
    lengths: Mapping[str, Any] | Path | str | Paths | None = option(
        None, "Seconds of each video: CSV with id and length, or JSON; repeatable.", metavar="FILE", many=True
    )
    suppress: str | None = option(
        None, "Drop spans that overlap an earlier one by more, such as 0.45; default: the protocol's."
    )


def _lengths(options: GroundingOptions) -> dict[str, float]:
    return read_lengths(options.lengths) if options.lengths is not None else {}


@dataclass(frozen=True)
class _Read:
    references: References
    train: TrainSpans | None


def _read_references(source: Any, options: GroundingOptions) -> _Read:
    lengths = _lengths(options)
    return _Read(read_references(source, lengths), read_train(options.train, lengths))


def read_train(source: Any, lengths: Mapping[str, float]) -> TrainSpans | None:
    """The spans of training queries relative to what is searched; the first person's, where several marked one."""
    if source is None:
        return None
    queries = queries_alone(read_references(source, lengths))
    marked = queries.people.starts[queries.people.counts > 0]
    first = queries.truth[marked]
    extents = queries.extents[queries.people.counts > 0][first.owners]
    size = extents[:, 1] - extents[:, 0]
    relative = (first.values - extents[:, :1]) / np.where(size > 0, size, np.nan)[:, None]
    kept = relative[np.isfinite(relative).all(axis=1)]
    if not len(kept):
        raise UsageError("<train>: no query there has a span and a length", options=["train"])
    return TrainSpans(kept)


def _join(
    predictions: Mapping[str, Prediction], references: _Read, options: GroundingOptions, seed: int
) -> Joined[Queries]:
    queries, coverage, warnings, entries = join(predictions, references.references, options.missing)
    queries = replace(queries, seed=seed, train=references.train)
    answers = [entry for entry in entries if entry.answer is not None]
    read = sum(not entry.is_unreadable for entry in answers)
    fields = {
        "protocol": options.protocol,
        **({"answers": f"{read}/{len(answers)}"} if answers else {}),
        "people": _counts(queries),
        "train": references.train.name if references.train else "none",
        "floorseed": str(seed),
        **data_fields(options.missing, coverage, _content_of_references(queries)),
    }
    return Joined(queries, coverage, warnings, fields)


def _counts(queries: Queries) -> str:
    """How many people marked a query.

    1, or 1-5 where it differs.
    """
    counts = queries.people.counts
    low, high = (int(counts.min()), int(counts.max())) if len(counts) else (0, 0)
    return str(low) if low == high else f"{low}-{high}"


def _content_of_references(queries: Queries) -> Iterator[tuple[str, ...]]:
    """What tells one set of references from another: everything in it that can move a number."""
    persons = iter(queries.truth)
    ratings = queries.highlights.ratings if queries.highlights is not None else None
    for row, id in enumerate(queries.ids):
        spans = [repr(next(persons).tolist()) for _ in range(int(queries.people.counts[row]))]
        rated = [repr(ratings[row : row + 1].values.tolist())] if ratings is not None else []
        shots = [str(int(queries.shots.true[row]))] if queries.shots is not None else []
        yield id, queries.videos[row], queries.texts[row], repr(queries.extents[row].tolist()), *spans, *rated, *shots


def _parse(names: Names, options: GroundingOptions) -> dict[str, Metric]:
    defaults = {} if options.suppress is None else {"suppress": options.suppress}
    return registry.parse_all(names, "grounding", protocol=options.protocol, defaults=defaults)


def _default_metrics(queries: Queries, options: GroundingOptions) -> Defaults:
    """The metrics that these references and the protocol can serve."""
    spans: tuple[str, ...] = SPAN_METRICS
    left_out = []
    if options.protocol in ("clean", "qvhighlights"):
        spans += ("moment_map",)
    if options.protocol == "qvhighlights":
        spans += BY_LENGTH
    if options.protocol == "movie101":
        spans = tuple(name for name in spans if name != "moment_recall(10)")
        left_out.append("moment_recall(10) was left out: Movie101's scorer keeps 7 spans, so R@10 is not defined")
    chosen: list[str] = []
    if queries.people.counts.any() and (len(queries.predictions.values) or queries.shots is None):
        chosen += spans
    if queries.highlights is not None:
        if queries.highlights.is_predicted.any():
            chosen += HIGHLIGHT_METRICS
        else:
            left_out.append("highlights were left out: no prediction scores clips")
    if queries.shots is not None:
        chosen += SHOT_METRICS
    return Defaults(chosen, [Caution("metric-left-out", text) for text in left_out])


_Evaluation = Evaluation[GroundingOptions, dict[str, Prediction], _Read, Queries]


def _best_overlap(moment: Moment, query: AnnotatedQuery) -> float:
    return max((moment.segment.iou(span) for person in query.people for span in person), default=0.0)


def _content(evaluation: _Evaluation) -> dict[str, GroundedQuery]:
    """What was scored, by id, for whoever wants to show it."""
    queries = evaluation.items
    persons = iter(queries.truth)
    known = evaluation.references.references.queries
    found = by_id(evaluation.predictions, known)
    return {
        id: GroundedQuery(
            video=queries.videos[row],
            text=queries.texts[row],
            extent=(float(queries.extents[row, 0]), float(queries.extents[row, 1])),
            truth=[[(s, e) for s, e in next(persons).tolist()] for _ in range(int(queries.people.counts[row]))],
            predicted=[(m.segment.start, m.segment.end) for m in entry.moments],
            overlaps=[_best_overlap(m, known[id]) for m in entry.moments],
            scores=[m.score for m in entry.moments] if any(m.score is not None for m in entry.moments) else None,
            anchor=(entry.anchor.start, entry.anchor.end) if entry.anchor else None,
            curve=(list(entry.curve.times), list(entry.curve.scores)) if entry.curve else None,
            answer=entry.answer,
        )
        for row, id in enumerate(queries.ids)
        for entry in [found.get(id, NOTHING)]
    }


TASK = Task(
    name="grounding",
    help="Score moments found in videos: R@n at IoU, mean IoU, mAP, highlights, shots; beside floors and people.",
    options=GroundingOptions,
    predictions=Files("PRED", "The moments to score: JSON, JSONL, CSV, TSV, or answers in free text; gz."),
    references=Files("REF", "What people marked: JSON, JSONL, CSV, TSV, Charades-STA; repeatable."),
    read_predictions=lambda source, options: read_predictions(source),
    read_references=_read_references,
    join=_join,
    parse=_parse,
    default_metrics=_default_metrics,
    content=_content,
    groups=lambda queries: Groups("video", dict(zip(queries.ids, queries.videos, strict=True))),
)
