"""A head on top of vectors: losses, what trains, warm starts, and that each head can learn 32 captions by heart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from kataribe.captions.suisei.batches import Layout, RatedBatches
from kataribe.captions.suisei.network import SuiSeiNetwork, loss_of, pool, ranking_loss, warm_start
from kataribe.captions.suisei.options import ModelOptions, Widths
from kataribe.captions.suisei.vectors import TextVectors
from kataribe.core.ragged import Ragged
from kataribe.learning.fit import Learner, fit
from kataribe.learning.options import FitOptions
from kataribe.learning.threads import one_thread

HEADS = ["suisei", "comet", "polos", "set", "residual"]
WIDTHS = Widths(12, 5)


def widths_of(head: str) -> Widths:
    return Widths(12, 0, 0, 3) if head == "comet" else WIDTHS


def batches_of(head: str, count: int = 32) -> RatedBatches:
    """Random vectors and random ratings."""
    rng = np.random.default_rng(0)
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)  # noqa: E731
    options = ModelOptions(head=head)  # type: ignore[arg-type]
    texts = TextVectors(
        draw(3 * count, 12),
        draw(3 * count, 12) if options.uses_idf else None,
        draw(3 * count, 3, 12) if head == "comet" else None,
    )
    references = Ragged.of([[count + n, 2 * count + n] for n in range(count)], np.int64)
    layout = Layout.of(np.arange(count), references)
    pictures = None if head == "comet" else draw(count, 5)
    return RatedBatches(layout, rng.uniform(0.1, 0.9, count), np.arange(count) // 4, texts, pictures=pictures)


@pytest.mark.parametrize("head", HEADS)
def test_head_learns_32_captions_by_heart(head: Any) -> None:
    torch.manual_seed(0)
    network = SuiSeiNetwork(ModelOptions(head=head, dropout=0.0, hidden=64), widths_of(head))
    learner = Learner(network, batches_of(head), loss_of(0.0))
    with one_thread():
        history = fit(learner, FitOptions(epochs=150, batch=32, rate=1e-2, device="cpu"))
    assert history.epochs[-1].loss < 1e-3 < history.epochs[0].loss


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("combine", ["max", "mean", "concat", "set"])
def test_gradients_reach_every_weight_of_a_head(head: Any, combine: Any) -> None:
    torch.manual_seed(0)
    network = SuiSeiNetwork(ModelOptions(head=head, combine=combine, most_references=2), widths_of(head))
    if head == "residual":  # as after the first step: its last layer starts at 0
        torch.nn.init.normal_(network.head.ffn[3].weight)
    loss_of(1.0)(network, batches_of(head).of(np.arange(32))).backward()
    unmoved = [name for name, weight in network.named_parameters() if weight.grad is None or not weight.grad.any()]
    assert unmoved == []
    assert all(name.startswith("head.") for name, _ in network.named_parameters())


def test_vectors_of_a_frozen_encoder_get_no_gradient() -> None:
    network = SuiSeiNetwork(ModelOptions(head="suisei"), WIDTHS)
    batch = batches_of("suisei").of(np.arange(32))
    loss_of(0.0)(network, batch).backward()
    assert not any(column.requires_grad for column in batch.texts if column is not None)


SCORED = st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 3)), max_size=12)


@given(SCORED)
def test_ranking_loss_is_the_double_loop(rows: list[tuple[float, float, int]]) -> None:
    terms = [
        max(0.0, 0.2 + worse[0] - better[0])
        for better in rows
        for worse in rows
        if better[2] == worse[2] and better[1] > worse[1]
    ]
    expected = sum(terms) / len(terms) if terms else 0.0
    columns = [torch.tensor(column, dtype=torch.float64) for column in zip(*rows, strict=True)] or [torch.zeros(0)] * 3
    assert float(ranking_loss(*columns)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("ranking", [0.0, 0.3])
def test_loss_is_the_squared_error_and_the_weighted_ranking(ranking: float) -> None:
    batch = batches_of("suisei").of(np.arange(32))
    network = SuiSeiNetwork(ModelOptions(head="suisei"), WIDTHS).eval()
    scores = network(batch).detach()
    error = ((scores - batch.ratings) ** 2).mean() + ranking * ranking_loss(scores, batch.ratings, batch.items)
    assert float(loss_of(ranking)(network, batch).detach()) == pytest.approx(float(error), abs=1e-6)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.sampled_from(["mean", "cls", "max"]), st.integers(0, 99))
def test_pooling_ignores_padding(lengths: list[int], by: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    states = rng.normal(size=(len(lengths), max(lengths) + 2, 3))
    mask = (np.arange(states.shape[1]) < np.array(lengths)[:, np.newaxis]).astype(float)
    found = pool(torch.from_numpy(states), torch.from_numpy(mask), by).numpy()
    for row, length in enumerate(lengths):
        own = states[row, :length]
        np.testing.assert_allclose(found[row], {"mean": own.mean(0), "cls": own[0], "max": own.max(0)}[by], atol=1e-12)


def test_warm_start_takes_what_fits_and_names_the_rest() -> None:
    torch.manual_seed(0)
    old = SuiSeiNetwork(ModelOptions(head="suisei", hidden=8), WIDTHS)
    new = SuiSeiNetwork(ModelOptions(head="suisei", hidden=8, without=("idf",)), WIDTHS)
    before = {name: tensor.clone() for name, tensor in new.state_dict().items()}
    lacking = warm_start(new, {name: tensor.numpy() for name, tensor in old.state_dict().items()})
    assert lacking == ["head.ffn.0.weight"]
    for name, tensor in new.state_dict().items():
        assert torch.equal(tensor, before[name] if name in lacking else old.state_dict()[name])
