"""Video clips with annotated changes, to train and test detectors on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.media.clips import FPS, colour_change, cuts, dissolve, write_video


@dataclass(frozen=True)
class Corpus:
    videos: list[Path]
    truth: dict[str, dict]

    def only(self, names: list[str]) -> dict[str, dict]:
        return {name: self.truth[name] for name in names}


def make_corpus(folder: Path, clips: int = 14) -> Corpus:
    """Clips with one to four changes each: cuts, dissolves, changes of light."""
    videos, truth = [], {}
    for number in range(clips):
        rng = np.random.default_rng(100 + number)
        frames: list[np.ndarray] = []
        marks: list[float] = []
        for _ in range(int(rng.integers(1, 4))):
            before, after = (int(n) for n in rng.integers(45, 90, 2))
            kind = int(rng.integers(0, 3))
            if frames:
                marks.append(len(frames) / FPS)
            if kind == 0:
                marks.append((len(frames) + before) / FPS)
                frames += cuts(rng, (before, after))
            elif kind == 1:
                marks.append((len(frames) + before + 6) / FPS)
                frames += dissolve(rng, before, 12, after)
            else:
                marks.append((len(frames) + before) / FPS)
                frames += colour_change(rng, before, after)
        name = f"clip{number}"
        videos.append(write_video(folder / f"{name}.mp4", frames))
        spread = [[min(max(mark + shift, 0), len(frames) / FPS) for mark in marks] for shift in (-0.05, 0.0, 0.05)]
        truth[name] = {"duration": len(frames) / FPS, "fps": FPS, "annotators": spread}
    return Corpus(videos, truth)
