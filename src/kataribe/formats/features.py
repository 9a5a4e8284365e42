"""Vectors that somebody extracted elsewhere: id -> one vector, or a table of several (frames, tokens, references).

    .npz                   one array for each id
    .safetensors           one tensor for each id
    .h5, .hdf5             one dataset for each id; ids with slashes are paths of groups

A file is opened once and read entry by entry, so it may be larger than memory.
"""

from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.errors import Location, UsageError, some
from kataribe.core.need import need
from kataribe.core.types import Float32s
from kataribe.formats.source import extension

_KINDS = (".npz", ".safetensors", ".h5", ".hdf5")


class Features:
    """
    >>> features = read_features({"dog": [3.0, 4.0], "cat": [[1.0, 0.0], [0.0, 1.0]]})
    >>> features["dog"].shape, features["cat"].shape, features.width
    ((1, 2), (2, 2), 2)
    """

    def __init__(
        self,
        file: Path | None,
        ids: Collection[str],
        read: Callable[[str], Any],
        names: Mapping[str, str] | None = None,
    ) -> None:
        """`names` are those that the file has for the ids, where they differ."""
        self.file = file
        self.ids = frozenset(ids)
        self._read = read
        self._names = names
        self._lock = threading.Lock()  # none of the three formats promises to serve several threads
        self.width: int | None = None

    def __contains__(self, id: str) -> bool:
        return id in self.ids

    def __getitem__(self, id: str) -> Float32s:
        """The vectors of one id, as a table; anything that is not a finite number is refused."""
        location = Location(self.file, id)
        if id not in self.ids:
            raise location.error("has no features", hint="extract them, or leave the item out")
        try:
            with self._lock:
                values = np.asarray(self._read(self._names[id] if self._names else id))
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
            raise location.error(f"cannot be read ({error})", hint="save it as float32 or float16") from None
        if values.dtype.kind not in "fiu" or values.ndim not in (1, 2) or not values.size:
            raise location.error(
                f"is a {values.dtype} array of shape {values.shape}", hint="give numbers, one vector or vectors x width"
            )
        vectors = np.atleast_2d(values).astype(np.float32)
        if not np.isfinite(vectors).all():
            raise location.error("holds a number that is not finite (NaN or infinity)")
        if self.width is None:
            self.width = vectors.shape[1]
        if vectors.shape[1] != self.width:
            raise location.error(f"is {vectors.shape[1]} wide, others are {self.width}")
        return vectors

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Another process opens the file for itself; what is in memory goes along."""
        if self.file is not None:
            return _reopened, (self.file, self._names)
        return read_features, ({id: self[id] for id in sorted(self.ids)},)

    def only(self, ids: Iterable[str]) -> Features:
        """Some of them, where all are in memory or go by other names; a file is left as it is."""
        kept = [id for id in ids if id in self.ids]
        if self._names is not None:
            return Features(self.file, kept, self._read, {id: self._names[id] for id in kept})
        return self if self.file else Features(None, kept, self._read)

    def renamed(self, names: Mapping[str, str]) -> Features:
        """The same vectors by other ids: `names` are the ids that they have here.

        >>> read_features({"dog.jpg": [3.0, 4.0]}).renamed({"1": "dog.jpg", "2": "dog.jpg"})["2"].tolist()
        [[3.0, 4.0]]
        """
        return Features(self.file, names, self._read, dict(names))

    def refuse_missing(self, ids: Iterable[str]) -> None:
        absent = [id for id in ids if id not in self.ids]
        if absent:
            raise Location(self.file).error(
                f"has no features for {len(absent):,} items: {some(absent)}",
                hint=f"it has {some(sorted(self.ids))}; ids must be those of the predictions",
            )

    def key(self, id: str) -> str:
        """Hexadecimal digits that tell the vectors of one id from any others."""
        vectors = self[id]
        digest = hashlib.blake2b(f"{vectors.shape} ".encode(), digest_size=16)
        digest.update(np.ascontiguousarray(vectors).data)
        return digest.hexdigest()

    def has_zeros(self, id: str) -> bool:
        """Whether one of its vectors is all zeros: nothing is similar to that."""
        return not self[id].any(axis=1).all()


Source = str | Path | Mapping[str, Any] | Features


def read_features(source: Source) -> Features:
    """A file of features, or a plain dictionary of arrays; features that were read are as they are."""
    if isinstance(source, Features):
        return source
    if isinstance(source, Mapping):
        named = {str(id): values for id, values in source.items()}
        return Features(None, named, named.__getitem__)
    path = Path(source)
    kind = extension(path)
    if kind not in _KINDS:
        raise UsageError(f"{path}: features are read from {', '.join(_KINDS)}", hint="save them as one of these")
    if not path.is_file():
        raise Location(path).error("there is no such file", hint="check the path")
    try:
        features = {".npz": _npz, ".safetensors": _safetensors}.get(kind, _hdf5)(path)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise Location(path).error(f"is not a {kind} file ({error})") from None
    if not features.ids:
        raise Location(path).error("holds no features")
    return features


def _reopened(path: Path, names: Mapping[str, str] | None) -> Features:
    features = read_features(path)
    return features if names is None else features.renamed(names)


def _npz(path: Path) -> Features:
    if not zipfile.is_zipfile(path):
        raise ValueError("it is no archive of arrays")
    # Without pickles: an array of objects could run code.
    archive = np.load(path, allow_pickle=False)
    return Features(path, archive.files, archive.__getitem__)


def _safetensors(path: Path) -> Features:
    safetensors = need("safetensors", extra="models", purpose=f"reading {path}")
    try:
        opened = safetensors.safe_open(path, framework="numpy")
    except safetensors.SafetensorError as error:
        raise ValueError(str(error)) from None
    return Features(path, opened.keys(), opened.get_tensor)


def _hdf5(path: Path) -> Features:
    opened = need("h5py", extra="models", purpose=f"reading {path}").File(path, "r")
    return Features(path, list(_datasets(opened, "")), lambda id: opened[id][()])


def _datasets(group: Any, prefix: str) -> Iterator[str]:
    for name, entry in group.items():
        if hasattr(entry, "shape"):
            yield prefix + name
        else:
            yield from _datasets(entry, f"{prefix}{name}/")
