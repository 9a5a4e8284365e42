"""Descriptions in Japanese."""

from __future__ import annotations

import numpy as np

from kataribe.people.shapes.description import SEVERAL, Description, Phrase
from kataribe.people.shapes.scene import Background, Colour, Relation, Shape, Size
from kataribe.people.shapes.wording import NOTHING, pick, turned

_SHAPES: dict[Shape, tuple[str, ...]] = {
    "circle": ("丸", "円", "まる", "円形"),
    "square": ("四角", "正方形", "しかく", "四角形"),
    "triangle": ("三角", "三角形", "さんかく"),
    "star": ("星", "星形", "ほし", "星マーク"),
    "cross": ("十字", "十字形", "十字マーク"),
    "ring": ("輪", "リング", "輪っか"),
    "heart": ("ハート", "ハート形", "ハートマーク"),
    "crescent": ("三日月", "三日月形", "みかづき"),
}
_ANY = ("図形", "もの", "形", "物体")
_COLOURS: dict[Colour, tuple[str, ...]] = {
    "red": ("赤い", "赤色の", "あかい"),
    "blue": ("青い", "青色の", "あおい"),
    "green": ("緑の", "緑色の", "みどりの"),
    "yellow": ("黄色い", "黄色の", "きいろい"),
    "orange": ("オレンジの", "オレンジ色の", "橙色の"),
    "purple": ("紫の", "紫色の", "むらさきの"),
    "pink": ("ピンクの", "ピンク色の", "桃色の"),
    "brown": ("茶色い", "茶色の", "ちゃいろの"),
}
_SIZES: dict[Size, tuple[str, ...]] = {
    "small": ("小さな", "小さい", "ちいさな"),
    "large": ("大きな", "大きい", "おおきな"),
}
# Before the noun, and after it.
_NUMBERS: dict[int, tuple[tuple[str, str], ...]] = {
    1: (("", ""),),
    SEVERAL: (("", ""), ("いくつかの", ""), ("複数の", "")),
    2: (("二つの", ""), ("", "二つ"), ("2つの", ""), ("", "2つ"), ("ふたつの", "")),
    3: (("三つの", ""), ("", "三つ"), ("3つの", ""), ("", "3つ"), ("みっつの", "")),
    4: (("四つの", ""), ("", "四つ"), ("4つの", ""), ("", "4つ"), ("よっつの", "")),
}
_GROUNDS: dict[Background, tuple[str, ...]] = {
    "white": ("白い背景に", "白地に", "背景は白で、"),
    "black": ("黒い背景に", "黒地に", "背景は黒で、"),
    "grey": ("灰色の背景に", "グレーの背景に", "背景は灰色で、"),
    "beige": ("ベージュの背景に", "薄茶色の背景に", "背景はベージュで、"),
}
_RELATIONS: dict[Relation, tuple[str, ...]] = {
    "left": ("の左に", "の左側に", "のひだりに"),
    "right": ("の右に", "の右側に", "のみぎに"),
    "above": ("の上に", "の上側に", "のうえに"),
    "below": ("の下に", "の下側に", "のしたに"),
}
_SHOWN = (
    "{ground}{things}がある",
    "{ground}{things}が見える",
    "{ground}{things}が描かれている",
    "{ground}{things}があります",
    "{ground}{things}が描いてある",
    "画像では、{ground}{things}が写っている",
    "この絵では、{ground}{things}が見えます",
    "{ground}{things}が置かれている",
    "{ground}{things}を描いた絵",
)
_RELATED = (
    "{ground}{things}が{others}{relation}ある",
    "{ground}{others}{relation}{things}がある",
    "{ground}{things}が{others}{relation}見える",
    "{ground}{others}{relation}{things}が描かれている",
    "{ground}{things}が{others}{relation}あります",
    "{ground}{others}{relation}あるのは{things}だ",
    "この絵では、{ground}{others}{relation}{things}が置かれている",
)


def tell(description: Description, rng: np.random.Generator) -> str:
    """One of many ways to say it.

    >>> red, blue = Phrase(colour="red", shape="circle"), Phrase(2, colour="blue", shape="square")
    >>> tell(Description((red, blue), "left", "white"), np.random.default_rng(1))
    'この絵では、白い背景に青色の四角2つのひだりに赤い円が置かれている。'
    """
    description = turned(description, rng)
    relation, background = description.relation, description.background
    pattern = pick(rng, _SHOWN if relation is None else _RELATED)
    ground = pick(rng, _GROUNDS[background] if background else NOTHING)
    way = pick(rng, _RELATIONS[relation] if relation else NOTHING)
    joint, stop = pick(rng, ("と", "、")), pick(rng, ("。", ""))
    told = [_tell_phrase(phrase, rng) for phrase in description.phrases]
    if relation is None:
        return pattern.format(things=joint.join(told), ground=ground) + stop
    (some, others), rest = told[:2], told[2:]
    text = pattern.format(things=some, others=others, relation=way, ground=ground)
    return text + "".join(f"。{each}もある" for each in rest) + stop


def _tell_phrase(phrase: Phrase, rng: np.random.Generator) -> str:
    size = pick(rng, _SIZES[phrase.size] if phrase.size else NOTHING)
    colour = pick(rng, _COLOURS[phrase.colour] if phrase.colour else NOTHING)
    noun = pick(rng, _SHAPES[phrase.shape] if phrase.shape else _ANY)
    before, after = pick(rng, _NUMBERS[phrase.count])
    return before + size + colour + noun + after
