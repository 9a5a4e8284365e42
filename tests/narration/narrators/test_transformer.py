"""Attention and layers beside their definitions, written out."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from kataribe.narration.narrators.transformer import Attention, Decoder, Encoder, positions  # noqa: E402

WIDTH, HEADS = 8, 2


def naive_attention(attention: Attention, x: torch.Tensor, slots: torch.Tensor, may: torch.Tensor) -> torch.Tensor:
    """One query, one head, one slot at a time; `slots` is what is seen, M itself."""
    keys, values = attention.key_value(slots).unflatten(1, (HEADS, 2, WIDTH // HEADS)).unbind(2)
    query = attention.query(x).unflatten(1, (HEADS, -1))
    found = torch.zeros(len(x), HEADS, WIDTH // HEADS)
    for row in range(len(x)):
        for head in range(HEADS):
            scores = [
                float(query[row, head] @ keys[j, head]) / math.sqrt(WIDTH // HEADS) if may[row, j] else -math.inf
                for j in range(len(slots))
            ]
            weights = torch.tensor(scores).softmax(0)
            found[row, head] = sum(weights[j] * values[j, head] for j in range(len(slots)))
    return attention.output(found.flatten(1))


@torch.no_grad()
def test_attention_is_its_definition() -> None:
    torch.manual_seed(0)
    attention = Attention(WIDTH, HEADS)
    x, slots = torch.randn(3, WIDTH), torch.randn(5, WIDTH)
    may = torch.ones(3, 5, dtype=torch.bool).tril(2)
    found = attention(x[None], attention.project(slots[None]), ~may)
    torch.testing.assert_close(found[0], naive_attention(attention, x, slots, may), atol=1e-6, rtol=1e-5)


@torch.no_grad()
def test_looking_at_what_is_visible_is_attention_to_scaled_slots() -> None:
    torch.manual_seed(1)
    attention = Attention(WIDTH, HEADS)
    x, slots, visible = torch.randn(2, WIDTH), torch.randn(5, WIDTH), torch.rand(5)
    hidden = torch.tensor([False, False, True, False, False])
    found = attention.look(x[None], attention.project(slots[None]), hidden[None, None, None], visible[None, None, None])
    naive = naive_attention(attention, x, visible[:, None] * slots, ~hidden.expand(2, 5))
    torch.testing.assert_close(found.output[0], naive, atol=1e-6, rtol=1e-5)
    assert float(found.weights[0, :, 2].max()) == 0.0
    torch.testing.assert_close(found.weights.sum(2), torch.ones(1, 2))


@torch.no_grad()
def test_what_fills_up_a_batch_changes_nothing() -> None:
    torch.manual_seed(2)
    encoder = Encoder(WIDTH, HEADS, 2, 0.0).eval()
    x = torch.randn(1, 4, WIDTH)
    filled = torch.cat([x, 9 * torch.randn(1, 3, WIDTH)], 1)
    mask = torch.tensor([[True] * 4 + [False] * 3])
    alone = encoder(x, mask[:, :4])
    torch.testing.assert_close(encoder(filled, mask)[:, :4], alone, atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_tokens_at_once_are_as_tokens_one_by_one() -> None:
    torch.manual_seed(3)
    decoder = Decoder(WIDTH, HEADS, 2, 0.0).eval()
    x, slots = torch.randn(2, 5, WIDTH), torch.randn(2, 3, WIDTH)
    seen, hidden, visible = decoder.project(slots), torch.zeros(2, 3, dtype=torch.bool), torch.rand(2, 3)
    at_once = decoder(decoder.listen(x, ()), (), seen, hidden, visible)
    tokens: tuple = ()
    for position in range(5):
        decoded = decoder(decoder.listen(x[:, position : position + 1], tokens), tokens, seen, hidden, visible)
        tokens = decoded.tokens
        torch.testing.assert_close(decoded.states[:, 0], at_once.states[:, position], atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(decoded.looked[:, 0], at_once.looked[:, position], atol=1e-5, rtol=1e-4)


def test_positions_have_no_end_and_go_on_where_they_stopped() -> None:
    like = torch.zeros(1)
    assert positions(5000, WIDTH, like).shape == (5000, WIDTH)
    torch.testing.assert_close(positions(3, WIDTH, like, start=7), positions(10, WIDTH, like)[7:])
