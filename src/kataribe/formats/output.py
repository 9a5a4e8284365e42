"""Writing answers: whole or not at all, and never over what the same call reads.

A link stays a link: what it points to is written. A device or a pipe is written to. Any other file is replaced in one
step by a new one with the rights and, where the system allows it, the owner of the old one.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from kataribe.core.errors import OutputError


def check_writable(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Say at once, not after an hour of scoring, that the answer has no place or would destroy what is read."""
    target = _target(path)
    if target.is_dir():
        raise OutputError(f"{path}: is a folder", hint="name a file in it")
    if _is_special(target):
        if not os.access(target, os.W_OK):
            raise OutputError(f"{path}: cannot be written to", hint="choose another place")
        return
    folder = target.parent if path.is_symlink() else path.parent
    if not folder.is_dir():
        raise OutputError(f"{path}: there is no folder {folder}", hint="create it first")
    if not os.access(folder, os.W_OK):
        raise OutputError(f"{path}: the folder {folder} cannot be written to", hint="choose another place")
    for read in inputs:
        _refuse_input(path, target, read)


def check_apart(paths: Iterable[Path]) -> None:
    """Two answers in one file would be one answer."""
    seen: set[Path] = set()
    for path in paths:
        target = _target(path)
        if target in seen and not _is_special(target):
            raise OutputError(f"{path}: two answers would be written here", hint="name a file for each")
        seen.add(target)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write to a temporary file beside the target, then rename: readers see the old file or the new one."""
    data = content.encode() if isinstance(content, str) else content
    check_writable(path)
    try:
        target = _target(path)
        if (stream := _own_stream(target)) is not None:
            sys.stdout.flush()
            with open(stream, "wb", closefd=False) as file:
                file.write(data)
        elif _is_special(target):
            with target.open("wb") as file:
                file.write(data)
        else:
            _replace(target, data)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror})", hint="choose another place") from None


def _target(path: Path) -> Path:
    """Where links lead in the end, even if nothing is there yet."""
    # A pipe or a deleted file behind /dev/stdout has no path of its own.
    target = path if _is_special(path) else Path(os.path.realpath(path))
    if target.is_symlink() and not target.exists():
        raise OutputError(f"{path}: is a link that leads to itself", hint="choose another place")
    return target


def _is_special(path: Path) -> bool:
    """A device, a pipe or another thing that is written to, not replaced."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _own_stream(target: Path) -> int | None:
    """Standard output or standard error, if this is where it goes: another file there would cut it off."""
    for stream in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(target.stat(), os.fstat(stream)):
                return stream
    return None


def _refuse_input(path: Path, target: Path, read: Path) -> None:
    hint = "name another file for the answer"
    with contextlib.suppress(OSError):  # what is not there cannot be destroyed
        if target.samefile(read):
            raise OutputError(f"{path}: is read by this call and would be lost", hint=hint)
        if read.is_dir() and target.is_relative_to(os.path.realpath(read)) and not _may_go(target):
            raise OutputError(f"{path}: is in the folder {read}, which this call reads, and would be lost", hint=hint)


def _may_go(target: Path) -> bool:
    """Nothing is there, or the answer of an earlier run, which no folder of inputs needs."""
    if not target.exists():
        return True
    with target.open("rb") as file:
        return file.read(20).lstrip().startswith(b'{"kataribe"')


def _replace(target: Path, data: bytes) -> None:
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name[:200]}.", delete=False) as file:
            temporary = Path(file.name)
            file.write(data)
        _take_over_rights(temporary, target)
        temporary.replace(target)
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _take_over_rights(temporary: Path, target: Path) -> None:
    """Those of the file that is replaced, else of any new file: temporary files are private."""
    if not target.exists():
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        return
    old = target.stat()
    if hasattr(os, "chown"):
        with contextlib.suppress(PermissionError):  # only the administrator may give files away
            os.chown(temporary, old.st_uid, old.st_gid)
    temporary.chmod(stat.S_IMODE(old.st_mode))
