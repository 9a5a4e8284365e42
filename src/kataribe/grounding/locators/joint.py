"""Joint search: a locator in the window round each of the first k shots that a retriever finds.

    shots in order, the best first    ->    a window of 200 s round each of the first k (90 s before and after a shot)
    ->    the locator's spans in each window    ->    all of them by confidence, the surest first

Spans that repeat a surer one of the same film are left out. Any list of shots in order will do, of one film or of many.

Yue, Z., Zhang, Q., Hu, A., Zhang, L., Wang, Z., Jin, Q. (2023). Movie101: a new movie understanding benchmark. ACL,
sections 5.2 and 5.3 (k-way re-ranking, Table 6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from kataribe.core.progress import report
from kataribe.core.types import Segment
from kataribe.films.seen import SeenFilm
from kataribe.grounding.locators.batches import MOST, SUPPRESS, Candidate
from kataribe.grounding.locators.model import Locator
from kataribe.grounding.locators.queries import Asked
from kataribe.grounding.locators.recall import Hits

WAYS = (1, 2, 3)

# The shots of a film in the order in which they fit a text, the best first.
Order = Callable[[SeenFilm, str], Sequence[Segment]]


class FilmShot(NamedTuple):
    """A shot that a retriever found."""

    film: SeenFilm
    span: Segment


class Moment(NamedTuple):
    """What joint search finds; `shot` is the one round which it was looked for."""

    film: str
    span: Segment
    confidence: float
    shot: Segment


def window_round(shot: Segment, length: float, duration: float) -> Segment:
    """So many seconds with the shot in the middle, moved where it would leave the film; a short film is its own window.

    >>> window_round(Segment(200, 220), 200.0, 6000.0), window_round(Segment(0, 20), 200.0, 6000.0)
    (Segment(start=110.0, end=310.0), Segment(start=0.0, end=200.0))
    >>> window_round(Segment(40, 60), 200.0, 61.0)
    Segment(start=0.0, end=61.0)
    """
    start = max(0.0, min((shot.start + shot.end - length) / 2, duration - length))
    return Segment(start, min(start + length, duration))


def joint_search(locator: Locator, shots: Sequence[FilmShot], query: str, k: int = 3, top: int = MOST) -> list[Moment]:
    """The `top` surest moments round the first k shots."""
    return reranked([_moments(locator, shot, query) for shot in shots[:k]], top)


def joint_hits(
    locator: Locator,
    films: Mapping[str, SeenFilm],
    asked: Sequence[Asked],
    order: Order,
    ways: Sequence[int] = WAYS,
) -> dict[int, Hits]:
    """What joint search over whole films finds, by k."""
    found: dict[int, list[list[Segment]]] = {k: [] for k in ways}
    for number, each in enumerate(asked, start=1):
        film = films[each.film]
        shots = [FilmShot(film, span) for span in order(film, each.text)[: max(ways)]]
        moments = [_moments(locator, shot, each.text) for shot in shots]
        for k in ways:
            found[k].append([moment.span for moment in reranked(moments[:k])])
        report("joint search", number, len(asked))
    return {k: Hits.of(spans, [each.span for each in asked]) for k, spans in found.items()}


def reranked(found: Sequence[Sequence[Moment]], top: int = MOST) -> list[Moment]:
    """All moments by confidence; of equally sure ones those of the better shot come first."""
    kept: list[Moment] = []
    for moment in sorted((moment for moments in found for moment in moments), key=lambda each: -each.confidence):
        if len(kept) < top and not any(_repeats(moment, other) for other in kept):
            kept.append(moment)
    return kept


def _repeats(moment: Moment, other: Moment) -> bool:
    return moment.film == other.film and moment.span.iou(other.span) > SUPPRESS


def _moments(locator: Locator, shot: FilmShot, query: str) -> list[Moment]:
    window = window_round(shot.span, locator.wiring.window, shot.film.duration + 1 / locator.wiring.rate)
    found: list[Candidate] = locator.locate(shot.film, query, window)
    return [Moment(shot.film.film, span, confidence, shot.span) for span, confidence in found]
