"""Choices between words: the same draws choose the same ways of saying things, whatever is said.

Every choice takes one number from the generator, so that two descriptions of the same build, told with the same seed,
differ only in the words for what they differ in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from kataribe.people.shapes.description import Description
from kataribe.people.shapes.scene import CONVERSE

T = TypeVar("T")
Tell = Callable[[Description, np.random.Generator], str]

NOTHING = ("",)
_TURNED = 0.35


def pick(rng: np.random.Generator, choices: Sequence[T]) -> T:
    """One of several, the first ones more often.

    >>> pick(np.random.default_rng(0), "abc")
    'b'
    """
    return choices[int(rng.random() ** 1.7 * len(choices))]


def turned(description: Description, rng: np.random.Generator) -> Description:
    """Now and then the same from the other side: b right of a, not a left of b."""
    is_turned = rng.random() < _TURNED
    if description.relation is None or not is_turned:
        return description
    some, others, *rest = description.phrases
    return replace(description, phrases=(others, some, *rest), relation=CONVERSE[description.relation])


def plain(text: str) -> str:
    """Texts that differ in capitals and a full stop alone are the same text.

    >>> plain("A red circle."), plain("赤い丸がある。")
    ('a red circle', '赤い丸がある')
    """
    return text.rstrip(".。").lower()
