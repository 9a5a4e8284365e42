"""RMN's role pointer: at every token, the next word or a whole name of the cast.

    p_k       linear(portrait of role k), as faces in a frame enter the network
    keys      one self-attention layer over p, without positions: who is billed first does not matter
    query     sum_j alpha_j M_j, what the decoder looks at now
    y_role    query . key / sqrt(width of a head), the mean over heads
    lambda    sigmoid(w . h)

    mixture   p = (1 - lambda) softmax(y_voc) + lambda softmax(y_role)
    paper     p = softmax([y_voc ; lambda y_role]); with lambda = 0 every role still has the logit 0, which is not "off"

Roles that only fill a batch are never chosen; without a cast all of p goes to words. With `billing` the order on the
poster is added to p_k as sines and cosines: a model may then learn who is told of most, and not whom it sees.

Yue, Z., Zhang, Q., Hu, A., Zhang, L., Wang, Z., Jin, Q. (2023). Movie101: a new movie understanding benchmark. ACL,
section 4.2. Gu, J., Lu, Z., Li, H., Li, V. O. K. (2016). Incorporating copying mechanism in sequence-to-sequence
learning. ACL.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from kataribe.narration.narrators.transformer import EncoderLayer, Rows, positions

PointerForm = Literal["mixture", "paper"]


class Roles(NamedTuple):
    """The cast of each film of a batch: vectors that re-enter the decoder, keys by head, and which are real."""

    vectors: Tensor
    keys: Tensor
    mask: Tensor

    def of(self, rows: Rows) -> Roles:
        return Roles(self.vectors[rows], self.keys[rows], self.mask[rows])


class RolePointer(nn.Module):
    def __init__(
        self,
        width: int,
        heads: int,
        dropout: float,
        form: PointerForm = "mixture",
        billing: bool = False,
    ) -> None:
        super().__init__()
        self.heads, self.form, self.billing = heads, form, billing
        self.without_portrait = nn.Parameter(torch.zeros(width))
        self.cast = EncoderLayer(width, heads, dropout)
        self.norm = nn.LayerNorm(width)
        self.key = nn.Linear(width, width)
        self.query = nn.Linear(width, width)
        # Who looks alike scores high from the start; what is learned from few people then holds for others.
        self.query.load_state_dict(self.key.state_dict())
        self.gate = nn.Linear(width, 1)

    def roles(self, portraits: Tensor, has_portrait: Tensor, mask: Tensor) -> Roles:
        """`portraits` is p: batch x roles x width; `mask` is true of real roles, and there may be none."""
        vectors = torch.where(has_portrait[:, :, None], portraits, self.without_portrait)
        entered = vectors
        if self.billing:
            entered = entered + positions(vectors.shape[1], vectors.shape[2], vectors)
        # Where there is no role at all, something must be looked at; what comes of it is masked.
        somebody = mask | ~mask.any(1, keepdim=True)
        keys = self.key(self.norm(self.cast(entered, somebody)))
        return Roles(vectors, keys.unflatten(2, (self.heads, -1)).transpose(1, 2), mask)

    def scores(self, seen: Tensor, roles: Roles) -> Tensor:
        """y_role: batch x tokens x roles, of what each token looks at (batch x tokens x width)."""
        query = self.query(seen).unflatten(2, (self.heads, -1)).transpose(1, 2)
        return (query @ roles.keys.transpose(2, 3) / math.sqrt(query.shape[3])).mean(1)

    def forward(self, words: Tensor, states: Tensor, seen: Tensor, roles: Roles) -> Tensor:
        """Log-probabilities of words and, behind them, roles; -inf of a role that is none.

        `words` is y_voc: batch x tokens x words; `states` and `seen` are batch x tokens x width.
        """
        return combine(words, self.scores(seen, roles), self.gate(states), roles.mask[:, None], self.form)


def combine(words: Tensor, scores: Tensor, gate: Tensor, mask: Tensor, form: PointerForm) -> Tensor:
    """y_voc and y_role into log-probabilities; `gate` is w . h, before the sigmoid."""
    if form == "paper":
        scores = (gate.sigmoid() * scores).masked_fill(~mask, -math.inf)
        return torch.cat([words, scores], -1).log_softmax(-1)
    has_roles = mask.any(-1, keepdim=True)
    # A softmax over nothing is undefined, and would spoil gradients even where it is not used.
    among = scores.masked_fill(~mask & has_roles, -math.inf).log_softmax(-1)
    to_roles = (nn.functional.logsigmoid(gate) + among).masked_fill(~mask, -math.inf)
    to_words = torch.where(has_roles, nn.functional.logsigmoid(-gate), torch.zeros_like(gate))
    return torch.cat([words.log_softmax(-1) + to_words, to_roles], -1)
