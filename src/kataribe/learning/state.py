"""Where a training run stands, on disk: what a run that was stopped needs to come to the same end.

    STATE/epoch-7/last/             weights, optimizer, schedule and random numbers after epoch 7, by accelerate
    STATE/epoch-7/best.safetensors  the weights of the best epoch so far
    STATE/run.json                  what is trained how, and the epochs so far; it names the epoch that counts

A new epoch is written beside the one before, `run.json` is replaced, and only then the old one goes: a run that is
killed while it writes loses one epoch at most.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError, OutputError, shorten
from kataribe.core.need import need
from kataribe.learning.options import FitOptions
from kataribe.learning.result import Epoch

_RUN = "run.json"
# Where and beside what else it is trained changes nothing but the speed.
_FREE = ("device", "tracker", "log_folder")


class State:
    """Kept in memory, and in a folder where there is one."""

    def __init__(self, folder: Path | None, about: Mapping[str, Any]) -> None:
        self.folder, self.about = folder, about
        self._best: dict[str, Any] = {}

    def restore(self, accelerator: Any) -> list[Epoch]:
        """Bring the prepared objects to where the run stood; the epochs so far."""
        if self.folder is None or not (self.folder / _RUN).exists():
            return []
        epochs = self._read()
        kept = self.folder / f"epoch-{len(epochs)}"
        try:
            self._best = need("safetensors.torch", extra="models", purpose="training").load_file(self._best_file)
            accelerator.load_state(str(kept / "last"))
        except Exception as error:  # whatever is damaged in there
            raise InputError(
                f"a training run cannot be taken up again ({shorten(error, 120)})",
                file=self.folder,
                hint="delete the folder to begin anew",
            ) from None
        return epochs

    def save(self, accelerator: Any, epochs: list[Epoch], best: dict[str, Any] | None) -> None:
        if best is not None:
            self._best = best
        if self.folder is None:
            return
        here = self.folder / f"epoch-{len(epochs)}"
        try:
            if accelerator.is_main_process:
                shutil.rmtree(here, ignore_errors=True)
                here.mkdir(parents=True)
            accelerator.wait_for_everyone()
            accelerator.save_state(str(here / "last"))
            if accelerator.is_main_process:
                need("safetensors.torch", extra="models", purpose="training").save_file(
                    {name: tensor.contiguous() for name, tensor in self._best.items()}, here / "best.safetensors"
                )
                self._write(epochs)
                self._forget_others(here)
            accelerator.wait_for_everyone()
        except OSError as error:
            raise OutputError(
                f"{self.folder}: cannot be written ({error.strerror})", hint="choose another place"
            ) from None

    def best_weights(self) -> dict[str, Any]:
        return self._best

    @property
    def _best_file(self) -> Path:
        assert self.folder is not None
        return self.folder / f"epoch-{len(self._read())}" / "best.safetensors"

    def _write(self, epochs: list[Epoch]) -> None:
        assert self.folder is not None
        temporary = self.folder / f".{_RUN}"
        temporary.write_text(json.dumps({"about": self.about, "epochs": [asdict(epoch) for epoch in epochs]}))
        temporary.replace(self.folder / _RUN)

    def _read(self) -> list[Epoch]:
        assert self.folder is not None
        try:
            content = json.loads((self.folder / _RUN).read_text(encoding="utf-8"))
            epochs = [Epoch(**epoch) for epoch in content["epochs"]]
            about = content["about"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"is not the state of a training run ({shorten(error)})",
                file=self.folder / _RUN,
                hint="delete it to begin anew",
            ) from None
        differing = [name for name in {**about, **self.about} if about.get(name) != self.about.get(name)]
        if differing:
            name = differing[0]
            was, now = (shorten(json.dumps(side.get(name)), 60) for side in (about, self.about))
            raise InputError(
                f"is of a training run with other settings ({name} was {was}, now {now})",
                file=self.folder,
                hint="give the same settings, or another folder",
            )
        return epochs

    def _forget_others(self, here: Path) -> None:
        assert self.folder is not None
        for other in self.folder.glob("epoch-*"):
            if other != here:
                shutil.rmtree(other, ignore_errors=True)


def open_state(folder: Path | None, options: FitOptions, about: Mapping[str, Any]) -> State:
    """The state of a run with these options; its folder may hold an earlier part of the same run."""
    settings = {name: value for name, value in asdict(options).items() if name not in _FREE}
    # Through JSON, so that what was written and read again compares equal.
    return State(folder, json.loads(json.dumps({**settings, **about}, default=str)))
