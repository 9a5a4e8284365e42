"""The numbers in the rules of a corpus; the defaults are Movie101's."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isfinite

from kataribe.core.errors import UsageError
from kataribe.core.options import Options, option
from kataribe.films import clips, dialogues, shots, windows
from kataribe.films.shots import Overlap


@dataclass(frozen=True)
class Rules(Options):
    """How the lines of a film become a corpus. Each rule is written at the top of its module."""

    dialogue_gap: float = option(
        dialogues.GAP, "Lines less than this many seconds apart are of one dialogue.", minimum=0
    )
    clip_gap: float = option(
        clips.GAP, "Fragments of narration less than this many seconds apart are joined.", minimum=0
    )
    clip_characters: int = option(clips.MOST, "A clip is joined up to this many characters.", minimum=1)
    stop_after: int = option(clips.ENOUGH, "A full stop ends a clip of at least this many characters.", minimum=0)
    shot_length: float = option(shots.LENGTH, "Seconds of a shot of GSR.", minimum=1)
    shot_overlap: Overlap = option(
        "least",
        "least: a clip belongs to a shot if they share at least half of either (as published); more: more than half.",
        noun="overlap",
    )
    window_length: float = option(windows.LENGTH, "Seconds of a window of LTG.", minimum=1)
    seed: int = option(0, "Seed of windows and splits.", minimum=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, float) and not isfinite(value):
                problem = f"<{each.name} {value}>: is not a number of seconds"
                raise UsageError(problem, hint="give seconds", options=[each.name])
