"""Scenes: one to four things of some shape, colour and size on a background, each thing at its place.

Things that look alike are a group. Two groups lie apart along one axis, so that one is clearly left of, or above, the
other; single things of three groups lie anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeVar, get_args

import numpy as np

T = TypeVar("T")

Shape = Literal["circle", "square", "triangle", "star", "cross", "ring", "heart", "crescent"]
Colour = Literal["red", "blue", "green", "yellow", "orange", "purple", "pink", "brown"]
Size = Literal["small", "large"]
Background = Literal["white", "black", "grey", "beige"]
Relation = Literal["left", "right", "above", "below"]

SHAPES: tuple[Shape, ...] = get_args(Shape)
COLOURS: tuple[Colour, ...] = get_args(Colour)
SIZES: tuple[Size, ...] = get_args(Size)
BACKGROUNDS: tuple[Background, ...] = get_args(Background)
RELATIONS: tuple[Relation, ...] = get_args(Relation)
CONVERSE: dict[Relation, Relation] = {"left": "right", "right": "left", "above": "below", "below": "above"}

SIDE = 224  # pixels of a picture: what ImageNet's networks look at
MOST_THINGS = 4

# From the centre of a thing to its outermost point, in pixels.
_RADII: dict[Size, tuple[float, float]] = {"small": (24.0, 28.0), "large": (39.0, 46.0)}
# Two things must be so far apart, in pixels, that nobody doubts which one is on the left.
CLEARLY_APART = 24.0
_GAP, _EDGE = 5.0, 3.0

# How many things each group has, and how often such scenes are drawn.
_COUNTS: dict[tuple[int, ...], float] = {
    (1,): 0.06,
    (2,): 0.07,
    (3,): 0.07,
    (4,): 0.05,
    (1, 1): 0.2,
    (1, 2): 0.1,
    (2, 1): 0.1,
    (2, 2): 0.07,
    (1, 3): 0.06,
    (3, 1): 0.06,
    (1, 1, 1): 0.16,
}
# Two groups that share their shape or their colour, beyond what chance gives.
_TWINS = 0.4


@dataclass(frozen=True)
class Look:
    """What the things of a group have in common."""

    shape: Shape
    colour: Colour
    size: Size


@dataclass(frozen=True)
class Thing:
    """`radius` is from the centre to the outermost point; the angle is in degrees."""

    look: Look
    x: float
    y: float
    radius: float
    angle: float


class Group(NamedTuple):
    look: Look
    things: tuple[Thing, ...]


@dataclass(frozen=True)
class Scene:
    background: Background
    things: tuple[Thing, ...]

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Things that look alike, in the order of their first."""
        looks = dict.fromkeys(thing.look for thing in self.things)
        return tuple(Group(look, tuple(thing for thing in self.things if thing.look == look)) for look in looks)


def is_related(some: Sequence[Thing], relation: Relation, others: Sequence[Thing]) -> bool:
    """All of `some` lie clearly on that side of all `others`.

    >>> look = Look("circle", "red", "small")
    >>> left, right = [Thing(look, 50, 50, 20, 0)], [Thing(look, 150, 60, 20, 0)]
    >>> [relation for relation in RELATIONS if is_related(left, relation, right)]
    ['left']
    """
    if relation in ("right", "below"):
        return is_related(others, CONVERSE[relation], some)
    if relation == "left":
        first, last = max(thing.x for thing in some), min(thing.x for thing in others)
    else:
        first, last = max(thing.y for thing in some), min(thing.y for thing in others)
    return first + CLEARLY_APART <= last


def one_of(choices: Sequence[T], rng: np.random.Generator) -> T:
    """Any of them, all equally often."""
    return choices[int(rng.integers(len(choices)))]


def random_scene(rng: np.random.Generator) -> Scene:
    """Drawn anew until everything has its place; a few times at most."""
    while True:
        counts = list(_COUNTS)[int(rng.choice(len(_COUNTS), p=list(_COUNTS.values())))]
        looks = _random_looks(rng, len(counts))
        background = one_of(BACKGROUNDS, rng)
        things = _placed(rng, [look for look, count in zip(looks, counts, strict=True) for _ in range(count)], counts)
        if things is not None:
            return Scene(background, things)


def _random_looks(rng: np.random.Generator, number: int) -> list[Look]:
    """All different in shape or colour, so that a group can be named without its size."""
    looks = [_random_look(rng)]
    while len(looks) < number:
        look, first = _random_look(rng), looks[0]
        if rng.random() < _TWINS:
            shared = Look(first.shape, look.colour, look.size), Look(look.shape, first.colour, look.size)
            look = one_of(shared, rng)
        if all((look.shape, look.colour) != (other.shape, other.colour) for other in looks):
            looks.append(look)
    return looks


def _random_look(rng: np.random.Generator) -> Look:
    return Look(one_of(SHAPES, rng), one_of(COLOURS, rng), one_of(SIZES, rng))


class _Region(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


def _placed(rng: np.random.Generator, looks: Sequence[Look], counts: Sequence[int]) -> tuple[Thing, ...] | None:
    regions = [region for region, n in zip(_regions(rng, counts), counts, strict=True) for _ in range(n)]
    placed: list[Thing] = []
    for look, region in zip(looks, regions, strict=True):
        thing = _place(rng, look, region, placed)
        if thing is None:
            return None
        placed.append(thing)
    is_clear = len(counts) != 2 or any(
        is_related(placed[: counts[0]], relation, placed[counts[0] :]) for relation in RELATIONS
    )
    return tuple(placed) if is_clear else None


def _regions(rng: np.random.Generator, counts: Sequence[int]) -> list[_Region]:
    """Two groups share the picture, the larger one gets the larger part; else each thing may be anywhere."""
    if len(counts) != 2:
        return [_Region(0, 0, SIDE, SIDE)] * len(counts)
    first, second = counts
    cut = SIDE * (0.5 + 0.08 * (first - second))
    if rng.random() < 0.5:
        regions = [_Region(0, 0, cut, SIDE), _Region(cut, 0, SIDE, SIDE)]
    else:
        regions = [_Region(0, 0, SIDE, cut), _Region(0, cut, SIDE, SIDE)]
    if rng.random() < 0.5:  # the first group on the right or at the bottom
        regions = [_Region(SIDE - r.right, SIDE - r.bottom, SIDE - r.left, SIDE - r.top) for r in regions]
    return regions


def _place(rng: np.random.Generator, look: Look, region: _Region, placed: Sequence[Thing]) -> Thing | None:
    """Somewhere in the region, touching nothing; None if there seems to be no room."""
    smallest, largest = _RADII[look.size]
    for tries in range(60):
        radius = float(rng.uniform(smallest, largest - (largest - smallest) * tries / 60))
        margin = radius + _EDGE
        if min(region.right - region.left, region.bottom - region.top) <= 2 * margin:
            continue
        x = float(rng.uniform(region.left + margin, region.right - margin))
        y = float(rng.uniform(region.top + margin, region.bottom - margin))
        if all(math.hypot(x - other.x, y - other.y) >= radius + other.radius + _GAP for other in placed):
            return Thing(look, x, y, radius, float(rng.uniform(-20, 20)))
    return None
