"""Predictions that know their times and not the references' ids: cues of a film that was told as a whole.

A cue belongs to the reference of its film with which it shares most time, the earlier one if two share as much. Cues
of one reference are joined in the order of time. A cue that shares no time with any reference is extra.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping

from kataribe.core.errors import InputError, counted, some
from kataribe.core.types import Narration, Segment
from kataribe.films.joining import join_texts


def by_time(predictions: Mapping[str, Narration], references: Mapping[str, Narration]) -> dict[str, Narration]:
    """The predictions under the ids of the references they belong to.

    >>> written = {"1": Narration("1", "f", Segment(0, 9), "..."), "2": Narration("2", "f", Segment(20, 30), "...")}
    >>> cues = [(0.2, 4, "Anna waits."), (5, 8, "It rains."), (12, 15, "Snow."), (25, 31, "Tom runs.")]
    >>> said = {f"c{at}": Narration(f"c{at}", "f", Segment(at, end), text) for at, end, text in cues}
    >>> [(id, line.text) for id, line in by_time(said, written).items()]
    [('1', 'Anna waits. It rains.'), ('c12', 'Snow.'), ('2', 'Tom runs.')]
    """
    placed = _placed(references.values(), "reference")
    found: dict[str, list[tuple[Segment, str]]] = {}
    film_of: dict[str, str] = {}
    for film, cues in _placed(predictions.values(), "prediction").items():
        there = placed.get(film, [])
        for segment, line in cues:
            id = _nearest(segment, there) or _another(line.id, references, found)
            found.setdefault(id, []).append((segment, line.text))
            film_of[id] = film
    return {id: _joined(id, film_of[id], cues) for id, cues in found.items()}


def _placed(lines: Iterable[Narration], what: str) -> dict[str, list[tuple[Segment, Narration]]]:
    """The lines of each film in the order of time."""
    films: dict[str, list[tuple[Segment, Narration]]] = {}
    unplaced = []
    for line in lines:
        if line.film is None or line.segment is None:
            unplaced.append(line.id)
        else:
            films.setdefault(line.film, []).append((line.segment, line))
    if unplaced:
        said = counted(len(unplaced), f"{what} does", f"{what}s do")
        raise InputError(
            f"<join time>: {said} not say of which film they are and when: {some(unplaced)}",
            hint="give each line film, start and end",
            options=["join"],
        )
    return {film: sorted(members, key=lambda member: member[0]) for film, members in films.items()}


def _nearest(cue: Segment, references: list[tuple[Segment, Narration]]) -> str | None:
    """The id of the reference that shares most time with a cue."""
    before = bisect_left(references, cue.end, key=lambda member: member[0].start)
    shared = [((cue & segment).length, line.id) for segment, line in references[:before]]
    most = max((seconds for seconds, _ in shared), default=0.0)
    return next((id for seconds, id in shared if seconds == most), None) if most > 0 else None


def _another(id: str, references: Mapping[str, Narration], found: Mapping[str, object]) -> str:
    """An id that no reference has."""
    while id in references or id in found:
        id = f"{id}*"
    return id


def _joined(id: str, film: str, cues: list[tuple[Segment, str]]) -> Narration:
    hull = cues[0][0]
    for segment, _ in cues[1:]:
        hull = hull | segment
    return Narration(id, film, hull, join_texts(text for _, text in cues))
