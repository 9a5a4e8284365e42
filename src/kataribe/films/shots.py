"""Shots to search among (Movie101-GSR): the film in pieces of 20 seconds, each with the clips that belong to it.

The rule of Movie101 (Yue et al., 2023, section 5.2). A clip belongs to a shot if they overlap for at least half of
either's length; the texts of a shot's clips are joined in order, and a shot without clips is no item.

Quirks: the paper says "more than half", the published data has "at least half" (2,190 of 2,190 shots of the validation
split); `overlap="more"` is the paper's. The last shot is left out where the film ends before it is full, and shots are
counted from where the opening was cut. With "at least", every clip inside the shots belongs to one at least.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from kataribe.core.types import Caption, Segment
from kataribe.films.joining import join_texts

LENGTH = 20.0

Overlap = Literal["least", "more"]


@dataclass(frozen=True)
class Shot:
    """A piece of the film, its number from the start, and the texts of its clips joined."""

    number: int
    segment: Segment
    text: str


def shots_with_clips(
    clips: Iterable[Caption], span: Segment, length: float = LENGTH, overlap: Overlap = "least"
) -> tuple[Shot, ...]:
    """
    >>> clips = [Caption(Segment(2, 8), "It rains."), Caption(Segment(15, 25), "A dog barks.")]
    >>> for shot in shots_with_clips(clips, Segment(0, 60)):
    ...     print(shot.segment, shot.text)
    Segment(start=0.0, end=20.0) It rains. A dog barks.
    Segment(start=20.0, end=40.0) A dog barks.
    """
    known = list(clips)
    found = []
    for number, piece in enumerate(pieces(span, length)):
        texts = [clip.text for clip in known if belongs(clip.segment, piece, overlap)]
        if texts:
            found.append(Shot(number, piece, join_texts(texts)))
    return tuple(found)


def pieces(span: Segment, length: float = LENGTH) -> Sequence[Segment]:
    """The whole shots of a film."""
    count = int((span.end - span.start + 1e-9) // length)  # 0.1 s steps do not add up to whole seconds
    return [Segment(span.start + number * length, span.start + (number + 1) * length) for number in range(count)]


def belongs(clip: Segment, shot: Segment, overlap: Overlap = "least") -> bool:
    """
    >>> half = Segment(15, 25), Segment(0, 20)
    >>> belongs(*half), belongs(*half, "more")
    (True, False)
    """
    shared = (clip & shot).length
    shorter_half = min(clip.length, shot.length) / 2
    return shared > 0 and (shared >= shorter_half if overlap == "least" else shared > shorter_half)
