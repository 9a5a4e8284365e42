"""The one training loop of the package: torch, with accelerate for devices, mixed precision, several GPUs and trackers.

    for each epoch: the examples in an order drawn from (seed, epoch), in batches
        loss -> gradient -> clipped to a longest norm -> AdamW
    after each epoch: validation scores; the weights of the best epoch are kept in the end
    with `patience`, training ends after so many epochs without a better one

The same seed gives the same weights. With a `state` folder a run that was stopped goes on after its last whole epoch
and comes to the same loss: weights, optimizer, schedule and random numbers are all restored.

Kingma, D. P., Ba, J. (2015). Adam: a method for stochastic optimization. ICLR. Loshchilov, I., Hutter, F. (2019).
Decoupled weight decay regularization. ICLR. Vaswani, A. et al. (2017). Attention is all you need. NIPS (the schedule
`noam`: a rate that rises to the end of the warm-up and falls as 1 / sqrt(step) from there).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from kataribe.core.errors import KataribeError, UsageError, nearest, shorten
from kataribe.core.need import need
from kataribe.core.progress import report
from kataribe.core.types import Int64s
from kataribe.learning.devices import is_main_process as is_main_process
from kataribe.learning.devices import opened_accelerator, own_random_numbers
from kataribe.learning.options import FitOptions
from kataribe.learning.result import Epoch, History
from kataribe.learning.state import State, open_state
from kataribe.learning.threads import one_thread

LOSS = "loss"


class Examples(Protocol):
    """What is learned from. A batch is whatever the loss takes: tensors, or tuples, lists and dictionaries of them."""

    def __len__(self) -> int: ...
    def batch(self, rows: Int64s) -> Any: ...


@dataclass(frozen=True)
class Learner:
    """A network and what it is to learn.

    `loss(network, batch)` is the mean loss of a batch, a tensor; it calls the network as a function, once, because on
    several devices that call is what brings their gradients together. `validate(network)` gives scores by name, of
    which `stop_by` decides when to stop and which weights are kept: those of the best epoch, of equals the last.
    Higher is better, except of those in `lower_is_better`. Without `stop_by` the last weights are kept. `rates` and
    `decays` give parameters whose name starts so a learning rate or a weight decay of their own; the longest start
    counts. Parameters that need no gradient are not trained. `arrange(rows, batch)` may order the shuffled rows of an
    epoch before they are cut into batches, so that examples of one length come together. A network that `is_small` is
    trained on one thread: on a busy machine threads that wait for each other cost twenty times the work.
    """

    network: Any
    examples: Examples
    loss: Callable[[Any, Any], Any]
    validate: Callable[[Any], Mapping[str, float]] | None = None
    stop_by: str | None = None
    lower_is_better: Collection[str] = (LOSS,)
    rates: Mapping[str, float] = field(default_factory=dict)
    decays: Mapping[str, float] = field(default_factory=dict)
    name: str = "training"
    is_small: bool = False
    arrange: Callable[[Int64s, int], Int64s] | None = None

    def is_better(self, scores: Mapping[str, float], best: Mapping[str, float]) -> bool:
        """By the score that decides; undefined ones are worse than any other."""
        return self._value(scores) > self._value(best)

    def is_as_good(self, scores: Mapping[str, float], best: Mapping[str, float]) -> bool:
        return self._value(scores) >= self._value(best)

    def _value(self, scores: Mapping[str, float]) -> float:
        if self.stop_by is None:
            return 0.0
        value = scores[self.stop_by]
        if math.isnan(value):
            return -math.inf
        return -value if self.stop_by in self.lower_is_better else value


def fit(
    learner: Learner, options: FitOptions, *, state: Path | None = None, about: Mapping[str, Any] | None = None
) -> History:
    """Train the network in place; it ends in evaluation mode, on the device where it began, with the best weights.

    `about` names what was trained on what: a state of another run is refused.
    """
    torch = need("torch", extra="models", purpose="training")
    if not len(learner.examples):
        raise UsageError("there is nothing to learn from: no examples are left for training")
    if learner.stop_by is not None and learner.validate is None:
        raise UsageError(f"nothing is validated that could have the score {shorten(learner.stop_by)!r}")
    known = {"examples": len(learner.examples), "stop_by": learner.stop_by, **(about or {})}
    with (
        own_random_numbers(torch, options.seed),
        one_thread(learner.is_small),
        opened_accelerator(options) as accelerator,
    ):
        return _Run(torch, accelerator, learner, options, open_state(state, options, known)).history()


class _Run:
    """One training run: what is prepared for the device, and where it stands."""

    def __init__(self, torch: Any, accelerator: Any, learner: Learner, options: FitOptions, state: State) -> None:
        self.torch, self.accelerator, self.learner = torch, accelerator, learner
        self.options, self.state = options, state
        self.steps = math.ceil(len(learner.examples) / options.batch)
        optimizer = torch.optim.AdamW(_parameter_groups(learner, options), lr=options.rate, weight_decay=options.decay)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: _share_of_rate(step, self.steps * options.epochs, options)
        )
        self.device = next(learner.network.parameters()).device
        self.network, self.optimizer, self.schedule = accelerator.prepare(learner.network, optimizer, schedule)

    def history(self) -> History:
        epochs = self.state.restore(self.accelerator)
        while len(epochs) < self.options.epochs and not self._is_patience_over(epochs):
            epochs.append(self._epoch(len(epochs) + 1))
            is_best = self._best_of(epochs, self.learner.is_as_good) == len(epochs)
            self.state.save(self.accelerator, epochs, self._weights() if is_best else None)
        # Without the wrapper of mixed precision: whoever uses it next gets what its folder will give.
        network = self.accelerator.unwrap_model(self.network, keep_fp32_wrapper=False)
        network.load_state_dict(self.state.best_weights())
        network.to(self.device).eval()
        best = self._best_of(epochs, self.learner.is_as_good)
        return History(tuple(epochs), best, self.learner.stop_by)

    def _epoch(self, number: int) -> Epoch:
        self.network.train()
        rows = np.random.default_rng([self.options.seed, number]).permutation(len(self.learner.examples))
        if self.learner.arrange is not None:
            rows = self.learner.arrange(rows, self.options.batch)
        total = 0.0
        for step in range(self.steps):
            chosen = rows[step * self.options.batch : (step + 1) * self.options.batch]
            total += self._step(chosen, number) * len(chosen)
            report(self.learner.name, (number - 1) * self.steps + step + 1, self.options.epochs * self.steps)
        loss, scores = total / len(rows), self._scores()
        if self.options.tracker:
            self.accelerator.log({LOSS: loss, **scores}, step=number)
        return Epoch(number, loss, scores)

    def _step(self, rows: Int64s, epoch: int) -> float:
        """One step on these examples; each process computes its share of them, and all know the mean loss."""
        index, processes = self.accelerator.process_index, self.accelerator.num_processes
        mine = rows[index::processes]
        # Whoever has none still takes part, with weight 0: the others wait for its gradient.
        batch = self.learner.examples.batch(mine if len(mine) else rows[:1])
        batch = need("accelerate.utils", extra="models", purpose="training").send_to_device(
            batch, self.accelerator.device
        )
        # Gradients are averaged over processes, whose shares may differ by one.
        loss = self.learner.loss(self.network, batch) * (len(mine) * processes / len(rows))
        mean = float(self.accelerator.reduce(loss.detach(), "mean"))
        if not math.isfinite(mean):
            raise KataribeError(
                f"{self.learner.name}: the loss is {mean} in epoch {epoch}",
                hint="a lower <rate> or a smaller <clip> keeps it finite",
                options=["rate", "clip"],
            )
        self.accelerator.backward(loss)
        if self.options.clip:
            self.accelerator.clip_grad_norm_(self.network.parameters(), self.options.clip)
        self.optimizer.step()
        self.schedule.step()
        self.optimizer.zero_grad()
        return mean

    def _scores(self) -> dict[str, float]:
        if self.learner.validate is None:
            return {}
        self.network.eval()
        with self.torch.no_grad():
            scores = {name: float(value) for name, value in self.learner.validate(self._unwrapped()).items()}
        stop_by = self.learner.stop_by
        if stop_by is not None and stop_by not in scores:
            raise UsageError(f"no validation score is called {shorten(stop_by)!r}", hint=nearest(stop_by, scores))
        # Every process has computed them; the last bit must not decide for one to stop and for another to go on.
        agreed = need("accelerate.utils", extra="models", purpose="training").broadcast_object_list([scores])
        return dict(agreed[0])

    def _weights(self) -> dict[str, Any]:
        """Copied: the network's own tensors go on changing."""
        return {name: value.detach().cpu().clone() for name, value in self._unwrapped().state_dict().items()}

    def _unwrapped(self) -> Any:
        return self.accelerator.unwrap_model(self.network)

    def _best_of(self, epochs: list[Epoch], beats: Callable[[Mapping[str, float], Mapping[str, float]], bool]) -> int:
        """The number of the best epoch, from 1; a score that has stopped to move does not keep the first weights."""
        best = 0
        for number, epoch in enumerate(epochs, start=1):
            if not best or beats(epoch.scores, epochs[best - 1].scores):
                best = number
        return best

    def _is_patience_over(self, epochs: list[Epoch]) -> bool:
        if not self.options.patience or self.learner.stop_by is None:
            return False
        return len(epochs) - self._best_of(epochs, self.learner.is_better) >= self.options.patience


def _parameter_groups(learner: Learner, options: FitOptions) -> list[dict[str, Any]]:
    """The parameters that train, by their learning rate and weight decay."""
    groups: dict[tuple[float, float], list[Any]] = {}
    for name, parameter in learner.network.named_parameters():
        if parameter.requires_grad:
            own = _by_start(name, learner.rates, options.rate), _by_start(name, learner.decays, options.decay)
            groups.setdefault(own, []).append(parameter)
    if not groups:
        raise UsageError("no parameter of the network is to be trained")
    return [{"params": found, "lr": rate, "weight_decay": decay} for (rate, decay), found in groups.items()]


def _by_start(name: str, values: Mapping[str, float], usual: float) -> float:
    """The value of the longest start that the name has."""
    starts = [start for start in values if name.startswith(start)]
    return values[max(starts, key=len)] if starts else usual


def _share_of_rate(step: int, steps: int, options: FitOptions) -> float:
    """What of the learning rate counts in a step."""
    rising = math.ceil(options.warmup * steps)
    if step < rising:
        return (step + 1) / (rising + 1)
    if options.schedule == "constant":
        return 1.0
    if options.schedule == "noam":
        return math.sqrt((rising + 1) / (step + 1))
    return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - rising) / max(1, steps - rising))))
