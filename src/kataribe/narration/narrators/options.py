"""Options of narrators: how they search for words, known without torch."""

from __future__ import annotations

from dataclasses import dataclass

from kataribe.core.errors import UsageError
from kataribe.core.options import Options, option


@dataclass(frozen=True)
class SearchOptions(Options):
    """How a narrator finds its words."""

    beam: int = option(1, "Texts that are kept while one is searched for; 1: greedy.", minimum=1)
    length_penalty: float = option(1.0, "Of a beam: log-probabilities are divided by the length to this power.")
    longest: int = option(400, "Steps after which a text that has not ended is ended.", minimum=1)
    seed: int = option(0, "Of the random narrator: the seed of its draws.", minimum=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.length_penalty < float("inf"):
            problem = f"<length_penalty {self.length_penalty:g}>: must be a number from 0 on"
            raise UsageError(problem, options=["length_penalty"])
