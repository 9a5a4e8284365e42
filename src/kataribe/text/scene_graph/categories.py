"""What kind of thing a Japanese word names: by the semantic categories of the JUMAN dictionary, and by short lists.

The dictionary (PyPI `jumandic`) is read through MeCab. A word that it cuts into several is of its last part's kind,
as the head of a Japanese compound comes last.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from kataribe.core.need import need
from kataribe.text.scene_graph.lexicon import QUALITY_ENDINGS, QUANTITIES

_ATTRIBUTES = ("動物-部位", "植物-部位", "場所", "形・模様", "色", "数量", "時間")
_ANIMATE = ("人", "動物", "組織・団体")
# Words of these classes need no category to be what they are.
_BY_TAG = {"時相名詞": "時間", "地名": "場所"}
_DIGITS = {digit: str(value) for value, digit in enumerate("〇一二三四五六七八九")}


def is_quantity(word: str) -> bool:
    """
    >>> is_quantity("3匹"), is_quantity("二人"), is_quantity("三輪車")
    (True, True, False)
    """
    return word in QUANTITIES or _kinds(word).is_counted or "数量" in _kinds(word).categories


def is_time(word: str) -> bool:
    return "時間" in _kinds(word).categories


def is_attribute(word: str) -> bool:
    """Whether a word before の says what something is like: parts, places, shapes, colours, quantities, times.

    >>> is_attribute("赤"), is_attribute("公園"), is_attribute("木製"), is_attribute("女性")
    (True, True, True, False)
    """
    return is_quality(word) or any(kind.startswith(_ATTRIBUTES) for kind in _kinds(word).categories)


def is_quality(word: str) -> bool:
    """A colour, a shape, a quantity, a material: what is never there by itself.

    >>> is_quality("緑"), is_quality("公園")
    (True, False)
    """
    has_ending = len(word) > 1 and word.endswith(QUALITY_ENDINGS)
    return has_ending or is_quantity(word) or not _kinds(word).categories.isdisjoint(("色", "形・模様"))


def is_animate(word: str) -> bool:
    """A part of a body is not animate: 動物-部位 is another category than 動物."""
    return any(kind in _ANIMATE for kind in _kinds(word).categories)


def count_key(quantity: str) -> str:
    """One spelling for one number.

    >>> count_key("二人"), count_key("２人"), count_key("十二匹"), count_key("二十匹"), count_key("数人")
    ('2人', '2人', '12匹', '20匹', '数人')
    """
    text = unicodedata.normalize("NFKC", quantity)
    tens, ten, ones = text.partition("十")
    if ten and len(tens) <= 1 and (not tens or tens in _DIGITS):
        ones_digit = _DIGITS.get(ones[:1], "")
        text = (_DIGITS.get(tens, "") or "1") + (ones_digit or "0") + (ones[1:] if ones_digit else ones)
    return "".join(_DIGITS.get(character, character) for character in text)


def signature() -> str:
    return f"jumandic{version('jumandic')}"


class _Kinds:
    """What the dictionary says of a word."""

    def __init__(self, morphemes: Sequence[Any]) -> None:
        self.is_counted = len(morphemes) > 1 and morphemes[0].feature[1] == "数詞"
        features: list[str] = list(morphemes[-1].feature) if morphemes else []
        # Words that the dictionary does not know have fewer fields.
        notes = features[6].split() if len(features) > 6 else []
        found = [note.removeprefix("カテゴリ:") for note in notes if note.startswith("カテゴリ:")]
        self.categories = {category for entry in found for category in entry.split(";")}
        self.categories |= {_BY_TAG[tag] for tag in features[1:2] if tag in _BY_TAG}


@cache
def _tagger() -> Any:
    fugashi, jumandic = (need(module, extra="ja", purpose="jaspice") for module in ("fugashi", "jumandic"))
    return fugashi.GenericTagger(f'-r "{os.devnull}" -d "{jumandic.DICDIR}"')


@cache
def _kinds(word: str) -> _Kinds:
    return _Kinds(_tagger()(word))
