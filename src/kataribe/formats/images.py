"""Pictures in a folder, by the id of the item they belong to.

An id may be a file's name, its name without ending or, as in COCO, the number at its end: 42 finds
COCO_val2014_000000000042.jpg. A subfolder of that name holds the frames of a clip, in the order of their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from kataribe.core.errors import Location, some

SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff")


def find_images(folder: Path, ids: Iterable[str]) -> dict[str, tuple[Path, ...]]:
    """The picture, or the frames, of each id."""
    return find_named(folder, {id: (id,) for id in ids})


def find_named(folder: Path, names: Mapping[str, Sequence[str]]) -> dict[str, tuple[Path, ...]]:
    """The picture, or the frames, of each id, which the folder may have under any of several names."""
    if not folder.is_dir():
        raise Location(folder).error("there is no such folder", hint="give the folder that holds the pictures")
    by_name = _index(folder)
    found: dict[str, tuple[Path, ...]] = {}
    for id, known in names.items():
        name = next((name for name in known if name in by_name), None)
        if name is not None:
            found[id] = by_name[name]
    absent = [known[0] for id, known in names.items() if id not in found]
    if absent:
        raise Location(folder).error(
            f"has no picture for {len(absent):,} of {len(names):,} items: {some(dict.fromkeys(absent))}",
            hint="name each file (or folder of frames) by the item's id",
        )
    for id, files in found.items():
        if len(files) > 1 and files[0].parent == folder:
            listed = some(file.name for file in files)
            raise Location(folder, id).error(f"has several pictures: {listed}", hint="keep one")
    return found


def _index(folder: Path) -> dict[str, tuple[Path, ...]]:
    exact: dict[str, tuple[Path, ...]] = {}
    by_stem: dict[str, tuple[Path, ...]] = {}
    by_number: dict[str, tuple[Path, ...]] = {}
    for entry in sorted(folder.iterdir()):
        if entry.is_dir():
            frames = tuple(sorted(file for file in entry.iterdir() if file.suffix.lower() in SUFFIXES))
            if frames:
                exact[entry.name] = frames
        elif entry.suffix.lower() in SUFFIXES:
            exact[entry.name] = (entry,)
            by_stem[entry.stem] = (*by_stem.get(entry.stem, ()), entry)
            if digits := re.search(r"\d+$", entry.stem):
                number = str(int(digits.group()))
                by_number[number] = (*by_number.get(number, ()), entry)
    return by_number | by_stem | exact
