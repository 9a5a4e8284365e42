"""The one training loop: the same seed gives the same weights, and every option does what it says."""

from __future__ import annotations

import math
import pickle
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs kataribe[models]")
pytest.importorskip("accelerate", reason="training needs kataribe[models]")

import torch

from kataribe.core.errors import KataribeError, UsageError
from kataribe.core.progress import reporting
from kataribe.learning.fit import Learner, fit
from kataribe.learning.result import History
from tests.learning.tiny import OPTIONS, Line, Scripted, learner, loss, network, weights


def trained(options=OPTIONS, **changes: Any) -> tuple[History, list[float]]:
    made = learner(**changes)
    return fit(made, options), weights(made.network)


def test_the_same_seed_gives_the_same_weights_and_another_one_others() -> None:
    one, again, other = trained(), trained(), trained(replace(OPTIONS, seed=1))
    assert one == again
    assert one[0].epochs[0].loss != other[0].epochs[0].loss
    assert one[1] != other[1]


def test_training_lowers_the_loss() -> None:
    history, _ = trained(replace(OPTIONS, epochs=40))
    assert history.epochs[-1].loss < history.epochs[0].loss / 4
    assert [epoch.number for epoch in history.epochs] == list(range(1, 41))


def test_the_network_ends_ready_for_use() -> None:
    made = learner()
    fit(made, OPTIONS)
    assert not made.network.training
    assert {parameter.device.type for parameter in made.network.parameters()} == {"cpu"}


def test_random_numbers_of_the_caller_are_untouched(tmp_path: Path) -> None:
    def drawn() -> tuple[float, float, float]:
        return float(torch.rand(1)), random.random(), float(np.random.rand())

    def start() -> None:
        torch.manual_seed(7)
        random.seed(7)
        np.random.seed(7)

    start()
    expected = drawn()
    for _ in range(2):  # a run that is taken up again restores random numbers of its own
        start()
        fit(learner(), OPTIONS, state=tmp_path / "state")
        assert drawn() == expected


def test_a_small_network_has_one_thread_and_the_caller_keeps_theirs() -> None:
    before, seen = torch.get_num_threads(), set()

    def watched(network: Any, batch: Any) -> Any:
        seen.add(torch.get_num_threads())
        return loss(network, batch)

    fit(learner(loss=watched, is_small=True), OPTIONS)
    assert (seen, torch.get_num_threads()) == ({1}, before)


def test_losses_are_means_over_examples() -> None:
    """Batches of 8, 8 and 4: the last one counts half."""
    plain = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Flatten(0))
    expected = float(loss(plain, Line.of().batch(np.arange(20))).detach())
    history = fit(learner(network=plain), replace(OPTIONS, epochs=1, rate=1e-12))
    assert history.epochs[0].loss == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(("lower", "best"), [((), 2), (("score",), 3)])
def test_the_weights_of_the_best_epoch_are_kept(lower: tuple[str, ...], best: int) -> None:
    history, found = trained(
        validate=Scripted([0.3, 0.9, 0.1, 0.5]), stop_by="score", lower_is_better=lower, network=network()
    )
    assert history.best == best
    assert history.best_scores["score"] == [0.9, 0.1][best - 2]
    stopped, expected = trained(replace(OPTIONS, epochs=best), network=network())
    assert [epoch.loss for epoch in stopped.epochs] == [epoch.loss for epoch in history.epochs[:best]]
    assert found == expected


def test_without_a_score_to_stop_by_the_last_weights_are_kept() -> None:
    history, found = trained(validate=Scripted([0.9, 0.1, 0.1, 0.1]))
    assert history.best == 4
    assert found == trained()[1]


def test_patience_ends_training_and_of_equal_epochs_the_last_is_kept() -> None:
    scores = Scripted([0.3, 0.5, 0.5, 0.4, 0.9, 0.9])
    history, _ = trained(replace(OPTIONS, epochs=6, patience=2), validate=scores, stop_by="score")
    assert (len(history.epochs), history.best) == (4, 3)
    everything, _ = trained(replace(OPTIONS, epochs=6, patience=0), validate=replace(scores, calls=0), stop_by="score")
    assert (len(everything.epochs), everything.best) == (6, 6)


def test_an_undefined_score_is_never_the_best() -> None:
    nan = float("nan")
    history, _ = trained(validate=Scripted([nan, 0.1, nan, 0.05]), stop_by="score")
    assert history.best == 2


def test_an_unknown_score_costs_one_line() -> None:
    with pytest.raises(UsageError) as refused:
        trained(validate=Scripted([0.1] * 4), stop_by="scor")
    assert str(refused.value) == "no validation score is called 'scor' - did you mean 'score'?"
    with pytest.raises(UsageError, match="nothing is validated that could have the score 'f1'"):
        trained(stop_by="f1")


def test_nothing_to_learn_from_or_to_train_costs_one_line() -> None:
    with pytest.raises(UsageError, match="there is nothing to learn from"):
        trained(examples=Line.of(0))
    frozen = network()
    frozen.requires_grad_(False)
    with pytest.raises(UsageError, match="no parameter of the network is to be trained"):
        trained(network=frozen)


def test_a_loss_that_is_no_number_costs_one_line() -> None:
    with pytest.raises(KataribeError) as stopped:
        trained(loss=lambda network, batch: loss(network, batch) * float("nan"), name="line")
    assert str(stopped.value) == "line: the loss is nan in epoch 1 - a lower rate or a smaller clip keeps it finite"


def moved(**changes: Any) -> dict[str, float]:
    """How far each parameter goes in one step."""
    made = learner(network=torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Flatten(0)), **changes)
    before = {name: value.detach().clone() for name, value in made.network.named_parameters()}
    fit(made, replace(OPTIONS, epochs=1, batch=20))
    return {name: (value.detach() - before[name]).abs().max().item() for name, value in made.network.named_parameters()}


def test_clipping_bounds_the_whole_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    norms = []

    class Watched(torch.optim.AdamW):
        def step(self, *arguments: Any, **named: Any) -> Any:
            gradients = [p.grad for group in self.param_groups for p in group["params"] if p.grad is not None]
            norms.append(float(torch.cat([gradient.flatten() for gradient in gradients]).norm()))
            return super().step(*arguments, **named)

    monkeypatch.setattr(torch.optim, "AdamW", Watched)
    trained(replace(OPTIONS, clip=0.25, epochs=2))
    clipped, norms = norms[:], []
    trained(replace(OPTIONS, clip=0.0, epochs=2))
    assert max(clipped) == pytest.approx(0.25, rel=1e-3)
    assert max(norms) > 1


def test_parameters_have_rates_of_their_own_by_the_start_of_their_names() -> None:
    """Adam's first step is as long as its rate."""
    assert moved(rates={"0.bias": 0.002}) == pytest.approx({"0.weight": 0.01, "0.bias": 0.002}, rel=1e-3)
    assert moved(rates={"0": 0.003, "0.bias": 0.002}) == pytest.approx({"0.weight": 0.003, "0.bias": 0.002}, rel=1e-3)


def test_parameters_have_decays_of_their_own() -> None:
    """Under a loss that has no slope, weights that decay shrink by rate times decay, and others stay."""
    plain = torch.nn.Linear(2, 1)
    before = {name: value.detach().clone() for name, value in plain.named_parameters()}
    flat = learner(network=plain, loss=lambda network, batch: network(batch[0]).mean() * 0, decays={"weight": 2.0})
    fit(flat, replace(OPTIONS, epochs=1, batch=20))
    assert torch.allclose(plain.weight, before["weight"] * (1 - 0.01 * 2))
    assert torch.equal(plain.bias, before["bias"])


def test_frozen_parameters_do_not_move() -> None:
    made = learner()
    made.network[0].weight.requires_grad_(False)
    before, free = made.network[0].weight.detach().clone(), made.network[0].bias.detach().clone()
    fit(made, replace(OPTIONS, decay=0.1))
    assert torch.equal(made.network[0].weight, before)
    assert not torch.equal(made.network[0].bias, free)


@pytest.mark.parametrize(
    ("schedule", "expected"), [("cosine", [0.1, 0.2, 0.3, 0.15]), ("noam", [0.1, 0.2, 0.3, 0.3 * math.sqrt(3 / 4)])]
)
def test_the_rate_rises_and_falls_as_asked(
    monkeypatch: pytest.MonkeyPatch, schedule: Any, expected: list[float]
) -> None:
    """Four steps: of one epoch, two of them warm."""
    rates = []

    class Watched(torch.optim.AdamW):
        def step(self, *arguments: Any, **named: Any) -> Any:
            rates.append(self.param_groups[0]["lr"])
            return super().step(*arguments, **named)

    monkeypatch.setattr(torch.optim, "AdamW", Watched)
    trained(replace(OPTIONS, epochs=1, batch=5, rate=0.3, warmup=0.5, schedule=schedule))
    assert rates == pytest.approx(expected)


def test_rows_of_an_epoch_may_be_put_in_order() -> None:
    """Batches are cut from what `arrange` gives: here always the same, whatever was drawn."""
    drawn, taken = [], []

    def arrange(rows: Any, batch: int) -> Any:
        drawn.append(rows.tolist())
        return np.sort(rows)

    class Watched:
        def __len__(self) -> int:
            return len(Line.of())

        def batch(self, rows: Any) -> Any:
            taken.append(rows.tolist())
            return Line.of().batch(rows)

    fit(replace(learner(), examples=Watched(), arrange=arrange), replace(OPTIONS, epochs=2, batch=5))
    assert drawn[0] != drawn[1]
    assert [row for rows in taken for row in rows] == 2 * list(range(len(Line.of())))


def test_decay_pulls_weights_towards_nought() -> None:
    def norm(decay: float) -> float:
        return float(np.linalg.norm(trained(replace(OPTIONS, epochs=20, decay=decay))[1]))

    assert norm(5.0) < norm(0.0)


def test_half_precision_runs_on_the_cpu_and_leaves_no_trace() -> None:
    made = learner()
    seen = set()

    def watched(network: Any, batch: Any) -> Any:
        network[0].register_forward_hook(lambda layer, inputs, output: seen.add(output.dtype))
        return loss(network, batch)

    history = fit(replace(made, loss=watched), replace(OPTIONS, precision="bf16"))
    assert seen == {torch.bfloat16}
    assert np.isfinite([epoch.loss for epoch in history.epochs]).all()
    seen.clear()
    inputs = Line.of().inputs
    assert {parameter.dtype for parameter in made.network.parameters()} == {torch.float32}
    fresh = network()
    fresh.load_state_dict(made.network.state_dict())
    assert torch.equal(made.network(inputs), fresh.eval()(inputs))
    assert seen == {torch.float32}
    pickle.dumps(fresh)


def test_what_the_machine_cannot_do_costs_one_line() -> None:
    with pytest.raises(UsageError, match='precision="fp16": needs a graphics card'):
        trained(replace(OPTIONS, precision="fp16"))


def test_tensorboard_gets_losses_and_scores(tmp_path: Path) -> None:
    events = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", reason="needs the package tensorboard"
    )
    options = replace(OPTIONS, tracker="tensorboard", log_folder=tmp_path / "log")
    history, _ = trained(options, validate=Scripted([0.1, 0.2, 0.3, 0.4]))
    [file] = (tmp_path / "log").rglob("events.*")
    read = events.EventAccumulator(str(file.parent))
    read.Reload()
    assert [event.value for event in read.Scalars("score")] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert [event.value for event in read.Scalars("loss")] == pytest.approx([e.loss for e in history.epochs])


def test_an_unknown_or_absent_tracker_costs_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="Unsupported logging capability: tensorbord"):
        trained(replace(OPTIONS, tracker="tensorbord"))
    import accelerate.tracking

    monkeypatch.setattr(accelerate.tracking, "get_available_trackers", list)
    monkeypatch.setattr("warnings.warn", lambda *arguments, **named: None)
    with pytest.raises(UsageError, match="the tracker 'wandb' is not installed - pip install wandb"):
        trained(replace(OPTIONS, tracker="wandb"))


def test_training_says_how_far_it_is() -> None:
    said: list[tuple[str, int, int]] = []
    with reporting(lambda *told: said.append(told)):
        trained(name="line")
    assert said == [("line", step, 12) for step in range(1, 13)]


def test_any_nesting_of_tensors_is_a_batch() -> None:
    class Named(Line):
        def batch(self, rows: Any) -> Any:
            inputs, targets = super().batch(rows)
            return {"pair": [inputs, targets], "names": ["a", "b"]}

    made = Named(*[getattr(Line.of(), name) for name in ("inputs", "targets")])
    found = trained(examples=made, loss=lambda network, batch: loss(network, batch["pair"]))
    assert found == trained()


def test_validation_sees_the_network_as_it_is_used() -> None:
    modes = []

    def validate(network: Any) -> dict[str, float]:
        modes.append((network.training, torch.is_grad_enabled()))
        return {"score": 1.0}

    made: Learner = learner(validate=validate)
    fit(made, OPTIONS)
    assert set(modes) == {(False, False)}
