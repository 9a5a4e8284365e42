"""Vector shapes: what things, places and bodies are made of, and how they become pixels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kataribe.core.need import need

Point = tuple[float, float]
Colour = tuple[int, int, int]

# Shapes are drawn so many times larger and then made smaller: smooth edges.
FINER = 2


@dataclass(frozen=True)
class Shape:
    """A filled outline or, with a `width`, a stroke along its points; y points down."""

    points: tuple[Point, ...]
    colour: Colour
    width: float = 0.0


def polygon(colour: Colour, *points: Point) -> Shape:
    return Shape(points, colour)


def box(colour: Colour, left: float, top: float, right: float, bottom: float) -> Shape:
    return Shape(((left, top), (right, top), (right, bottom), (left, bottom)), colour)


def oval(colour: Colour, x: float, y: float, w: float, h: float | None = None) -> Shape:
    """Around (x, y), `w` and `h` to each side; a circle without `h`."""
    angles = [2 * math.pi * step / 28 for step in range(28)]
    high = w if h is None else h
    return Shape(tuple((x + w * math.cos(a), y + high * math.sin(a)) for a in angles), colour)


def stroke(colour: Colour, width: float, *points: Point) -> Shape:
    return Shape(points, colour, width)


def moved(shapes: Iterable[Shape], to: Point, scale: float = 1.0, angle: float = 0.0) -> tuple[Shape, ...]:
    """The shapes turned by `angle` degrees, scaled, and put where (0, 0) is at `to`."""
    turn = math.radians(angle)
    cosine, sine = math.cos(turn) * scale, math.sin(turn) * scale

    def put(point: Point) -> Point:
        x, y = point
        return to[0] + x * cosine - y * sine, to[1] + x * sine + y * cosine

    return tuple(replace(shape, points=tuple(map(put, shape.points)), width=shape.width * scale) for shape in shapes)


def shade(colour: Sequence[float], by: float) -> Colour:
    """Darker below 1, lighter above.

    >>> shade((200, 100, 0), 0.5), shade((200, 100, 0), 1.5)
    ((100, 50, 0), (228, 178, 128))
    """
    red, green, blue = (round(min(255, max(0, c * by if by <= 1 else c + (255 - c) * (by - 1)))) for c in colour)
    return red, green, blue


@dataclass(frozen=True)
class Sprite:
    """A picture with transparency, and where its upper left corner lies."""

    picture: Any
    left: int
    top: int


def render(shapes: Sequence[Shape]) -> Sprite:
    """The shapes in a picture that is just large enough for them."""
    image = need("PIL.Image", extra="films", purpose="drawing films")
    reach = [(x, y, shape.width) for shape in shapes for x, y in shape.points]
    left, top = (math.floor(min(point[axis] - point[2] for point in reach)) - 1 for axis in (0, 1))
    right, bottom = (math.ceil(max(point[axis] + point[2] for point in reach)) + 1 for axis in (0, 1))
    canvas = image.new("RGBA", ((right - left) * FINER, (bottom - top) * FINER), (0, 0, 0, 0))
    draw(canvas, moved(shapes, (-left, -top)))
    return Sprite(canvas.reduce(FINER), left, top)


def together(sprites: Sequence[Sprite]) -> Sprite:
    """One sprite of several; the last is in front."""
    image = need("PIL.Image", extra="films", purpose="drawing films")
    left, top = min(each.left for each in sprites), min(each.top for each in sprites)
    right = max(each.left + each.picture.width for each in sprites)
    bottom = max(each.top + each.picture.height for each in sprites)
    canvas = image.new("RGBA", (right - left, bottom - top), (0, 0, 0, 0))
    for each in sprites:
        canvas.alpha_composite(each.picture, (each.left - left, each.top - top))
    return Sprite(canvas, left, top)


def draw(canvas: Any, shapes: Iterable[Shape], finer: int = FINER) -> None:
    """Draw on a canvas that is `finer` times larger than the units of the shapes."""
    pen = need("PIL.ImageDraw", extra="films", purpose="drawing films").Draw(canvas)
    for shape in shapes:
        points = [(x * finer, y * finer) for x, y in shape.points]
        if shape.width:
            width = max(1, round(shape.width * finer))
            pen.line(points, fill=shape.colour, width=width, joint="curve")
            for x, y in (points[0], points[-1]):
                pen.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), fill=shape.colour)
        else:
            pen.polygon(points, fill=shape.colour)
