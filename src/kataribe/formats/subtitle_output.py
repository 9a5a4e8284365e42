"""Captions as subtitle files, the way players and subtitle editors read them."""

from __future__ import annotations

import html
from collections.abc import Iterable

from kataribe.core.types import Caption


def format_subtitles(captions: Iterable[Caption], kind: str) -> str:
    """Captions as a file of this kind: srt, vtt or ass.

    >>> from kataribe.core.types import Segment
    >>> print(format_subtitles([Caption(Segment(1, 2.5), "Who is there?")], "srt"), end="")
    1
    00:00:01,000 --> 00:00:02,500
    Who is there?
    """
    import pysubs2

    file = pysubs2.SSAFile()
    for caption in captions:
        start, end = (round(1000 * edge) for edge in (caption.segment.start, caption.segment.end))
        # A brace would start a command of the format in which pysubs2 keeps cues.
        text = caption.text.replace("{", "(").replace("}", ")")
        if kind == "vtt":  # its texts are mark-up: what only looks like it is written out
            text = html.escape(text, quote=False)
        file.append(pysubs2.SSAEvent(start=start, end=end, text=text))
    written = file.to_string(kind).rstrip()
    return f"{written}\n" if written else ""
