"""Writing folders: whole or not at all, and never over what somebody else put there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kataribe.core.errors import OutputError

IsOurs = Callable[[Path], bool]


def check_folder(folder: Path, is_ours: IsOurs) -> None:
    """Say at once that the folder has no place, or would replace what is not ours."""
    target = folder.resolve()
    if not target.parent.is_dir():
        raise OutputError(f"{folder}: there is no folder {folder.parent}", hint="create it first")
    if not os.access(target.parent, os.W_OK):
        raise OutputError(f"{folder}: the folder {folder.parent} cannot be written to", hint="choose another place")
    if target.exists() and not target.is_dir():
        raise OutputError(f"{folder}: is a file", hint="name a new or empty folder")
    if target.is_dir() and any(target.iterdir()) and not is_ours(target):
        raise OutputError(f"{folder}: holds other things, which would be lost", hint="name a new or empty folder")


@contextmanager
def whole_folder(folder: Path, is_ours: IsOurs) -> Iterator[Path]:
    """A temporary folder beside, to be filled; at the end of the block it takes its place.

    What is ours and was there is replaced; a link stays a link. If the block fails or is interrupted, everything stays
    as it was.
    """
    check_folder(folder, is_ours)
    target = folder.resolve()
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name[:200]}.") as temporary:
            new, old = Path(temporary) / "new", Path(temporary) / "old"
            new.mkdir()
            yield new
            check_folder(folder, is_ours)  # somebody may have come first
            if target.exists():
                target.rename(old)
            try:
                new.rename(target)
            except BaseException:
                if old.exists() and not target.exists():
                    old.rename(target)
                raise
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written ({error.strerror})", hint="choose another place") from None
