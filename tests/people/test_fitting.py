"""Weights of MNScore from rankings whose truth is known: they come back, and chance is called chance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kataribe
from kataribe.core import registry
from kataribe.core.errors import UsageError
from kataribe.narration import mnscore
from kataribe.people.fitting import TOGETHER, fit_mixture
from kataribe.people.mixture import MIXTURES, find_mixture, find_parts
from kataribe.people.options import AgreementOptions
from kataribe.people.ratings import Rank, Ratings
from kataribe.people.result import Text
from kataribe.people.scores import Scores, of_results

MNSCORE = MIXTURES["mnscore"]
SYSTEMS = "abcde"


def made(truth: list[float], clips: int, seed: int, noise: float = 0.05, raters: int = 4) -> tuple[Scores, dict]:
    """Parts spread as those of real narrations are, and what each rater thinks of each text."""
    rng = np.random.default_rng(seed)
    texts = [Text(f"clip {clip}", system) for clip in range(clips) for system in SYSTEMS]
    columns = {
        "EMScore": rng.normal(0.25, 0.05, len(texts)),
        "BERTScore": rng.normal(0.3, 0.12, len(texts)),
        "RoleF1": rng.choice([0, 0.5, 0.67, 1.0], len(texts)),
    }
    quality = np.column_stack(list(columns.values())) @ truth
    said = {f"rater {rater}": quality + noise * rng.logistic(size=len(texts)) for rater in range(raters)}
    return Scores(texts, columns), said


def ranked(texts: list[Text], said: dict, dimension: str = "overall") -> Ratings:
    """Each rater ranks the five texts of each clip."""
    rows = []
    for rater, quality in said.items():
        for start in range(0, len(texts), len(SYSTEMS)):
            places = np.argsort(np.argsort(-quality[start : start + len(SYSTEMS)])) + 1
            for text, place in zip(texts[start : start + len(SYSTEMS)], places.tolist(), strict=True):
                rows.append(Rank(rater, text.item, text.system, dimension, place))
    return Ratings("rankings", tuple(rows))


def fit(scores: Scores, ratings: Ratings, **options):
    parts = find_parts(MNSCORE, scores, None)
    return fit_mixture(parts, ratings, AgreementOptions(**{"bootstrap": 100, **options}))


def test_the_mixture_is_that_of_the_metric() -> None:
    assert tuple(MNSCORE.parts) == mnscore.PARTS
    assert MNSCORE.published == mnscore.PAPER
    assert set(MNSCORE.parts.values()) < set(mnscore.MNScore.__dataclass_fields__)


@pytest.mark.parametrize("truth", [[1 / 6, 4 / 6, 1 / 6], [0.5, 0.4, 0.1], [0.0, 0.5, 0.5]])
def test_known_weights_come_back(truth: list[float]) -> None:
    scores, said = made(truth, clips=120, seed=1)
    found = fit(scores, ranked(scores.texts, said)).dimensions["overall"]
    assert list(found.weights.values()) == pytest.approx(truth, abs=0.08)
    assert sum(found.weights.values()) == pytest.approx(1.0, abs=0.002)
    for (low, high), weight, true in zip(found.intervals.values(), found.weights.values(), truth, strict=True):
        assert low <= weight <= high
        assert low - 0.05 <= true <= high + 0.05
    assert found.held_out.interval[0] > 0.55


def test_rankings_at_random_are_called_chance() -> None:
    scores, said = made([0.0, 0.0, 0.0], clips=60, seed=2)
    found = fit(scores, ranked(scores.texts, said))
    assert found.dimensions["overall"].held_out.value == pytest.approx(0.5, abs=0.06)
    assert [caution.id for caution in found.warnings] == ["fit-is-chance"]
    assert "no better than chance, so do not use them" in found.warnings[0]


def test_fitted_weights_beat_the_published_ones_where_people_weigh_otherwise() -> None:
    scores, said = made([0.9, 0.05, 0.05], clips=100, seed=3, noise=0.01)
    found = fit(scores, ranked(scores.texts, said)).dimensions["overall"]
    assert found.difference.value == pytest.approx(found.held_out.value - found.published.value)
    assert found.difference.interval[0] > 0
    assert found.held_out.value > max(accuracy.value for accuracy in found.parts.values())


def test_no_item_is_predicted_by_weights_that_saw_it() -> None:
    """One clip speaks for a part that all others speak against: held out, it is always wrong."""
    texts = [Text(f"clip {clip}", system) for clip in range(10) for system in "ab"]
    sign = np.array([1.0, -1.0] * 10)
    other = np.where(np.arange(20) < 2, -sign, sign)
    scores = Scores(texts, {"EMScore": np.zeros(20), "BERTScore": sign, "RoleF1": np.zeros(20)})
    rows = tuple(
        Rank("ann", text.item, text.system, "overall", 1 if value > 0 else 2)
        for text, value in zip(texts, other, strict=True)
    )
    found = fit(scores, Ratings("rankings", rows)).dimensions["overall"]
    assert found.held_out.value == pytest.approx(0.9)
    assert list(found.weights.values()) == [0.0, 1.0, 0.0]


def test_the_order_of_texts_and_raters_plays_no_part() -> None:
    scores, said = made([0.3, 0.4, 0.3], clips=20, seed=4)
    ratings = ranked(scores.texts, said)
    shuffled = Ratings(
        "rankings", tuple(ratings.rows[row] for row in np.random.default_rng(0).permutation(len(ratings)))
    )
    one, other = (fit(scores, each, bootstrap=0).dimensions["overall"].weights for each in (ratings, shuffled))
    assert list(one.values()) == pytest.approx(list(other.values()), abs=0.002)


def test_dimensions_are_fitted_one_by_one_and_together() -> None:
    scores, said = made([0.5, 0.4, 0.1], clips=20, seed=5)
    _, others = made([0.1, 0.4, 0.5], clips=20, seed=5)
    rows = (*ranked(scores.texts, said, "accuracy").rows, *ranked(scores.texts, others, "language").rows)
    found = fit(scores, Ratings("rankings", rows), bootstrap=0)
    assert list(found.dimensions) == ["accuracy", "language", TOGETHER]
    weights = [fitted.weights["RoleF1"] for fitted in found.dimensions.values()]
    assert weights[0] < weights[2] < weights[1]
    assert found.dimensions[TOGETHER].pairs == sum(found.dimensions[name].pairs for name in ("accuracy", "language"))


def test_ratings_of_several_texts_can_be_fitted_too() -> None:
    from kataribe.people.ratings import Rating

    scores, said = made([0.2, 0.6, 0.2], clips=40, seed=6)
    rows = tuple(
        Rating(rater, text.item, text.system, "overall", round(float(value), 2))
        for rater, quality in said.items()
        for text, value in zip(scores.texts, quality, strict=True)
    )
    assert fit(scores, Ratings("ratings", rows)).dimensions["overall"].weights["BERTScore"] == pytest.approx(
        0.6, abs=0.1
    )


def test_few_clips_are_said() -> None:
    scores, said = made([0.2, 0.6, 0.2], clips=6, seed=7)
    found = fit(scores, ranked(scores.texts, said))
    assert "few-items" in [caution.id for caution in found.warnings]
    assert found.dimensions["overall"].folds == 6


def test_parts_that_agree_with_nobody_have_no_weights() -> None:
    scores, said = made([0.2, 0.6, 0.2], clips=8, seed=8)
    flat = Scores(scores.texts, {part: np.zeros(len(scores.texts)) for part in MNSCORE.parts})
    found = fit(flat, ranked(scores.texts, said))
    assert found.dimensions["overall"].spec is None
    assert found.warnings[0] == "overall: no part agrees with people, and there are no weights"


def test_the_fitted_metric_scores_as_the_fit_says() -> None:
    scores, said = made([0.2, 0.6, 0.2], clips=20, seed=9)
    found = fit(scores, ranked(scores.texts, said), bootstrap=0).dimensions["overall"]
    metric = registry.parse(found.spec)
    assert metric.weights == tuple(found.weights.values())
    assert metric.weights != mnscore.PAPER


WRITTEN = {str(n): {"film": "f", "text": text} for n, text in enumerate(["Maria waits.", "Tom runs.", "It rains."])}
SAID = {"good": ["Maria waits.", "Tom runs fast.", "It rains."], "bad": ["Tom sleeps.", "Maria.", "Snow."]}
SPEC = "mnscore(emscore=rouge_l, bertscore=bleu(2))"


def results() -> dict:
    return {
        system: kataribe.evaluate(
            "narration",
            dict(zip(WRITTEN, lines, strict=True)),
            WRITTEN,
            [SPEC],
            cast={"f": ["Maria", "Tom"]},
            details=True,
        )
        for system, lines in SAID.items()
    }


def test_parts_come_from_results_of_the_mixture() -> None:
    scored = results()
    parts = find_parts(MNSCORE, of_results(scored), None)
    assert list(parts.scores.values) == list(MNSCORE.parts)
    row = parts.scores.texts.index(Text("1", "bad"))
    held = scored["bad"][SPEC].items["1"]
    assert [column[row] for column in parts.scores.values.values()] == [held.parts[part] for part in MNSCORE.parts]
    assert parts.weighed([0.25, 0.5, 0.25]) == "mnscore(emscore=rouge_l, bertscore=bleu(2), weights=0.25+0.5+0.25)"


def test_parts_come_from_metrics_of_their_names() -> None:
    texts = [Text("1", "a"), Text("1", "b")]
    column = np.array([0.0, 1.0])
    names = ["emscore(movie101)", "bertscore(rescale=own)", "role_f1", "meteor"]
    parts = find_parts(MNSCORE, Scores(texts, dict.fromkeys(names, column)), None)
    assert parts.weighed([1, 2, 3]) == (
        "mnscore(emscore=emscore(movie101), bertscore=bertscore(rescale=own), weights=1+2+3)"
    )


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["emscore", "bertscore"], "no score is called RoleF1"),
        (["emscore", "bertscore", "bertscore(rescale=own)", "role_f1"], "several scores are called BERTScore"),
    ],
)
def test_parts_that_cannot_be_told_are_one_line(columns: list[str], message: str) -> None:
    scores = Scores([Text("1", "a")], dict.fromkeys(columns, np.zeros(1)))
    with pytest.raises(UsageError, match=message):
        find_parts(MNSCORE, scores, None)


def test_metrics_that_were_chosen_are_the_only_ones_looked_at() -> None:
    names = ["emscore", "bertscore", "bertscore(rescale=own)", "role_f1"]
    scores = Scores([Text("1", "a")], {name: np.full(1, float(n)) for n, name in enumerate(names)})
    parts = find_parts(MNSCORE, scores, [names[0], names[2], names[3]])
    assert [column[0] for column in parts.scores.values.values()] == [0.0, 2.0, 3.0]


def test_an_unknown_mixture_is_one_line() -> None:
    with pytest.raises(UsageError, match="no mixture is called 'mnscor'"):
        find_mixture("mnscor")


def test_one_text_for_each_item_is_nothing_to_fit() -> None:
    texts = [Text("1", "a"), Text("2", "a")]
    scores = Scores(texts, {part: np.arange(2.0) for part in MNSCORE.parts})
    rows = tuple(Rank("ann", text.item, text.system, "overall", 1) for text in texts)
    with pytest.raises(UsageError, match="nobody judged two texts of one item"):
        fit(scores, Ratings("rankings", rows))


def write_case(folder: Path) -> tuple[str, str]:
    scores, said = made([0.2, 0.6, 0.2], clips=12, seed=10)
    lines = ["item,system," + ",".join(scores.values)]
    for row, text in enumerate(scores.texts):
        lines.append(f"{text.item},{text.system}," + ",".join(str(column[row]) for column in scores.values.values()))
    (folder / "scores.csv").write_text("\n".join(lines) + "\n")
    ranks = [",".join(map(str, row)) for row in ranked(scores.texts, said).rows]
    (folder / "ranks.csv").write_text("\n".join(["rater,item,system,dimension,rank", *ranks]) + "\n")
    return str(folder / "scores.csv"), str(folder / "ranks.csv")
