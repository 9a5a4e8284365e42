"""What `judge make` can be asked for where stories are compared."""

from __future__ import annotations

from dataclasses import dataclass

from kataribe.core.options import Options, RunOptions, option, same_as


@dataclass(frozen=True)
class StoryStudyOptions(Options):
    """A study in which people choose between two stories of a video."""

    sample: int = option(
        50, "Draw so many videos, or take all if there are fewer.", minimum=1, hint="50 is the paper's"
    )
    checks: int = option(2, "Attention checks: the story of another video, which must lose.", minimum=0)
    seed: int = same_as(RunOptions, "seed")
