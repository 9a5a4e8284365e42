"""A narration corpus in numbers and pictures: Table 1, Appendix A and Figures 2 to 4 of Movie101."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kataribe.core.errors import counted
from kataribe.films.result import ClipStatistics, CorpusStatistics, Histogram
from kataribe.report.pictures import PALETTE, eastern_font, new_figure, to_image

# As many genres as Figure 2 shows.
_MOST_GENRES = 10


def render_statistics(statistics: CorpusStatistics) -> str:
    """The statistics as they are printed."""
    lines = [*_table(statistics), "", *_gaps(statistics), *_genres(statistics), *_parts(statistics)]
    return "\n".join(lines)


def has_undrawable_genres(statistics: CorpusStatistics) -> bool:
    """Whether genres would be drawn as boxes, because no font here has their letters."""
    return not all(map(str.isascii, statistics.genres)) and eastern_font() is None


def draw_statistics(statistics: CorpusStatistics) -> dict[str, bytes]:
    """The figures by their file names, PNG to look at and SVG to print."""
    figures = {
        "genres": _draw_genres(statistics),
        "roles-and-actions": _draw_histograms(
            [("role names in a clip", statistics.roles_per_clip), ("actions in a clip", statistics.actions_per_clip)]
        ),
        "length": _draw_histograms(
            [
                ("seconds of a clip of N", statistics.seconds_per_long_clip),
                (f"{statistics.letters_are} of a clip of N", statistics.letters_per_long_clip),
            ]
        ),
    }
    drawn = {name: figure for name, figure in figures.items() if figure is not None}
    return {f"{name}.{form}": to_image(figure, form) for name, figure in drawn.items() for form in ("png", "svg")}


def _table(statistics: CorpusStatistics) -> Iterator[str]:
    letters = statistics.letters_are
    header = (
        f"{'set':<4} {'films':>6} {'clips':>8} {'s/film':>8} {'s/clip':>7} {letters:>10} {'actions':>8} {'roles':>6}"
    )
    yield header
    yield "-" * len(header)
    for name, found in (("N", statistics.n), ("G", statistics.g)):
        if found is not None:
            yield _row(name, found)


def _row(name: str, found: ClipStatistics) -> str:
    actions, roles = (f"{mean:.1f}" if mean is not None else "-" for mean in (found.actions, found.roles))
    return (
        f"{name:<4} {found.films:>6,} {found.clips:>8,} {found.film_seconds:>8,.0f} {found.clip_seconds:>7.1f} "
        f"{found.letters:>10.1f} {actions:>8} {roles:>6}"
    )


def _gaps(statistics: CorpusStatistics) -> Iterator[str]:
    gaps = statistics.gaps
    if gaps is None:
        yield "no dialogue is known: there are no long clips (N), and no gaps to fill"
        return
    yield (
        f"{gaps.dialogues:,} dialogues leave {gaps.gaps:,} gaps of {gaps.hours:.2f} hours; narration fills "
        f"{gaps.filled:.1%} of the gaps and {gaps.covered:.1%} of their time"
    )


def _genres(statistics: CorpusStatistics) -> Iterator[str]:
    shown = list(statistics.genres.items())[:_MOST_GENRES]
    rest = len(statistics.genres) - len(shown)
    if shown:
        listed = ", ".join(f"{genre} {films}" for genre, films in shown)
        yield f"genres: {listed}" + (f" and {rest} more" if rest else "")


def _parts(statistics: CorpusStatistics) -> Iterator[str]:
    parts = (
        f"{name} {counted(part.films, 'film')}, {part.clips:,} G, {part.long_clips:,} N, {part.shots:,} GSR"
        for name, part in statistics.parts.items()
        if part.films
    )
    yield f"parts: {'; '.join(parts)}"


def _draw_genres(statistics: CorpusStatistics) -> Any:
    shown = list(statistics.genres.items())[:_MOST_GENRES]
    if not shown:
        return None
    figure = new_figure(6, 0.35 * len(shown) + 1)
    axes = figure.add_subplot()
    names, films = zip(*reversed(shown), strict=True)
    axes.barh(names, films, color=PALETTE[1])
    if font := eastern_font():
        for label in axes.get_yticklabels():
            label.set_fontfamily(["DejaVu Sans", font])
    axes.set_xlabel("films")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_axisbelow(True)
    axes.grid(axis="x", alpha=0.25)
    return figure


def _draw_histograms(panels: list[tuple[str, Histogram | None]]) -> Any:
    known = [(label, histogram) for label, histogram in panels if histogram is not None]
    if not known:
        return None
    figure = new_figure(4.5 * len(known), 3.2)
    for index, (label, histogram) in enumerate(known):
        axes = figure.add_subplot(1, len(known), index + 1)
        total = sum(histogram.counts.values())
        # A count stands over its number; a bin of seconds reaches from one edge to the next.
        shift = histogram.width / 2 if histogram.width > 1 else 0
        at = [bin * histogram.width + shift for bin in histogram.counts]
        shares = [100 * clips / total for clips in histogram.counts.values()]
        axes.bar(at, shares, 0.9 * histogram.width, color=PALETTE[index])
        axes.set_xlabel(label)
        axes.set_ylabel("% of clips")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(axis="y", alpha=0.25)
        axes.set_axisbelow(True)
    return figure
