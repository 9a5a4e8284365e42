"""The one training loop of the package: torch, with accelerate for devices, mixed precision, several GPUs and trackers.

    for each epoch: the examples in an order drawn from (seed, epoch), in batches
        loss -> gradient -> clipped to a longest norm -> AdamW
    after each epoch: validation scores; the weights of the best epoch are kept in the end
    with `patience`, training ends after so many epochs without a better one

The same seed gives the same weights. With a `state` folder a run that was stopped goes on after its last whole epoch
and comes to the same loss: weights, optimizer, schedule and random numbers are all restored.

Kingma, D. P., Ba, J. (2015). Adam: a method for stochastic optimization. ICLR. Loshchilov, I., Hutter, F. (2019).
Decoupled weight decay regularization. ICLR.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from kataribe.core.errors import KataribeError, UsageError, nearest, shorten
from kataribe.core.need import need
from kataribe.core.progress import report
from kataribe.core.types import Int64s
from kataribe.learning.options import FitOptions
from kataribe.learning.result import Epoch, History
from kataribe.learning.state import State, open_state

LOSS = "loss"


class Examples(Protocol):
    """What is learned from. A batch is whatever the loss takes: tensors, or tuples, lists and dictionaries of them."""

    def __len__(self) -> int: ...
    def batch(self, rows: Int64s) -> Any: ...


@dataclass(frozen=True)
class Learner:
    """A network and what it is to learn.

    `loss(network, batch)` is the mean loss of a batch, a tensor. `validate(network)` gives scores by name, of which
    `stop_by` decides when to stop and which weights are kept; higher is better, except of those in `lower_is_better`.
    Without validation the weights of the last epoch are kept. `rates` gives parameters whose name starts so a learning
    rate of their own. Parameters that need no gradient are not trained.
    """

    network: Any
    examples: Examples
    loss: Callable[[Any, Any], Any]
    validate: Callable[[Any], Mapping[str, float]] | None = None
    stop_by: str | None = None
    lower_is_better: Collection[str] = (LOSS,)
    rates: Mapping[str, float] = field(default_factory=dict)
    name: str = "training"

    def is_better(self, scores: Mapping[str, float], best: Mapping[str, float]) -> bool:
        if self.stop_by is None:
            return True
        one, other = scores[self.stop_by], best[self.stop_by]
        if math.isnan(one) or math.isnan(other):
            return math.isnan(other)
        return one < other if self.stop_by in self.lower_is_better else one > other


def is_main_process() -> bool:
    """Whether this process writes and prints; `accelerate launch` starts one process for each device."""
    return os.environ.get("RANK", "0") == "0"


def fit(
    learner: Learner, options: FitOptions, *, state: Path | None = None, about: Mapping[str, Any] | None = None
) -> History:
    """Train the network in place; it ends in evaluation mode, on the device where it began, with the best weights.

    `about` names what was trained on what: a state of another run is refused.
    """
    torch = need("torch", extra="models", purpose="training")
    if not len(learner.examples):
        raise UsageError("there is nothing to learn from: no examples are left for training")
    with torch.random.fork_rng(), _accelerator(options) as accelerator:
        torch.manual_seed(options.seed)
        return _Run(torch, accelerator, learner, options, open_state(state, options, about or {})).history()


class _Run:
    """One training run: what is prepared for the device, and where it stands."""

    def __init__(self, torch: Any, accelerator: Any, learner: Learner, options: FitOptions, state: State) -> None:
        self.torch, self.accelerator, self.learner, self.options, self.state = (
            torch,
            accelerator,
            learner,
            options,
            state,
        )
        self.order = _Order(len(learner.examples), options.seed)
        loader = torch.utils.data.DataLoader(
            _Rows(learner.examples), options.batch, sampler=self.order, collate_fn=lambda batch: batch
        )
        steps = math.ceil(len(learner.examples) / options.batch) * options.epochs
        optimizer = torch.optim.AdamW(_parameter_groups(learner, options), lr=options.rate, weight_decay=options.decay)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _share_of_rate(step, steps, options))
        self.device = next(learner.network.parameters()).device
        self.network, self.optimizer, self.loader, self.schedule = accelerator.prepare(
            learner.network, optimizer, loader, schedule
        )

    def history(self) -> History:
        epochs = self.state.restore(self.accelerator)
        best = self._best_of(epochs)
        while len(epochs) < self.options.epochs and not self._is_patience_over(epochs, best):
            epochs.append(self._epoch(len(epochs) + 1))
            best = self._best_of(epochs)
            # Copied: the network's own tensors go on changing.
            weights = {k: v.detach().cpu().clone() for k, v in self._unwrapped().state_dict().items()}
            self.state.save(self.accelerator, epochs, weights if best == len(epochs) else None)
        self._unwrapped().load_state_dict(self.state.best_weights())
        self._unwrapped().to(self.device).eval()
        if self.options.tracker:
            self.accelerator.end_training()
        return History(tuple(epochs), best, self.learner.stop_by)

    def _epoch(self, number: int) -> Epoch:
        self.order.epoch = number
        self.network.train()
        total, seen = 0.0, 0
        for batch in self.loader:
            loss = self.learner.loss(self.network, batch)
            if not self.torch.isfinite(loss):
                raise KataribeError(
                    f"{self.learner.name}: the loss is {float(loss)} in epoch {number}",
                    hint="a lower <rate> or a smaller <clip> keeps it finite",
                    options=["rate", "clip"],
                )
            self.accelerator.backward(loss)
            if self.options.clip and self.accelerator.sync_gradients:
                self.accelerator.clip_grad_norm_(self.network.parameters(), self.options.clip)
            self.optimizer.step()
            self.schedule.step()
            self.optimizer.zero_grad()
            total, seen = total + float(self.accelerator.reduce(loss.detach(), "mean")), seen + 1
            steps = len(self.loader)
            report(self.learner.name, (number - 1) * steps + seen, self.options.epochs * steps)
        scores = self._scores()
        if self.options.tracker:
            self.accelerator.log({LOSS: total / seen, **scores}, step=number)
        return Epoch(number, total / seen, scores)

    def _scores(self) -> dict[str, float]:
        if self.learner.validate is None:
            return {}
        self.network.eval()
        with self.torch.inference_mode():
            scores = dict(self.learner.validate(self._unwrapped()))
        stop_by = self.learner.stop_by
        if stop_by is not None and stop_by not in scores:
            raise UsageError(f"no validation score is called {shorten(stop_by)!r}", hint=nearest(stop_by, scores))
        return scores

    def _unwrapped(self) -> Any:
        return self.accelerator.unwrap_model(self.network)

    def _best_of(self, epochs: list[Epoch]) -> int:
        best = 0
        for number, epoch in enumerate(epochs, start=1):
            if not best or self.learner.is_better(epoch.scores, epochs[best - 1].scores):
                best = number
        return best

    def _is_patience_over(self, epochs: list[Epoch], best: int) -> bool:
        return bool(self.options.patience and self.learner.stop_by) and len(epochs) - best >= self.options.patience


class _Order:
    """The rows in an order of each epoch's own, so that an epoch can be run again."""

    def __init__(self, rows: int, seed: int) -> None:
        self.rows, self.seed, self.epoch = rows, seed, 0

    def __len__(self) -> int:
        return self.rows

    def __iter__(self) -> Iterator[int]:
        return iter(np.random.default_rng([self.seed, self.epoch]).permutation(self.rows).tolist())


class _Rows:
    """Examples as torch's loader wants them: it asks for the rows of a whole batch at once."""

    def __init__(self, examples: Examples) -> None:
        self.examples = examples

    def __len__(self) -> int:
        return len(self.examples)

    def __getitems__(self, rows: list[int]) -> Any:
        return self.examples.batch(np.asarray(rows, dtype=np.int64))


def _parameter_groups(learner: Learner, options: FitOptions) -> list[dict[str, Any]]:
    """The parameters that train, by their learning rate."""
    groups: dict[float, list[Any]] = {}
    for name, parameter in learner.network.named_parameters():
        if parameter.requires_grad:
            rate = next((own for start, own in learner.rates.items() if name.startswith(start)), options.rate)
            groups.setdefault(rate, []).append(parameter)
    if not groups:
        raise UsageError("no parameter of the network is to be trained")
    return [{"params": parameters, "lr": rate} for rate, parameters in groups.items()]


def _share_of_rate(step: int, steps: int, options: FitOptions) -> float:
    """What of the learning rate counts in a step."""
    rising = math.ceil(options.warmup * steps)
    if step < rising:
        return (step + 1) / (rising + 1)
    if options.schedule == "constant":
        return 1.0
    return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - rising) / max(1, steps - rising))))


@contextmanager
def _accelerator(options: FitOptions) -> Iterator[Any]:
    accelerate = need("accelerate", extra="models", purpose="training")
    # It remembers the first call's settings for the whole process, and refuses others.
    accelerate.state.AcceleratorState._reset_state(reset_partial_state=True)
    try:
        accelerator = accelerate.Accelerator(
            cpu=options.device == "cpu",
            mixed_precision=options.precision,
            log_with=options.tracker,
            project_dir=str(options.log_folder) if options.log_folder else None,
            # `batch` is the number over all devices: more of them do not change what is computed.
            dataloader_config=accelerate.utils.DataLoaderConfiguration(split_batches=True),
        )
        if options.tracker:
            accelerator.init_trackers("kataribe")
    except (ValueError, RuntimeError, ImportError) as error:
        raise UsageError(f"accelerate cannot be set up like this ({shorten(error, 160)})") from None
    yield accelerator
