"""Long clips (Movie101-N): all narration clips between two neighbouring dialogues form one.

The rule of Movie101 (Yue et al., 2023, section 3.1). The middle of a clip says where it belongs: before, between or
after dialogues. Some clips are told in a pause of a dialogue, between two lines less than 5 seconds apart: those of one
pause form a long clip of their own, so that no long clip reaches over what people say, nothing is lost, and the order
is kept.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import groupby

from kataribe.core.types import Caption, Segment
from kataribe.films.clips import join_clips
from kataribe.films.dialogues import Dialogue


def long_clips(clips: Iterable[Caption], dialogues: Sequence[Dialogue]) -> tuple[Caption, ...]:
    """
    >>> told = [(1, 3, "It rains."), (4, 6, "A dog barks."), (20, 24, "Night.")]
    >>> told = [Caption(Segment(start, end), text) for start, end, text in told]
    >>> line = Caption(Segment(10, 12), "Who is there?")
    >>> [clip.text for clip in long_clips(told, [Dialogue(line.segment, (line,))])]
    ['It rains. A dog barks.', 'Night.']
    """
    starts = [dialogue.segment.start for dialogue in dialogues]
    ends = [dialogue.segment.end for dialogue in dialogues]
    middles = [sorted(middle(line.segment) for line in dialogue.lines) for dialogue in dialogues]

    def place(clip: Caption) -> tuple[int, int, int]:
        """How many dialogues have ended and begun by then and, inside one, how many of its lines are over."""
        at = middle(clip.segment)
        over, begun = bisect_right(ends, at), bisect_right(starts, at)
        return (over, begun, bisect_left(middles[over], at)) if begun > over else (over, begun, 0)

    ordered = sorted(clips, key=lambda clip: middle(clip.segment))
    return tuple(join_clips(group) for _, group in groupby(ordered, key=place))


def middle(segment: Segment) -> float:
    return (segment.start + segment.end) / 2
