"""Which scripts a text is written in, as far as it matters for cutting it into words and saying it aloud."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

# Letters of the scripts that put no space between words, for use in a character class: Thai to Burmese, kana, Han,
# Hangul. (Korean has spaces, but names and particles grow together.)
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"

# Korean words have about three syllables, Chinese and Japanese ones one or two; a phrase without spaces has more.
_LONG_WORD = 4.5

_UNSPACED_LETTER = re.compile(f"[{UNSPACED}]")


class LetterCounts(NamedTuple):
    """How many letters and digits texts have, and how many of them are of scripts without spaces; counts add up."""

    letters: int = 0
    unspaced: int = 0

    def __add__(self, other: LetterCounts) -> LetterCounts:  # type: ignore[override] # not a longer tuple
        return LetterCounts(self.letters + other.letters, self.unspaced + other.unspaced)

    @property
    def is_mostly_unspaced(self) -> bool:
        return 2 * self.unspaced > self.letters


def count_scripts(texts: Iterable[str]) -> LetterCounts:
    """
    >>> count_scripts(["老李回头。", "Maria"])
    LetterCounts(letters=9, unspaced=4)
    """
    letters = unspaced = 0
    for text in texts:
        letters += count_letters(text)
        unspaced += 0 if text.isascii() else len(_UNSPACED_LETTER.findall(text))
    return LetterCounts(letters, unspaced)


def is_mostly_unspaced(texts: Iterable[str]) -> bool:
    """Whether more than half of the letters are of scripts without spaces.

    >>> is_mostly_unspaced(["老李回头。"]), is_mostly_unspaced(["Maria looks back."])
    (True, False)
    """
    listed = list(texts)
    return not all(map(str.isascii, listed)) and count_scripts(listed).is_mostly_unspaced


def is_mostly_segmented(texts: Iterable[str]) -> bool:
    """Whether most texts have white space between their words, whatever the script: Korean, text that was cut before.

    >>> is_mostly_segmented(["老李 回头 。"]), is_mostly_segmented(["老李回头朝屋内喊道， 门开了。"])
    (True, False)
    """
    segmented = [len(text.split()) > 1 and count_letters(text) < _LONG_WORD * len(text.split()) for text in texts]
    return 2 * sum(segmented) > len(segmented)


def says_something(text: str) -> bool:
    """Whether there is a letter or digit in it.

    >>> says_something("7"), says_something("...")
    (True, False)
    """
    return any(map(str.isalnum, text))


def bare_letters(text: str) -> str:
    """Letters and digits alone, in one case: what is left of a text when capitals, punctuation and spaces are gone.

    >>> bare_letters("Maria, 14, looks back.")
    'maria14looksback'
    """
    return "".join(filter(str.isalnum, text.casefold()))


def count_letters(text: str) -> int:
    """Letters and digits: what is heard when a text is read aloud.

    >>> count_letters("Maria, 14, looks back.")
    16
    """
    return sum(map(str.isalnum, text))
