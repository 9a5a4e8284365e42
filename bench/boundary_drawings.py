"""`python -m bench.boundary_drawings`: the two drawings of docs/boundaries.md that explain rather than measure.

They show what the paper's figures 4 and 6 show, on boundaries of our own: windows that overlap or do not, and the bells
that stand in for a probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.report.pictures import new_figure, to_image

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
FRAMES = 300
WINDOW, OVERLAP, MARK, CURVE = "#9ccc9c", "#3f7f3f", "#222222", "#30638e"


def windows() -> Any:
    """Three boundaries of Random and of Uniform with their tolerance; where windows overlap they are darker."""
    figure = new_figure(8, 2.6)
    drawn = {"Random, M = 3": (62, 83, 232), "Uniform, M = 3": (75, 150, 225)}
    for row, (name, frames) in enumerate(drawn.items(), start=1):
        axes = figure.add_subplot(2, 1, row)
        _draw_windows(axes, frames, tolerance=0.05 * FRAMES)
        axes.set_ylabel(name, rotation=0, ha="right", va="center")
        axes.set_xlim(0, FRAMES)
        axes.set_yticks([])
        if row == 1:
            axes.set_xticks([])
    axes.set_xlabel("frame of a video of 300; a window reaches 15 frames, 5% of it, to either side")
    return figure


def _draw_windows(axes: Any, frames: Sequence[int], tolerance: float) -> None:
    spans = [(frame - tolerance, frame + tolerance) for frame in frames]
    for start, end in spans:
        axes.axvspan(start, end, color=WINDOW, linewidth=0)
    for (_, end), (start, _) in pairwise(spans):
        if start < end:
            axes.axvspan(start, end, color=OVERLAP, linewidth=0)
    for frame in frames:
        axes.axvline(frame, color=MARK, linewidth=1.6)


def pseudo_probability() -> Any:
    """f(t) of Uniform with four boundaries, and of two boundaries so near that their bells add up to more than 1."""
    figure = new_figure(8, 2.8)
    axes = figure.add_subplot()
    for frames, style, name in (
        ((60, 120, 180, 240), "-", "Uniform, M = 4"),
        ((116, 122), "--", "two near each other"),
    ):
        t = np.arange(FRAMES)
        curve = np.exp(-(((t[:, None] - np.array(frames)) / 5.0) ** 2)).sum(axis=1)
        axes.plot(t, curve, style, color=CURVE if style == "-" else MARK, linewidth=1.6, label=name)
    axes.set(xlabel="frame", ylabel="f(t), sigma = 5 frames", xlim=(0, FRAMES), ylim=(0, 1.7))
    axes.legend(fontsize=8, loc="upper right")
    return figure


def main() -> None:
    for name, draw in (("boundaries_windows", windows), ("boundaries_bells", pseudo_probability)):
        (IMAGES / f"{name}.svg").write_bytes(to_image(draw(), "svg"))


if __name__ == "__main__":
    main()
