"""Videos and pictures of a study: which file, and which part of it, belongs to which item.

A browser never names a file. It asks for the media of its task, and the server looks the path up here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kataribe.core.errors import InputError, shorten
from kataribe.formats.source import check_id, read_table

# What browsers show, by the file's ending, and its media type.
VIDEOS = {
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".webm": "video/webm",
    ".mov": "video/quicktime",
    ".ogv": "video/ogg",
    ".mkv": "video/x-matroska",
}
PICTURES = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".avif": "image/avif",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class Clip:
    """A picture, or the part of a video from `start` to `end` seconds."""

    file: Path
    start: float = 0.0
    end: float | None = None

    @property
    def is_video(self) -> bool:
        return self.file.suffix.lower() in VIDEOS

    @property
    def type(self) -> str:
        return (VIDEOS | PICTURES)[self.file.suffix.lower()]


def find_clips(folder: Path, table: Path | None, study: Path) -> dict[str, Clip]:
    """Clips by item: rows `id,file,start,end` of a table, or the folder's files, named by item."""
    if not folder.is_dir():
        raise InputError("there is no such folder", file=study, field="media", hint=f"create {folder}")
    if table is not None:
        return _listed(folder, table)
    files = [file for file in sorted(folder.iterdir()) if file.suffix.lower() in VIDEOS | PICTURES]
    found: dict[str, Clip] = {}
    for file in files:
        if file.stem in found:
            raise InputError(
                f"{found[file.stem].file.name} and {file.name} are both {file.stem!r}", file=folder, hint="keep one"
            )
        found[file.stem] = Clip(file)
    if not found:
        raise InputError(
            "holds no video and no picture", file=folder, hint=f"name files ID{', ID'.join((*VIDEOS, *PICTURES))}"
        )
    return found


def _listed(folder: Path, table: Path) -> dict[str, Clip]:
    clips: dict[str, Clip] = {}
    for location, row in read_table(table):
        if not {"id", "file"} <= row.keys():
            raise InputError(
                f"the header ({', '.join(row)}) is not that of clips", file=table, hint="id,file or id,file,start,end"
            )
        id = check_id(row["id"], file=table, place=location)
        if id in clips:
            raise InputError("is listed twice", file=table, id=id, hint="keep one row")
        start = _seconds(row.get("start"), table, id, "start")
        end = _seconds(row.get("end"), table, id, "end")
        if end is not None and end <= (start or 0):
            raise InputError(f"ends at {end:g}, not after its start", file=table, id=id, field="end")
        clips[id] = Clip(_inside(folder, row["file"], table, id), start or 0.0, end)
    return clips


def _inside(folder: Path, name: str, table: Path, id: str) -> Path:
    """A file of the folder; no name leads out of it."""
    file = (folder / name).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise InputError(
            f"{shorten(name)!r} is not in the folder {folder}", file=table, id=id, field="file", hint="move it there"
        )
    if not file.is_file():
        raise InputError(f"there is no file {shorten(name)!r} in {folder}", file=table, id=id, field="file")
    if file.suffix.lower() not in VIDEOS | PICTURES:
        raise InputError(
            f"browsers do not show {shorten(name)!r}", file=table, id=id, field="file",
            hint=f"they show {', '.join((*VIDEOS, *PICTURES))}",
        )  # fmt: skip
    return file


def _seconds(cell: str | None, table: Path, id: str, field: str) -> float | None:
    if cell is None or not cell.strip():
        return None
    try:
        value = float(cell)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e6:
        raise InputError(f"is {shorten(cell, 30)!r}, not a time in seconds", file=table, id=id, field=field)
    return value
