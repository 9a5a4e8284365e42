"""OVP's video memory: frames become visible as the text goes on, and fade once they were told.

    E_j         the encoded frame j
    s_j         how far it was shown: max(0, 1 - j / 50) in the beginning
    M_j         what the decoder sees of it: s_j E_j in the beginning

and after every token, of which h is the decoder's state and alpha where it looked, over all heads and layers:

    a-bar, h-bar   means of alpha and of h over the last 20 tokens, token t of them weighing t
    r, a           sigmoid(W h), two numbers
    erase          M_j <- M_j (1 - r a-bar_j sigmoid(M_j . W h-bar))
    write          n_j = sigmoid(w . [E_j ; sum a-bar E])
                   M_j <- M_j + (1 - s_j) a n_j E_j
                   s_j <- s_j + (1 - s_j) a n_j

Both steps leave M_j a multiple of E_j. So M_j = m_j E_j, and the memory is one number m_j for each frame.

Song, Y., Chen, S., Jin, Q. (2021). Towards diverse paragraph captioning for untrimmed videos. CVPR.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from kataribe.narration.narrators.transformer import Rows

SHOWN_AT_ONCE = 50
WINDOW = 20


class Keys(NamedTuple):
    """What the memory needs of the encoded frames, computed once: W' E_j and the two parts of w . [E_j ; ...]."""

    erased: Tensor
    written: Tensor
    context: Tensor


class Recent(NamedTuple):
    """Of the last tokens' vectors: all, their sum, and their sum with the first weighing 1, the second 2, ..."""

    past: tuple[Tensor, ...]
    total: Tensor
    weighted: Tensor

    def of(self, rows: Rows) -> Recent:
        return Recent(tuple(each[rows] for each in self.past), self.total[rows], self.weighted[rows])

    def with_next(self, vector: Tensor) -> Recent:
        """Sums are carried on: 20 vectors need not be added up again at every token."""
        if len(self.past) < WINDOW:
            weighted = self.weighted + (len(self.past) + 1) * vector
            return Recent((*self.past, vector), self.total + vector, weighted)
        weighted = self.weighted - self.total + WINDOW * vector
        return Recent((*self.past[1:], vector), self.total - self.past[0] + vector, weighted)

    @property
    def mean(self) -> Tensor:
        count = len(self.past)
        return self.weighted / (count * (count + 1) / 2)


class MemoryState(NamedTuple):
    """m and s of each frame, and [alpha ; h] of the last tokens."""

    visible: Tensor
    shown: Tensor
    recent: Recent

    def of(self, rows: Rows) -> MemoryState:
        return MemoryState(self.visible[rows], self.shown[rows], self.recent.of(rows))


class VideoMemory(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.gates = nn.Linear(width, 2)
        self.erase = nn.Linear(width, width, bias=False)
        self.write_frame = nn.Linear(width, 1)
        self.write_context = nn.Linear(width, 1, bias=False)

    def keys(self, frames: Tensor) -> Keys:
        """Of the encoded frames: batch x frames x width."""
        written, context = self.write_frame(frames).squeeze(2), self.write_context(frames).squeeze(2)
        return Keys(frames @ self.erase.weight, written, context)

    def start(self, frames: Tensor) -> MemoryState:
        order = torch.arange(frames.shape[1], device=frames.device, dtype=frames.dtype)
        shown = (1 - order / SHOWN_AT_ONCE).clamp(min=0).expand(frames.shape[:2])
        nothing = frames.new_zeros(frames.shape[0], frames.shape[1] + frames.shape[2])
        return MemoryState(shown, shown, Recent((), nothing, nothing))

    def forward(self, keys: Keys, memory: MemoryState, looked: Tensor, state: Tensor) -> MemoryState:
        """The memory after a token; `looked` is batch x frames, `state` batch x width."""
        recent = memory.recent.with_next(torch.cat([looked, state], 1))
        mean_looked, mean_state = recent.mean.split([looked.shape[1], state.shape[1]], 1)
        erasing, writing = self.gates(state).sigmoid().split(1, 1)
        told = (memory.visible * torch.bmm(keys.erased, mean_state[:, :, None]).squeeze(2)).sigmoid()
        visible = memory.visible * (1 - erasing * mean_looked * told)
        near = (mean_looked * keys.context).sum(1, keepdim=True)
        added = (1 - memory.shown) * writing * (keys.written + near).sigmoid()
        return MemoryState(visible + added, memory.shown + added, recent)
