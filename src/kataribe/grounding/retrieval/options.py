"""How a retriever is trained; known without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kataribe.core.errors import UsageError
from kataribe.core.options import option
from kataribe.learning.options import FitOptions, Schedule

# What a training pair is: a shot of 20 s with the texts of its clips (GSR), a clip with its text (G), or either.
Learned = Literal["both", "shots", "clips"]


@dataclass(frozen=True)
class RetrieverOptions(FitOptions):
    """Those of the training loop, with defaults for projections of cached vectors, and the retriever's own."""

    text: str | None = option(
        None, "Text encoder: minilm, e5, a hub name or folder; default: minilm for English, e5 for the rest."
    )
    pictures: str | None = option(
        None, "Picture encoder of the feature files; default: the one that they name. Needed for folders and CLIP."
    )
    learn: Learned = option("both", "Learn from shots of 20 s with their text, from clips, or from both.", noun="pair")
    width: int = option(256, "Numbers of a vector in the common space.", minimum=2)
    dropout: float = option(0.2, "Share of what comes from the encoders that is dropped in training.")
    frames: int = option(8, "Frames of a pair that one step looks at, at most, evenly spread.", minimum=1)
    finetune: int = option(0, "Train so many of the text encoder's upper layers too; -1: all.", minimum=-1)
    finetune_pictures: int = option(
        0, "Train so many of the picture encoder's upper blocks too; needs --videos.", minimum=0
    )
    encoder_rate: float = option(2e-5, "Learning rate of the encoders' layers.")
    seeds: int = option(1, "Train so often, from --seed on, and keep the best on the validation films.", minimum=1)
    epochs: int = option(40, "How often every pair is seen, at most.", minimum=1)
    batch: int = option(
        256, "Pairs in one step, over all devices together: each is told apart from the others.", minimum=2
    )
    rate: float = option(1e-3, "Learning rate of the projections.")
    decay: float = option(0.1, "Weight decay of the projections, decoupled from the gradient (AdamW).")
    schedule: Schedule = option("cosine", "The rate over time: constant, or falling to 0 as a cosine.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.dropout < 1:
            raise UsageError(f"<dropout {self.dropout:g}>: is not a share below 1", options=["dropout"])
        if not 0 < self.encoder_rate < float("inf"):
            problem = f"<encoder_rate {self.encoder_rate:g}>: must be a number greater than 0"
            raise UsageError(problem, options=["encoder_rate"])
