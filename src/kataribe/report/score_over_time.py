"""How well a text fits each stretch of a film, drawn over the film's time, with the moments that were found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kataribe.core.errors import shorten
from kataribe.core.types import Segment
from kataribe.report.pictures import PALETTE, eastern_font, new_figure, to_image

_MOST_FILMS = 6
_WIDTH, _PANEL = 10.0, 1.9
_QUERY_LETTERS = 90


@dataclass(frozen=True)
class FilmScores:
    """A film in stretches, each with a score, and those that were found by their place among all, from 1."""

    film: str
    spans: Sequence[Segment]
    scores: Sequence[float]
    found: Mapping[int, Segment]


def draw_scores(query: str, films: Sequence[FilmScores], format: str) -> bytes:
    """A panel for each film, at most six, all on one scale; found moments are shaded and numbered."""
    shown = films[:_MOST_FILMS]
    figure = new_figure(_WIDTH, _PANEL * len(shown) + 0.9)
    panels = figure.subplots(len(shown), 1, squeeze=False, sharey=True)[:, 0]
    names = [_draw_film(axes, film) for axes, film in zip(panels, shown, strict=True)]
    rest = len(films) - len(shown)
    panels[-1].set_xlabel("minutes" + (f" (and {rest} more films)" if rest else ""))
    title = figure.suptitle(shorten(query, _QUERY_LETTERS), fontsize=10)
    if font := eastern_font():
        for text in (title, *names):
            text.set_fontfamily(["DejaVu Sans", font])
    return to_image(figure, format)


def _draw_film(axes: Any, film: FilmScores) -> Any:
    """Draw it; returns the text that names it."""
    edges = [film.spans[0].start / 60, *(span.end / 60 for span in film.spans)]
    for place, span in film.found.items():
        axes.axvspan(span.start / 60, span.end / 60, color=PALETTE[2], alpha=0.45, linewidth=0)
        middle = (span.start + span.end) / 120
        axes.annotate(
            str(place), (middle, 1.0), xycoords=("data", "axes fraction"), ha="center", va="bottom", fontsize=7
        )
    axes.stairs(film.scores, edges, color=PALETTE[1], linewidth=1.4, baseline=None)
    axes.set_ylabel("score", fontsize=8)
    axes.set_xlim(edges[0], edges[-1])
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    return axes.set_title(shorten(film.film, 60), fontsize=9, loc="left")
