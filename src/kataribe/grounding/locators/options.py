"""How a locator is built and trained; known without torch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from kataribe.core.errors import UsageError
from kataribe.core.options import option
from kataribe.learning.options import FitOptions, Schedule

Network = Literal["2d-tan", "ia-net", "rnl"]
# Where faces are: in the frames, in the query (portraits of the roles it names), in both.
Faces = Literal["none", "video", "query", "both"]
# One layer for faces of frames and for portraits, or one for each.
Projection = Literal["shared", "own"]


@dataclass(frozen=True)
class LocatorOptions(FitOptions):
    """Those of the training loop, with defaults for small networks over frozen vectors, and the locator's own."""

    model: Network = option("rnl", "The network: 2d-tan, ia-net or rnl.", noun="network")
    faces: Faces | None = option(None, "Of rnl: faces in video, query or both; default: both.", noun="use of faces")
    projection: Projection = option("shared", "Of rnl: one layer for faces and portraits, or own.", noun="projection")
    text: str | None = option(
        None, "Text encoder: minilm, e5, a hub name or folder; default: minilm for English, e5 for the rest."
    )
    width: int = option(64, "Numbers of a vector inside the network; a multiple of --heads.", minimum=2)
    heads: int = option(4, "Heads of the attention.", minimum=1)
    rounds: int = option(3, "Rounds of attention between frames and words.", minimum=1)
    every: int = option(1, "Look at every so many-th frame only; 2 takes half the time or less.", minimum=1)
    axes: int = option(256, "Principal axes of the frame vectors that are kept; 0: all.", minimum=0)
    clips: int = option(64, "Of 2d-tan: clips that a window is cut into.", minimum=4)
    map_width: int = option(32, "Of 2d-tan: numbers of a cell of the map.", minimum=1)
    kernel: int = option(5, "Of 2d-tan: cells on a side of a convolution, an odd number; published: 9.", minimum=1)
    layers: int = option(4, "Of 2d-tan: convolutions.", minimum=1)
    dropout: float = option(0.2, "Share of what comes from the encoders that is dropped in training.")
    window: float = option(200.0, "Seconds that are looked at, in training and round a found shot.")
    warp: bool = option(False, "Stretch and shrink what is before, in and after the moment in training.")
    seeds: int = option(1, "Train so often, from --seed on, and keep the best on the validation films.", minimum=1)
    epochs: int = option(15, "How often every query is seen, at most.", minimum=1)
    batch: int = option(32, "Queries in one step, over all devices together.", minimum=1)
    rate: float = option(8e-4, "Learning rate.")
    decay: float = option(0.01, "Weight decay, decoupled from the gradient (AdamW).")
    schedule: Schedule = option("cosine", "The rate over time: constant, or falling to 0 as a cosine.")
    warmup: float = option(0.05, "Share of all steps in which the rate rises from 0.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width % (2 * self.heads):
            raise UsageError(
                f"<width {self.width}>: is no multiple of twice the <heads {self.heads}>", options=["width", "heads"]
            )
        if self.kernel % 2 == 0:
            raise UsageError(f"<kernel {self.kernel}>: must be odd, so that it has a middle", options=["kernel"])
        if not 0 <= self.dropout < 1:
            raise UsageError(f"<dropout {self.dropout:g}>: is not a share from 0 to below 1", options=["dropout"])
        if not 1 <= self.window < math.inf:
            raise UsageError(f"<window {self.window:g}>: must be at least one second", options=["window"])
        if self.faces is not None and (self.model == "rnl") == (self.faces == "none"):
            hint = "<model ia-net> is rnl without faces" if self.model == "rnl" else "<model rnl> sees them"
            raise UsageError(
                f"<faces {self.faces}>: does not go with <model {self.model}>", hint=hint, options=["faces", "model"]
            )

    @property
    def used_faces(self) -> Faces:
        if self.faces is not None:
            return self.faces
        return "both" if self.model == "rnl" else "none"
