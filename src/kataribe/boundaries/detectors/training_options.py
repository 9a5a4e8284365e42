"""Options of training the pairwise classifier; they are known without torch and without any video."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from kataribe.core.errors import UsageError
from kataribe.core.options import option
from kataribe.learning.options import FitOptions

if TYPE_CHECKING:
    from kataribe.boundaries.detectors.examples import Label

HELD_OUT_LOSS = "held_out_loss"


@dataclass(frozen=True)
class PairwiseOptions(FitOptions):
    """Those of the training loop, with defaults for windows of frames, and the classifier's own."""

    hidden: int = option(32, "Units of the hidden layer.", minimum=1)
    label: Literal["share", "any"] | None = option(
        None, "A moment is positive to the `share` of annotators near it, or fully if there is `any`.", noun="label"
    )
    protocol: Literal["paper"] | None = option(None, "`paper` takes --label any, as published.", noun="protocol")
    finetune: int = option(0, "Train so many of the backbone's top blocks too, as the paper does.", minimum=0)
    validation: float | None = option(
        None, "Share of the videos held out to choose the best epoch; default: 0.2 of ten videos or more."
    )
    stop_by: str = option(
        "boundary_f1", f"The score of held-out videos that decides: any metric of boundaries, or {HELD_OUT_LOSS}."
    )
    seeds: int = option(1, "Train so often, from --seed on, and keep the best.", minimum=1)
    epochs: int = option(30, "How often every window is seen, at most.", minimum=1)
    batch: int = option(256, "Windows in one step, over all devices together.", minimum=1)
    rate: float = option(2e-3, "Learning rate.")
    backbone_rate: float = option(1e-5, "Learning rate of the backbone's blocks.")
    # Strong: of a thousand features few tell anything, and the others must not speak up in unfamiliar videos.
    decay: float = option(1.0, "Weight decay of the classifier, decoupled from the gradient (AdamW).")
    clip: float = option(0.0, "Longest gradient, as a norm over all parameters; 0: any.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.validation is not None and not 0 <= self.validation < 1:
            problem = f"<validation {self.validation:g}>: is not a share between 0 and 1"
            raise UsageError(problem, hint="0 holds no video out", options=["validation"])
        if not 0 < self.backbone_rate < float("inf"):
            problem = f"<backbone_rate {self.backbone_rate:g}>: must be a number greater than 0"
            raise UsageError(problem, options=["backbone_rate"])

    @property
    def labels(self) -> Label:
        """What the user wrote wins over the protocol."""
        return self.label or ("any" if self.protocol == "paper" else "share")
