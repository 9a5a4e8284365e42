"""WebVTT, SRT and ASS: the captions of one video, the way players and subtitle editors write them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from kataribe.core.errors import Location
from kataribe.formats.source import check_text, extension, has_only_characters, open_text

SUBTITLES = (".vtt", ".srt", ".ass", ".ssa")

# What a file without a single cue may begin with and still be subtitles.
_HEADERS = ("WEBVTT", "[Script Info]")
# The parser reads over a minus; a cue before the start of the film is a mistake of the program that wrote it.
# People may also say "-10:30 at the latest", which is no time of a cue.
_NEGATIVE = re.compile(
    r"^[ \t]*-\d+:\d\d[^\n]*-->|^[^\n]*-->[ \t]*-\d+:\d\d|^Dialogue:[^,\n]*,(?:[^,\n]*,)?[ \t]*-\d+:\d\d", re.MULTILINE
)


def read_subtitles(path: Path) -> Iterator[tuple[float, float, str]]:
    """(start, end, text) of each cue of a UTF-8 file, without mark-up."""
    if not has_only_characters(path.name):  # the video is called after its file
        raise Location(path).error("the name of the file is not UTF-8", hint="rename it")
    with open_text(path) as file:
        content = file.read()
    yield from parse_subtitles(content, path)


def parse_subtitles(content: str, path: Path) -> Iterator[tuple[float, float, str]]:
    """(start, end, text) of each cue of a file that holds this."""
    import pysubs2

    location = Location(path)
    kind = extension(path)[1:]
    try:
        cues = pysubs2.SSAFile.from_string(content, format_=kind)
    except (pysubs2.Pysubs2Error, ValueError) as error:
        raise location.error(f"is not {kind.upper()} ({error})", hint="open it in a subtitle editor") from None
    # The parser skips what it does not understand. A file in which it understands nothing is not an empty story.
    if not len(cues) and content.strip() and not content.lstrip("\ufeff").startswith(_HEADERS):
        raise location.error("has no cue like 00:00:01,000 --> 00:00:04,000", hint="is it really subtitles?")
    if negative := _NEGATIVE.search(content):
        line = content.count("\n", 0, negative.end()) + 1
        raise location.at(field=f"line {line}").error("has a negative time", hint="times start at 0")
    for number, cue in enumerate(cues, start=1):
        if cue.is_comment or cue.is_drawing:  # nobody says these
            continue
        text = html.unescape(cue.plaintext) if kind == "vtt" else cue.plaintext
        yield cue.start / 1000, cue.end / 1000, check_text(text, Location(path, path.stem, f"cue {number}"))
