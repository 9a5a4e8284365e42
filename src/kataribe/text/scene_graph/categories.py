"""What kind of thing a Japanese word names: by the semantic categories of the JUMAN dictionary, and by short lists.

The dictionary (PyPI `jumandic`) is read through MeCab. A word that it cuts into several is of its last part's kind,
as the head of a Japanese compound comes last.
"""

from __future__ import annotations

import os
import unicodedata
from functools import cache
from importlib.metadata import version
from typing import Any

from kataribe.text.scene_graph.needs import need

LOCATIONS = frozenset(
    "上 下 前 後ろ 後 右 左 中 外 隣 近く 間 横 そば 側 傍 脇 わき 奥 手前 向こう 周り まわり 周囲 正面 真ん中 中央 端 先 裏 内側 外側 "
    "上側 下側 右側 左側 前方 後方 上部 下部 内部 外部 右上 右下 左上 左下 真上 真下 真横 真後ろ 目の前 向かい 背後 片側 両側 頭上 足元 傍ら"
    .split()
)
# Verbs whose を names the way, not what is acted on: who walks 橋の上を is on the bridge.
MOTIONS = frozenset(
    "歩く 走る 飛ぶ 滑る 通る 渡る 進む 泳ぐ 登る 上る 下る 降りる 転がる 流れる 横切る 駆ける 舞う 動く 走り回る 歩き回る 飛び回る 駆け回る "
    "駆け抜ける 通り過ぎる 行き交う 移動する 散歩する 滑走する 走行する 飛行する 横断する".split()
)
# Nouns that only carry the clause before them.
FORMAL = frozenset("の こと ところ 様子 ようす さま 様 姿 光景 場面 瞬間 最中 状態 まま ため 時 とき 際 途中 よう 一緒".split())

_QUANTITIES = frozenset("たくさん 沢山 大勢 多く 多数 複数 少数 数々 いくつか 幾つか 何人か 何匹か 何台か 全員 すべて 全て 無数".split())
_ATTRIBUTE_ENDINGS = ("色", "製", "柄", "模様", "形", "型", "風", "状")
_ATTRIBUTES = ("動物-部位", "植物-部位", "場所", "形・模様", "色", "数量", "時間")
_ANIMATE = ("人", "動物", "組織・団体")
_DIGITS = {digit: str(value) for value, digit in enumerate("〇一二三四五六七八九")}


def is_quantity(word: str) -> bool:
    """
    >>> is_quantity("3匹"), is_quantity("二人"), is_quantity("三輪車")
    (True, True, False)
    """
    return word in _QUANTITIES or _kinds(word).is_counted or "数量" in _kinds(word).categories


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
    has_ending = len(word) > 1 and word.endswith(_ATTRIBUTE_ENDINGS)
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

    def __init__(self, morphemes: list[Any]) -> None:
        self.is_counted = len(morphemes) > 1 and morphemes[0].feature[1] == "数詞"
        last = morphemes[-1].feature if morphemes else ()
        # Words that the dictionary does not know have fewer fields.
        notes = last[6].split() if len(last) > 6 else []
        found = [note.removeprefix("カテゴリ:") for note in notes if note.startswith("カテゴリ:")]
        self.categories = frozenset(category for entry in found for category in entry.split(";"))
        if len(last) > 1 and last[1] == "時相名詞":
            self.categories |= {"時間"}
        if len(last) > 1 and last[1] == "地名":
            self.categories |= {"場所"}


@cache
def _tagger() -> Any:
    fugashi, jumandic = need("fugashi"), need("jumandic")
    return fugashi.GenericTagger(f'-r "{os.devnull}" -d "{jumandic.DICDIR}"')


@cache
def _kinds(word: str) -> _Kinds:
    return _Kinds(_tagger()(word))
