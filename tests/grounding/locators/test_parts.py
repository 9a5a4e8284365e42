"""The parts of locators against plain loops."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from kataribe.grounding.locators import parts  # noqa: E402


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def masks(*lengths: int) -> torch.Tensor:
    longest = max(lengths)
    return torch.tensor([[row < length for row in range(longest)] for length in lengths])


def naive_attention(layer: torch.nn.Module, x: torch.Tensor, y: torch.Tensor, heads: int) -> torch.Tensor:
    """One vector x over the rows y, head by head."""
    own = (layer.normal, layer.normal) if hasattr(layer, "normal") else (layer.normal_x, layer.normal_y)
    x, y = own[0](x), own[1](y)
    q, k, v = layer.query(x), layer.key(y), layer.value(y)
    size = len(q) // heads
    read = []
    for head in range(heads):
        part = slice(head * size, (head + 1) * size)
        logits = torch.stack([q[part] @ row[part] for row in k]) / math.sqrt(size)
        weights = torch.exp(logits - logits.max())
        weights = weights / weights.sum()
        read.append(sum(weight * row[part] for weight, row in zip(weights, v, strict=True)))
    return layer.out(torch.cat(read))


def test_attention_reads_only_what_is_there() -> None:
    layer = parts.Attention(8, 2)
    x, y, mask = torch.randn(2, 3, 8), torch.randn(2, 5, 8), masks(5, 2)
    found = layer(x, y, mask)
    for row, length in enumerate((5, 2)):
        for column in range(3):
            expected = naive_attention(layer, x[row, column], y[row, :length], heads=2)
            torch.testing.assert_close(found[row, column], expected)


def test_local_attention_reads_three_frames_before_and_after() -> None:
    layer = parts.LocalAttention(8, 2)
    x, lengths = torch.randn(2, 9, 8), (9, 4)
    found = layer(x, masks(*lengths))
    for row, length in enumerate(lengths):
        for at in range(length):
            near = x[row, max(0, at - 3) : min(length, at + 4)]
            torch.testing.assert_close(found[row, at], x[row, at] + naive_attention(layer, x[row, at], near, heads=2))


def test_a_frame_four_away_moves_nothing_in_local_attention() -> None:
    layer, x = parts.LocalAttention(8, 2), torch.randn(1, 9, 8)
    other = x.clone()
    other[0, 5] += 1
    changed = (layer(x, masks(9)) != layer(other, masks(9))).any(-1)[0]
    assert changed.tolist() == [2 <= at <= 8 for at in range(9)]


def test_what_is_alike_attends_to_each_other_before_training() -> None:
    layer = parts.Attention(8, 2)
    assert torch.equal(layer.query.weight, layer.key.weight)


def test_additive_attention_is_a_weighted_mean_of_the_words_there() -> None:
    layer = parts.AdditiveAttention(4)
    x, y = torch.randn(1, 2, 4), torch.randn(1, 3, 4)
    found = layer(x, y, masks(2, 3)[:1])
    for at in range(2):
        logits = [layer.weight(torch.tanh(layer.of_frame(x[0, at]) + layer.of_word(word))) for word in y[0, :2]]
        weights = torch.softmax(torch.cat(logits), 0)
        torch.testing.assert_close(found[0, at], weights[0] * y[0, 0] + weights[1] * y[0, 1])


def test_calibration_mixes_by_its_gate() -> None:
    layer, x, y = parts.Calibration(4), torch.randn(1, 4), torch.randn(1, 4)
    torch.nn.init.constant_(layer.gate.bias, 50.0)
    torch.testing.assert_close(layer(x, y), x)
    torch.nn.init.constant_(layer.gate.bias, -50.0)
    torch.testing.assert_close(layer(x, y), torch.tanh(layer.change(torch.cat([x, y], -1))))


def test_recurrent_layers_begin_at_the_last_row_that_is_there() -> None:
    layer, x = parts.BothWays(3, 4), torch.randn(1, 6, 3)
    short = layer(x[:, :4], masks(4))
    padded = layer(torch.cat([x[:, :4], 100 * torch.ones(1, 2, 3)], 1), torch.cat([masks(4), masks(2) & False], 1))
    torch.testing.assert_close(padded[:, :4], short)
    assert not padded[:, 4:].any()


def test_iou_of_candidates() -> None:
    spans = torch.tensor([[[0.0, 4.0], [4.0, 8.0], [2.0, 6.0], [3.0, 3.0]]])
    found = parts.candidates_iou(spans, torch.tensor([[0.0, 4.0]]))
    assert found[0].tolist() == pytest.approx([1.0, 0.0, 1 / 3, 0.0])
