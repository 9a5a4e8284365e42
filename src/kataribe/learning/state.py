"""Where a training run stands, on disk: what a run that was stopped needs to come to the same end.

    STATE/epoch-7/last/             weights, optimizer, schedule and random numbers after epoch 7, by accelerate
    STATE/epoch-7/best.safetensors  the weights of the best epoch so far
    STATE/run.json                  what is trained how, the epochs so far and the SHA-256 of the files of the last one

A new epoch is written beside the one before, `run.json` is replaced, and only then the old one goes: a run that is
killed while it writes loses one epoch at most.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError, OutputError, shorten
from kataribe.core.need import need
from kataribe.learning.options import FitOptions
from kataribe.learning.result import Epoch

_RUN = "run.json"
# Where and beside what else it is trained changes nothing but the speed.
_FREE = ("device", "tracker", "log_folder")
_ANEW = "delete the folder to begin anew"


@dataclass(frozen=True)
class _Written:
    """What `run.json` says."""

    about: dict[str, Any]
    epochs: list[Epoch] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)


class State:
    """Kept in memory, and in a folder where there is one."""

    def __init__(self, folder: Path | None, about: Mapping[str, Any]) -> None:
        self.folder, self.about = folder, dict(about)
        self._best: dict[str, Any] = {}

    def restore(self, accelerator: Any) -> list[Epoch]:
        """Bring the prepared objects to where the run stood; the epochs so far."""
        if self.folder is None:
            return []
        _check_place(self.folder)
        written = self._read()
        if written is not None and written.epochs:
            self._restore(accelerator, written)
        accelerator.wait_for_everyone()
        if written is None and accelerator.is_main_process:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._write([], {})
            except OSError as error:
                raise self._unwritable(error) from None
        return written.epochs if written is not None else []

    def _restore(self, accelerator: Any, written: _Written) -> None:
        assert self.folder is not None
        kept = _folder_of(self.folder, written.epochs)
        try:
            if _hashes(kept) != written.files:
                raise ValueError(f"files of {kept.name} are missing or damaged")
            self._best = need("safetensors.torch", extra="models", purpose="training").load_file(
                kept / "best.safetensors"
            )
            accelerator.load_state(str(kept / "last"))
        except Exception as error:  # whatever does not fit in there
            problem = f"this training run cannot be taken up again ({shorten(' '.join(str(error).split()), 120)})"
            raise InputError(problem, file=self.folder, hint=_ANEW) from None

    def save(self, accelerator: Any, epochs: list[Epoch], best: dict[str, Any] | None) -> None:
        if best is not None:
            self._best = best
        if self.folder is None:
            return
        here = _folder_of(self.folder, epochs)
        try:
            if accelerator.is_main_process:
                shutil.rmtree(here, ignore_errors=True)
                here.mkdir(parents=True)
            accelerator.wait_for_everyone()
            accelerator.save_state(str(here / "last"))
            accelerator.wait_for_everyone()
            if accelerator.is_main_process:
                need("safetensors.torch", extra="models", purpose="training").save_file(
                    {name: tensor.contiguous() for name, tensor in self._best.items()}, here / "best.safetensors"
                )
                self._write(epochs, _hashes(here))
                self._forget_others(here)
        except OSError as error:
            raise self._unwritable(error) from None

    def best_weights(self) -> dict[str, Any]:
        return self._best

    def _write(self, epochs: list[Epoch], files: dict[str, str]) -> None:
        assert self.folder is not None
        temporary = self.folder / f".{_RUN}"
        temporary.write_text(json.dumps(asdict(_Written(self.about, epochs, files))), encoding="utf-8")
        temporary.replace(self.folder / _RUN)

    def _read(self) -> _Written | None:
        """None of a new run; a run with other settings is refused."""
        assert self.folder is not None
        if not (self.folder / _RUN).exists():
            return None
        try:
            content = json.loads((self.folder / _RUN).read_text(encoding="utf-8"))
            epochs = [Epoch(int(e["number"]), float(e["loss"]), dict(e["scores"])) for e in content["epochs"]]
            written = _Written(dict(content["about"]), epochs, dict(content["files"]))
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            problem = f"is not the state of a training run ({shorten(error)})"
            raise InputError(problem, file=self.folder / _RUN, hint=_ANEW) from None
        self._refuse_others(written.about)
        return written

    def _refuse_others(self, about: Mapping[str, Any]) -> None:
        for name in {**self.about, **about}:
            if about.get(name) != self.about.get(name):
                was, now = (shorten(json.dumps(side.get(name)), 60) for side in (about, self.about))
                raise InputError(
                    f"is of a training run with other settings ({name} was {was}, now {now})",
                    file=self.folder,
                    hint="give the same settings, or another folder",
                )

    def _forget_others(self, here: Path) -> None:
        assert self.folder is not None
        for other in self.folder.glob("epoch-*"):
            if other != here:
                shutil.rmtree(other, ignore_errors=True)

    def _unwritable(self, error: OSError) -> OutputError:
        return OutputError(f"{self.folder}: cannot be written ({error.strerror})", hint="choose another place")


def open_state(folder: Path | None, options: FitOptions, about: Mapping[str, Any]) -> State:
    """The state of a run with these options; its folder may hold an earlier part of the same run."""
    settings = {name: value for name, value in asdict(options).items() if name not in _FREE}
    # Through JSON, so that what was written and read again compares equal.
    return State(folder, json.loads(json.dumps({**settings, **about}, default=str)))


def _check_place(folder: Path) -> None:
    """Epochs that are no longer needed are deleted, so nothing else may be in there."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: is a file; the state of a training run is a folder", hint="choose another place")
    if folder.is_dir() and not (folder / _RUN).exists() and any(folder.iterdir()):
        raise OutputError(
            f"{folder}: holds other things than the state of a training run", hint="name a new or empty folder"
        )


def _folder_of(folder: Path, epochs: list[Epoch]) -> Path:
    return folder / f"epoch-{len(epochs)}"


def _hashes(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file: accelerate goes on without random numbers that it cannot read."""
    found = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            found[path.relative_to(folder).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    return found
