"""Pieces of narration joined into one text: a space between words, none in scripts that have none."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kataribe.text.scripts import UNSPACED

# Letters and punctuation after and before which no space is written: Chinese, Japanese, full-width forms.
_TIGHT = re.compile(f"[{UNSPACED}\u3000-\u303f\uff00-\uffef\u2014\u2018-\u201f\u2026]")


def join_texts(texts: Iterable[str]) -> str:
    """
    >>> join_texts(["老李回头，", "朝屋内喊道。"]), join_texts(["Maria looks back ", "and calls."])
    ('老李回头，朝屋内喊道。', 'Maria looks back and calls.')
    """
    joined = ""
    for text in texts:
        left, right = joined.rstrip(), text.strip()
        needs_space = left and right and not (_TIGHT.match(left[-1]) or _TIGHT.match(right[0]))
        joined = f"{left} {right}" if needs_space else left + right
    return joined
