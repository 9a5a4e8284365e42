"""Writing answers: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from kataribe.core.errors import OutputError


def check_writable(path: Path) -> None:
    """Say at once, not after an hour of scoring, that the answer will have no place."""
    if path.is_dir():
        raise OutputError(f"{path}: is a folder", hint="name a file in it")
    folder = path.parent
    if not folder.is_dir():
        raise OutputError(f"{path}: there is no folder {folder}", hint="create it first")
    if not os.access(folder, os.W_OK):
        raise OutputError(f"{path}: the folder {folder} cannot be written to", hint="choose another place")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write to a temporary file beside the target, then rename: readers see the old file or the new one."""
    data = content.encode() if isinstance(content, str) else content
    check_writable(path)
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)  # temporary files are private; an answer has the rights of any new file
        temporary.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror})", hint="choose another place") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
