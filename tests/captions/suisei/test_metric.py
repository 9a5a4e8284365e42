"""The metric `suisei(FOLDER)`: nothing but the item decides its score, in evaluate, in shards and in threads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe import evaluate
from kataribe.captions.items import Captions
from kataribe.captions.suisei.metric import SuiSei
from kataribe.captions.suisei.options import ModelOptions
from kataribe.captions.suisei.training import train
from kataribe.core.errors import UsageError
from kataribe.core.registry import parse
from kataribe.engines.local import LocalEngine
from kataribe.learning.folder import read_model
from tests.captions.suisei.made import learned, quick, rated, sentence

NETWORKS = ["residual", "mean", "set"]
# Encoders work in single precision: alone or beside others, the last digits of a vector differ.
TOLERANCE = 1e-6

TEXTS = [sentence(np.random.default_rng(seed), 4 + seed % 5) for seed in range(12)] + ["", "a dog"]
ITEMS = st.lists(
    st.tuples(st.sampled_from(TEXTS), st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4)), min_size=2, max_size=8
)


def captions(items: list[tuple[str, list[str]]]) -> Captions:
    ids = [str(number) for number in range(len(items))]
    return Captions(ids, [text for text, _ in items], [references for _, references in items])


@pytest.mark.parametrize("kind", NETWORKS)
def test_order_company_and_copies_change_no_score(kind: str, model_of: Callable[[str], str]) -> None:
    metric = SuiSei(model_of(kind))

    @given(ITEMS, st.data())
    @settings(max_examples=15)
    def law(items: list[tuple[str, list[str]]], data: Any) -> None:
        scores = metric.rows(captions(items))[:, 1]
        order = data.draw(st.permutations(range(len(items))))
        np.testing.assert_allclose(
            metric.rows(captions([items[n] for n in order]))[:, 1], scores[order], atol=TOLERANCE
        )
        alone = [metric.rows(captions([item]))[0, 1] for item in items]
        np.testing.assert_allclose(alone, scores, atol=TOLERANCE)
        copied = [(text, data.draw(st.permutations(references * 2))) for text, references in items]
        np.testing.assert_allclose(metric.rows(captions(copied))[:, 1], scores, atol=TOLERANCE)
        assert ((scores >= 0) & (scores <= 1)).all()

    law()


def test_copies_of_references_change_no_concatenated_score(model_of: Callable[[str], str]) -> None:
    metric = SuiSei(model_of("concat"))
    items = [("a dog runs", ["a dog", "the cat sleeps"]), ("a man", ["the man sits"])]
    copied = [(text, [reference for reference in references for _ in range(3)]) for text, references in items]
    np.testing.assert_array_equal(metric.rows(captions(items)), metric.rows(captions(copied)))


def test_what_was_encoded_in_other_company_has_the_same_score(
    bert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the encoder that ships, and a new cache for each way of scoring."""
    model = learned(tmp_path / "model", ModelOptions(head="suisei"), rated())
    items = rated(10, seed=8).captions()
    metric = SuiSei(model)
    monkeypatch.setenv("KATARIBE_CACHE", str(tmp_path / "together"))
    together = metric.rows(items)[:, 1]
    monkeypatch.setenv("KATARIBE_CACHE", str(tmp_path / "alone"))
    alone = np.concatenate([metric.rows(items[n : n + 1])[:, 1] for n in range(len(items))])
    np.testing.assert_allclose(alone, together, atol=TOLERANCE)


@pytest.mark.parametrize("kind", ["residual", "seeing", "blend"])
@pytest.mark.parametrize("uncertainty", ["none", "ensemble", "dropout"])
def test_threads_and_order_change_nothing_in_evaluate(
    kind: str, uncertainty: str, model_of: Callable[[str], str]
) -> None:
    if kind == "blend" and uncertainty == "dropout":
        pytest.skip("a blend has no hidden units")
    made = rated(40, seed=5, pictures=True).captions()
    features = {id: made.media.features[id] for id in made.ids}  # type: ignore[union-attr, index]
    spec = f"suisei({model_of(kind)}, uncertainty={uncertainty})"
    tables = []
    for threads, seed in ((1, 0), (2, 0), (2, 1)):
        order = np.random.default_rng(seed).permutation(len(made)).tolist()
        result = evaluate(
            "captions",
            {made.ids[n]: made.candidates[n] for n in order},
            {made.ids[n]: list(made.references[n]) for n in reversed(order)},
            metrics=[spec],
            features=features,
            engine=LocalEngine(threads),
        )
        scored = next(iter(result.metrics.values()))
        tables.append([[scored.items[id].value, *scored.items[id].parts.values()] for id in made.ids])
        tables[-1].append([scored.value, *scored.parts.values()])
    np.testing.assert_allclose(tables[1], tables[0], atol=TOLERANCE)
    np.testing.assert_allclose(tables[2], tables[0], atol=TOLERANCE)


@pytest.mark.parametrize("kind", ["residual", "blend"])
def test_intervals_hold_about_95_of_100_ratings_that_nobody_saw(kind: Any, bert: str, tmp_path: Path) -> None:
    made = rated(1200, noise=0.15)
    model = ModelOptions(head=kind, encoder=bert, dropout=0.3)
    trained = train(made, model, quick(epochs=4, seeds=3, validation=0.3, held_out=0.4), metrics=["rouge_l"])
    trained.write(tmp_path / "model")
    unseen = made.examples[trained.parts.rows["held out"]]
    for uncertainty in trained.about.spreads:
        metric = SuiSei(str(tmp_path / "model"), uncertainty=uncertainty)  # type: ignore[arg-type]
        _, scores, low, high = metric.rows(Captions(unseen.ids, unseen.candidates, unseen.references)).T
        assert ((low <= scores) & (scores <= high)).all()
        # 480 ratings beside 360 of the validation part: a share of 0.95 lies within 0.91 and 0.98 almost always.
        assert 0.91 <= ((low <= unseen.targets) & (unseen.targets <= high)).mean() <= 0.98
        assert (high - low).mean() < 0.95


def test_an_interval_that_was_not_measured_is_refused(
    bert: str, model_of: Callable[[str], str], tmp_path: Path
) -> None:
    alone = learned(tmp_path / "alone", ModelOptions(head="residual", encoder=bert, dropout=0.0), rated())
    items = captions([("a dog", ["a dog"])])
    for spec in (f"suisei({alone}, uncertainty=ensemble)", f"suisei({alone}, uncertainty=dropout)"):
        with pytest.raises(UsageError, match=r"the model has no interval by \w+ \(it has: none\)"):
            parse(spec).rows(items)
    with pytest.raises(UsageError, match=r"no interval by dropout \(it has: ensemble\)"):
        SuiSei(model_of("blend"), uncertainty="dropout").rows(items)


def test_signature_names_all_that_decides_the_number(model_of: Callable[[str], str]) -> None:
    metric = SuiSei(model_of("mean"), uncertainty="dropout")
    signature = metric.signature(metric.facts(captions([("a dog", ["a dog"])])))
    assert list(signature) == ["model", "head", "members", "refs", "encoder", "media", "uncertainty"]
    assert signature["model"].startswith("suisei-")
    assert signature["encoder"].startswith("tiny-bert-")
    assert signature["refs"] == "mean"
    blend = SuiSei(model_of("blend"))
    signature = blend.signature(blend.facts(captions([("a dog", ["a dog"])])))
    assert list(signature) == ["model", "head", "members", "of"]
    assert signature["of"].startswith("rouge_l[")


def test_residual_orders_captions_as_the_cosine_before_it_is_trained(bert: str, tmp_path: Path) -> None:
    made = rated(40)
    model = learned(
        tmp_path / "model", ModelOptions(head="residual", encoder=bert), made, epochs=1, rate=1e-30, decay=0.0
    )
    items = rated(40, seed=6).captions()
    scores = SuiSei(model).rows(items)[:, 1]
    cosines = parse(f"sentence_cosine({bert})").rows(items)[:, 1]
    is_less = cosines[:, np.newaxis] < cosines - 1e-6  # a caption that is its reference has the cosine 1 or 0.9999999
    assert (scores[:, np.newaxis] < scores)[is_less].all()
    assert is_less.sum() > 600
    weights = read_model(model, "suisei").tensors
    slope, offset = weights["member0.head.slope"], weights["member0.head.offset"]
    np.testing.assert_allclose(scores, 1 / (1 + np.exp(-slope * cosines - offset)), atol=1e-5)


def test_residual_starts_where_the_ratings_are_whatever_the_cosines(bert: str, tmp_path: Path) -> None:
    """Cosines of some encoders all lie near 0.9: with one line for all, the correction would only shift them."""
    made = rated(200)
    cosines = parse(f"sentence_cosine({bert})").rows(made.captions())[:, 1]
    assert abs((1 / (1 + np.exp(3 - 6 * cosines))).mean() - made.examples.targets.mean()) > 0.1
    options = ModelOptions(head="residual", encoder=bert)
    model = learned(tmp_path / "model", options, made, epochs=1, rate=1e-30, decay=0.0, negatives=0.0, positives=0.0)
    scores = SuiSei(model).rows(made.captions())[:, 1]
    assert scores.mean() == pytest.approx(made.examples.targets.mean(), abs=0.05)


def test_scoring_leaves_the_number_of_threads_as_it_was(model_of: Callable[[str], str]) -> None:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        SuiSei(model_of("residual")).rows(captions([("a dog", ["a dog"])]))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
