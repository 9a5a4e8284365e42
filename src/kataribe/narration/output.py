"""Writing narrations in the forms that `files.py` reads."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kataribe.core.errors import UsageError
from kataribe.core.types import Narration

KINDS = (".json", ".jsonl", ".csv")


def check_kind(path: Path) -> None:
    if path.suffix not in KINDS:
        raise UsageError(f"{path}: narrations are written as {', '.join(KINDS)}", hint="choose one of these names")


def format_narrations(lines: Iterable[Narration], kind: str) -> str:
    """The file's content; every line has its id, so that it is found again whatever its times.

    >>> from kataribe.core.types import Segment
    >>> print(format_narrations([Narration("1", "f", Segment(3.0, 8.5), "It snows.")], ".jsonl"), end="")
    {"id": "1", "film": "f", "start": 3, "end": 8.5, "text": "It snows."}
    """
    entries = [_entry(line) for line in lines]
    if kind == ".csv":
        out = io.StringIO()
        writer = csv.DictWriter(out, ["id", "film", "start", "end", "text"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(entries)
        return out.getvalue()
    written = [json.dumps(entry, ensure_ascii=False) for entry in entries]
    return "".join(f"{text}\n" for text in written) if kind == ".jsonl" else "[\n  " + ",\n  ".join(written) + "\n]\n"


def _entry(line: Narration) -> dict[str, Any]:
    film = {} if line.film is None else {"film": line.film}
    times = {} if line.segment is None else {"start": _time(line.segment.start), "end": _time(line.segment.end)}
    return {"id": line.id, **film, **times, "text": line.text}


def _time(seconds: float) -> float:
    return int(seconds) if seconds == int(seconds) else seconds
