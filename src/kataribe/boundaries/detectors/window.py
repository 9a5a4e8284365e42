"""What the predictability and the pairwise detector share: features of the frames just before and just after t."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from kataribe.core.types import Floats
from kataribe.encoders.protocol import PictureEncoder
from kataribe.media.video import Picture

EVERY = 3
SIDE = 5


@dataclass
class Sampler:
    """Features of every third picture. Detectors that share a sampler share the work."""

    encoder: PictureEncoder
    every: int = EVERY
    _picture: Picture | None = None
    _features: Floats = field(default_factory=lambda: np.zeros(0))

    def __call__(self, picture: Picture) -> Floats | None:
        """The picture's features, or None for one that is passed over."""
        if picture.number % self.every:
            return None
        if self._picture is not picture:
            pixels = picture.rgb(self.encoder.size)
            self._picture, self._features = picture, self.encoder.pixels([pixels])[0].astype(np.float64)
        return self._features


@dataclass
class Window:
    """The last 2 * side vectors of a stream; the middle lies before vector number `middle`."""

    side: int = SIDE
    seen: int = 0
    vectors: deque[Floats] = field(default_factory=deque)

    def push(self, vector: Floats) -> bool:
        """Take one more; True once both sides are full."""
        self.seen += 1
        self.vectors.append(vector)
        if len(self.vectors) > 2 * self.side:
            self.vectors.popleft()
        return len(self.vectors) == 2 * self.side

    @property
    def middle(self) -> int:
        return self.seen - self.side

    @property
    def sides(self) -> tuple[Floats, Floats]:
        """(side, features) before and after the middle, in order of time."""
        stacked = np.stack(self.vectors)
        return stacked[: self.side], stacked[self.side :]
