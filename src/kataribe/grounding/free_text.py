"""The moments that the free text of a video language model names.

    JSON in the text      [[12, 20]], {"start": 12, "end": 20}, [{"start_time": "00:12", "end_time": "00:20"}]
    clocks                00:12 - 00:20, 0:01:12 to 0:01:20.5
    numbers with a unit   from 12 to 20 s, between 12s and 20s, 1 minute 5 seconds to 90 seconds, 1分5秒至1分20秒
    numbers in brackets   [12, 20], (12.5, 20.0), <12> <20>
    named ends            start: 12, end: 20; starts at 12 s and ends at 20 s
    numbers alone         12 - 20, 12 to 20: where the answer holds nothing else, or says from ... to, between ... and

Bare numbers elsewhere are not taken for times: "2 to 3 people dance" names no moment. Nor are frames, percentages, a
single time, or a span that ends before it starts. What cannot be read is counted by whoever asks, never guessed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kataribe.core.types import Moment, Segment

_STARTS = ("start", "start_time", "start_sec", "start_seconds", "begin", "from", "s")
_ENDS = ("end", "end_time", "end_sec", "end_seconds", "finish", "to", "e")
_NUMBER = r"\d+(?:\.\d+)?"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?"
_SECONDS = r"(?:seconds?|secs?|s|秒(?:钟|鐘)?)(?![a-z])"
_MINUTES = r"(?:minutes?|mins?|m|分(?:钟|鐘)?)(?![a-z])"
_HOURS = r"(?:hours?|hrs?|h|小时|時間|小時)(?![a-z])"
# A time that says what it is: a clock, or numbers with units.
_UNITS = (
    rf"(?:{_NUMBER}\s*{_HOURS}\s*)?(?:{_NUMBER}\s*{_MINUTES}\s*(?:and\s*)?)?{_NUMBER}\s*{_SECONDS}"
    rf"|{_NUMBER}\s*{_MINUTES}"
)
_JOIN = r"\s*(?:-|–|—|~|〜|～|to|until|till|through|and|,|到|至)\s*(?:第|the\s+|about\s+|around\s+|at\s+)?\s*"
_DASH = r"\s*(?:-|–|—|~|〜|～|to|until|till|through|到|至)\s*"

_ENDS_NAMED = (
    rf"(?:start(?:s|ing|ed)?(?:[ _]?time)?|begin(?:s|ning)?)\s*(?:at|from|:|=|is)?\s*"
    rf"(?P<start>{_CLOCK}|{_UNITS}|{_NUMBER})"
    rf"[^\d]{{0,40}}?(?:end(?:s|ing|ed)?(?:[ _]?time)?|finish(?:es)?|stop(?:s)?)\s*(?:at|by|:|=|is)?\s*"
    rf"(?P<end>{_CLOCK}|{_UNITS}|{_NUMBER})"
)
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<start>{_CLOCK}){_JOIN}(?P<end>{_CLOCK})",
        rf"(?P<start>{_UNITS}){_JOIN}(?P<end>{_UNITS})",
        # The unit may come once, behind the second number.
        rf"(?<![\d:.])(?P<start>{_NUMBER})(?:{_DASH}|\s*and\s*)(?P<end>{_UNITS})",
        _ENDS_NAMED,
        rf"[\[(<]\s*(?P<start>{_CLOCK}|{_NUMBER})\s*(?:s\b)?\s*(?:,|;|>\s*<|{_DASH})\s*(?P<end>{_CLOCK}|{_NUMBER})\s*(?:s\b)?\s*[\])>]",
        rf"\b(?:from|between)\s+(?P<start>{_NUMBER})\s*(?:-|–|to|until|till|and)\s*(?P<end>{_NUMBER})(?![\d.:%])(?!\s*(?:%|percent|frames?))",
    )
)
_ALONE = re.compile(rf"\W*(?P<start>{_NUMBER})(?:{_DASH}|\s*,\s*|\s+)(?P<end>{_NUMBER})\W*")
_FENCED = re.compile(r"[\[{].*[\]}]", re.DOTALL)
_PART = re.compile(rf"({_NUMBER})\s*(?:({_HOURS})|({_MINUTES})|({_SECONDS}))", re.IGNORECASE)


def read_moments(text: str) -> tuple[Moment, ...]:
    """The moments that a text names, each once, in the order in which it names them.

    >>> [moment.segment for moment in read_moments("It happens from 12 to 20 s, and again at 01:05 - 01:10.")]
    [Segment(start=12.0, end=20.0), Segment(start=65.0, end=70.0)]
    >>> read_moments("2 to 3 people dance"), read_moments("at 12 s")
    ((), ())
    """
    found = list(_in_json(text)) or list(_in_words(text))
    kept = [moment for moment in found if moment.segment]
    return tuple(dict.fromkeys(kept))


def _in_words(text: str) -> Iterator[Moment]:
    alone = _ALONE.fullmatch(text)
    if alone and not re.search(r"%|frame", text):
        yield _moment(alone["start"], alone["end"])
        return
    taken: list[tuple[int, int, Moment]] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            # What an earlier, surer pattern has read is not read again.
            if all(match.end() <= start or match.start() >= end for start, end, _ in taken):
                taken.append((match.start(), match.end(), _moment(match["start"], match["end"])))
    yield from (moment for _, _, moment in sorted(taken, key=lambda entry: entry[0]))


def _moment(start: str, end: str) -> Moment:
    return Moment(Segment(_seconds(start), _seconds(end)))


def _seconds(text: str) -> float:
    """A clock, numbers with units, or plain seconds.

    >>> _seconds("1:02:03.5"), _seconds("1 minute 5 seconds"), _seconds("1分5秒"), _seconds("7.5")
    (3723.5, 65.0, 65.0, 7.5)
    """
    if ":" in text:
        total = 0.0
        for part in text.replace(",", ".").split(":"):
            total = total * 60 + float(part)
        return total
    parts = _PART.findall(text)
    if not parts:
        return float(text)
    return sum(float(number) * (3600 if hours else 60 if minutes else 1) for number, hours, minutes, _ in parts)


def _in_json(text: str) -> Iterator[Moment]:
    """Moments of a JSON value that is the text or stands in it."""
    found = _FENCED.search(text)
    for candidate in (text.strip(), found[0] if found else ""):
        if not candidate or candidate[0] not in "[{":
            continue
        try:
            value = json.loads(candidate)
        except (json.JSONDecodeError, RecursionError):
            continue
        yield from _of_value(value)
        return


def _of_value(value: Any) -> Iterator[Moment]:
    if isinstance(value, Mapping):
        plain = {str(key).lower(): entry for key, entry in value.items()}
        start = next((plain[name] for name in _STARTS if name in plain), None)
        end = next((plain[name] for name in _ENDS if name in plain), None)
        if start is not None and end is not None:
            yield from _of_pair(start, end)
            return
        for entry in plain.values():
            if isinstance(entry, list | Mapping):
                yield from _of_value(entry)
            elif isinstance(entry, str):
                yield from _in_words(entry)
    elif isinstance(value, list):
        if len(value) in (2, 3) and all(isinstance(entry, int | float | str) for entry in value):
            yield from _of_pair(value[0], value[1])
            return
        for entry in value:
            if isinstance(entry, list | Mapping):
                yield from _of_value(entry)
            elif isinstance(entry, str):
                yield from _in_words(entry)


def _of_pair(start: Any, end: Any) -> Iterator[Moment]:
    times = []
    for value in (start, end):
        if isinstance(value, bool):
            return
        if isinstance(value, int | float):
            times.append(float(value))
            continue
        if not isinstance(value, str) or not re.fullmatch(
            rf"\s*(?:{_CLOCK}|{_UNITS}|{_NUMBER})\s*", value, re.IGNORECASE
        ):
            return
        times.append(_seconds(value.strip()))
    if all(map(math.isfinite, times)):
        yield Moment(Segment(*times))
