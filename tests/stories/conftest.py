"""Small stories, written short and drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

import kataribe
from kataribe.core.result import MetricResult
from kataribe.core.types import Caption, Segment, Story

Line = tuple[float, float, str]


@pytest.fixture
def story() -> Callable[..., Story]:
    """story("v", (0, 4, "a dog"), (4, 9, "it runs"))"""

    def build(video: str, *lines: Line, duration: float | None = None) -> Story:
        return Story(video, duration, tuple(Caption(Segment(start, end), text) for start, end, text in lines))

    return build


@pytest.fixture
def score() -> Callable[..., MetricResult]:
    """One metric on stories: score("soda(d)", predictions, references, missing="zero")."""

    def run(metric: str, predictions: Sequence[Story], references: Any, **options: Any) -> MetricResult:
        (only,) = kataribe.evaluate("stories", predictions, references, metrics=[metric], **options)
        return only

    return run
