"""2D-TAN: every span of clips is a cell of a map, in which neighbours are seen together.

    v = mean over each of N equal clips of ReLU(W_f frames)
    F[a, b] = max of v_a ... v_b         lengths 1-16 from every clip; 18-32 in steps of 2, from every second clip;
                                         36-64 in steps of 4, from every fourth: 1,104 cells of N = 64
    q = last state of a three-layer LSTM over the query's tokens
    M = sqrt(d) (W_t q * W_v F) / |W_t q * W_v F|
    four convolutions: M <- ReLU(conv(M)) / share of valid cells under the kernel;      0 in cells that are not valid
    score[a, b] = sigmoid(w . M[a, b])
    loss = BCE(score, clip((IoU - .5) / .5, 0, 1)), over valid cells

A window has N clips, whatever its length: those of a short one are short. The published code divides by the number of
valid cells, which is the same network with other weights; by their share, the layers begin with numbers of size 1.

Zhang, S., Peng, H., Fu, J., Luo, J. (2020). Learning 2D temporal adjacent networks for moment localization with natural
language. AAAI.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from kataribe.grounding.locators.iterative import RARE, Inputs
from kataribe.grounding.locators.parts import Batch, Found, candidates_iou, mean_where

_LEAST, _MOST = 0.5, 1.0


def valid_cells(clips: int) -> Tensor:
    """(clips, clips), true where the span from clip a to clip b is a candidate.

    >>> int(valid_cells(64).sum())
    1104
    """
    valid = torch.zeros(clips, clips, dtype=torch.bool)
    step, longest, length = 1, min(16, clips), 1
    while length <= clips:
        for start in range(0, clips - length + 1, step):
            valid[start, start + length - 1] = True
        if length + step > longest:
            # The next lengths are twice as far apart, until they are twice as long.
            step, longest = 2 * step, 2 * longest
        length += step
    return valid


class MomentMap(nn.Module):
    def __init__(
        self, inputs: Inputs, width: int, clips: int, map_width: int, kernel: int, layers: int, dropout: float
    ) -> None:
        super().__init__()
        self.clips = clips
        self.dropout = nn.Dropout(dropout)
        self.frames = nn.Linear(inputs.frames, width)
        self.words = nn.LSTM(inputs.tokens, width, num_layers=3, batch_first=True)
        self.of_query, self.of_cell = nn.Linear(width, map_width), nn.Linear(width, map_width)
        self.convolutions = nn.ModuleList(
            nn.Conv2d(map_width, map_width, kernel, padding=kernel // 2) for _ in range(layers)
        )
        self.score = nn.Conv2d(map_width, 1, 1)
        for convolution in self.convolutions:
            nn.init.kaiming_normal_(convolution.weight, nonlinearity="relu")
            nn.init.zeros_(convolution.bias)
        nn.init.constant_(self.score.bias, RARE)
        valid = valid_cells(clips)
        around = functional.conv2d(valid[None, None].float(), torch.ones(1, 1, kernel, kernel), padding=kernel // 2)
        starts, ends = valid.nonzero(as_tuple=True)
        for name, value in {
            # A cell that is not valid weighs nothing, so that nothing comes out of it.
            "weights": valid * kernel**2 / around[0, 0].clamp(min=1),
            "starts": starts,
            "ends": ends,
        }.items():
            self.register_buffer(name, value, persistent=False)

    def forward(self, batch: Batch) -> Found:
        cells = self.of_cell(self.moments(self.clip_vectors(batch)))  # batch x cells x map width
        fused = functional.normalize(self.of_query(self.query(batch))[:, None] * cells, dim=-1)
        fused = fused * fused.shape[-1] ** 0.5
        map = fused.new_zeros(len(fused), fused.shape[-1], self.clips, self.clips)
        map[:, :, self.starts, self.ends] = fused.transpose(1, 2)
        for convolution in self.convolutions:
            map = torch.relu(convolution(map)) * self.weights
        logits = self.score(map)[:, 0, self.starts, self.ends]
        return Found(logits, self.spans(batch), torch.ones_like(logits, dtype=torch.bool))

    def clip_vectors(self, batch: Batch) -> Tensor:
        """The mean of each clip's rows, and of those that it shares with its neighbours: (batch, clips, width)."""
        x = torch.relu(self.frames(self.dropout(batch.frames)))
        lengths = batch.is_row.sum(1)[:, None]
        clip = torch.arange(self.clips, device=x.device)[None]
        first = torch.div(clip * lengths, self.clips, rounding_mode="floor")
        last = -torch.div(-(clip + 1) * lengths, self.clips, rounding_mode="floor")
        row = torch.arange(x.shape[1], device=x.device)[None, None]
        share = ((row >= first[..., None]) & (row < last[..., None])).float()
        return (share / share.sum(-1, keepdim=True)) @ x

    def moments(self, clips: Tensor) -> Tensor:
        """The largest of the clips of each valid cell, number by number: (batch, cells, width)."""
        longest = [clips]  # longest[l][:, a] is of the clips a to a + l
        for length in range(1, self.clips):
            longest.append(torch.maximum(longest[-1][:, :-1], clips[:, length:]))
        by_length = [
            longest[int(length)][:, self.starts[self.ends - self.starts == length]]
            for length in torch.unique(self.ends - self.starts)
        ]
        order = torch.argsort(self.ends - self.starts, stable=True)
        return torch.cat(by_length, dim=1)[:, torch.argsort(order)]

    def query(self, batch: Batch) -> Tensor:
        states, _ = self.words(self.dropout(batch.tokens))
        return states[torch.arange(len(states)), batch.is_token.sum(1) - 1]

    def spans(self, batch: Batch) -> Tensor:
        """The span of each valid cell, in rows."""
        spans = torch.stack([self.starts, self.ends + 1], dim=-1).float()
        return spans * (batch.is_row.sum(1)[:, None, None] / self.clips)

    def loss(self, found: Found, batch: Batch) -> Tensor:
        wanted = ((candidates_iou(found.spans, batch.target) - _LEAST) / (_MOST - _LEAST)).clamp(0, 1)
        scores = functional.binary_cross_entropy_with_logits(found.logits, wanted, reduction="none")
        return mean_where(scores, found.is_there)
