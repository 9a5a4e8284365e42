"""The dual encoder as a network of torch, and its loss.

    p(x) = W D (x / |x| - m) + b, scaled to length 1     m, D: mean and 1 / deviation of each number in training
    shot = mean of p(frame), scaled to length 1
    logits = exp(t) shot . p(text)                       t is learned
    loss = (cross entropy of each text among the shots + of each shot among the texts) / 2

Pairs that tell the same (`PairTable.told_apart`) are left out of each other's sums. Oord, A. v. d., Li, Y., Vinyals, O.
(2018). Representation learning with contrastive predictive coding. arXiv:1807.03748. Radford, A. et al. (2021).
Learning transferable visual models from natural language supervision. ICML.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from kataribe.core.types import Float32s

# As in CLIP: logits start at 1 / 0.07 times the cosine and never exceed 100 times.
_START, _MOST = math.log(1 / 0.07), math.log(100.0)


class Side(nn.Module):
    """p(x) of one side."""

    def __init__(self, examples: Float32s, width: int, dropout: float) -> None:
        """`examples` are vectors of the training set, of length 1, which say where these lie."""
        super().__init__()
        inputs = examples.shape[1]
        spread = np.sqrt(np.square(examples - examples.mean(axis=0)).mean(axis=0)) + 1e-6
        self.register_buffer("mean", torch.from_numpy(examples.mean(axis=0)))
        # Divided by sqrt(inputs), so that what enters the projection has length about 1.
        self.register_buffer("scale", torch.from_numpy((1 / spread / math.sqrt(inputs)).astype(np.float32)))
        self.dropout = nn.Dropout(dropout)
        self.linear = nn.Linear(inputs, width)
        nn.init.orthogonal_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)

    def forward(self, vectors: Tensor) -> Tensor:
        centred = (functional.normalize(vectors.float(), dim=-1) - self.mean) * self.scale
        return functional.normalize(self.linear(self.dropout(centred)), dim=-1)

    def folded(self) -> dict[str, np.ndarray]:
        """As one matrix and one bias on vectors of length 1, which is what the encoder computes."""
        weight = (self.linear.weight * self.scale).detach().double()
        bias = self.linear.bias.detach().double() - weight @ self.mean.double()
        return {"weight": weight.float().cpu().numpy(), "bias": bias.float().cpu().numpy()}


class DualNetwork(nn.Module):
    """Both sides. Encoders are here where they are trained too; where there is none, frames or texts are vectors."""

    def __init__(self, frames: Side, texts: Side, picture_encoder: Any = None, text_encoder: Any = None) -> None:
        super().__init__()
        self.frames, self.texts = frames, texts
        self.picture_encoder, self.text_encoder = picture_encoder, text_encoder
        self.temperature = nn.Parameter(torch.tensor(_START))

    def forward(self, frames: Tensor, is_there: Tensor, texts: Any) -> tuple[Tensor, Tensor, Tensor]:
        """Vectors of the shots and of the texts, and the factor of their cosines."""
        return self.shots(frames, is_there), self.sentences(texts), self.temperature.clamp(max=_MOST).exp()

    def shots(self, frames: Tensor, is_there: Tensor) -> Tensor:
        """Frames as vectors, (pairs, frames, numbers), or as pixels."""
        if self.picture_encoder is None:
            seen = self.frames(frames) * is_there.unsqueeze(-1)
        else:
            found = self.frames(self.picture_encoder(frames[is_there]))
            seen = found.new_zeros((*is_there.shape, found.shape[-1])).index_put((is_there,), found)
        return functional.normalize(seen.sum(dim=1), dim=-1)

    def sentences(self, texts: Any) -> Tensor:
        """Texts as vectors, or as token ids with their mask where the encoder is here."""
        if self.text_encoder is None:
            return self.texts(texts)
        ids, mask = texts
        weights = mask.unsqueeze(-1).float()
        means = (self.text_encoder(ids, mask).float() * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)
        return self.texts(means)


def contrastive_loss(network: Any, batch: tuple[Any, ...]) -> Tensor:
    frames, is_there, texts, apart = batch
    shots, sentences, factor = network(frames, is_there, texts)
    logits = factor * shots @ sentences.T
    own = torch.arange(len(logits), device=logits.device)
    excluded = ~apart
    excluded[own, own] = False
    logits = logits.masked_fill(excluded, -math.inf)
    return (functional.cross_entropy(logits, own) + functional.cross_entropy(logits.T, own)) / 2
