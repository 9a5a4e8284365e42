"""METEOR's English data, compiled once into one file that every later run maps into memory.

The source is the `pycocoevalcap` wheel: its jar is read as the zip file it is, its code is never run.
"""

import contextlib
import errno
import importlib.util
import os
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kataribe import _native as native
from kataribe.core.cache import cache_folder
from kataribe.core.caution import Caution
from kataribe.core.errors import ResourceError
from kataribe.core.memo import keep_open

Progress = Callable[[int, int], None]

FILE_NAME = "meteor-1.5-en.bin"
_OTHER_VERSION = "another version"  # what the core says of files that are old, not damaged
_CHUNK = 1 << 20
_CHANGE_FOLDER = "Set KATARIBE_CACHE to a folder that you can write to and that has 100 MB of space."
_REINSTALL = "Install it again: pip install --force-reinstall pycocoevalcap==1.2"


@dataclass(frozen=True)
class ResourceStatus:
    """What is in the cache. `problem` is empty if the file is there and whole."""

    path: Path
    exists: bool
    size: int
    problem: str

    @property
    def is_ready(self) -> bool:
        return self.exists and not self.problem


def resource_path() -> Path:
    return cache_folder() / FILE_NAME


def open_resource(progress: Progress | None = None) -> native.MeteorResource:
    """The compiled data; it is built first if it is missing, damaged or of another version."""
    return open_and_tell(progress)[0]


def open_and_tell(progress: Progress | None = None) -> tuple[native.MeteorResource, list[Caution]]:
    """The compiled data, and whether it was damaged and had to be built again."""
    path = resource_path()
    try:
        return _open(path), []
    except (OSError, RuntimeError) as error:
        was_damaged = path.exists() and _OTHER_VERSION not in str(error)
    resource = native.MeteorResource(str(build(progress)))
    text = f"METEOR's compiled data in {path} was damaged and was compiled again"
    return resource, [Caution("damaged-cache", text)] if was_damaged else []


def status() -> ResourceStatus:
    """Looks at every byte of the file, even if this process has done so before."""
    path = resource_path()
    if not path.exists():
        return ResourceStatus(path, exists=False, size=0, problem="it has not been built yet")
    problem = ""
    try:
        native.MeteorResource(str(path)).verify()
    except (OSError, RuntimeError) as error:
        problem = str(error)
    return ResourceStatus(path, exists=True, size=path.stat().st_size, problem=problem)


def clear() -> Path | None:
    """Forget the compiled data and say what was removed. Processes that have it open keep it."""
    path = resource_path()
    try:
        path.unlink()
    except FileNotFoundError:
        return None
    return path


def build(progress: Progress | None = None, *, force: bool = False) -> Path:
    """Compile the data, unless another process has just done so (`force`: even then)."""
    path = resource_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _lock(path.with_suffix(".lock")):
            if force or not _is_whole(path):
                _remove_leftovers(path)
                _write(path, _compile(progress or (lambda done, total: None)))
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else str(error)
        message = f"METEOR's data cannot be stored in {path.parent}: {reason}"
        raise ResourceError(message, hint=_CHANGE_FOLDER) from error
    return path


def _open(path: Path) -> native.MeteorResource:
    """The whole file, checked: a wrong byte would change scores without any message."""
    state = path.stat()
    return _open_whole(str(path), state.st_ino, state.st_mtime_ns, state.st_size)


@keep_open(1)
def _open_whole(path: str, inode: int, changed: int, size: int) -> native.MeteorResource:
    """Looking at every byte takes about 20 ms, so it is done once for each process, and again when the file changes.

    All threads share one map: each map of the same file would count as memory again.
    """
    resource = native.MeteorResource(path)
    resource.verify()
    return resource


def _is_whole(path: Path) -> bool:
    try:
        _open(path)
    except (OSError, RuntimeError):
        return False
    return True


def _source_folder() -> Path:
    # Found, not imported: importing pycocoevalcap runs code that we do not need.
    spec = importlib.util.find_spec("pycocoevalcap")
    if spec is None or not spec.submodule_search_locations:
        raise ResourceError(
            "METEOR's data comes with the package pycocoevalcap, which is not installed.",
            hint="pip install pycocoevalcap==1.2",
        )
    return Path(spec.submodule_search_locations[0]) / "meteor"


def _compile(progress: Progress) -> bytes:
    folder = _source_folder()
    try:
        with zipfile.ZipFile(folder / "meteor-1.5.jar") as jar:
            builder = native.MeteorResourceBuilder(
                function_words=jar.read("function/english.words"),
                exceptions=jar.read("synonym/english.exceptions"),
                synsets=jar.read("synonym/english.synsets"),
                dot_prefixes=jar.read("nonbreaking/english.prefixes"),
            )
        table = folder / "data" / "paraphrase-en.gz"
        total = table.stat().st_size
        with table.open("rb") as file:
            for piece in _decompressed(file):
                builder.add_paraphrases(piece)
                progress(file.tell(), total)
        compiled: bytes = builder.finish()
        return compiled
    except (OSError, KeyError, EOFError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise ResourceError(
            f"METEOR's data in the package pycocoevalcap cannot be read: {error}", hint=_REINSTALL
        ) from error


def _decompressed(file: IO[bytes]) -> Iterator[bytes]:
    # gzip.open would do, at twice the time; it also hides how far the compressed file has been read.
    gzip_format = 16 + zlib.MAX_WBITS
    decompressor = zlib.decompressobj(gzip_format)
    while chunk := file.read(_CHUNK):
        yield decompressor.decompress(chunk)
    if not decompressor.eof:
        raise EOFError("the paraphrase table is cut off")


def _write(path: Path, content: bytes) -> None:
    """Readers see the old file or the whole new one, never a part."""
    handle, name = tempfile.mkstemp(prefix=path.stem, suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _remove_leftovers(path: Path) -> None:
    """Files of builders that were killed. The caller holds the lock, so none is still being written."""
    for leftover in path.parent.glob(f"{path.stem}*.tmp"):
        with contextlib.suppress(OSError):
            leftover.unlink()


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """One builder at a time. The system drops the lock when its holder dies, however it dies."""
    with path.open("a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            while True:
                with contextlib.suppress(OSError):  # raised after ten seconds of waiting
                    file.seek(0)
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
            try:
                yield
            finally:
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
            yield
