"""The lines of a film become its part of a corpus: dialogues, clips (G), long clips (N), shots (GSR), windows (LTG)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil, isfinite

from kataribe.core.errors import Location
from kataribe.core.types import Caption, Narration, Segment
from kataribe.films.clips import named_clips, narration_clips
from kataribe.films.dialogues import Dialogue, find_dialogues
from kataribe.films.line_files import check_one_voice, check_times, in_order
from kataribe.films.lines import FilmLines
from kataribe.films.long_clips import long_clips
from kataribe.films.overrides import Override, Unapplied, apply, cut_of
from kataribe.films.rules import Rules
from kataribe.films.shots import Shot, shots_with_clips
from kataribe.films.windows import window_of


@dataclass(frozen=True)
class FilmInput:
    """A film as it enters a corpus. `are_clips`: the narration is in clips already and stays as it is."""

    lines: FilmLines
    overrides: tuple[Override, ...] = ()
    are_clips: bool = False


@dataclass(frozen=True)
class FilmCorpus:
    """What a film gives to a corpus. `span` is what is left of it between opening and ending."""

    film: str
    seconds: float  # of the whole film or, if nobody knows, until its last line
    span: Segment
    dialogues: tuple[Dialogue, ...]
    clips: tuple[Narration, ...]
    long_clips: tuple[Narration, ...]
    shots: tuple[Shot, ...]
    windows: tuple[Segment, ...]  # one for each clip
    left_out: int  # lines and fragments of the opening and the ending
    unapplied: tuple[Unapplied, ...]


def build(film: FilmInput, rules: Rules | None = None) -> FilmCorpus:
    """
    >>> told = [Caption(Segment(2, 5), "Penelope weaves."), Caption(Segment(20, 24), "A door opens.")]
    >>> said = [Caption(Segment(10, 12), "Who goes there?")]
    >>> corpus = build(FilmInput(FilmLines("ithaca", 60.0, said, told)))
    >>> [clip.id for clip in corpus.long_clips], corpus.shots[1].text
    (['ithaca_2-5', 'ithaca_20-24'], 'A door opens.')
    """
    rules = rules or Rules()
    lines = _checked(film)
    kept, left_out = _cut(lines, cut_of(film.overrides))
    dialogues = find_dialogues(kept.dialogue, rules.dialogue_gap)
    clips: Sequence[Caption] = kept.narration
    if not film.are_clips:
        clips = narration_clips(clips, rules.clip_gap, rules.clip_characters, rules.stop_after)
    clips, unapplied = apply(film.overrides, clips)
    told = named_clips(lines.film, clips)
    span = _span(kept, film.overrides, clips, rules.shot_length)
    return FilmCorpus(
        film=lines.film,
        seconds=lines.end,
        span=span,
        dialogues=dialogues,
        clips=told,
        long_clips=named_clips(lines.film, long_clips(clips, dialogues)) if dialogues else (),
        shots=shots_with_clips(clips, span, rules.shot_length, rules.shot_overlap),
        windows=tuple(window_of(clip, span, rules.window_length, rules.seed) for clip in told),
        left_out=left_out,
        unapplied=tuple(unapplied),
    )


def _checked(film: FilmInput) -> FilmLines:
    """The lines in order, or one line that says why they cannot be those of this film."""
    lines = film.lines
    location = Location(None, lines.film)
    told, said = in_order(lines.narration), in_order(lines.dialogue)
    if not told:
        raise location.error("has no narration", hint="without one there is nothing to build a corpus of")
    for line in (*told, *said):
        check_times(line.segment, location.at(field=f"{line.text[:30]!r}"))
        if lines.duration is not None and line.segment.end > lines.duration + 1:  # subtitles are rounded
            raise location.error(
                f"lasts {lines.duration:g} s, but a line ends at {line.segment.end:g} s: {line.text[:30]!r}",
                hint="are these the lines of another cut of the film?",
            )
    if not film.are_clips:
        check_one_voice(told, location)
    return replace(lines, narration=told, dialogue=said)


def _cut(lines: FilmLines, kept: Segment) -> tuple[FilmLines, int]:
    """The lines between opening and ending, and how many lie outside."""

    def inside(all: Iterable[Caption]) -> list[Caption]:
        return [line for line in all if kept.start <= line.segment.start and line.segment.end <= kept.end]

    dialogue, narration = inside(lines.dialogue), inside(lines.narration)
    if not narration:
        location = Location(None, lines.film)
        raise location.error(f"no narration is left between {kept.start:g} and {kept.end:g} s", hint="change the cut")
    left_out = len(lines.dialogue) + len(lines.narration) - len(dialogue) - len(narration)
    return replace(lines, dialogue=dialogue, narration=narration), left_out


def _span(lines: FilmLines, overrides: Sequence[Override], clips: Sequence[Caption], shot: float) -> Segment:
    """From opening to ending; where nobody knows when the film ends, to the end of a whole shot."""
    kept = cut_of(overrides)
    last = max(clip.segment.end for clip in clips) if clips else kept.start
    end = min(kept.end, lines.duration) if lines.duration is not None else kept.end
    if not isfinite(end):
        end = kept.start + shot * max(1, ceil((max(lines.end, last) - kept.start) / shot - 1e-9))
    return Segment(kept.start, max(end, last))
