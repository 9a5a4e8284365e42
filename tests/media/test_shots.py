"""Shots lie between hard cuts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("av", reason="video files need PyAV (pip install 'kataribe[video]')")

from kataribe.media.shots import find_shots
from tests.media.clips import FPS, cuts, dissolve, write_video


def test_shots_cover_the_video_from_cut_to_cut(tmp_path: Path) -> None:
    path = write_video(tmp_path / "v.mp4", cuts(np.random.default_rng(1), (75, 90, 60)))
    shots = find_shots(path)
    assert [shot.start for shot in shots] == pytest.approx([0, 75 / FPS, 165 / FPS], abs=0.5 / FPS)
    assert [shot.end for shot in shots[:-1]] == [shot.start for shot in shots[1:]]
    assert shots[-1].end == pytest.approx(225 / FPS, abs=0.01)


def test_a_video_without_a_cut_is_one_shot(tmp_path: Path) -> None:
    path = write_video(tmp_path / "v.mp4", dissolve(np.random.default_rng(2), 60, 30, 60))
    [shot] = find_shots(path)
    assert (shot.start, shot.end) == (0, pytest.approx(150 / FPS, abs=0.01))
