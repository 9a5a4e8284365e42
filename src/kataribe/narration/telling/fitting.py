"""Texts that fit: what can be said in the time there is.

    a text takes letters and digits / cps seconds (narration/speech.py, by which speech_rate is scored)
    1. it is spoken from the start of its clip, and may run on into the silence behind the clip: up to the next clip
       that is told, or to the next dialogue
    2. where that is not enough, it is shortened to as many of its first sentences as fit
    3. where the first sentence does not fit, to as many of its first clauses, closed by a full stop
    4. where the first clause does not fit, nothing is told

Every text that was shortened or left out is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from kataribe.films.names import Mention, Names
from kataribe.narration.speech import seconds
from kataribe.text.scripts import is_mostly_unspaced, says_something

How = Literal["whole", "shortened", "nothing"]

# Where sentences and clauses end, with the quotation marks and brackets that may follow. Between digits a mark ends
# nothing (3.5, 10,000), nor does a dot behind a single capital (J. Smith) or a title.
_CLOSING = "[\"'\u2019\u201d\u300d\u300f)\uff09\\]]*"
_TITLES = "".join(f"(?<!\\b{title})" for title in ("[A-Z]", "Mr", "Mrs", "Ms", "Dr", "St"))
_SENTENCE = re.compile(f"(?:{_TITLES}[.!?](?!\\w)|[\u2026\u3002\uff01\uff1f\uff0e])+{_CLOSING}")
_CLAUSE = re.compile("[,;:](?!\\d)|[\uff0c\uff1b\uff1a\u3001]")
_ENDS = (_SENTENCE, _CLAUSE)

_NOBODY = Names({})


class Fitted(NamedTuple):
    text: str
    how: How


def fit(text: str, time: float, cps: float, names: Names = _NOBODY) -> Fitted:
    """As much of the beginning of a text as can be said in this time; no name is cut in two.

    >>> fit("Anna waits. Tom runs.", 2.0, 12)
    Fitted(text='Anna waits. Tom runs.', how='whole')
    >>> fit("Anna waits. Tom runs.", 1.0, 12)
    Fitted(text='Anna waits.', how='shortened')
    >>> fit("老李回头，朝屋内喊道。", 1.0, 5)
    Fitted(text='老李回头。', how='shortened')
    >>> fit("Anna waits for Tom", 0.1, 12)
    Fitted(text='', how='nothing')
    """
    if seconds(text, cps) <= time:
        return Fitted(text, "whole")
    stop = "。" if is_mostly_unspaced([text]) else "."
    mentions = list(names.mentions(text))
    ends = [[end for end in kind.finditer(text) if not _is_within(end.start(), mentions)] for kind in _ENDS]
    sentences = [text[: end.end()] for end in ends[0]]
    clauses = [text[: end.start()].rstrip() + stop for end in ends[1]]
    for pieces in (sentences, clauses):
        short = [piece for piece in pieces if says_something(piece) and seconds(piece, cps) <= time]
        if short:
            return Fitted(short[-1], "shortened")
    return Fitted("", "nothing")


def _is_within(place: int, mentions: Iterable[Mention]) -> bool:
    return any(mention.start < place < mention.end for mention in mentions)
