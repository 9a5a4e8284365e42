"""The bench of learned metrics: its corpus, and what it says where data is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.data import _made_up
from bench.learned import make_corpus
from bench.report import Options
from bench.suisei import Results, _onto_expert


def test_corpus_repeats_texts_and_rates_them_by_what_they_keep() -> None:
    corpus = make_corpus(_made_up(200, 1).candidates, 500, seed=0)
    assert corpus == make_corpus(_made_up(200, 1).candidates, 500, seed=0)
    assert len(corpus.candidates) == len(corpus.references) == len(corpus.ratings) == 500
    assert corpus.distinct < 500
    whole = [row for row, rating in enumerate(corpus.ratings) if rating == 1.0]
    assert all(corpus.candidates[row].split() == corpus.references[row][0].split() for row in whole)


def test_experiments_without_their_data_say_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("bench.suisei._judgements", lambda name: None)
    (missing,) = _onto_expert(tmp_path, Options())
    shown = Results([(str(missing), "Its data is not here.")]).markdown(["a machine"])
    assert "#### Trained on nebula, tested on Flickr8k-Expert\n\nIts data is not here." in shown
    assert shown.endswith("- a machine")
