"""Colours and edges by region, in numpy: a picture encoder that is always there and needs no weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kataribe.core.types import Floats
from kataribe.media.video import Pixels, Size


@dataclass(frozen=True)
class HistogramEncoder:
    """Square roots of histograms (so that a dot product compares distributions), for each cell of a 3 x 3 grid.

    >>> [vector] = HistogramEncoder().pixels([np.zeros((64, 64, 3), dtype=np.uint8)])
    >>> len(vector), round(float(vector @ vector), 6)
    (288, 1.0)
    """

    name: ClassVar[str] = "histogram"
    signature: ClassVar[str] = "histogram"
    size: ClassVar[Size] = (64, 64)

    cells: int = 3
    bins: int = 8

    @property
    def key(self) -> str:
        return f"pictures-histogram-{self.cells}x{self.bins}"

    def pixels(self, pictures: Sequence[Pixels]) -> Floats:
        return np.stack([self._one(picture) for picture in pictures])

    def _one(self, pixels: Pixels) -> Floats:
        colours = pixels.astype(np.float64) / 255
        grey = colours.mean(axis=2)
        down, across = np.gradient(grey)
        strength = np.hypot(down, across)
        direction = (np.arctan2(down, across) % np.pi) / np.pi
        height, width = grey.shape
        row = np.minimum(np.arange(height) * self.cells // height, self.cells - 1)
        column = np.minimum(np.arange(width) * self.cells // width, self.cells - 1)
        cell = row[:, None] * self.cells + column
        planes = [(colours[..., channel], np.full_like(grey, 1.0)) for channel in range(3)]
        # Edges of the faintest kind are noise of the codec.
        planes.append((direction, np.where(strength > 0.02, strength * 4, 0.0)))
        histograms = []
        for values, weights in planes:
            level = np.minimum((values * self.bins).astype(np.int64), self.bins - 1)
            bins = (cell * self.bins + level).ravel()
            histograms.append(np.bincount(bins, weights.ravel(), minlength=self.cells**2 * self.bins))
        features = np.sqrt(np.concatenate(histograms))
        normalised: Floats = features / np.linalg.norm(features)
        return normalised
