"""Frames of the films themselves: ten of each line's gap, the middles of ten equal parts.

Yue, Z., Zhang, Q., Hu, A., Zhang, L., Wang, Z., Jin, Q. (2023). Movie101: a new movie understanding benchmark. ACL,
Appendix C: CLIPScore beside the mean of 10 uniformly sampled frames, EMScore beside each of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from kataribe.core.errors import InputError, Location, counted, some
from kataribe.films.videos import find_videos
from kataribe.media.moments import SLACK, Clip, seconds_of, uniform_times
from kataribe.narration.items import Narrations

FRAMES = 10


def find_clips(folder: Path, items: Narrations) -> dict[str, Clip]:
    """The moments of each line: its film is a file of the folder, and its gap must lie inside the film."""
    _refuse_unplaced(items)
    files = find_videos(folder, [film for film in dict.fromkeys(items.films) if film is not None])
    _refuse_outside(files, items)
    return {
        id: Clip(files[film], uniform_times(gap.start, gap.end, FRAMES))
        for id, film, gap in zip(items.ids, items.films, items.gaps, strict=True)
        if film is not None and gap is not None
    }


def _refuse_unplaced(items: Narrations) -> None:
    rows = zip(items.ids, items.films, items.gaps, strict=True)
    unplaced = [id for id, film, gap in rows if film is None or gap is None]
    if unplaced:
        lines = counted(len(unplaced), "reference does not say", "references do not say")
        raise InputError(
            f"<videos>: {lines} which film is told and when: {some(unplaced)}",
            hint="give each reference film, start and end",
            options=["videos"],
        )


def _refuse_outside(files: Mapping[str, Path], items: Narrations) -> None:
    """A gap that a film does not reach is a mistake in one of the two."""
    for film, rows in items.by_film.items():
        length = seconds_of(files[film])
        gaps = [(items.ids[row], gap) for row in rows.tolist() if (gap := items.gaps[row])]
        end = math.inf if length is None else length + SLACK
        outside = [(id, gap) for id, gap in gaps if gap.start < 0 or gap.end > end]
        if outside:
            id, gap = outside[0]
            lasts = "" if length is None else f", which ends at {length:.1f} s"
            others = f", like {counted(len(outside) - 1, 'other line')}" if len(outside) > 1 else ""
            raise Location(files[film], id).error(
                f"the line lasts from {gap.start:g} to {gap.end:g} s and is outside the video{lasts}{others}",
                hint="is it the same cut of the film, and are times in seconds?",
            )
