"""The classifier of pairs as it is trained: the network of `network` in torch, its examples and its loss.

    x = features of both sides, standardised;  logit = w2 . relu(W1 x + b1) + b2
    loss = -mean(w y log p + (1 - y) log(1 - p)),  w = negatives / positives, so that both classes weigh the same

With a backbone to be fine-tuned, windows are pictures, and their features are computed on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from kataribe.boundaries.detectors.examples import Spread, Windows
from kataribe.boundaries.detectors.network import Network
from kataribe.boundaries.detectors.window import SIDE
from kataribe.core.need import need
from kataribe.core.types import Floats, Int64s
from kataribe.encoders.trainable import TrainablePictures

_PURPOSE = "training"


def make_network(spread: Spread, hidden: int, seed: int, backbone: TrainablePictures | None = None) -> Any:
    """A network with random weights, for features that are spread like this; a backbone to train becomes part of it."""
    torch = need("torch", extra="models", purpose=_PURPOSE)
    width, rng = len(spread.mean), np.random.default_rng(seed)

    class PairNetwork(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.backbone = None if backbone is None else backbone.network
            self.register_buffer("mean", torch.tensor(spread.mean, dtype=torch.float32))
            self.register_buffer("deviation", torch.tensor(spread.deviation, dtype=torch.float32))
            self.first, self.second = torch.nn.Linear(width, hidden), torch.nn.Linear(hidden, 1)
            _fill(torch, self.first, rng.normal(0, np.sqrt(2 / width), (hidden, width)))
            _fill(torch, self.second, rng.normal(0, np.sqrt(1 / hidden), (1, hidden)))

        def train(self, mode: bool = True) -> Any:
            """A backbone keeps its statistics of batches: ten frames of one scene are no sample of pictures."""
            super().train(mode)
            for module in self.backbone.modules() if self.backbone is not None else ():
                if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
                    module.eval()
            return self

        def forward(self, windows: Any) -> Any:
            """Logits of windows of frames, each a vector or a picture."""
            if self.backbone is not None:
                windows = self.backbone(windows.flatten(0, 1)).reshape(*windows.shape[:2], -1)
            rows = (_pair_features(torch, windows) - self.mean) / self.deviation
            return self.second(torch.relu(self.first(rows))).squeeze(-1)

    return PairNetwork()


def _fill(torch: Any, layer: Any, weights: Floats) -> None:
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(weights))
        layer.bias.zero_()


def _pair_features(torch: Any, windows: Any) -> Any:
    """As `examples.pair_features`, with gradients."""
    before, after = windows[:, :SIDE], windows[:, SIDE:]
    means = before.mean(dim=1), after.mean(dim=1)
    return torch.cat([*means, (means[0] - means[1]).abs(), (before[:, -1] - after[:, 0]).abs()], dim=-1)


def as_numpy(network: Any) -> Network:
    """The head of a trained network, to be used without torch."""
    weights = {
        "mean": network.mean,
        "deviation": network.deviation,
        "first": network.first.weight.T,
        "first_bias": network.first.bias,
        "second": network.second.weight[0],
        "second_bias": network.second.bias,
    }
    return Network({name: tensor.detach().cpu().double().numpy().copy() for name, tensor in weights.items()})


@dataclass(frozen=True)
class Batches:
    """Windows and their labels as tensors."""

    windows: Windows

    def __len__(self) -> int:
        return len(self.windows)

    def batch(self, rows: Int64s) -> tuple[Any, Any]:
        torch = need("torch", extra="models", purpose=_PURPOSE)
        targets = torch.tensor(self.windows.targets[rows], dtype=torch.float32)
        return torch.from_numpy(np.ascontiguousarray(self.windows.frames_of(rows))), targets


@contextmanager
def without_gradients() -> Iterator[None]:
    with need("torch", extra="models", purpose=_PURPOSE).no_grad():
        yield


def balanced_loss(share: float) -> Callable[[Any, tuple[Any, Any]], Any]:
    """Binary cross entropy in which positives, a `share` of all, weigh as much as negatives."""
    torch = need("torch", extra="models", purpose=_PURPOSE)
    weight = (1 - share) / max(share, 1e-6)

    def loss(network: Any, batch: tuple[Any, Any]) -> Any:
        windows, targets = batch
        logits = network(windows)
        return torch.nn.functional.binary_cross_entropy_with_logits(
            logits.float(), targets, pos_weight=torch.tensor(weight, device=targets.device)
        )

    return loss
