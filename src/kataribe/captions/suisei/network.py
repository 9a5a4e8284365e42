"""A head, and below it an encoder that is trained along or vectors that were made once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from kataribe.captions.suisei.batches import Batch, Tokenized
from kataribe.captions.suisei.heads import HEADS, Texts
from kataribe.captions.suisei.options import ModelOptions, Pool, Widths

# The margin by which a better caption should score higher than a worse one of the same picture.
_MARGIN = 0.2


class SuiSeiNetwork(nn.Module):
    """`trainable` is an encoder of `encoders.trainable`, for models that train it; None for vectors."""

    def __init__(self, options: ModelOptions, widths: Widths, trainable: Any = None) -> None:
        super().__init__()
        self.options = options
        self.head = HEADS[options.head](options, widths)
        self.trainable = trainable
        # A module of its own, so that its parameters are trained and saved with the others.
        self.encoder = trainable.network if trainable is not None else None

    def forward(self, batch: Batch, kept: Tensor | None = None) -> Tensor:
        """The score of each caption. `kept`: hidden units of the head that are not switched off."""
        texts = batch.texts if isinstance(batch.texts, Texts) else self.encode(batch.texts)
        candidates, references = texts.at(batch.candidates), texts.at(batch.references)
        scores: Tensor = self.head(candidates, references, batch.is_reference, batch.pictures, kept)
        return scores

    def encode(self, tokens: Tokenized) -> Texts:
        """h and h' of each text, with gradients."""
        states = self.trainable.states(tokens.ids, tokens.mask)
        mask = tokens.mask.to(states.dtype)
        weighted = pool(states * tokens.weights.unsqueeze(-1), mask, self.options.pool)
        return Texts(pool(states, mask, self.options.pool), weighted if self.options.uses_idf else None, None, None)


def pool(states: Tensor, mask: Tensor, by: Pool) -> Tensor:
    """One vector of each text's token vectors (B, L, d); padding counts nowhere."""
    if by == "cls":
        return states[:, 0]
    weights = mask.unsqueeze(-1)
    if by == "max":
        return states.masked_fill(weights == 0, -torch.inf).amax(dim=1)
    return (states * weights).sum(dim=1) / weights.sum(dim=1)


def loss_of(ranking: float) -> Any:
    """(network, batch) -> mean squared error, plus the ranking term with this weight."""

    def loss(network: Any, batch: Batch) -> Tensor:
        scores = network(batch)
        error = (scores - batch.ratings).square().mean()
        return error + ranking * ranking_loss(scores, batch.ratings, batch.items) if ranking else error

    return loss


def ranking_loss(scores: Tensor, ratings: Tensor, items: Tensor) -> Tensor:
    """The mean of max(0, margin + s_worse - s_better) over captions of one picture that people rated differently."""
    better = (items.unsqueeze(1) == items.unsqueeze(0)) & (ratings.unsqueeze(1) > ratings.unsqueeze(0))
    short_of = torch.relu(_MARGIN + scores.unsqueeze(0) - scores.unsqueeze(1))
    return (short_of * better).sum() / better.sum().clamp(min=1)


def warm_start(network: nn.Module, tensors: Mapping[str, Any]) -> list[str]:
    """Take every weight that fits; the names of those that are trained and found none."""
    own = {name: tensor for name, tensor in network.state_dict().items() if name in trained_names(network)}
    fitting = {name: torch.from_numpy(tensors[name].copy()) for name in own if _fits(own[name], tensors.get(name))}
    network.load_state_dict(fitting, strict=False)
    return [name for name in own if name not in fitting]


def trained_names(network: nn.Module) -> set[str]:
    return {name for name, parameter in network.named_parameters() if parameter.requires_grad}


def _fits(own: Tensor, other: Any) -> bool:
    return other is not None and tuple(own.shape) == tuple(other.shape)
