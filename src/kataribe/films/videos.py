"""The video of each film in a folder, by the names of the files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kataribe.core.errors import Location, counted, some
from kataribe.media.video import SUFFIXES


def find_videos(folder: Path, films: Sequence[str]) -> dict[str, Path]:
    """By name, among the files of the folder: what somebody calls a film is never a path."""
    if not folder.is_dir():
        raise Location(folder).error("there is no such folder", hint="give the folder that holds the films' videos")
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in SUFFIXES and path.stem in films:
            if path.stem in found:
                problem = f"has two videos of one film: {found[path.stem].name} and {path.name}"
                raise Location(folder).error(problem, hint="keep one")
            found[path.stem] = path
    absent = [film for film in films if film not in found]
    if absent:
        raise Location(folder).error(
            f"has no video of {len(absent):,} of {counted(len(films), 'film')}: {some(absent)}",
            hint=f"name each file by its film: {absent[0]}.mp4",
        )
    return found
