"""The encoder and the decoder that all narrators share: a transformer with the norm before each sublayer.

    attention   heads h: o = sum_j w_j V_j,  w = softmax_j(Q K_j / sqrt(d / h)), all heads projected together
    sublayer    x <- x + dropout(f(norm(x)))                  (no other dropout)
    encoder     layers of self-attention and feed-forward, a norm in the end
    decoder     layers of self-attention over the tokens so far, attention to what is seen, feed-forward; a norm
    positions   sines and cosines, so that no clip and no text is too long

What is seen may change from token to token, as in OVP's memory: slot j is then m_j E_j, with a number m_j for each
slot. Keys and values are linear without a bias, so those of m_j E_j are m_j times those of E_j: they are computed once.

Vaswani, A., Shazeer, N., Parmar, N., Uszkoreit, J., Jones, L., Gomez, A. N., Kaiser, L., Polosukhin, I. (2017).
Attention is all you need. NIPS. Zhou, L., Zhou, Y., Corso, J. J., Socher, R., Xiong, C. (2018). End-to-end dense video
captioning with masked transformer. CVPR.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor, nn

# Which clips of a batch: by index, or the first few.
Rows: TypeAlias = Tensor | slice


class Projected(NamedTuple):
    """Keys and values of slots, by head: batch x heads x slots x width of a head."""

    keys: Tensor
    values: Tensor

    def after(self, earlier: Projected | None) -> Projected:
        """These slots behind earlier ones."""
        if earlier is None:
            return self
        return Projected(*(torch.cat(pair, 2) for pair in zip(earlier, self, strict=True)))

    def of(self, rows: Rows) -> Projected:
        return Projected(self.keys[rows], self.values[rows])


class Attended(NamedTuple):
    """What attention gives, and where it looked: batch x queries x slots, the mean over heads."""

    output: Tensor
    weights: Tensor


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.scale = heads, (width // heads) ** -0.5
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width, bias=False)
        self.output = nn.Linear(width, width)

    def project(self, slots: Tensor) -> Projected:
        # In one piece: what is projected once is multiplied at every token.
        keys, values = self._split(self.key_value(slots)).contiguous().chunk(2, 3)
        return Projected(keys, values)

    def forward(self, x: Tensor, slots: Projected, hidden: Tensor | None = None) -> Tensor:
        """`hidden` is true where a query must not look: queries x slots, or batch x 1 x 1 x slots."""
        mask = None if hidden is None else ~hidden
        found = nn.functional.scaled_dot_product_attention(self._split(self.query(x)), *slots, attn_mask=mask)
        return self.output(found.transpose(1, 2).flatten(2))

    def look(self, x: Tensor, slots: Projected, hidden: Tensor, visible: Tensor) -> Attended:
        """The same where slot j is m_j E_j; `visible` is m, and both are batch x 1 x 1 x slots."""
        scores = self._split(self.query(x)) @ slots.keys.transpose(2, 3)
        weights = (scores * (self.scale * visible)).masked_fill(hidden, -math.inf).softmax(3)
        found = (weights * visible) @ slots.values
        return Attended(self.output(found.transpose(1, 2).flatten(2)), weights.mean(1))

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2)


class FeedForward(nn.Sequential):
    def __init__(self, width: int) -> None:
        super().__init__(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width))


class EncoderLayer(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.attention, self.feed_forward = Attention(width, heads), FeedForward(width)
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """`mask` is true of real slots: batch x slots."""
        normed = self.attention_norm(x)
        attended = self.attention(normed, self.attention.project(normed), ~mask[:, None, None])
        x = x + self.dropout(attended)
        return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))


class Encoder(nn.Module):
    def __init__(self, width: int, heads: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


class DecoderLayer(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.own, self.seen = Attention(width, heads), Attention(width, heads)
        self.feed_forward = FeedForward(width)
        self.own_norm, self.seen_norm, self.feed_forward_norm = (nn.LayerNorm(width) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def listen(self, x: Tensor, earlier: Projected | None) -> tuple[Tensor, Projected]:
        """New tokens after attention to themselves and to all before them, and all tokens so far."""
        normed = self.own_norm(x)
        tokens = self.own.project(normed).after(earlier)
        new, all = x.shape[1], tokens.keys.shape[2]
        later = torch.ones(new, all, dtype=torch.bool, device=x.device).triu(all - new + 1) if new > 1 else None
        return x + self.dropout(self.own(normed, tokens, later)), tokens

    def look(self, x: Tensor, seen: Projected, hidden: Tensor, visible: Tensor) -> tuple[Tensor, Tensor]:
        """The tokens' states after attention to what is seen, and where they looked."""
        found = self.seen.look(self.seen_norm(x), seen, hidden, visible)
        x = x + self.dropout(found.output)
        return x + self.dropout(self.feed_forward(self.feed_forward_norm(x))), found.weights


class Listened(NamedTuple):
    """New tokens after the first layer's attention to tokens, which does not depend on what is seen."""

    x: Tensor
    tokens: Projected

    def at(self, position: int, rows: slice) -> Listened:
        """One of the tokens, with all before it."""
        keys, values = (each[rows, :, : position + 1] for each in self.tokens)
        return Listened(self.x[rows, position : position + 1], Projected(keys, values))


class Decoded(NamedTuple):
    """States of new tokens, what the next ones need, and where each token looked, over all heads and layers."""

    states: Tensor
    tokens: tuple[Projected, ...]
    looked: Tensor


class Decoder(nn.Module):
    def __init__(self, width: int, heads: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def project(self, slots: Tensor) -> tuple[Projected, ...]:
        """What is seen, for each layer."""
        return tuple(layer.seen.project(slots) for layer in self.layers)

    def listen(self, x: Tensor, earlier: tuple[Projected, ...]) -> Listened:
        """New tokens, one or many, behind `earlier` ones (nothing in the beginning)."""
        return Listened(*self.layers[0].listen(x, earlier[0] if earlier else None))

    def forward(
        self,
        listened: Listened,
        earlier: tuple[Projected, ...],
        seen: tuple[Projected, ...],
        hidden: Tensor,
        visible: Tensor,
    ) -> Decoded:
        """The states of new tokens; they look at all slots but `hidden` ones, slot j being m_j E_j, m = `visible`."""
        (x, own), tokens, looked = listened, [], []
        hidden, visible = hidden[:, None, None], visible[:, None, None]
        for number, layer in enumerate(self.layers):
            if number:
                x, own = layer.listen(x, earlier[number] if earlier else None)
            x, weights = layer.look(x, seen[number], hidden, visible)
            tokens.append(own)
            looked.append(weights)
        return Decoded(self.norm(x), tuple(tokens), sum(looked) / len(looked))


def positions(count: int, width: int, like: Tensor, start: int = 0) -> Tensor:
    """Sines and cosines of positions start, start + 1, ...: count x width."""
    time = torch.arange(start, start + count, device=like.device, dtype=torch.float32)
    rates = torch.exp(torch.arange(0, width, 2, device=like.device) * (-math.log(10_000.0) / width))
    angles = time[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)[:, :width].to(like.dtype)
