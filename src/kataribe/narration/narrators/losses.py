"""What narrators are trained by.

    smoothed    -(1 - e) log p(token) - e mean over all tokens that may come of log p        e = 0.1
    unlikely    - sum over tokens c that this text has said already, c not the right one, of log(1 - p(c))
    loss        mean over the tokens of a batch of smoothed + weight * unlikely

Tokens of other texts of the batch play no part in `unlikely`.

Szegedy, C., Vanhoucke, V., Ioffe, S., Shlens, J., Wojna, Z. (2016). Rethinking the inception architecture for computer
vision. CVPR. Welleck, S., Kulikov, I., Roller, S., Dinan, E., Cho, K., Weston, J. (2020). Neural text generation with
unlikelihood training. ICLR.
"""

from __future__ import annotations

import torch
from torch import Tensor

from kataribe.narration.narrators.vocabulary import BEGIN, PAD

_SURE = 1e-5


def narration_loss(logs: Tensor, text: Tensor, smoothing: float, unlikelihood: float) -> Tensor:
    """`logs` are log-probabilities of text[:, 1:] (batch x tokens x all), -inf of what cannot come."""
    targets = text[:, 1:]
    told = targets != PAD
    loss = smoothed(logs, targets, smoothing)
    if unlikelihood:
        loss = loss + unlikelihood * unlikely(logs, text[:, :-1], targets)
    return loss[told].mean()


def smoothed(logs: Tensor, targets: Tensor, smoothing: float) -> Tensor:
    """Of each token: batch x tokens."""
    right = -logs.gather(2, targets[:, :, None]).squeeze(2)
    if not smoothing:
        return right
    possible = logs.isfinite()
    others = -logs.masked_fill(~possible, 0.0).sum(2) / possible.sum(2)
    return (1 - smoothing) * right + smoothing * others


def unlikely(logs: Tensor, given: Tensor, targets: Tensor) -> Tensor:
    """Of each token: batch x tokens. `given` are the tokens before each, the first of all being BEGIN."""
    said = torch.zeros_like(logs).scatter_(2, given[:, :, None], 1.0).cummax(1).values
    said[:, :, [PAD, BEGIN]] = 0.0
    said.scatter_(2, targets[:, :, None], 0.0)
    # 1 - p of what is all but sure would be lost to rounding.
    return -(said * torch.log1p(-logs.exp().clamp(max=1 - _SURE))).sum(2)
