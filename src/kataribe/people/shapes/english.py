"""Descriptions in English."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kataribe.people.shapes.description import SEVERAL, Description, Phrase
from kataribe.people.shapes.scene import Background, Colour, Relation, Shape, Size
from kataribe.people.shapes.wording import NOTHING, pick, turned

# Singular and plural.
Noun = tuple[str, str]

_SHAPES: dict[Shape, tuple[Noun, ...]] = {
    "circle": (("circle", "circles"), ("disc", "discs"), ("ball", "balls"), ("round shape", "round shapes")),
    "square": (("square", "squares"), ("box", "boxes"), ("block", "blocks")),
    "triangle": (("triangle", "triangles"), ("triangular shape", "triangular shapes"), ("wedge", "wedges")),
    "star": (("star", "stars"), ("five-pointed star", "five-pointed stars"), ("star shape", "star shapes")),
    "cross": (("cross", "crosses"), ("plus sign", "plus signs"), ("plus", "pluses")),
    "ring": (("ring", "rings"), ("hoop", "hoops"), ("hollow circle", "hollow circles")),
    "heart": (("heart", "hearts"), ("heart shape", "heart shapes"), ("love heart", "love hearts")),
    "crescent": (("crescent", "crescents"), ("moon", "moons"), ("crescent moon", "crescent moons")),
}
_ANY: tuple[Noun, ...] = (
    ("shape", "shapes"),
    ("figure", "figures"),
    ("object", "objects"),
    ("thing", "things"),
    ("form", "forms"),
)
_COLOURS: dict[Colour, tuple[str, ...]] = {
    "red": ("red", "bright red", "crimson"),
    "blue": ("blue", "deep blue", "royal blue"),
    "green": ("green", "leaf-green", "grass-green"),
    "yellow": ("yellow", "golden yellow", "bright yellow"),
    "orange": ("orange", "orange-coloured", "bright orange"),
    "purple": ("purple", "violet", "deep purple"),
    "pink": ("pink", "rose-pink", "light pink"),
    "brown": ("brown", "chocolate-brown", "dark brown"),
}
_SIZES: dict[Size, tuple[str, ...]] = {"small": ("small", "little", "tiny"), "large": ("large", "big", "huge")}
_NUMBERS: dict[int, tuple[str, ...]] = {
    SEVERAL: ("", "some", "several"),
    2: ("two", "2", "a couple of"),
    3: ("three", "3"),
    4: ("four", "4"),
}
_GROUNDS: dict[Background, tuple[str, ...]] = {
    "white": ("white",),
    "black": ("black",),
    "grey": ("grey", "gray"),
    "beige": ("beige", "sandy"),
}
_ON = (" on a {} background", " against a {} background", " on {}", ", with a {} background", " in front of {}")
_RELATIONS: dict[Relation, tuple[str, ...]] = {
    "left": ("to the left of", "left of", "on the left of"),
    "right": ("to the right of", "right of", "on the right of"),
    "above": ("above", "over", "higher up than"),
    "below": ("below", "under", "beneath"),
}
_SIDES: dict[Relation, Noun] = {
    "left": ("on its left", "on their left"),
    "right": ("on its right", "on their right"),
    "above": ("above it", "above them"),
    "below": ("below it", "below them"),
}
_SHOWN = (
    "there {is} {things}{ground}",
    "{things}{ground}",
    "the picture shows {things}{ground}",
    "{things} can be seen{ground}",
    "a picture of {things}{ground}",
    "you can see {things}{ground}",
    "this image has {things}{ground}",
    "someone drew {things}{ground}",
    "{things} {are} visible{ground}",
    "i see {things}{ground}",
    "the drawing contains {things}{ground}",
    "{things} {are} drawn here{ground}",
    "an image of {things}{ground}",
)
_RELATED = (
    "{things} {are} {relation} {others}{ground}",
    "there {is} {things} {relation} {others}{ground}",
    "{things} {relation} {others}{ground}",
    "{relation} {others} there {is} {things}{ground}",
    "{others} with {things} {side}{ground}",
    "the picture shows {things} {relation} {others}{ground}",
    "{things} can be seen {relation} {others}{ground}",
)


class _Told(NamedTuple):
    text: str
    is_plural: bool


def tell(description: Description, rng: np.random.Generator) -> str:
    """One of many ways to say it.

    >>> red, blue = Phrase(colour="red", shape="circle"), Phrase(2, colour="blue", shape="square")
    >>> tell(Description((red, blue), "left", "white"), np.random.default_rng(1))
    'A red disc can be seen to the left of a couple of deep blue squares on a white background.'
    """
    description = turned(description, rng)
    relation, background = description.relation, description.background
    pattern = pick(rng, _SHOWN if relation is None else _RELATED)
    ground = pick(rng, _ON).format(pick(rng, _GROUNDS[background])) if background else ""
    way = pick(rng, _RELATIONS[relation]) if relation else ""
    stop = pick(rng, (".", ""))
    told = [_tell_phrase(phrase, rng) for phrase in description.phrases]
    if relation is None:
        text = pattern.format(things=_listed(told), are=_are(told), **{"is": _are(told[:1])}, ground=ground)
    else:
        (some, others), rest = told[:2], told[2:]
        side = _SIDES[relation][others.is_plural]
        words = {
            "things": some.text,
            "are": _are([some]),
            "is": _are([some]),
            "others": others.text,
            "relation": way,
            "side": side,
        }
        text = pattern.format(**words, ground=ground) + "".join(f", and {each.text}" for each in rest)
    return text[0].upper() + text[1:] + stop


def _are(told: list[_Told]) -> str:
    return "are" if len(told) > 1 or told[0].is_plural else "is"


def _listed(told: list[_Told]) -> str:
    texts = [each.text for each in told]
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def _tell_phrase(phrase: Phrase, rng: np.random.Generator) -> _Told:
    size = pick(rng, _SIZES[phrase.size] if phrase.size else NOTHING)
    colour = pick(rng, _COLOURS[phrase.colour] if phrase.colour else NOTHING)
    noun = pick(rng, _SHAPES[phrase.shape] if phrase.shape else _ANY)
    number = pick(rng, _NUMBERS.get(phrase.count, NOTHING))
    is_plural = phrase.count != 1
    words = " ".join(filter(None, [number, size, colour, noun[is_plural]]))
    if not is_plural:
        words = f"{'an' if words[0] in 'aeiou' else 'a'} {words}"
    return _Told(words, is_plural)
