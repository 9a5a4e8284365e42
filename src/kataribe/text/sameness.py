"""When two texts are the same: in all but case and white space, or in their words."""

from __future__ import annotations

import re

_WORDS = re.compile(r"\w+")


def plain(text: str) -> str:
    """The text without case and spare white space.

    >>> plain("A  dog ."), plain("a dog")
    ('a dog .', 'a dog')
    """
    return " ".join(text.split()).lower()


def words(text: str) -> str:
    """The words alone: one data set writes "A dog .", another "a dog".

    >>> words("A dog ,  running !"), words("?!")
    ('a dog running', '?!')
    """
    return " ".join(_WORDS.findall(text.casefold())) or text
