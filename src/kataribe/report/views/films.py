"""Told films: dialogue, reference and every narrator on the axis of the film, with names marked right or wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kataribe.core.result import Result
from kataribe.narration.result import NamedRoles, ScoredNarration
from kataribe.report.views import Results, View
from kataribe.report.views.packing import packed_time


def films_of(result: Result, file: str) -> list[str]:
    """The films of which a result knows when their lines are told."""
    return list(dict.fromkeys(line.film for line in _placed(result, file).values() if line.film))


def _placed(result: Result, file: str) -> dict[str, ScoredNarration]:
    lines = result.scored(ScoredNarration, file=file)
    return {id: line for id, line in lines.items() if line.film is not None and line.segment is not None}


def _fits(result: Result) -> bool:
    return result.has_scored(ScoredNarration) and bool(_placed(result, ""))


def _pack(results: Results, ids: Sequence[str]) -> dict[str, Any]:
    """Clips once, as the first system that has them; of each system when it tells them, and its names.

    Texts are those of the view of captions. A film's `places` are its items in the order of time.
    """
    first: dict[str, ScoredNarration] = {}
    for name, result in results.items():
        first = _placed(result, name) | first
    films: dict[str, list[int]] = {}
    for place, id in enumerate(ids):
        if id in first:
            films.setdefault(str(first[id].film), []).append(place)
    times = [_pair(first[id].segment) if id in first else None for id in ids]
    in_order = {film: sorted(places, key=lambda place: times[place] or []) for film, places in films.items()}
    return {
        "films": [{"name": film, "places": places} for film, places in in_order.items()],
        "times": times,
        "systems": [_system(name, result, ids) for name, result in results.items()],
    }


def _system(name: str, result: Result, ids: Sequence[str]) -> dict[str, Any]:
    lines = _placed(result, name)
    named: dict[str, NamedRoles] = {}
    for metric in result:
        if metric.has_documents(NamedRoles):
            named = {id: found[0] for id, found in metric.documents(NamedRoles, file=name).items() if found}
            break
    return {
        "times": [_pair(lines[id].spoken or lines[id].segment) if id in lines else None for id in ids],
        "names": [_names(named.get(id)) for id in ids],
    }


def _names(roles: NamedRoles | None) -> list[Any] | None:
    """[[start, end, 1 if it is right], ...] of the prediction, the same of the reference, and the roles it lost."""
    if roles is None:
        return None
    return [_marks(roles.said), _marks(roles.written), roles.lost]


def _marks(names: Iterable[tuple[int, int, bool]]) -> list[list[int]]:
    return [[start, end, int(is_right)] for start, end, is_right in names]


def _pair(segment: tuple[float, float] | None) -> list[float | None] | None:
    return None if segment is None else [packed_time(segment[0]), packed_time(segment[1])]


VIEW = View("films", _fits, _pack)
