"""Parts that locators are made of. `mask` is true where there is something; what is not there moves no result.

Shapes: sequences are (batch, length, width), masks (batch, length).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional


class Batch(NamedTuple):
    """Windows of films and queries. A row is a frame; `target` is the true span, in rows."""

    frames: Tensor  # batch x rows x frame width
    is_row: Tensor  # batch x rows
    faces: Tensor  # batch x rows x 3 x face width
    has_face: Tensor  # batch x rows x 3
    tokens: Tensor  # batch x tokens x text width
    is_token: Tensor  # batch x tokens
    portraits: Tensor  # batch x portraits x face width
    is_portrait: Tensor  # batch x portraits
    target: Tensor  # batch x 2


class Found(NamedTuple):
    """Candidates of each window: confidence as a logit, and spans in rows; `is_there` where a candidate is one."""

    logits: Tensor  # batch x candidates
    spans: Tensor  # batch x candidates x 2
    is_there: Tensor  # batch x candidates


class BothWays(nn.Module):
    """A GRU from the front and one from the back, of half the width each; each begins at its end of the sequence.

    What comes out is brought to mean 0 and variance 1 (layer normalisation), so that faces do not outweigh it.
    """

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.gru = nn.GRU(inputs, width // 2, batch_first=True, bidirectional=True)
        self.normal = nn.LayerNorm(width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        if mask.all():  # the same, in two thirds of the time
            return self.normal(self.gru(x)[0])
        lengths = mask.sum(1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        found, _ = nn.utils.rnn.pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=x.shape[1])
        return self.normal(found) * mask[..., None]


def linear(inputs: int, outputs: int) -> nn.Linear:
    """A layer that begins by keeping the size of what it is given; torch's own takes two thirds of the variance."""
    layer = nn.Linear(inputs, outputs)
    nn.init.normal_(layer.weight, std=inputs**-0.5)
    nn.init.zeros_(layer.bias)
    return layer


class Attention(nn.Module):
    """Scaled dot-product attention with several heads.

        head_h(x, y) = softmax_j(Q_h x_i . K_h y_j / sqrt(d)) V_h y_j,      j over what is there
        attention(x, y) = O [head_1 ; ... ; head_H]

    x and y are brought to mean 0 and variance 1 first (layer normalisation), as frames, faces and words differ in size.
    With `nowhere`, y has one more vector that is learned: what finds nothing that it fits can attend to that.

    The layers K begin as copies of the layers Q, so that what is alike attends to each other before anything is
    learned: a face to the portrait of the same person, where one layer makes both.

    Vaswani, A., Shazeer, N., Parmar, N., Uszkoreit, J., Jones, L., Gomez, A. N., Kaiser, L., Polosukhin, I. (2017).
    Attention is all you need. NeurIPS.
    """

    def __init__(self, width: int, heads: int, nowhere: bool = False) -> None:
        super().__init__()
        self.heads = heads
        self.nowhere = nn.Parameter(torch.zeros(1, 1, width)) if nowhere else None
        self.normal_x, self.normal_y = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (linear(width, width) for _ in range(4))
        self.key.load_state_dict(self.query.state_dict())

    def forward(self, x: Tensor, y: Tensor, mask: Tensor) -> Tensor:
        x, y = self.normal_x(x), self.normal_y(y)
        if self.nowhere is not None:
            y = torch.cat([y, self.nowhere.expand(len(y), 1, -1)], dim=1)
            mask = functional.pad(mask, (0, 1), value=True)
        q, k, v = (
            layer(each).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for layer, each in ((self.query, x), (self.key, y), (self.value, y))
        )
        read = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
        return self.out(read.transpose(1, 2).flatten(-2))


class LocalAttention(nn.Module):
    """Attention of each frame to the frames at most `reach` before and after it, and itself; x <- x + attention.

    The same equations as `Attention`, with j from i - reach to i + reach.
    """

    def __init__(self, width: int, heads: int, reach: int = 3) -> None:
        super().__init__()
        self.heads, self.reach = heads, reach
        self.normal = nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (linear(width, width) for _ in range(4))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        near = self._near(mask[..., None].float()).squeeze(-1) > 0  # batch x rows x neighbours
        normal = self.normal(x)
        q = self.query(normal).unflatten(-1, (self.heads, -1))
        k, v = (self._near(layer(normal)).unflatten(-1, (self.heads, -1)) for layer in (self.key, self.value))
        logits = torch.einsum("bthd,btnhd->bthn", q, k) / math.sqrt(q.shape[-1])
        # A row that is not there may have no neighbours either: it attends to nothing that counts.
        logits = logits.masked_fill(~near[:, :, None], -1e9)
        read = torch.einsum("bthn,btnhd->bthd", logits.softmax(-1), v)
        return x + self.out(read.flatten(-2)) * mask[..., None]

    def _near(self, x: Tensor) -> Tensor:
        """(batch, rows, width) to (batch, rows, 2 reach + 1, width); zeros beyond the ends."""
        padded = functional.pad(x, (0, 0, self.reach, self.reach))
        return padded.unfold(1, 2 * self.reach + 1, 1).transpose(-1, -2)


class Calibration(nn.Module):
    """What attention read is let in through a gate.

    g = sigmoid(W [x ; y]),    x <- g x + (1 - g) tanh(W' [x ; y])

    The gate begins at sigmoid(2), nearly open for x: what frames and words had in common is not lost on the way.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gate, self.change = linear(2 * width, width), linear(2 * width, width)
        nn.init.constant_(self.gate.bias, 2.0)

    def forward(self, x: Tensor, read: Tensor) -> Tensor:
        both = torch.cat([x, read], dim=-1)
        gate = torch.sigmoid(self.gate(both))
        return gate * x + (1 - gate) * torch.tanh(self.change(both))


class AdditiveAttention(nn.Module):
    """Each frame reads the words.

        a_ij = w . tanh(W x_i + W' y_j),    c_i = sum_j softmax_j(a_ij) y_j

    Bahdanau, D., Cho, K., Bengio, Y. (2015). Neural machine translation by jointly learning to align and translate.
    ICLR.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.of_frame, self.of_word = linear(width, width), linear(width, width)
        self.weight = nn.Linear(width, 1, bias=False)

    def forward(self, x: Tensor, y: Tensor, mask: Tensor) -> Tensor:
        logits = self.weight(torch.tanh(self.of_frame(x)[:, :, None] + self.of_word(y)[:, None])).squeeze(-1)
        return logits.masked_fill(~mask[:, None], -1e9).softmax(-1) @ y


class FaceLayer(nn.Module):
    """A fully connected layer that makes a face comparable with frames and words; zeros where there is no face."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.layer = linear(inputs, width)

    def forward(self, faces: Tensor, mask: Tensor) -> Tensor:
        return self.layer(faces) * mask[..., None]


def candidates_iou(spans: Tensor, target: Tensor) -> Tensor:
    """IoU of each candidate (batch, candidates, 2) with its window's target (batch, 2)."""
    start, end = target[:, None, 0], target[:, None, 1]
    overlap = (torch.minimum(spans[..., 1], end) - torch.maximum(spans[..., 0], start)).clamp(min=0)
    hull = torch.maximum(spans[..., 1], end) - torch.minimum(spans[..., 0], start)
    return overlap / hull.clamp(min=1e-6)


def mean_where(values: Tensor, mask: Tensor) -> Tensor:
    """The mean of what is there; 0 of nothing."""
    return (values * mask).sum() / mask.sum().clamp(min=1)
