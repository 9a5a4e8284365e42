"""Training: whoever sees faces names unseen people; runs resume; the same seed tells the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("accelerate")

from kataribe.core.errors import UsageError
from kataribe.core.types import Segment
from kataribe.narration.narrators.options import (
    VALIDATION_LOSS,
    NarratorOptions,
    NarratorTraining,
    SearchOptions,
)
from kataribe.narration.narrators.scoring import tell_clips
from kataribe.narration.narrators.training import Trained, train
from tests.narration.narrators.made import made_corpus

MODEL = NarratorOptions(width=16, heads=2, layers=1, dropout=0.0)
OPTIONS = NarratorTraining(epochs=2, batch=8, rate=5e-3, patience=0)
CORPUS = made_corpus()


def losses(trained: Trained) -> list[float]:
    return [epoch.loss for epoch in trained.courses[trained.seed].epochs]


def told(trained: Trained) -> list[str]:
    narrator = replace(trained.narrator, search=SearchOptions(longest=9))
    return [each.text for each in tell_clips(narrator, CORPUS.clips("test"))]


def test_a_narrator_learns_to_name_people_that_it_has_never_seen() -> None:
    corpus = made_corpus((12, 2, 2), clips=8)
    trained = train(corpus, MODEL, replace(OPTIONS, epochs=14, batch=16, rate=1e-2))
    assert trained.courses[0].best_scores["role_f1"] > 0.8


def test_the_same_seed_gives_the_same_narration_and_another_seed_another_course() -> None:
    one, same, other = (train(CORPUS, MODEL, replace(OPTIONS, seed=seed)) for seed in (0, 0, 1))
    assert (losses(one), told(one)) == (losses(same), told(same))
    assert losses(one) != losses(other)


def test_a_run_that_was_stopped_comes_to_the_same_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = train(CORPUS, MODEL, OPTIONS)
    with monkeypatch.context() as patch:
        patch.setattr("kataribe.learning.fit._Run._is_patience_over", lambda run, epochs: len(epochs) == 1)
        assert len(losses(train(CORPUS, MODEL, OPTIONS, state=tmp_path / "state"))) == 1
    resumed = train(CORPUS, MODEL, OPTIONS, state=tmp_path / "state")
    assert losses(resumed) == losses(whole)
    assert told(resumed) == told(whole)


@pytest.mark.parametrize("model", ["vt", "ovp"])
def test_narrators_without_a_pointer_train(model: str) -> None:
    trained = train(CORPUS, replace(MODEL, model=model, context="lines+dialogue"), replace(OPTIONS, epochs=1))
    assert trained.courses[0].epochs[-1].loss > 0
    assert all(not each.roles for each in trained.narrator.tell(CORPUS.films["test0"], [Segment(0, 4)]))


def test_the_self_critical_stage_goes_on_from_the_first(tmp_path: Path) -> None:
    options = replace(OPTIONS, epochs=1, critical_epochs=1, stop_by=VALIDATION_LOSS)
    trained = train(CORPUS, MODEL, options, state=tmp_path / "state")
    first, second = trained.courses[0].epochs[-1], trained.critical[0].epochs[-1]
    # The first epoch of the second stage starts where the first has ended, and takes small steps.
    assert second.scores[VALIDATION_LOSS] == pytest.approx(first.scores[VALIDATION_LOSS], rel=0.05)
    assert second.scores[VALIDATION_LOSS] != first.scores[VALIDATION_LOSS]


def test_english_is_told_in_english() -> None:
    corpus = made_corpus(is_english=True)
    trained = train(corpus, replace(MODEL, faces=False), replace(OPTIONS, epochs=1))
    assert trained.narrator.vocabulary.scheme == "words"
    assert trained.data["scheme"] == "words"


def test_the_best_of_several_seeds_is_kept() -> None:
    trained = train(CORPUS, MODEL, replace(OPTIONS, epochs=1, seeds=2, stop_by=VALIDATION_LOSS))
    values = {seed: course.best_scores[VALIDATION_LOSS] for seed, course in trained.courses.items()}
    assert trained.seed == min(values, key=lambda seed: values[seed])


def test_a_corpus_without_validation_films_is_refused() -> None:
    with pytest.raises(UsageError, match="no clips G in the part 'val'"):
        train(made_corpus((1, 0, 0)), MODEL, OPTIONS)
