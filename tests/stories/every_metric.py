"""Stories for `tests/test_every_metric.py`: missing and empty predictions, repeated and odd texts, three annotators."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from kataribe.core import registry
from kataribe.core.metric import Metric
from kataribe.core.types import Caption, Segment, Story
from kataribe.formats.storytable import StoryTable
from kataribe.stories.items import Stories
from kataribe.stories.join import join
from tests.captions.every_metric import ODD

VARIANTS = {
    "soda": [
        "soda(c)",
        "soda(a, paper)",
        "soda(b, refs=mean)",
        "soda(d, refs=best)",
        "soda(d, paper, refs=mean)",
        "soda(c, text=cider)",
        "soda(c, paper, text=cider)",
        "soda(c, text=bleu, chars=all)",
        "soda(c, text=bertscore)",
    ],
    "activitynet": [
        "activitynet(2018)",
        "activitynet(2021, cider=plain)",
        "activitynet(2018, pooled=true)",
        "activitynet(2018, paper)",
    ],
    "paragraph": [
        "paragraph(meteor)",
        "paragraph(cider, paper)",
        "paragraph(div(corpus), tok=ptb)",
        "paragraph(ppl, paper)",
        "paragraph(sentence_cosine)",
    ],
    "segments": ["segments(meteor)", "segments(cider)", "segments(rouge_l)"],
    "localisation": ["localisation", "localisation(iou=exact)"],
}

# What follows decides about the end of some of them, and some are not ASCII.
TEXTS = ["A man runs.", "A dog jumps over the fence.", "A man runs.", "the dog sleeps", "A capital T.", *ODD]


def case(spec: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Metric, Stories]:
    metric = registry.parse(spec)
    if metric.vectors:  # nothing that was encoded before may answer for what a shard encodes
        pytest.importorskip("transformers", reason="needs kataribe[models]")
        monkeypatch.setenv("KATARIBE_CACHE", str(folder))
    # The means of these two are over fewer videos than there are.
    return metric, stories("drop" if spec in ("paragraph(cider, paper)", "segments(cider)") else None)


def stories(missing: Literal["zero", "drop"] | None = None, videos: int = 40) -> Stories:
    """One video has more predictions than ActivityNet's scorers read."""
    rng = np.random.default_rng(3)
    names = [f"v{number}" for number in range(videos)]
    story = partial(_story, rng)
    references = [
        [story(name, int(rng.integers(1, 6))) for name in names],
        [story(name, int(rng.integers(1, 4))) for name in names[::2]],
        [story(name, int(rng.integers(1, 4))) for name in names[::3]],
    ]
    predictions = [_story(rng, other.video, int(rng.integers(0, 6)), other) for other in references[0][2:]]
    predictions[5] = story(names[7], 1003)
    tables = [StoryTable.of(table) for table in references]
    items, _, _ = join(StoryTable.of(predictions), tables, missing, seed=1)
    return items


def _story(rng: np.random.Generator, video: str, count: int, other: Story | None = None) -> Story:
    """Some segments are those of the other story."""
    captions = []
    for number in range(count):
        start, length = rng.integers(0, 20), rng.integers(0, 10)
        segment = Segment(float(start), float(start + length))
        if other is not None and number % 2 == 0 and number < len(other.captions):
            segment = other.captions[number].segment
        captions.append(Caption(segment, TEXTS[int(rng.integers(len(TEXTS)))]))
    return Story(video, 30.0, tuple(captions))
