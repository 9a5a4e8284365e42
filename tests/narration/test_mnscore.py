"""MNScore: the paper's table, and three metrics in one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kataribe
from kataribe.core import registry
from kataribe.core.errors import InputError, UsageError
from kataribe.core.spec import parse_spec
from kataribe.narration.mnscore import MNScore, mnscore_of
from kataribe.stats.bootstrap import resample_weights

from .corpora import narrations, score

LINES = [("Maria waits here.", "Maria waits."), ("Odysseus sails.", "Maria sails away."), ("a b c d", "x y")] * 3
# Any sentence metrics will do: what is tested is how they are put together.
PARTS = ("rouge_l", "bleu", "role_f1")


def mnscore() -> MNScore:
    return MNScore(**dict(zip(("emscore", "bertscore", "role_f1"), map(parse_spec, PARTS), strict=True)))


@pytest.mark.parametrize(
    ("parts", "printed"),
    [
        ((0.153, 0.150, 0.0), "12.55"),
        ((0.155, 0.159, 0.0), "13.18"),
        ((0.153, 0.185, 0.195), "18.13"),
        ((0.154, 0.188, 0.238), "19.07"),
    ],
)
def test_the_papers_table(parts: tuple[float, float, float], printed: str) -> None:
    # The paper rounds the parts it prints: the number may differ in the last digit that they decide.
    assert 100 * mnscore_of(*parts) == pytest.approx(float(printed), abs=0.0051)


def test_it_is_made_of_the_corpus_scores_of_its_parts() -> None:
    items = narrations(LINES)
    alone = [score(registry.parse(name), items).value for name in PARTS]
    found = score(mnscore(), items)
    assert found.value == pytest.approx(mnscore_of(*alone))
    assert list(found.parts.values()) == pytest.approx(alone)
    assert list(found.parts) == ["EMScore", "BERTScore", "RoleF1"]


def test_items_and_draws_follow_the_formula() -> None:
    items, metric = narrations(LINES), mnscore()
    statistics = metric.rows(items)
    per_item = metric.per_item(statistics)
    for row in range(len(items)):
        assert per_item.value[row] == pytest.approx(mnscore_of(*(part[row] for part in per_item.parts.values())))
    weights = next(resample_weights(len(items), 3, np.random.default_rng(0)))
    repeated = [metric.reduce(np.repeat(statistics, row.astype(int), axis=0)).value for row in weights]
    assert metric.replicates(statistics, weights) == pytest.approx(repeated)


def test_the_signature_says_whose_choice_each_is() -> None:
    items, metric = narrations(LINES), mnscore()
    fields = metric.signature(metric.facts(items))
    assert fields["em"] == "rouge_l"
    assert fields["bert.n"] == "4"
    assert fields["role.match"] == "substring"


def test_weights_are_divided_by_their_sum_and_named() -> None:
    items = narrations(LINES)
    alone = [score(registry.parse(name), items).value for name in PARTS]
    weighed = replace(mnscore(), weights=(2.0, 0.0, 6.0))
    assert score(weighed, items).value == pytest.approx((2 * alone[0] + 6 * alone[2]) / 8)
    assert weighed.signature(weighed.facts(items))["weights"] == "2+0+6"
    assert mnscore().signature(mnscore().facts(items))["weights"] == "1+4+1"
    assert registry.parse("mnscore(weights=1+4+1)") == registry.parse("mnscore")


@pytest.mark.parametrize("weights", ["1+4", "1+4+1+1", "1+-4+1", "0+0+0", "1+inf+1", "1+nan+1"])
def test_impossible_weights_are_refused(weights: str) -> None:
    with pytest.raises(UsageError, match="three weights are needed, none negative and not all 0"):
        registry.parse(f"mnscore(weights={weights})")


def test_a_metric_of_another_task_is_refused() -> None:
    with pytest.raises(UsageError, match="does not score narrations but stories"):
        MNScore(emscore=parse_spec("localisation")).metrics  # noqa: B018


def test_the_real_parts_on_given_vectors() -> None:
    """EMScore of vectors that were given: tokens (1, 0) and (0, 1) beside one frame (1, 0)."""
    pytest.importorskip("torch")
    result = evaluate(features=FRAMES, text_features=TOKENS)["mnscore"]
    precision, recall = 0.5, 1.0
    assert result.parts["EMScore"] == pytest.approx(2 * precision * recall / (precision + recall))
    assert result.parts["BERTScore"] == pytest.approx(1.0, abs=1e-6)
    assert result.parts["RoleF1"] == 0.5
    assert result.value == pytest.approx(mnscore_of(*result.parts.values()))
    assert "em.v:movie101" in result.signature
    assert "bert.model:all-minilm" in result.signature


def test_without_vectors_of_the_film_there_is_one_clear_line() -> None:
    pytest.importorskip("torch")
    with pytest.raises(UsageError, match="give videos=DIR, images=FOLDER or features=FILE"):
        evaluate()
    with pytest.raises(InputError, match="features"):
        evaluate(features={"1": [1.0, 0.0]}, text_features=TOKENS)


WRITTEN = {"1": {"film": "f", "text": "Maria waits."}, "2": {"film": "f", "text": "It rains."}}
FRAMES = {"1": [[1.0, 0.0]], "2": [[1.0, 0.0]]}
TOKENS = {"1/candidate": [[1.0, 0.0], [0.0, 1.0]], "2/candidate": [[1.0, 0.0], [0.0, 1.0]]}


def evaluate(**media):
    return kataribe.evaluate("narration", WRITTEN, WRITTEN, metrics=["mnscore"], cast={"f": ["Maria"]}, **media)
