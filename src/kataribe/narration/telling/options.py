"""How a film is told: the numbers in the rules of `spans` and `fitting`."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from kataribe.core.errors import UsageError
from kataribe.core.options import Options, option, same_as
from kataribe.films.rules import Rules


@dataclass(frozen=True)
class TellingOptions(Options):
    """Where there is time to tell, and how fast a narrator speaks."""

    dialogue_gap: float = same_as(Rules, "dialogue_gap")
    shortest_gap: float = option(3.0, "Seconds: in a shorter gap between dialogues nothing is told.", minimum=0)
    longest_clip: float = option(20.0, "Seconds: a longer gap is cut into equal clips.", minimum=1)
    edges: bool = option(False, "Also tell before the first dialogue and after the last.")
    cps: float | None = option(
        None, "Letters that are spoken a second at most; default: 5 or 12, by the script of the texts.", minimum=0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("dialogue_gap", "shortest_gap", "longest_clip", "cps"):
            value = getattr(self, name)
            if value is not None and (not isfinite(value) or (name == "cps" and not value)):
                unit = "letters a second" if name == "cps" else "seconds"
                raise UsageError(f"<{name} {value:g}>: is not a number of {unit}", options=[name])
