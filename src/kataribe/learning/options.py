"""How a network is trained, whatever it computes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kataribe.core.errors import UsageError
from kataribe.core.options import Options, RunOptions, option, same_as

Precision = Literal["no", "fp16", "bf16"]
Schedule = Literal["constant", "cosine", "noam"]


@dataclass(frozen=True)
class FitOptions(Options):
    """Options of the one training loop. A model that wants other defaults makes a value of its own."""

    epochs: int = option(9, "How often every example is seen, at most.", minimum=1)
    batch: int = option(32, "Examples in one step, over all devices together.", minimum=1)
    rate: float = option(3e-5, "Learning rate.")
    decay: float = option(0.0, "Weight decay, decoupled from the gradient (AdamW).")
    clip: float = option(1.0, "Longest gradient, as a norm over all parameters; 0: any.")
    schedule: Schedule = option(
        "constant", "The rate over time: constant, falling to 0 as a cosine, or as 1 / sqrt(step) (noam)."
    )
    warmup: float = option(0.0, "Share of all steps in which the rate rises from 0.")
    patience: int = option(0, "Stop after so many epochs without a better validation score; 0: never.", minimum=0)
    seed: int = same_as(RunOptions, "seed")
    device: Literal["auto", "cpu"] = option("auto", "auto: what accelerate finds (GPUs first); cpu.", noun="device")
    precision: Precision = option("no", "Mixed precision: no, fp16 or bf16.", noun="precision")
    tracker: str | None = option(None, "Also log to tensorboard, wandb or whatever accelerate knows.")
    log_folder: Path | None = option(None, "Where a tracker writes its files.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.rate < math.inf:
            raise UsageError(f"<rate {self.rate:g}>: must be a number greater than 0", options=["rate"])
        for name in ("decay", "clip"):
            if not 0 <= getattr(self, name) < math.inf:
                problem = "must be a number from 0 on"
                raise UsageError(f"<{name} {getattr(self, name):g}>: {problem}", options=[name])
        if not 0 <= self.warmup <= 1:
            raise UsageError(f"<warmup {self.warmup:g}>: is not a share between 0 and 1", options=["warmup"])
        if self.schedule == "noam" and not self.warmup:
            hint = "give <warmup 0.05>, or another schedule"
            raise UsageError(
                "<schedule noam>: falls from the end of a warm-up", hint=hint, options=["schedule", "warmup"]
            )
        if self.tracker == "tensorboard" and self.log_folder is None:
            raise UsageError("tensorboard needs a folder", hint="give <log_folder FOLDER>", options=["log_folder"])
