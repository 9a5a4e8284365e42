"""A told film as a file: WebVTT, SRT or JSON.

film.vtt    cues as players show them, and a note: which narrator told it, at which rate
film.srt    the same without the note
film.json   [{"id", "film", "start", "end", "text", "roles"}], as `score narration` reads it; an id is its clip's
"""

from __future__ import annotations

import json
from pathlib import Path

from kataribe.core.errors import UsageError, shorten
from kataribe.core.types import Caption
from kataribe.formats.subtitle_output import format_subtitles
from kataribe.narration.telling.telling import Telling

KINDS = (".vtt", ".srt", ".json")
_HEADER = "WEBVTT\n"


def check_kind(path: Path) -> None:
    if path.suffix.lower() not in KINDS:
        problem = f"{path}: a told film is not written as {shorten(path.suffix or 'a file without an ending')}"
        raise UsageError(problem, hint=f"there are: {', '.join(KINDS)}")


def format_telling(telling: Telling, kind: str) -> str:
    """The file's content."""
    if kind == ".json":
        entries = [
            {
                "id": cue.id,
                "film": telling.film,
                "start": cue.segment.start,
                "end": cue.segment.end,
                "text": cue.text,
                "roles": list(cue.roles),
            }
            for cue in telling.cues
        ]
        lines = ",\n  ".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
        return f"[\n  {lines}\n]\n"
    content = format_subtitles([Caption(cue.segment, cue.text) for cue in telling.cues], kind[1:])
    if kind == ".srt":
        return content
    # What looks like a time would make a cue of the note.
    note = f"NOTE told by {telling.narrator} at {telling.cps:g} letters a second".replace(":", ".").replace("-->", "")
    return content.replace(_HEADER, f"{_HEADER}\n{' '.join(note.split())}\n", 1)
