"""The numbers of a corpus, as Movie101 gives them (Yue et al., 2023: Table 1, Appendix A, Figures 2 to 4).

    clip length      mean seconds of a clip
    text length      mean Chinese characters of a clip (punctuation is none), or words where words have spaces
    actions          mean verbs of a clip (`actions.py`)
    roles            mean number of distinct roles of the film's cast that a clip names, by longest match
    mentions         mean number of times it names one
    gaps filled      share of the gaps between neighbouring dialogues that hold narration
    time covered     seconds of narration inside these gaps, as a share of the gaps' seconds

On the published validation clips these give 47.4 characters, 6.98 actions and 1.02 roles for G; the paper has 47.3, 6.9
and 1.1 over all films.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from kataribe.core.types import Cast, Narration
from kataribe.films.actions import Language, count_actions, count_letters, language_of
from kataribe.films.corpus import FilmCorpus
from kataribe.films.dialogues import gaps_between
from kataribe.films.names import Names
from kataribe.films.result import (
    ClipCounts,
    ClipStatistics,
    CorpusStatistics,
    GapStatistics,
    Histogram,
    PartStatistics,
)
from kataribe.text.scripts import is_mostly_unspaced

# Widths of the bins of Figure 4: seconds and letters.
_SECONDS, _LETTERS = 5.0, 20.0


@dataclass(frozen=True)
class CountedFilm:
    """A film of a corpus with what was counted in its clips."""

    corpus: FilmCorpus
    cast: Cast | None
    genres: tuple[str, ...]
    g: ClipCounts
    n: ClipCounts


def count_clips(clips: Sequence[Narration], cast: Cast | None) -> ClipCounts:
    """
    >>> from kataribe.core.types import Role, Segment
    >>> count_clips([Narration("1", "f", Segment(0, 4), "Ines climbs and looks.")], Cast("f", (Role("Ines"),)))
    ClipCounts(seconds=(4,), letters=(4,), actions=(2,), roles=(1,), mentions=(1,))
    """
    texts = [clip.text for clip in clips]
    language: Language = language_of(texts)
    names = Names.of_cast(cast) if cast else None
    named = [[mention.role for mention in names.mentions(text)] for text in texts] if names else None
    return ClipCounts(
        seconds=tuple(clip.segment.length for clip in clips if clip.segment),
        letters=tuple(map(count_letters, texts)),
        actions=tuple(count_actions(text, language) for text in texts) if language != "other" else None,
        roles=tuple(len(set(roles)) for roles in named) if named is not None else None,
        mentions=tuple(map(len, named)) if named is not None else None,
    )


def corpus_statistics(films: Sequence[CountedFilm], split: Mapping[str, Sequence[str]]) -> CorpusStatistics:
    genres = Counter(genre for film in films for genre in film.genres)
    with_gaps = [film.corpus for film in films if film.corpus.dialogues]
    return CorpusStatistics(
        films=len(films),
        roles=sum(len(film.cast.roles) for film in films if film.cast),
        letters_are="characters" if _is_unspaced(films) else "words",
        genres=dict(sorted(genres.items(), key=lambda genre: (-genre[1], genre[0]))),
        g=_clip_statistics(films, [film.g for film in films]),
        n=_clip_statistics(films, [film.n for film in films]) if with_gaps else None,
        shots=sum(len(film.corpus.shots) for film in films),
        gaps=gap_statistics(with_gaps) if with_gaps else None,
        roles_per_clip=_histogram(_joined(film.g.roles for film in films), 1),
        actions_per_clip=_histogram(_joined(film.g.actions for film in films), 1),
        seconds_per_long_clip=_histogram(_joined(film.n.seconds for film in films), _SECONDS),
        letters_per_long_clip=_histogram(_joined(film.n.letters for film in films), _LETTERS),
        parts={name: _part(films, members) for name, members in split.items()},
    )


def gap_statistics(films: Sequence[FilmCorpus]) -> GapStatistics:
    """Appendix A: how much of the time in which nobody speaks is told."""
    gaps = filled = 0
    seconds = told = 0.0
    for film in films:
        clips = [clip.segment for clip in film.clips if clip.segment]
        for gap in gaps_between(film.dialogues):
            covered = sum((gap & clip).length for clip in clips)
            gaps, filled = gaps + 1, filled + (covered > 0)
            seconds, told = seconds + gap.length, told + covered
    return GapStatistics(
        dialogues=sum(len(film.dialogues) for film in films),
        gaps=gaps,
        hours=seconds / 3600,
        filled=filled / gaps if gaps else 0.0,
        covered=told / seconds if seconds else 0.0,
    )


def _clip_statistics(films: Sequence[CountedFilm], counts: Sequence[ClipCounts]) -> ClipStatistics:
    return ClipStatistics(
        films=len(films),
        clips=sum(len(count.seconds) for count in counts),
        film_seconds=fmean(film.corpus.seconds for film in films),
        clip_seconds=_mean(count.seconds for count in counts) or 0.0,
        letters=_mean(count.letters for count in counts) or 0.0,
        actions=_mean(count.actions for count in counts),
        roles=_mean(count.roles for count in counts),
        mentions=_mean(count.mentions for count in counts),
    )


def _part(films: Sequence[CountedFilm], members: Sequence[str]) -> PartStatistics:
    chosen = [film for film in films if film.corpus.film in set(members)]
    return PartStatistics(
        films=len(chosen),
        clips=sum(len(film.corpus.clips) for film in chosen),
        long_clips=sum(len(film.corpus.long_clips) for film in chosen),
        shots=sum(len(film.corpus.shots) for film in chosen),
        genres=dict(sorted(Counter(genre for film in chosen for genre in film.genres).items())),
    )


def _is_unspaced(films: Sequence[CountedFilm]) -> bool:
    return is_mostly_unspaced(clip.text for film in films for clip in film.corpus.clips)


def _joined(columns: Iterable[Sequence[float] | None]) -> list[float]:
    return [value for column in columns if column is not None for value in column]


def _mean(columns: Iterable[Sequence[float] | None]) -> float | None:
    values = _joined(columns)
    return fmean(values) if values else None


def _histogram(values: Sequence[float], width: float) -> Histogram | None:
    return Histogram(width, dict(sorted(Counter(int(value // width) for value in values).items()))) if values else None
