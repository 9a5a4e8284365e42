"""Predictions beside queries, by id: everything checked against the length of the video, what is odd counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.errors import JoinError, Location, counted, some
from kataribe.core.join import Wording, describe_unmatched, match_ids
from kataribe.core.ragged import Ragged
from kataribe.core.types import Coverage, Moment, Segment
from kataribe.grounding.annotated import AnnotatedQuery, Prediction
from kataribe.grounding.items import FoundShots, Highlights, Queries
from kataribe.grounding.several_people import SLACK_SECONDS, References

Missing = Literal["zero", "error", "drop"]

_WORDS = Wording(
    items="queries",
    missing={"zero": "scored 0", "drop": "left out"},
    hint="<missing zero> scores them 0, <missing drop> leaves them out",
    extra=(
        "prediction is for an unknown query and was not scored",
        "predictions are for unknown queries and were not scored",
    ),
    empty=("prediction names no moment", "predictions name no moment"),
)
NOTHING = Prediction()
# With fewer queries, a system may well have found all of them.
_ENOUGH_COPIES = 5


def join(
    predictions: Mapping[str, Prediction], references: References, missing: Missing
) -> tuple[Queries, Coverage, list[Caution], list[Prediction]]:
    """The queries to score, in the references' order, with coverage, warnings and what was predicted for each."""
    known = references.queries
    found = by_id(predictions, known)
    unmatched = match_ids(found, known, missing, _WORDS.hint)
    kept = [id for id in known if missing != "drop" or id in found]
    entries = [found.get(id, NOTHING) for id in kept]
    outside = [
        id
        for id, entry in zip(kept, entries, strict=True)
        if id in references.whole and _reaches_outside(entry, references.extents[id], id)
    ]
    unreadable = [id for id, entry in zip(kept, entries, strict=True) if entry.is_unreadable]
    empty = [id for id in kept if id in found and found[id].is_empty and id not in set(unreadable)]
    warnings = [
        *describe_unmatched(unmatched, empty, len(known), missing, _WORDS),
        *_about_answers(unreadable, entries),
        *_about_outside(outside, len(kept)),
        *_about_scores(entries),
        *_about_copies(kept, entries, references),
        *references.warnings,
    ]
    coverage = Coverage(len(known), len(found), len(kept), len(unmatched.absent), len(unmatched.extra), len(empty))
    return _columns(kept, entries, references), coverage, warnings, entries


def queries_alone(references: References) -> Queries:
    """The references with nothing predicted: where audits start."""
    return _columns(list(references.queries), [NOTHING] * len(references.queries), references)


def by_id(predictions: Mapping[str, Prediction], known: Mapping[str, AnnotatedQuery]) -> dict[str, Prediction]:
    """Predictions that were given by video and sentence, under the id of that query."""
    if all(prediction.key is None for prediction in predictions.values()):
        return dict(predictions)
    times = Counter(annotated.key for annotated in known.values())
    id_of = {annotated.key: id for id, annotated in known.items()}
    found: dict[str, Prediction] = {}
    for name, prediction in predictions.items():
        if prediction.key is not None and times[prediction.key] > 1:
            raise Location(None, name).error(
                f"the references have this sentence {times[prediction.key]} times in this video", hint="give ids"
            )
        id = name if prediction.key is None else id_of.get(prediction.key, name)
        if id in found:
            raise Location(None, id).error("is predicted twice", hint="keep one entry for each query")
        found[id] = prediction
    return found


def _reaches_outside(prediction: Prediction, extent: Segment, id: str) -> bool:
    """Whether a moment reaches over an end. One that lies outside altogether is a mistake, unless a model said it."""
    for moment in prediction.moments:
        span = moment.segment
        is_apart = span.start >= extent.end or span.end <= extent.start
        if is_apart and span and prediction.answer is None:
            raise JoinError(
                f"{span.start:g} to {span.end:g} s lies outside its video ({extent.start:g} to {extent.end:g} s)",
                id=id,
                field="windows",
                hint="are these frames, percent or times of another cut? give seconds",
            )
    first, last = extent.start - SLACK_SECONDS, extent.end + SLACK_SECONDS
    return any(not (first <= m.segment.start and m.segment.end <= last) for m in prediction.moments)


def _about_answers(unreadable: Sequence[str], entries: Sequence[Prediction]) -> list[Caution]:
    """The failure rate of reading, which is part of the answer whenever answers were read."""
    answers = sum(entry.answer is not None for entry in entries)
    if not answers:
        return []
    rate = f"{100 * len(unreadable) / answers:.1f}% of {counted(answers, 'answer')} in free text"
    if not unreadable:
        return [Caution("free-text", f"a moment was read in every one of {counted(answers, 'answer')} in free text")]
    text = f"no moment could be read in {len(unreadable):,} ({rate}), scored 0: {some(unreadable)}"
    return [Caution("free-text", text)]


def _about_outside(outside: Sequence[str], queries: int) -> list[Caution]:
    if not outside:
        return []
    text = (
        f"predictions for {len(outside):,} of {queries:,} queries reach over the ends of their video: {some(outside)}"
    )
    return [Caution("over-the-ends", text)]


def _about_scores(entries: Sequence[Prediction]) -> list[Caution]:
    """Where some moments have scores and others none, only whole lists with scores are sorted."""
    partly = [entry for entry in entries if len({moment.score is None for moment in entry.moments}) > 1]
    if not partly:
        return []
    text = f"in {counted(len(partly), 'prediction')} some moments have no score: these stay in the order of the file"
    return [Caution("partly-scored", text)]


def _about_copies(ids: Sequence[str], entries: Sequence[Prediction], references: References) -> list[Caution]:
    """Nobody finds every moment to the last digit."""
    if len(ids) < _ENOUGH_COPIES:
        return []
    for id, entry in zip(ids, entries, strict=True):
        spans = {span for person in references.queries[id].people for span in person}
        if not entry.moments or entry.moments[0].segment not in spans:
            return []
    text = "every prediction starts with exactly a true span: are these the references?"
    return [Caution("references-as-predictions", text)]


def _columns(ids: Sequence[str], entries: Sequence[Prediction], references: References) -> Queries:
    annotated = [references.queries[id] for id in ids]
    return Queries(
        ids=list(ids),
        videos=[each.query.video for each in annotated],
        texts=[each.query.text for each in annotated],
        extents=np.array([(e.start, e.end) for e in (references.extents[id] for id in ids)]).reshape(-1, 2),
        is_cut=np.array([id in references.whole for id in ids], dtype=bool),
        people=Ragged.of([np.ones(len(each.people)) for each in annotated]),
        truth=_lists([_pairs(spans) for each in annotated for spans in each.people]),
        predictions=_lists([_moment_pairs(entry.moments) for entry in entries]),
        scores=np.array(
            [np.nan if m.score is None else m.score for entry in entries for m in entry.moments], dtype=np.float64
        ),
        highlights=_highlights(annotated, entries),
        shots=_shots(annotated, entries),
    )


def _pairs(spans: Sequence[Segment]) -> list[tuple[float, float]]:
    return [(span.start, span.end) for span in spans]


def _moment_pairs(moments: Sequence[Moment]) -> list[tuple[float, float]]:
    return [(moment.segment.start, moment.segment.end) for moment in moments]


def _lists(lists: Sequence[Sequence[tuple[float, float]]]) -> Ragged:
    values = np.array([pair for pairs in lists for pair in pairs], dtype=np.float64).reshape(-1, 2)
    return Ragged.counted(values, [len(pairs) for pairs in lists])


def _highlights(annotated: Sequence[AnnotatedQuery], entries: Sequence[Prediction]) -> Highlights | None:
    raters = {len(each.ratings[0]) for each in annotated if each.ratings}
    if not raters:
        return None
    if len(raters) > 1:
        raise JoinError(f"queries were rated by different numbers of people: {some(sorted(raters))}")
    values = np.array([row for each in annotated for row in each.ratings], dtype=np.float64).reshape(-1, raters.pop())
    return Highlights(
        Ragged.counted(values, [len(each.ratings) for each in annotated]),
        Ragged.of([entry.saliency or () for entry in entries]),
        np.array([bool(entry.saliency) for entry in entries]),
    )


def _shots(annotated: Sequence[AnnotatedQuery], entries: Sequence[Prediction]) -> FoundShots | None:
    if not any(each.shots for each in annotated):
        return None
    pools: dict[str, set[str]] = {}
    for each in annotated:
        pools.setdefault(each.query.video, set()).update(each.shots)
    ranks = [
        next((rank for rank, name in enumerate(entry.shots or ()) if name in each.shots), np.inf)
        for each, entry in zip(annotated, entries, strict=True)
    ]
    return FoundShots(
        np.array(ranks, dtype=np.float64),
        np.array([len(set(each.shots)) for each in annotated]),
        np.array([len(pools[each.query.video]) for each in annotated]),
    )
