"""Options of narrators: what a model is, how it is trained, how it searches for words. Known without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kataribe.core.errors import UsageError
from kataribe.core.options import Options, make, option
from kataribe.learning.options import FitOptions, Schedule

Kind = Literal["vt", "ovp", "rmn"]
Context = Literal["none", "lines", "dialogue", "lines+dialogue"]
VALIDATION_LOSS = "validation_loss"


@dataclass(frozen=True)
class NarratorOptions(Options):
    """What a narrator is. VT, OVP and RMN of one size differ in nothing but the memory and the pointer."""

    model: Kind = option("rmn", "vt: a transformer; ovp: with a video memory; rmn: and a role pointer.", noun="model")
    faces: bool = option(True, "Look at the three surest faces of each frame.")
    genres: bool = option(True, "Know the film's genres.")
    pointer: Literal["mixture", "paper"] = option("mixture", "Of rmn: how words and roles are mixed.", noun="pointer")
    billing: Literal["shuffled", "fixed"] = option(
        "shuffled", "Of rmn: the order of the cast says nothing (shuffled), or is known (fixed).", noun="billing"
    )
    context: Context = option(
        "none", "What was told before and is said around: none, lines, dialogue, lines+dialogue.", noun="context"
    )
    width: int = option(64, "Numbers in a vector of the network.", minimum=2)
    layers: int = option(1, "Layers of the encoder, and of the decoder.", minimum=1)
    heads: int = option(1, "Heads of each attention.", minimum=1)
    dropout: float = option(0.1, "Share of units switched off in training.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width % self.heads or self.width % 2:
            problem = f"<width {self.width}>: must be even and a multiple of the {self.heads} heads"
            raise UsageError(problem, options=["width"])
        if not 0 <= self.dropout < 1:
            raise UsageError(f"<dropout {self.dropout:g}>: is not a share between 0 and 1", options=["dropout"])

    @property
    def sees_lines(self) -> bool:
        return self.context in ("lines", "lines+dialogue")

    @property
    def hears_dialogue(self) -> bool:
        return self.context in ("dialogue", "lines+dialogue")

    @property
    def points(self) -> bool:
        return self.model == "rmn"


@dataclass(frozen=True)
class NarratorTraining(FitOptions):
    """Those of the training loop, with defaults for narrators, and the losses."""

    clips: Literal["g", "n"] = option("g", "Learn from clips (g) or from long clips (n).", noun="kind of clips")
    epochs: int = option(30, "How often every clip is seen, at most.", minimum=1)
    batch: int = option(16, "Clips in one step, over all devices together.", minimum=1)
    rate: float = option(3e-3, "Learning rate.")
    schedule: Schedule = option("cosine", "The rate over time: constant, cosine or noam.")
    warmup: float = option(0.05, "Share of all steps in which the rate rises from 0.")
    patience: int = option(0, "Stop after so many epochs without a better validation score; 0: never.", minimum=0)
    smoothing: float = option(0.1, "Label smoothing: the share of probability given to all other tokens.")
    unlikelihood: float | None = option(
        None, "Weight of the loss of words that were said already; default: 0.2, of vt 0."
    )
    critical_epochs: int = option(0, "Epochs of self-critical training with CIDEr as reward, afterwards.", minimum=0)
    critical_rate: float = option(5e-5, "Learning rate of self-critical training.")
    stop_by: str = option(
        VALIDATION_LOSS, f"What decides on the validation films: {VALIDATION_LOSS}, or a metric of narration."
    )
    seeds: int = option(1, "Train so often, from --seed on, and keep the best.", minimum=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.smoothing < 1:
            raise UsageError(f"<smoothing {self.smoothing:g}>: is not a share between 0 and 1", options=["smoothing"])
        if self.unlikelihood is not None and not 0 <= self.unlikelihood < float("inf"):
            problem = f"<unlikelihood {self.unlikelihood:g}>: must be a number from 0 on"
            raise UsageError(problem, options=["unlikelihood"])
        if not 0 < self.critical_rate < float("inf"):
            problem = f"<critical_rate {self.critical_rate:g}>: must be a number greater than 0"
            raise UsageError(problem, options=["critical_rate"])

    def unlikelihood_of(self, model: Kind) -> float:
        if self.unlikelihood is not None:
            return self.unlikelihood
        return 0.0 if model == "vt" else 0.2


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


def search_options(given: Mapping[str, Any]) -> SearchOptions:
    """Options by their names; an unknown one is refused."""
    return make(SearchOptions, given, owner="a narrator")
