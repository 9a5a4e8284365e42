"""Several ground-truth files as one: a video that is in two of them has the annotators of both.

Files may also cover different videos. What two files say of one video's duration and frame rate must agree. A file
whose annotators are all in another one already is refused: people would be compared with themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from kataribe.boundaries.files import ID_FIELDS, SLACK_SECONDS, AnnotatedVideo, Source, read_truth
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, Location, UsageError

Truth = dict[str, AnnotatedVideo]

# How much of a difference between two files' frame rates is rounding.
_RATE_SLACK = 0.01


def read_truths(references: Source | Sequence[Source]) -> tuple[Truth, list[Caution]]:
    """Every video's annotators from one source or several, and what should be known about the joining."""
    sources = _sources(references)
    tables = {_name(source, number): read_truth(source) for number, source in enumerate(sources, start=1)}
    for (one, first), (other, second) in combinations(tables.items(), 2):
        _refuse_repeated(one, first, other, second)
    joined: Truth = {}
    shared = 0
    for name, table in tables.items():
        for id, video in table.items():
            shared += id in joined
            joined[id] = _with_more_annotators(joined[id], video, name) if id in joined else video
    if not shared or any(video.consistency is None for table in tables.values() for video in table.values()):
        return joined, []
    text = "annotators of several files were joined: their stored consistency no longer holds and was computed again"
    return joined, [Caution("consistency-recomputed", f"{text}, and no video was skipped for it")]


def _sources(references: Source | Sequence[Source]) -> list[Any]:
    """A list of objects with an id is one source, any other list is several."""
    if isinstance(references, str | Path | Mapping) or not isinstance(references, list | tuple):
        return [references]
    if not references:
        raise UsageError("there is no ground truth", hint="give at least one file with -r")
    has_ids = all(isinstance(entry, Mapping) and any(name in entry for name in ID_FIELDS) for entry in references)
    return [list(references)] if has_ids else list(references)


def _name(source: Source, number: int) -> str:
    """A file may be given twice, so its name has its number."""
    return f"{source} ({number})" if isinstance(source, str | Path) else f"ground truth {number}"


def _refuse_repeated(one: str, first: Truth, other: str, second: Truth) -> None:
    shared = [id for id in first if id in second]
    marks = [
        [Counter(annotator.times for annotator in table[id].annotators) for table in (first, second)] for id in shared
    ]
    if shared and (all(a <= b for a, b in marks) or all(b <= a for a, b in marks)):
        raise InputError(
            f"{one} and {other} have the same annotators: they would count twice", hint="give each file once"
        )


def _with_more_annotators(video: AnnotatedVideo, more: AnnotatedVideo, name: str) -> AnnotatedVideo:
    if abs(video.duration - more.duration) > SLACK_SECONDS:
        _disagree(video, name, "duration", more.duration, video.duration)
    if video.fps and more.fps and abs(video.fps - more.fps) > _RATE_SLACK * video.fps:
        _disagree(video, name, "fps", more.fps, video.fps)
    added = tuple(replace(annotator, duration=video.duration) for annotator in more.annotators)
    return replace(
        video,
        fps=video.fps or more.fps,
        frames=video.frames or more.frames,
        annotators=video.annotators + added,
        consistency=None,
    )


def _disagree(video: AnnotatedVideo, name: str, field: str, says: float, earlier: float) -> None:
    raise Location(None, video.video, field).error(
        f"{name} says {says:g}, an earlier file {earlier:g}",
        hint="were they made from the same copy of the video?",
    )
