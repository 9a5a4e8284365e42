"""One file for all that the media stages find in a film: a NumPy archive (.npz) with a header in JSON.

    header           {"format": 1, "kataribe": VERSION, "video": {"name", "bytes", "ends"}, "stages": {NAME: recipe}}
    STAGE.NAME       the arrays of a stage: "faces.box", "speech.start", ...

It is written whole or not at all. While a stage runs, what it has found so far lies beside it in FILE.parts, a part
for each minute of film; a run that stops goes on after the last part, and the folder goes when the stage is done. A
stage that is in the file for the same film with the same recipe is not run again.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import kataribe
from kataribe.core.errors import InputError, OutputError
from kataribe.core.types import Array
from kataribe.formats.output import check_writable, write_whole
from kataribe.media.stage import Arrays, Chunk, Stage, joined, run_through

FORMAT = 1
_ENDS = 1 << 20
T = TypeVar("T")


@dataclass(frozen=True)
class Features:
    """What a feature file holds; arrays are read when they are asked for."""

    path: Path
    video: Mapping[str, Any] = field(default_factory=dict)
    stages: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def arrays(self, stage: str) -> Arrays:
        """The arrays of a stage by their names, none where it was not run."""
        with _opened(self.path) as archive:
            prefix = f"{stage}."
            return {name.removeprefix(prefix): archive[name] for name in archive.files if name.startswith(prefix)}


def read_features(path: Path) -> Features:
    """The header of a feature file; a file that is none is named."""
    with _opened(path) as archive:
        try:
            header = json.loads(str(archive["header"]))
            if header["format"] != FORMAT:
                problem = f"is a feature file of format {header['format']}; this version reads {FORMAT}"
                raise InputError(problem, file=path, hint="make it again with this version")
            return Features(path, header["video"], header["stages"])
        except (KeyError, TypeError, json.JSONDecodeError):
            raise _no_feature_file(path) from None


def look(stage: Stage[T], video: Path, features: Path | None = None) -> T:
    """What a stage finds in a film, taken from the feature file or added to it; without one nothing is kept."""
    if features is None:
        return run_through(stage, video)
    arrays = _kept(stage, video, features)
    if arrays is None:
        check_writable(features, [video])
        parts = _Parts(parts_of(features), stage.name, _describe(stage, video))
        arrays = stage.conclude(joined(_followed(stage, video, parts)))
        _add(features, video, stage, arrays)
        parts.remove()
    return stage.value(arrays)


def parts_of(features: Path) -> Path:
    """Where the parts of unfinished stages lie."""
    return features.with_name(f"{features.name}.parts")


def _kept(stage: Stage[T], video: Path, features: Path) -> Arrays | None:
    if not features.exists():
        return None
    held = read_features(features)
    if held.video != video_id(video):
        problem = f"belongs to another video than {video.name}: {held.video.get('name')}"
        raise OutputError(f"{features}: {problem}", hint="name another file, one for each film")
    if held.stages.get(stage.name) != _plain(stage.recipe):
        return None
    return held.arrays(stage.name)


def _followed(stage: Stage[T], video: Path, parts: _Parts) -> Iterator[Chunk]:
    last = None
    for last in parts.read():
        yield last
    for chunk in stage.chunks(video, last):
        parts.keep(chunk)
        yield chunk


def _add(features: Path, video: Path, stage: Stage[T], arrays: Arrays) -> None:
    """The file as it is now, with this stage in place of an older one."""
    stages: dict[str, Any] = {}
    content: dict[str, Array] = {}
    if features.exists():
        held = read_features(features)
        stages = {name: recipe for name, recipe in held.stages.items() if name != stage.name}
        content = {f"{name}.{key}": rows for name in stages for key, rows in held.arrays(name).items()}
    stages[stage.name] = _plain(stage.recipe)
    header = {"format": FORMAT, "kataribe": kataribe.__version__, "video": video_id(video), "stages": stages}
    content |= {f"{stage.name}.{key}": rows for key, rows in arrays.items()}
    write_whole(features, _packed(header, content))


def video_id(video: Path) -> dict[str, Any]:
    """What tells one film from another without reading gigabytes: its size, and a hash of its first and last MiB."""
    if not video.is_file():
        raise InputError("there is no such file", file=video, hint="check the path")
    size = video.stat().st_size
    with video.open("rb") as file:
        digest = hashlib.sha256(file.read(_ENDS))
        file.seek(max(0, size - _ENDS))
        digest.update(file.read(_ENDS))
    return {"name": video.name, "bytes": size, "ends": digest.hexdigest()}


def _describe(stage: Stage[T], video: Path) -> dict[str, Any]:
    return {"video": video_id(video), "recipe": _plain(stage.recipe)}


def _plain(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """As JSON gives it back."""
    plain: dict[str, Any] = json.loads(json.dumps(recipe))
    return plain


def _packed(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> bytes:
    buffer = io.BytesIO()
    named: dict[str, Any] = {"header": np.array(json.dumps(header, ensure_ascii=False)), **arrays}
    np.savez(buffer, **named)
    return buffer.getvalue()


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            if not hasattr(archive, "files"):
                raise _no_feature_file(path)
            yield archive
    except FileNotFoundError:
        raise InputError("there is no such file", file=path, hint="check the path") from None
    except (OSError, ValueError, zipfile.BadZipFile, EOFError):
        raise _no_feature_file(path) from None


def _no_feature_file(path: Path) -> InputError:
    return InputError("is no feature file, or is damaged", file=path, hint="`kataribe media` makes them; remove it")


@dataclass(frozen=True)
class _Parts:
    """The chunks of a stage that is not done, each a file of its own."""

    folder: Path
    stage: str
    described: Mapping[str, Any]

    def read(self) -> list[Chunk]:
        """Those of the same film and recipe, up to the first that is missing or damaged; the others go."""
        chunks: list[Chunk] = []
        while (chunk := self._chunk(self._file(len(chunks)))) is not None:
            chunks.append(chunk)
        for file in sorted(self.folder.glob(f"{self.stage}-*.npz"))[len(chunks) :]:
            file.unlink()
        return chunks

    def keep(self, chunk: Chunk) -> None:
        self.folder.mkdir(exist_ok=True)
        header = {**self.described, "until": chunk.until}
        arrays = {f"rows.{name}": rows for name, rows in chunk.rows.items()}
        arrays |= {f"state.{name}": rows for name, rows in chunk.state.items()}
        number = len(list(self.folder.glob(f"{self.stage}-*.npz")))
        write_whole(self._file(number), _packed(header, arrays))

    def remove(self) -> None:
        for file in self.folder.glob(f"{self.stage}-*.npz"):
            file.unlink()
        with contextlib.suppress(OSError):  # other stages may have parts there
            self.folder.rmdir()

    def _file(self, number: int) -> Path:
        return self.folder / f"{self.stage}-{number:05}.npz"

    def _chunk(self, file: Path) -> Chunk | None:
        if not file.exists():
            return None
        try:
            with _opened(file) as archive:
                header = json.loads(str(archive["header"]))
                until = header.pop("until")
                if header != self.described:
                    return None
                groups: dict[str, dict[str, Array]] = {"rows": {}, "state": {}}
                for name in archive.files:
                    group, _, key = name.partition(".")
                    if key:
                        groups[group][key] = archive[name]
                return Chunk(until, groups["rows"], groups["state"])
        except (InputError, KeyError, json.JSONDecodeError):
            return None
