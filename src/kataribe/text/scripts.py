"""Which scripts a text is written in, as far as it matters for cutting it into words and saying it aloud."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Letters of the scripts that put no space between words, for use in a character class: Thai to Burmese, kana, Han,
# Hangul. (Korean has spaces, but names and particles grow together.)
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"

_UNSPACED_LETTER = re.compile(f"[{UNSPACED}]")


def is_mostly_unspaced(texts: Iterable[str]) -> bool:
    """Whether more than half of the letters are of such scripts.

    >>> is_mostly_unspaced(["老李回头。"]), is_mostly_unspaced(["Maria looks back."])
    (True, False)
    """
    letters = unspaced = 0
    for text in texts:
        letters += count_letters(text)
        unspaced += len(_UNSPACED_LETTER.findall(text))
    return 2 * unspaced > letters


def count_letters(text: str) -> int:
    """Letters and digits: what is heard when a text is read aloud.

    >>> count_letters("Maria, 14, looks back.")
    16
    """
    return sum(map(str.isalnum, text))
