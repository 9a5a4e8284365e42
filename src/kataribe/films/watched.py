"""Films that were watched once: their lines are kept, so that a change of rules or of people's overrides costs nothing.

FOLDER/FILM.npz            what subtitles and speech were found in the film, see `feature_file`
FOLDER/FILM.lines.json     its lines, and what they depend on: the video, given subtitles, the narrator, the recogniser
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from kataribe.core.caution import Caution, remark, remarking
from kataribe.core.types import Caption
from kataribe.films.feature_file import video_id
from kataribe.films.lines import FilmLines
from kataribe.films.watching import Watching, watch
from kataribe.formats.output import write_whole

# A change of what is kept or of how films are watched: older files are made again.
_VERSION = 1


class _Kept(msgspec.Struct, frozen=True):
    depends_on: dict[str, Any]
    lines: FilmLines
    remarks: list[tuple[str, str]]


def lines_of_video(
    film: str, video: Path, options: Watching, subtitles: Sequence[Caption] | None, folder: Path
) -> FilmLines:
    """The lines of a film, from `folder` if they are there; given `subtitles` take the place of burnt-in ones."""
    depends_on = {**depends(video, options), "subtitles": _digest(msgspec.json.encode(subtitles))}
    file = folder / f"{film}.lines.json"
    kept = _read(file)
    if kept is None or kept.depends_on != depends_on:
        folder.mkdir(parents=True, exist_ok=True)
        with remarking() as remarks:
            lines = replace(watch(video, options, subtitles, folder / f"{film}.npz"), film=film)
        kept = _Kept(depends_on, lines, [(each.id, str(each)) for each in remarks])
        write_whole(file, msgspec.json.encode(kept))
    remark(*(Caution(id, text) for id, text in kept.remarks))
    return kept.lines


def depends(video: Path, options: Watching) -> dict[str, Any]:
    """What decides the lines of a video beside subtitles that are given."""
    return {
        "version": _VERSION,
        "video": video_id(video),
        "narrator": None if options.narrator is None else video_id(options.narrator),
        "recogniser": None if options.transcriber is None else options.transcriber.name,
        "stages": repr((options.subtitles, options.speech)),
    }


def _read(file: Path) -> _Kept | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Kept)
    except (OSError, msgspec.DecodeError):  # not there, or damaged: it is made again
        return None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
