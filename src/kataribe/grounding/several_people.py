"""Several reference files as one: a query that is in two of them was marked by the people of both.

Files belong together by id or, where they have none in common, by video and sentence. Spans in percent become seconds
once the length of the video is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kataribe.core.caution import Caution
from kataribe.core.errors import Location, some
from kataribe.core.types import Segment
from kataribe.formats.source import read_each
from kataribe.grounding.annotated import AnnotatedQuery, key_of
from kataribe.grounding.files import read_queries

# Durations in files are rounded.
SLACK_SECONDS = 0.05


@dataclass(frozen=True)
class References:
    """Queries by id, in seconds, each with the span of its video that is searched.

    `whole` are the ids of those whose extent is known to be the whole video: nothing lies outside of it.
    """

    queries: Mapping[str, AnnotatedQuery]
    extents: Mapping[str, Segment]
    whole: frozenset[str]
    warnings: Sequence[Caution]


def read_references(source: Any, lengths: Mapping[str, float]) -> References:
    """Everything that one or several files say of the queries; `lengths` are seconds of videos."""
    tables = list(read_each(_one_or_several(source), read_queries))
    joined = _joined(tables)
    known = _known_lengths(joined, lengths)
    warnings: list[Caution] = []
    in_percent = [id for id, annotated in joined.items() if annotated.in_percent]
    if in_percent and not any(key_of(joined[id].query.video, "")[0] in known for id in joined):
        known = {key_of(annotated.query.video, "")[0]: 100.0 for annotated in joined.values()}
        text = (
            "the references are in percent of their videos, and the predictions must be too; <lengths FILE> has seconds"
        )
        warnings.append(Caution("in-percent", text, options=["lengths"]))
    queries = {id: _in_seconds(annotated, known) for id, annotated in joined.items()}
    guessed = _guessed_lengths(queries, known)
    if guessed:
        text = (
            f"the length of {len(guessed):,} videos is not given: taken to be the end of the last true span, "
            f"which only the floors look at (<lengths FILE>): {some(guessed)}"
        )
        warnings.append(Caution("guessed-length", text, options=["lengths"]))
    extents = {id: _extent(annotated, known | guessed) for id, annotated in queries.items()}
    queries, cut = _inside(queries, extents)
    if cut:
        warnings.append(
            Caution("truth-cut", f"{len(cut):,} true spans end behind their video and were cut: {some(cut)}")
        )
    whole = frozenset(id for id, annotated in queries.items() if annotated.query.duration and annotated.window is None)
    return References(queries, extents, whole, warnings)


def _one_or_several(source: Any) -> Any:
    """A list of objects with an id is one source; a list of paths is several."""
    if isinstance(source, list | tuple) and len(source) == 1 and isinstance(source[0], str | Path):
        return source[0]
    return source


def _joined(tables: Sequence[tuple[Path | None, dict[str, AnnotatedQuery]]]) -> dict[str, AnnotatedQuery]:
    (_, first), *others = tables
    joined = dict(first)
    for path, table in others:
        shared = [id for id in table if id in joined]
        by_key = _by_key(joined) if not shared else {}
        for id, annotated in table.items():
            same = id if id in joined else by_key.get(annotated.key)
            if same is None:
                joined[id] = annotated
                continue
            joined[same] = _with_more_people(joined[same], annotated, Location(path, id))
    return joined


def _by_key(queries: Mapping[str, AnnotatedQuery]) -> dict[tuple[str, str], str]:
    """The id of each sentence of a video; a sentence that is there twice is the first."""
    found: dict[tuple[str, str], str] = {}
    for id, annotated in queries.items():
        found.setdefault(annotated.key, id)
    return found


def _with_more_people(one: AnnotatedQuery, more: AnnotatedQuery, location: Location) -> AnnotatedQuery:
    given, other = one.query.duration, more.query.duration
    if given and other and abs(given - other) > SLACK_SECONDS:
        raise location.at(field="duration").error(
            f"is {other:g}, in an earlier file {given:g}", hint="were they made from the same copy of the video?"
        )
    people, added = one.people, more.people
    if one.in_percent != more.in_percent:
        # Percentages wait until the length is known: everybody's spans become relative to the one that knows it.
        length = given or other
        if length is None:
            raise location.error(
                "is in percent, and the length of its video is not known", hint="give <lengths>", options=["lengths"]
            )
        people = _times(people, length / 100) if one.in_percent else people
        added = _times(added, length / 100) if more.in_percent else added
    query = replace(one.query, duration=given or other)
    return replace(one, query=query, people=(*people, *added), in_percent=one.in_percent and more.in_percent)


def _times(people: Iterable[tuple[Segment, ...]], factor: float) -> tuple[tuple[Segment, ...], ...]:
    return tuple(tuple(Segment(span.start * factor, span.end * factor) for span in spans) for spans in people)


def _known_lengths(queries: Mapping[str, AnnotatedQuery], lengths: Mapping[str, float]) -> dict[str, float]:
    """By the plain name of the video; `lengths` win over what the references say."""
    said = {key_of(a.query.video, "")[0]: a.query.duration for a in queries.values() if a.query.duration is not None}
    return said | {key_of(video, "")[0]: length for video, length in lengths.items()}


def _in_seconds(annotated: AnnotatedQuery, known: Mapping[str, float]) -> AnnotatedQuery:
    length = known.get(key_of(annotated.query.video, "")[0])
    query = replace(annotated.query, duration=length)
    if not annotated.in_percent:
        return replace(annotated, query=query)
    if length is None:
        raise Location(None, query.id).error(
            f"is in percent, and the length of {query.video} is not known", hint="give <lengths>", options=["lengths"]
        )
    return replace(annotated, query=query, people=_times(annotated.people, length / 100), in_percent=False)


def _guessed_lengths(queries: Mapping[str, AnnotatedQuery], known: Mapping[str, float]) -> dict[str, float]:
    last: dict[str, float] = {}
    for annotated in queries.values():
        video = key_of(annotated.query.video, "")[0]
        if video not in known and annotated.window is None:
            ends = [span.end for spans in annotated.people for span in spans]
            last[video] = max([last.get(video, 0.0), *ends])
    return {video: end for video, end in last.items() if end > 0}


def _extent(annotated: AnnotatedQuery, lengths: Mapping[str, float]) -> Segment:
    if annotated.window is not None:
        return annotated.window
    return Segment(0.0, lengths.get(key_of(annotated.query.video, "")[0], 0.0))


def _inside(
    queries: Mapping[str, AnnotatedQuery], extents: Mapping[str, Segment]
) -> tuple[dict[str, AnnotatedQuery], list[str]]:
    """True spans within what is searched; one that lies outside of it altogether is refused."""
    cut: list[str] = []
    kept: dict[str, AnnotatedQuery] = {}
    for id, annotated in queries.items():
        extent = extents[id]
        spans = [span for person in annotated.people for span in person]
        if all(extent.start <= span.start and span.end <= extent.end for span in spans):
            kept[id] = annotated
            continue
        outside = next((span for span in spans if not span & extent), None)
        if outside is not None:
            what = "window" if annotated.window else "video"
            raise Location(None, id, "windows").error(
                f"{outside.start:g} to {outside.end:g} s lies outside its {what}, {extent.start:g} to {extent.end:g}",
                hint="are these frames or milliseconds? give seconds",
            )
        if any(span.end > extent.end + SLACK_SECONDS or span.start < extent.start - SLACK_SECONDS for span in spans):
            cut.append(id)
        kept[id] = replace(annotated, people=tuple(tuple(span & extent for span in p) for p in annotated.people))
    return kept, cut
