"""From Python: one call for one evaluation, and a scorer that keeps its references for many."""

from __future__ import annotations

import pytest

import kataribe
from kataribe.captions.cider import Cider

REFERENCES = {str(n): [f"a dog runs {n} times", "a dog"] for n in range(12)}
EPOCHS = [{id: texts[0][: 3 * epoch] for id, texts in REFERENCES.items()} for epoch in range(1, 5)]


def test_a_scorer_gives_what_single_evaluations_give() -> None:
    score = kataribe.Scorer("captions", REFERENCES, metrics=["bleu", "cider", "meteor"])
    for predictions in EPOCHS:
        alone = kataribe.evaluate("captions", predictions, REFERENCES, metrics=["bleu", "cider", "meteor"])
        again = score(predictions)
        for metric in ("bleu", "cider", "meteor"):
            assert again[metric].score == alone[metric].score
            assert again[metric].signature == alone[metric].signature


def test_references_are_scanned_once_for_all_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    scans = []
    scan = Cider.scan_references
    monkeypatch.setattr(Cider, "scan_references", lambda self, items: scans.append(len(items)) or scan(self, items))
    score = kataribe.Scorer("captions", REFERENCES, metrics=["cider"])
    for predictions in EPOCHS:
        score(predictions)
    assert scans == [len(REFERENCES)]


def test_other_items_are_scanned_again() -> None:
    """Where missing predictions are left out, they decide which references count."""
    score = kataribe.Scorer("captions", REFERENCES, metrics=["cider"], missing="drop")
    half = dict(list(EPOCHS[3].items())[:6])
    for predictions in (EPOCHS[3], half, EPOCHS[3]):
        alone = kataribe.evaluate("captions", predictions, REFERENCES, metrics=["cider"], missing="drop")
        assert score(predictions)["cider"].value == alone["cider"].value
