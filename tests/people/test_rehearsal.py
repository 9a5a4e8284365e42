"""Generated raters whose truth is known: what goes in comes out of the whole way, app, export and analysis."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the judging app is not installed")

from scipy.stats import binom, norm

from kataribe.cli.main import _run
from kataribe.core.errors import InputError, JoinError, UsageError
from kataribe.people.agreement import agree
from kataribe.people.judge.collected import ratings
from kataribe.people.judge.making import Draft, write_draft
from kataribe.people.judge.rehearsal import Rehearsal, read_truth
from kataribe.people.judge.study import Study
from kataribe.people.options import AgreementOptions
from kataribe.people.presets import preset_options
from kataribe.people.ratings import Labelled, read_ratings
from kataribe.people.result import Agreement, Text
from kataribe.people.scores import Scores
from tests.people.house import House
from tests.people.judging import letters, made_study

SYSTEMS = ("vt", "ovp", "rmn", "wrong_names", "wrong_words")
DIMENSIONS = ("accuracy", "informativeness", "quality")


def worths(clips: int, systems: int, seed: int) -> np.ndarray:
    """Dimensions x clips x systems: systems differ, and so do their texts."""
    return np.random.default_rng(seed).normal(size=(3, clips, systems)) + np.linspace(0, 1.5, systems)


def ranking_study(folder: Path, clips: int = 30) -> Study:
    texts = {system: {f"c{clip}": f"{system} {clip}" for clip in range(clips)} for system in SYSTEMS}
    return write_draft(folder / "study", Draft("movie101", texts, seed=1))


def scores_of(truth: np.ndarray, names: tuple[str, ...], seed: int, prefix: str = "c") -> Scores:
    """A metric that is the truth of each dimension, their mean, and one that knows nothing."""
    texts = [Text(f"{prefix}{clip}", system) for clip in range(truth.shape[1]) for system in names]
    metrics = {name: column.ravel() for name, column in zip(DIMENSIONS, truth, strict=False)}
    metrics["mean"] = truth.mean(axis=0).ravel()
    metrics["random"] = np.random.default_rng(seed).random(len(texts))
    return Scores(texts, metrics)


def truth_of(truth: np.ndarray, names: tuple[str, ...]) -> dict[tuple[str, str, str], float]:
    return {
        (f"c{clip}", system, DIMENSIONS[place]): float(truth[place, clip, column])
        for place in range(3)
        for clip in range(truth.shape[1])
        for column, system in enumerate(names)
    }


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Agreement, Agreement]:
    """30 clips, 5 texts, 10 raters of accuracy .8: read rater by rater, and as the Movie101 study did."""
    truth = worths(30, 5, seed=4)
    study = ranking_study(tmp_path_factory.mktemp("rehearsed"))
    said = Rehearsal(study, truth_of(truth, SYSTEMS), 0.8, seed=2).answers(10)
    assert (len(said), len(said.raters)) == (30 * 5 * 10 * 3, 10)
    scores = scores_of(truth, SYSTEMS, seed=6)
    options = AgreementOptions(bootstrap=100), preset_options("movie101", {"bootstrap": 100})
    each, preset = (agree(scores, said, pairs=(), options=chosen) for chosen in options)
    return each, preset


def test_the_accuracy_of_raters_comes_out_within_its_interval(rehearsed: tuple[Agreement, Agreement]) -> None:
    each, _ = rehearsed
    for name in DIMENSIONS:
        found = each.dimensions[name].metrics[name]
        low, high = found.intervals["accuracy"]
        assert low <= 0.8 <= high
        assert high - low < 0.1


def test_with_ten_raters_the_truth_is_nearly_right_and_chance_is_half(rehearsed: tuple[Agreement, Agreement]) -> None:
    _, preset = rehearsed
    assert list(preset.dimensions) == [*DIMENSIONS, "overall"]
    for name in DIMENSIONS:
        metrics = preset.dimensions[name].metrics
        assert metrics[name].values["accuracy"] > 0.88
        low, high = metrics["random"].intervals["accuracy"]
        assert low <= 0.5 <= high
    overall = preset.dimensions["overall"].metrics
    assert max(overall, key=lambda metric: overall[metric].values["accuracy"]) == "mean"
    assert overall["mean"].values["accuracy"] > 0.88


def test_raters_who_never_err_give_the_truth_everything(tmp_path: Path) -> None:
    truth = worths(6, 5, seed=1)
    said = Rehearsal(ranking_study(tmp_path, 6), truth_of(truth, SYSTEMS), 1.0).answers(2)
    scores = scores_of(truth, SYSTEMS, seed=0)
    found = agree(scores, said, options=preset_options("movie101", {"bootstrap": 0}))
    for name in DIMENSIONS:
        assert found.dimensions[name].metrics[name].values["accuracy"] == 1
        assert found.dimensions[name].people is not None
        assert found.dimensions[name].people.values["accuracy"] == 1  # type: ignore[union-attr]


def test_majorities_of_ten_voters_are_as_often_right_as_they_must_be(tmp_path: Path) -> None:
    """The chance that most of ten are right follows from each vote's; ties are not right."""
    study = made_study(tmp_path, "pairs", count=120)
    rng = np.random.default_rng(3)
    gaps = rng.gamma(1.0, size=120)
    truth = {
        (f"item{n}", system, "overall"): gaps[n] * (system == "alpha")
        for n in range(120)
        for system in study.settings.systems
    }
    rehearsal = Rehearsal(study, truth, 0.75, seed=1)
    deviation = rehearsal._deviation("overall")
    single = norm.cdf(gaps / (np.sqrt(2) * deviation))
    assert single.mean() == pytest.approx(0.75, abs=1e-6)
    expected = binom.sf(5, 10, single).mean()
    texts = [Text(item, system) for item, system, _ in truth]
    said = rehearsal.answers(10)
    found = agree(
        Scores(texts, {"truth": np.array(list(truth.values()))}), said, options=preset_options("soda")
    ).dimensions["overall"]
    low, high = found.metrics["truth"].intervals["accuracy"]
    assert low <= expected <= high
    (preference,) = found.preferences
    assert sum(preference.votes) == 1200
    assert preference.votes[0] / 1200 == pytest.approx(0.75, abs=0.04)


def test_the_browser_s_way_gives_the_same_as_the_store_s(tmp_path: Path) -> None:
    """What a rehearsal puts into the store is what the same raters send over HTTP."""
    truth = worths(4, 5, seed=9)
    known = truth_of(truth, SYSTEMS)
    study = ranking_study(tmp_path, 4)
    said = Rehearsal(study, known, 1.0).answers(2)
    house = House(study)
    try:
        for _ in range(2):
            rater = house.rater()
            for number in range(1, rater.total + 1):
                texts = [text.split() for text in letters(rater.task(number))]
                given = {}
                for name in DIMENSIONS:
                    values = [known[f"c{clip}", system, name] for system, clip in texts]
                    given[name] = [1 + sum(other > one for other in values) for one in values]
                assert rater.answer(number, given).status_code == 200
        sent = ratings(study, house.store.answers())
    finally:
        house.store.close()
    assert sorted(sent.rows) == sorted(said.rows)


def test_ratings_rise_with_worth_and_labels_are_right_as_often_as_said(tmp_path: Path) -> None:
    (tmp_path / "rating").mkdir()
    study = made_study(tmp_path / "rating", "rating", count=50)
    truth: dict[Any, Any] = {(f"item{n}", s, "overall"): float(n) for n in range(50) for s in study.settings.systems}
    said = Rehearsal(study, truth, 1.0).answers(1)
    by_item = {row.item: row[-1] for row in said.rows}
    assert [by_item[f"item{n}"] for n in range(50)] == sorted(by_item.values())
    assert set(by_item.values()) == {1.0, 2.0, 3.0, 4.0, 5.0}

    clips = write_draft(tmp_path / "labels", Draft("movie101-clips", {"n": {str(n): "text" for n in range(200)}}))
    right = {(str(n), "n", "coherence"): ["whole", "merge"][n % 2] for n in range(200)}
    labels = Rehearsal(clips, right, 0.9, seed=1).answers(3)
    hits = [right[row.item, "n", "coherence"] == row.label for row in labels.rows if isinstance(row, Labelled)]
    assert len(hits) == 600
    assert np.mean(hits) == pytest.approx(0.9, abs=0.04)
    assert {row[-1] for row in labels.rows} == {"whole", "merge", "split"}


def test_checks_are_passed_by_whoever_sees_well(tmp_path: Path) -> None:
    """Checks are tasks like others, and never become rankings."""
    texts = {system: {f"c{clip}": f"{system} {clip}" for clip in range(4)} for system in SYSTEMS}
    study = write_draft(tmp_path / "study", Draft("movie101", texts, references=texts["vt"], checks=2))
    assert len(study.planted) == 2
    said = Rehearsal(study, truth_of(worths(4, 5, 0), SYSTEMS), 0.9).answers(1)
    assert len(said) == 4 * 5 * 3


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return ranking_study(tmp_path, 6)


def write_truth(path: Path, header: str, cells: str, study: Study) -> Path:
    rows = [f"{item},{system},{cells}" for item in study.items for system in study.settings.systems]
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def test_the_command_leaves_the_study_s_own_answers_alone(
    study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth = tmp_path / "truth.csv"
    rows = [f"{item},{system},{place}" for item in study.items for place, system in enumerate(SYSTEMS)]
    truth.write_text("\n".join(["item,system,truth", *rows]) + "\n")
    call = ["judge", "rehearse", str(study.path), "--truth", str(truth), "--raters", "2", "-q", "-o"]
    assert _run([*call, str(tmp_path / "one.csv")]) == 0
    assert "180 rankings by 2 generated raters, accuracy 0.75; seed 0" in capsys.readouterr().out
    assert not study.database.exists()
    assert _run([*call, str(tmp_path / "two.csv")]) == 0
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    assert _run([*call, str(tmp_path / "three.csv"), "--seed", "1"]) == 0
    assert (tmp_path / "one.csv").read_bytes() != (tmp_path / "three.csv").read_bytes()
    assert len(read_ratings(tmp_path / "one.csv").raters) == 2
    assert _run([*call, str(tmp_path / "four.csv"), "--accuracy", "0.5"]) == 2
    assert "--accuracy 0.5: is not above 0.5" in capsys.readouterr().err
    assert _run([*call, str(truth)]) == 2


@pytest.mark.parametrize(
    ("header", "cells", "message"),
    [
        ("item,system,score", "1", "lacks one of the columns item, system, accuracy or truth"),
        ("clip,system,truth", "1", "lacks one of the columns item, system, accuracy or truth"),
        ("item,system,truth", "good", "'good'"),
        ("item,system,truth", "", "give every text a number"),
    ],
)
def test_a_table_that_says_no_truth_is_refused(
    study: Study, tmp_path: Path, header: str, cells: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_truth(write_truth(tmp_path / "truth.csv", header, cells, study), study)
    assert message in str(caught.value)


def test_a_text_without_truth_is_named(study: Study, tmp_path: Path) -> None:
    path = write_truth(tmp_path / "truth.csv", "item,system,truth", "1", study)
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    with pytest.raises(JoinError, match="the truth of 1 texts is not known: 'c5 wrong_words'"):
        read_truth(path, study)


def test_a_coin_is_no_rater(study: Study) -> None:
    with pytest.raises(UsageError, match="is not above"):
        Rehearsal(study, {}, 0.5)


def test_accuracy_is_the_mean_over_pairs_that_differ(study: Study) -> None:
    truth = truth_of(worths(6, 5, seed=2), SYSTEMS)
    truth["c0", "vt", "accuracy"] = truth["c0", "ovp", "accuracy"]
    deviation = Rehearsal(study, truth, 0.7)._deviation("accuracy")
    chances = [
        norm.cdf(
            abs(truth[f"c{clip}", one, "accuracy"] - truth[f"c{clip}", other, "accuracy"]) / (np.sqrt(2) * deviation)
        )
        for clip in range(6)
        for one, other in combinations(SYSTEMS, 2)
        if truth[f"c{clip}", one, "accuracy"] != truth[f"c{clip}", other, "accuracy"]
    ]
    assert len(chances) == 59
    assert np.mean(chances) == pytest.approx(0.7, abs=1e-6)
