"""A run that was stopped, at any moment, goes on and comes to the same end."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="training needs kataribe[models]")
pytest.importorskip("accelerate", reason="training needs kataribe[models]")

import torch

from kataribe.core.errors import InputError, KataribeError, OutputError
from kataribe.learning.fit import fit
from tests.learning.tiny import OPTIONS, Line, Scripted, learner, loss, weights

SCORES = [0.3, 0.9, 0.1, 0.5]
# Batches of 8 of 20 examples: three steps in an epoch.
STEPS = 3


class Interrupting:
    """A loss after which somebody presses Ctrl-C."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def __call__(self, network: Any, batch: Any) -> Any:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return loss(network, batch)


def scored(calls: int = 0, **changes: Any) -> Any:
    return learner(validate=Scripted(SCORES, calls=calls), stop_by="score", **changes)


@pytest.mark.parametrize("options", [OPTIONS, replace(OPTIONS, schedule="cosine", warmup=0.3, decay=0.1)])
@pytest.mark.parametrize("steps", [1, STEPS, STEPS + 1, 2 * STEPS, 3 * STEPS + 2])
def test_an_interrupted_run_comes_to_the_same_losses_and_weights(tmp_path: Path, steps: int, options: Any) -> None:
    whole = scored()
    expected = fit(whole, options)
    with pytest.raises(KeyboardInterrupt):
        fit(scored(loss=Interrupting(steps)), options, state=tmp_path / "state")
    again = scored(calls=steps // STEPS)
    assert fit(again, options, state=tmp_path / "state") == expected
    assert weights(again.network) == weights(whole.network)


def test_a_finished_run_is_not_trained_again(tmp_path: Path) -> None:
    first, second = scored(), scored(loss=Interrupting(0))
    expected = fit(first, OPTIONS, state=tmp_path / "state")
    assert fit(second, OPTIONS, state=tmp_path / "state") == expected
    assert weights(second.network) == weights(first.network)
    assert sorted(path.name for path in (tmp_path / "state").iterdir()) == ["epoch-4", "run.json"]


def test_an_interruption_while_the_state_is_written_costs_one_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kataribe.learning.state import State

    write, left = State._write, [3]

    def interrupted(*arguments: Any) -> None:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        write(*arguments)

    monkeypatch.setattr(State, "_write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fit(scored(), OPTIONS, state=tmp_path / "state")
    monkeypatch.undo()
    assert len(json.loads((tmp_path / "state" / "run.json").read_text())["epochs"]) == 1
    whole, again = scored(), scored(calls=1)
    assert fit(again, OPTIONS, state=tmp_path / "state") == fit(whole, OPTIONS)
    assert weights(again.network) == weights(whole.network)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    with pytest.raises(KeyboardInterrupt):
        fit(learner(loss=Interrupting(2 * STEPS)), OPTIONS, state=tmp_path / "state", about={"data": "line"})
    return tmp_path / "state"


def refusal(state: Path, options=OPTIONS, about: Any = None, **changes: Any) -> str:
    with pytest.raises(KataribeError) as refused:
        fit(learner(**changes), options, state=state, about=about or {"data": "line"})
    line = str(refused.value)
    assert isinstance(refused.value, InputError | OutputError)
    assert "\n" not in line
    assert line.startswith(str(state))
    return line


def test_the_state_of_another_run_is_refused(state: Path) -> None:
    assert "other settings (rate was 0.01, now 0.02)" in refusal(state, replace(OPTIONS, rate=0.02))
    assert "other settings (seed was 0, now 3)" in refusal(state, replace(OPTIONS, seed=3))
    assert '(data was "line", now "curve")' in refusal(state, about={"data": "curve"})
    assert "(head was null, now 3)" in refusal(state, about={"data": "line", "head": 3})
    assert "(examples was 20, now 30)" in refusal(state, examples=Line.of(30))
    assert '(stop_by was null, now "score")' in refusal(state, validate=Scripted(SCORES), stop_by="score")


def test_another_place_to_train_is_the_same_run(state: Path, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    options = replace(OPTIONS, device="auto", tracker="tensorboard", log_folder=tmp_path / "log")
    assert len(fit(learner(), options, state=state, about={"data": "line"}).epochs) == 4


@pytest.mark.parametrize(
    "file", ["last/model.safetensors", "last/optimizer.bin", "last/random_states_0.pkl", "best.safetensors"]
)
def test_a_damaged_state_is_refused(state: Path, file: str) -> None:
    damaged = state / "epoch-2" / file
    content = damaged.read_bytes()
    damaged.write_bytes(content[: len(content) // 2])
    assert "cannot be taken up again (files of epoch-2 are missing or damaged)" in refusal(state)
    damaged.unlink()
    assert "delete the folder to begin anew" in refusal(state)


def test_a_network_of_another_shape_is_refused(state: Path) -> None:
    wide = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Flatten(0))
    assert "cannot be taken up again" in refusal(state, network=wide)


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"about": 5, "epochs": [], "files": {}}', '{"about": {}, "epochs": 5, "files": {}}', "[" * 9999,
     '{"about": {}, "epochs": [{"number": "x", "loss": 1, "scores": {}}], "files": {}}'],
)  # fmt: skip
def test_a_foreign_or_damaged_run_file_is_refused(state: Path, content: str) -> None:
    (state / "run.json").write_text(content)
    assert "is not the state of a training run" in refusal(state)


def test_epochs_that_are_gone_are_noticed(state: Path) -> None:
    shutil.rmtree(state / "epoch-2")
    assert "are missing or damaged" in refusal(state)


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "epoch-3").mkdir()
    (tmp_path / "epoch-3" / "mine.txt").write_text("years of work")
    assert "holds other things than the state of a training run" in refusal(tmp_path)
    (tmp_path / "file").write_text("mine")
    assert "is a file" in refusal(tmp_path / "file")
    assert (tmp_path / "epoch-3" / "mine.txt").read_text() == "years of work"


def test_a_place_that_cannot_be_written_is_refused_before_training(tmp_path: Path) -> None:
    if not Path("/proc").is_dir():
        pytest.skip("no place here that nobody can write to")
    assert "cannot be written" in refusal(Path("/proc/kataribe-state"), loss=Interrupting(0))
