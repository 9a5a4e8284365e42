"""Scenes as pictures: drawn large, made smaller for smooth edges, with uneven light, texture and hues that vary."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from kataribe.core.need import need
from kataribe.core.types import Array
from kataribe.people.shapes.scene import SIDE, Background, Colour, Scene, Shape, Thing

Point = tuple[float, float]

_FINER = 2
_LEVELS = 4  # brightness comes in steps of so much: no eye sees it, and the files are a third of the size

_PAINT: dict[Colour, tuple[int, int, int]] = {
    "red": (214, 33, 38),
    "blue": (32, 82, 206),
    "green": (36, 150, 62),
    "yellow": (242, 208, 32),
    "orange": (244, 132, 24),
    "purple": (122, 44, 168),
    "pink": (246, 140, 186),
    "brown": (124, 74, 36),
}
_GROUND: dict[Background, tuple[int, int, int]] = {
    "white": (246, 246, 244),
    "black": (24, 24, 28),
    "grey": (136, 138, 142),
    "beige": (226, 208, 176),
}


def draw_png(scene: Scene, rng: np.random.Generator) -> bytes:
    """The file of a picture; the same draws give the same bytes, with the same Pillow."""
    image, draw = (
        need(f"PIL.{module}", extra="models", purpose="drawing pictures") for module in ("Image", "ImageDraw")
    )
    canvas = image.new("RGB", (SIDE * _FINER, SIDE * _FINER), _varied(_GROUND[scene.background], rng, 3))
    pen = draw.Draw(canvas)
    for thing in scene.things:
        paint = _varied(_PAINT[thing.look.colour], rng, 8)
        for outline in _outlines(thing):
            points = _wobbling(outline, rng, thing.radius * 0.015)
            pen.polygon([(x * _FINER, y * _FINER) for x, y in points], fill=paint)
        if thing.look.shape == "ring":
            pen.ellipse(_box(thing, 0.55), fill=canvas.getpixel((0, 0)))
    small = canvas.resize((SIDE, SIDE), image.Resampling.LANCZOS)
    file = io.BytesIO()
    image.fromarray(_weathered(np.asarray(small, dtype=np.float64), rng, image)).save(file, "PNG", compress_level=4)
    return file.getvalue()


def _varied(colour: Sequence[int], rng: np.random.Generator, by: float) -> tuple[int, int, int]:
    red, green, blue = (round(min(255.0, max(0.0, part + rng.uniform(-by, by)))) for part in colour)
    return red, green, blue


def _weathered(pixels: Array, rng: np.random.Generator, image: Any) -> Array:
    """Light that falls off to one side, a blotchy surface, and a little grain."""
    angle, strength = rng.uniform(0, 2 * math.pi), rng.uniform(2, 8)
    across = np.linspace(-1, 1, SIDE)
    light = strength * (math.cos(angle) * across[None, :] + math.sin(angle) * across[:, None])
    blotches = image.fromarray(rng.normal(0, 3, (14, 14)).astype(np.float32)).resize((SIDE, SIDE))
    grain = rng.normal(0, 1.2, (SIDE, SIDE))
    lit = pixels + (light + np.asarray(blotches) + grain)[:, :, None]
    stepped: Array = np.clip(np.rint(lit / _LEVELS) * _LEVELS, 0, 255).astype(np.uint8)
    return stepped


def _wobbling(points: Sequence[Point], rng: np.random.Generator, by: float) -> list[Point]:
    """As if drawn by hand: the corners of short outlines are a little off."""
    if len(points) > 12:
        return list(points)
    return [(x + float(rng.uniform(-by, by)), y + float(rng.uniform(-by, by))) for x, y in points]


def _outlines(thing: Thing) -> list[list[Point]]:
    """The thing as polygons around its centre, turned by its angle."""
    turn = math.radians(thing.angle)
    cosine, sine = math.cos(turn), math.sin(turn)
    return [
        [
            (thing.x + thing.radius * (x * cosine - y * sine), thing.y + thing.radius * (x * sine + y * cosine))
            for x, y in outline
        ]
        for outline in _UNIT[thing.look.shape]
    ]


def _box(thing: Thing, share: float) -> list[float]:
    inner = thing.radius * share
    return [edge * _FINER for edge in (thing.x - inner, thing.y - inner, thing.x + inner, thing.y + inner)]


def _corners(number: int, radius: float = 1.0, start: float = -90.0) -> list[Point]:
    angles = [math.radians(start + 360 * corner / number) for corner in range(number)]
    return [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]


def _star() -> list[Point]:
    pairs = zip(_corners(5), _corners(5, radius=0.42, start=-54), strict=True)
    return [point for pair in pairs for point in pair]


def _cross() -> list[Point]:
    arm, half = 0.95, 0.27
    quarter = [(half, -arm), (half, -half), (arm, -half)]
    turns = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    return [(x * c - y * s, x * s + y * c) for c, s in turns for x, y in quarter]


def _heart() -> list[Point]:
    angles = [2 * math.pi * step / 60 for step in range(60)]
    return [
        (
            16 * math.sin(a) ** 3 / 17,
            -(13 * math.cos(a) - 5 * math.cos(2 * a) - 2 * math.cos(3 * a) - math.cos(4 * a) + 2) / 17,
        )
        for a in angles
    ]


def _crescent() -> list[Point]:
    """The part of a disc that another disc, a little to the right, leaves uncovered."""
    outer, inner, shift = 1.0, 0.82, 0.42
    x = (outer**2 - inner**2 + shift**2) / (2 * shift)  # where the two circles meet
    start, inner_start = math.atan2(math.sqrt(outer**2 - x**2), x), math.atan2(math.sqrt(outer**2 - x**2), x - shift)
    steps = [step / 30 for step in range(31)]
    rim = [start + (2 * math.pi - 2 * start) * step for step in steps]
    bite = [2 * math.pi - inner_start - (2 * math.pi - 2 * inner_start) * step for step in steps]
    return [(outer * math.cos(a), outer * math.sin(a)) for a in rim] + [
        (shift + inner * math.cos(a), inner * math.sin(a)) for a in bite
    ]


# Around the origin, within a distance of 1; y points down.
_UNIT: dict[Shape, list[list[Point]]] = {
    "circle": [_corners(72)],
    "square": [_corners(4, start=-45)],
    "triangle": [_corners(3)],
    "star": [_star()],
    "cross": [_cross()],
    "ring": [_corners(72)],
    "heart": [_heart()],
    "crescent": [_crescent()],
}
