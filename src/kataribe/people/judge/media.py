"""Videos and pictures of a study: which file, and which part of it, belongs to which item.

A browser never names a file. It asks for the media of its task, and the server looks the path up here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kataribe.core.errors import Location, shorten
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
        raise Location(study, field="media").error("there is no such folder", hint=f"create {folder}")
    return _listed(folder, table) if table is not None else find_named(folder)


def find_named(folder: Path) -> dict[str, Clip]:
    """The videos and pictures of a folder, by their names without ending."""
    if not folder.is_dir():
        raise Location(folder).error("there is no such folder", hint="give the folder of the videos or pictures")
    files = [file for file in sorted(folder.iterdir()) if file.suffix.lower() in VIDEOS | PICTURES]
    found: dict[str, Clip] = {}
    for file in files:
        if file.stem in found:
            raise Location(folder).error(
                f"{found[file.stem].file.name} and {file.name} are both {file.stem!r}", hint="keep one"
            )
        found[file.stem] = Clip(file)
    if not found:
        raise Location(folder).error(
            "holds no video and no picture", hint=f"name files ID{', ID'.join((*VIDEOS, *PICTURES))}"
        )
    return found


def _listed(folder: Path, table: Path) -> dict[str, Clip]:
    clips: dict[str, Clip] = {}
    for line, row in read_table(table):
        if not {"id", "file"} <= row.keys():
            raise Location(table).error(
                f"the header ({', '.join(row)}) is not that of clips", hint="id,file or id,file,start,end"
            )
        id = check_id(row["id"], line)
        location = Location(table, id)
        if id in clips:
            raise location.error("is listed twice", hint="keep one row")
        start = _seconds(row.get("start"), location.at(field="start"))
        end = _seconds(row.get("end"), location.at(field="end"))
        if end is not None and end <= (start or 0):
            raise location.at(field="end").error(f"ends at {end:g}, not after its start")
        clips[id] = Clip(_inside(folder, row["file"], location.at(field="file")), start or 0.0, end)
    return clips


def _inside(folder: Path, name: str, location: Location) -> Path:
    """A file of the folder; no name leads out of it."""
    file = (folder / name).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise location.error(f"{shorten(name)!r} is not in the folder {folder}", hint="move it there")
    if not file.is_file():
        raise location.error(f"there is no file {shorten(name)!r} in {folder}")
    if file.suffix.lower() not in VIDEOS | PICTURES:
        raise location.error(
            f"browsers do not show {shorten(name)!r}", hint=f"they show {', '.join((*VIDEOS, *PICTURES))}"
        )
    return file


def _seconds(cell: str | None, location: Location) -> float | None:
    if cell is None or not cell.strip():
        return None
    try:
        value = float(cell)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e6:
        raise location.error(f"is {shorten(cell, 30)!r}, not a time in seconds")
    return value
