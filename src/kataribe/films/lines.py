"""What is said in one film and what its narrator says: all that the rules of a corpus need.

Whoever has such lines - from subtitle files, from a video, from a generated film - can build a corpus of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kataribe.core.types import Caption


@dataclass(frozen=True)
class FilmLines:
    """The lines of a film, each list in the order of time; `duration` is None where only the lines are known.

    `narration` may hold fragments, as speech recognition gives them: the rules join them into clips.

    >>> from kataribe.core.types import Segment
    >>> spoken = [Caption(Segment(10, 12), "Who goes there?")]
    >>> FilmLines("ithaca", 60.0, spoken, [Caption(Segment(2, 5), "Penelope weaves.")]).end
    60.0
    """

    film: str
    duration: float | None
    dialogue: Sequence[Caption]
    narration: Sequence[Caption]

    @property
    def end(self) -> float:
        """Where the film ends or, if nobody knows, its last line."""
        lines = (*self.dialogue, *self.narration)
        return max(0.0, self.duration or 0.0, *(line.segment.end for line in lines))
