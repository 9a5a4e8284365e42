"""Video files for the page: which file belongs to which item, and how the page addresses it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import quote

from kataribe.core.errors import InputError

# What browsers play.
_PLAYABLE = (".mp4", ".webm", ".m4v", ".mov", ".ogv", ".mkv")


def find_videos(
    folder: Path, ids: Iterable[str], page: Path, groups: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Addresses by id, relative to the page, so that page and videos can be moved together.

    A file belongs to an item when its name without ending is the item's id, or that of the item's group: the film in
    which a query is to be found, say.
    """
    if not folder.is_dir():
        hint = "<videos> takes the folder of the video files"
        raise InputError("there is no such folder", file=folder, hint=hint, options=["videos"])
    by_stem = {file.stem: file for file in playable(folder)}
    names = {id: id if id in by_stem else (groups or {}).get(id, id) for id in ids}
    found = {id: by_stem[name] for id, name in names.items() if name in by_stem}
    if not found:
        raise InputError(
            "no video in it has the id of an item",
            file=folder,
            hint=f"name files ID{_PLAYABLE[0]} or ID{_PLAYABLE[1]}; of narrations, by their film",
        )
    return {id: _address(file, page) for id, file in found.items()}


def playable(folder: Path) -> list[Path]:
    """The video files of a folder, if there is one."""
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return [file for file in found if file.suffix.lower() in _PLAYABLE]


def _address(file: Path, page: Path) -> str:
    relative = os.path.relpath(file.resolve(), page.resolve().parent)
    return "/".join(quote(part) for part in Path(relative).parts)
