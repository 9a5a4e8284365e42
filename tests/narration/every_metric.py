"""Narrations for `tests/test_every_metric.py`: films with and without a cast; empty, repeated and odd lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kataribe.captions.media import read_media
from kataribe.core import registry
from kataribe.core.metric import Metric
from kataribe.core.types import Cast, Role, Segment
from kataribe.narration.items import Film, Narrations
from tests.captions.every_metric import ODD, tiny_models
from tests.encoders.tiny import SENTENCES

VARIANTS = {
    "role_f1": [
        "role_f1",
        "role_f1(micro, cast=own, uncast=drop)",
        "role_f1(match=longest, cast=own, aliases=true, ban=none, empty=drop, uncast=drop)",
    ],
    "recall_at": [
        "recall_at(2, 5, text=rouge_l)",
        "recall_at(text=cider)",
        "recall_at(2, 5, text=rouge_l, windows=tool)",
        "recall_at(1, 4, text=bertscore({bert}, idf=true, rescale=own))",
    ],
    "action_score": ["action_score(text=rouge_l)", "action_score(text=sentence_cosine({bert}), language=en)"],
    "critic": [
        "critic(tests.narration.coreference:names_and_pronouns)",
        "critic(tests.narration.coreference:names_and_pronouns, aliases=true)",
    ],
    "first_mention": ["first_mention", "first_mention(turn)"],
    "identity": ["identity", "identity(aliases=true)"],
    "repetition": [
        "repetition",
        "repetition(1, window=2)",
        "repetition(2, tok=none)",
        "repetition(1, window=3, across=true)",
    ],
    "speech_rate": ["speech_rate", "speech_rate(7.5)"],
    "dialogue_overlap": ["dialogue_overlap", "dialogue_overlap(3)"],
    "mnscore": [
        "mnscore(emscore=emscore(movie101, model={clip}), bertscore=bertscore({bert}, idf=true))",
        "mnscore(emscore=rouge_l, bertscore=cider)",
        "mnscore(emscore=rouge_l, bertscore=bleu, weights=0.25+0.5+0.25)",
    ],
}

CASTS = (
    Cast("f", (Role("Maria"), Role("Odysseus", ("Ulysses",)), Role("Mar"), Role("时分"))),
    Cast("g", (Role("李白"), Role("李白龙"), Role("Maria"))),
    Cast("no line is of this film", (Role("Tom"), Role("Anna"))),
)
WITHOUT_CAST = ("h", "another film", "k")
NAMED = [
    "Maria waits for Ulysses.",
    "maria waits.",
    "MARIA AND ODYSSEUS",
    "李白和李白龙笑了。",
    "Tom, Mar and Mariana",
    "时分，Odysseus 走了。",
    "Anna sleeps.",
    "She waits. Maria and he sleep.",
    "他抱着吉他。",
]
# Metrics that ask neither for films nor for times.
LENIENT = ("recall_at", "repetition")


def case(spec: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Metric, Narrations]:
    metric = registry.parse(spec.format(**tiny_models()) if "{" in spec else spec)
    if metric.vectors:  # nothing that was encoded before may answer for what a shard encodes
        monkeypatch.setenv("KATARIBE_CACHE", str(folder))
    return metric, narrations([*SENTENCES, *ODD, *NAMED], lenient=metric.name in LENIENT)


def narrations(texts: list[str], *, lenient: bool, count: int = 80) -> Narrations:
    """With `lenient`, some lines are of no film and some have no times."""
    rng = np.random.default_rng(11)
    draw = lambda: texts[int(rng.integers(len(texts)))]  # noqa: E731
    names = ["f", "g", *WITHOUT_CAST, *([None] if lenient else [])]
    films = [names[int(rng.integers(len(names)))] for _ in range(count)]
    starts = rng.integers(0, 40, count).tolist()  # not in order, and some at the same time
    gaps = [
        Segment(start, start + 2.5) if not lenient or film != "g" else None
        for start, film in zip(starts, films, strict=True)
    ]
    ids = [f"line {number}" for number in range(count)]
    own_times = [Segment(start + 1.5, start + 3) if start % 3 else None for start in starts]
    dialogue = {film: tuple(Segment(at, at + 1.25) for at in range(n, 50, 3)) for n, film in enumerate(names) if film}
    casts = {cast.film: cast for cast in CASTS}
    features = {id: rng.normal(size=(int(rng.integers(1, 4)), 24)) for id in ids}
    return Narrations(
        ids,
        [draw() for _ in ids],
        [[draw()] for _ in ids],
        read_media(ids, None, features, None),
        films=films,
        gaps=gaps,
        spoken=[own or gap for own, gap in zip(own_times, gaps, strict=True)],
        known={film: Film(cast=casts.get(film), dialogue=dialogue.get(film)) for film in {**casts, **dialogue}},
    )
