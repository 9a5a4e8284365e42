"""BLEU, ROUGE-L and CIDEr against pycocoevalcap's own scorers (pure Python, so these run everywhere)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocoevalcap.bleu.bleu import Bleu as OriginalBleu
from pycocoevalcap.cider.cider import Cider as OriginalCider
from pycocoevalcap.rouge.rouge import Rouge as OriginalRouge

from kataribe.captions.bleu import Bleu
from kataribe.captions.cider import Cider
from kataribe.captions.items import Captions
from kataribe.captions.rouge import RougeL
from kataribe.core.metric import Measured, Metric
from kataribe.core.types import Score

# Tokenized text as the PTB tokenizer leaves it: empty lines and a no-break space inside a token occur.
CAPTION = st.lists(st.sampled_from(["a", "b", "c", "d", "3\u00a01/2", "é"]), max_size=9).map(" ".join)
ITEMS = st.lists(st.tuples(CAPTION, st.lists(CAPTION, min_size=1, max_size=4)), min_size=1, max_size=8)


def ours(metric: Metric, candidates: list[str], references: list[list[str]]) -> tuple[Score, Measured]:
    # The original tool's captions are tokenized already and keep a no-break space inside a token.
    items = Captions(range(len(candidates)), candidates, references)  # type: ignore[arg-type]
    from kataribe.captions import items as module
    from kataribe.text.tokenizers import Tokenizer

    keep = Tokenizer("keep", "keep", list)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "tokenizer", lambda name: keep)
        statistics = metric.rows(items)
    return metric.reduce(statistics), metric.per_item(statistics)


def assert_same_bleu(candidates: list[str], references: list[list[str]]) -> None:
    """To the last bit: a last bit breaks a tie, and moves Kendall's tau."""
    res = {i: [caption] for i, caption in enumerate(candidates)}
    bleus, bleu_items = OriginalBleu(4).compute_score(dict(enumerate(references)), res, verbose=0)
    score, items = ours(Bleu(), candidates, references)
    assert score.value == bleus[3]
    assert items.value.tolist() == bleu_items[3]
    for n in (1, 2, 3, 4):
        assert score.parts[f"BLEU-{n}"] == bleus[n - 1]
        assert items.parts[f"BLEU-{n}"].tolist() == bleu_items[n - 1]


def assert_same(candidates: list[str], references: list[list[str]]) -> None:
    gts = dict(enumerate(references))
    res = {i: [caption] for i, caption in enumerate(candidates)}
    assert_same_bleu(candidates, references)
    rouge, rouge_items = OriginalRouge().compute_score(gts, res)
    score, items = ours(RougeL(), candidates, references)
    assert score.value == pytest.approx(rouge, abs=1e-12)
    np.testing.assert_allclose(items.value, rouge_items, atol=1e-12)
    if any(
        text.split() for texts in references for text in texts
    ):  # the original fails where there is no n-gram at all
        cider, cider_items = OriginalCider().compute_score(gts, res)
        score, items = ours(Cider(), candidates, references)
        assert score.value == pytest.approx(cider, abs=1e-10)
        np.testing.assert_allclose(items.value, cider_items, atol=1e-10)


@given(ITEMS)
def test_generated_captions(items: list[tuple[str, list[str]]]) -> None:
    assert_same([candidate for candidate, _ in items], [references for _, references in items])


def test_bleu_of_thousands_of_odd_texts_to_the_last_bit() -> None:
    """Lengths from none to forty words, repeated words, up to five references of very different lengths."""
    rng = np.random.default_rng(0)

    def text() -> str:
        return " ".join(rng.choice(list("abcdefgh"), rng.integers(0, 40)))

    candidates = [text() for _ in range(3000)]
    assert_same_bleu(candidates, [[text() for _ in range(rng.integers(1, 6))] for _ in candidates])


def test_captions_longer_than_a_machine_word() -> None:
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice(list("abcdefgh"), size)) for size in (63, 64, 65, 128, 129, 200, 300, 1)]
    assert_same(texts[:4], [texts[4:], texts[3:6], texts[:2], texts[5:]])


@pytest.mark.data
def test_real_captions(data_folder: Path) -> None:
    rated = json.loads((data_folder / "human-judgements" / "flickr8k_expert.json").read_text())
    candidates, references = [], []
    for image in rated.values():
        for judged in image["human_judgement"][::3]:
            candidates.append(judged["caption"].lower())
            references.append([text.lower() for text in image["ground_truth"]])
    assert len(candidates) > 5000
    assert_same(candidates, references)
