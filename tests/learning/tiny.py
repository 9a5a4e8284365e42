"""A small network that learns a straight line, and ways to stop it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kataribe.core.types import Int64s
from kataribe.learning.fit import Learner
from kataribe.learning.options import FitOptions

OPTIONS = FitOptions(epochs=4, batch=8, rate=0.01, device="cpu")


@dataclass(frozen=True)
class Line:
    """y = 2 x1 - x2 + noise, as tensors."""

    inputs: Any
    targets: Any

    @classmethod
    def of(cls, rows: int = 20) -> Line:
        import torch

        rng = np.random.default_rng(5)
        inputs = rng.normal(size=(rows, 2)).astype(np.float32)
        targets = (inputs @ np.array([2, -1]) + rng.normal(scale=0.1, size=rows)).astype(np.float32)
        return cls(torch.from_numpy(inputs), torch.from_numpy(targets))

    def __len__(self) -> int:
        return len(self.targets)

    def batch(self, rows: Int64s) -> tuple[Any, Any]:
        return self.inputs[rows], self.targets[rows]


def network(seed: int = 0) -> Any:
    """With dropout, so that random numbers count."""
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return torch.nn.Sequential(
            torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Dropout(0.2), torch.nn.Linear(8, 1), torch.nn.Flatten(0)
        )


def loss(network: Any, batch: tuple[Any, Any]) -> Any:
    return ((network(batch[0]) - batch[1]) ** 2).mean()


def learner(**changes: Any) -> Learner:
    known: Mapping[str, Any] = {"network": network(), "examples": Line.of(), "loss": loss, "is_small": True}
    return Learner(**{**known, **changes})


def weights(network: Any) -> list[float]:
    return [value for tensor in network.state_dict().values() for value in tensor.flatten().tolist()]


@dataclass
class Scripted:
    """A validation whose scores are known beforehand."""

    values: list[float]
    name: str = "score"
    calls: int = 0

    def __call__(self, network: Any) -> dict[str, float]:
        self.calls += 1
        return {self.name: self.values[self.calls - 1], "other": 0.0}
