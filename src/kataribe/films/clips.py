"""Narration clips (Movie101-G): fragments less than 1 second apart are joined, up to 100 characters.

The rule of Movie101 (Yue et al., 2023, section 3.1), for fragments as speech recognition gives them. A fragment joins
the clip before it if all three hold:

1. it starts less than `gap` seconds after the clip has ended;
2. the joined text has at most `most` characters;
3. the clip does not end in a full stop, or has fewer than `enough` characters.

The paper says only that a full stop may end a clip. In the published clips a stop is followed by more text mostly
where the clip has just begun: 70% of first inner stops are among the first 30 characters, hence `enough`. A fragment of
more than `most` characters is a clip of its own; where to split it, people say (`overrides`). Blank fragments tell
nothing and are left out - but where no fragment has a text, nobody has written down what is said yet, and the clips
have times alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from kataribe.core.types import Caption, Narration, Segment
from kataribe.films.joining import join_texts

GAP = 1.0
MOST = 100
ENOUGH = 30

# What ends a sentence, with the quotation marks and brackets that may follow it.
_STOP = re.compile("[.!?\u2026\u3002\uff01\uff1f\uff0e][\"'\u2019\u201d\u300d\u300f)\uff09\\]]*\\s*$")


def narration_clips(
    fragments: Iterable[Caption], gap: float = GAP, most: int = MOST, enough: int = ENOUGH
) -> tuple[Caption, ...]:
    """
    >>> said = [(0, 2, "Penelope looks up,"), (2.4, 4, "then she weaves on, as always."), (4.2, 5, "The door opens.")]
    >>> fragments = [Caption(Segment(start, end), text) for start, end, text in said]
    >>> [clip.text for clip in narration_clips(fragments)]
    ['Penelope looks up, then she weaves on, as always.', 'The door opens.']
    """
    clips: list[Caption] = []
    ordered = sorted(fragments, key=lambda fragment: fragment.segment)
    for fragment in [fragment for fragment in ordered if fragment.text.strip()] or ordered:
        if clips and _joins(clips[-1], fragment, gap, most, enough):
            clips[-1] = join_clips([clips[-1], fragment])
        else:
            clips.append(Caption(fragment.segment, fragment.text.strip()))
    return tuple(clips)


def join_clips(clips: Iterable[Caption]) -> Caption:
    """One clip from the start of the first to the last end, with all texts in order."""
    first, *others = clips
    segment = first.segment
    for other in others:
        segment = segment | other.segment
    return Caption(segment, join_texts([first.text, *(other.text for other in others)]))


def name_of(film: str, segment: Segment) -> str:
    """What a clip without an id is called; it can also name a file or a folder of frames.

    >>> name_of("7042", Segment(51.0, 57.25))
    '7042_51-57.25'
    """
    start, end = (str(int(time)) if time == int(time) else repr(time) for time in (segment.start, segment.end))
    return f"{film}_{start}-{end}"


def named_clips(film: str, clips: Iterable[Caption]) -> tuple[Narration, ...]:
    """Clips called after their times. Where times are rounded two may have the same: the second is called ..._2."""
    seen: Counter[str] = Counter()
    found = []
    for clip in clips:
        name = name_of(film, clip.segment)
        seen[name] += 1
        id = name if seen[name] == 1 else f"{name}_{seen[name]}"
        found.append(Narration(id, film, clip.segment, clip.text))
    return tuple(found)


def _joins(clip: Caption, fragment: Caption, gap: float, most: int, enough: int) -> bool:
    if fragment.segment.start - clip.segment.end >= gap:
        return False
    if len(clip.text) >= enough and _STOP.search(clip.text):
        return False
    return len(join_texts([clip.text, fragment.text])) <= most
