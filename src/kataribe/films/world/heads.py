"""Heads as a camera would see them from the front: vector shapes with soft shading.

A face detector that was trained on photographs looks for what light does to a face: dark eye sockets, a bright bridge
of the nose with a shadow below it, lips and a chin that throw shadows. Flat cartoons are not found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kataribe.core.need import need
from kataribe.films.world.drawing import Colour, Point, shade
from kataribe.films.world.people import Person

# One side of the square that holds a head; the face fills the middle, hair and neck the rest.
SIDE = 192
_FINER = 2

# Where a detector's box should lie, in parts of the square.
FACE_BOX = (0.24, 0.27, 0.76, 0.79)


@dataclass(frozen=True)
class Expression:
    """`gaze` goes from -1 (left) to 1, `mouth` from 0 (closed) to 1 (open), `smile` from -1 to 1."""

    gaze: float = 0.0
    mouth: float = 0.0
    smile: float = 0.0
    eyes: float = 1.0
    tears: bool = False


CALM = Expression()


@lru_cache(maxsize=512)
def draw_head(person: Person, expression: Expression = CALM) -> Any:
    """An RGBA picture with a transparent background."""
    image = need("PIL.Image", extra="films", purpose="drawing films")
    pen = _Pen(person)
    for layer in (_back_hair, _neck, _skin, _sockets, _nose, _cheeks, _eyes, _brows, _mouth, _beard, _front_hair):
        layer(pen, expression)
    if person.has_glasses:
        _glasses(pen)
    if expression.tears:
        _tears(pen)
    return pen.canvas.resize((SIDE, SIDE), image.Resampling.LANCZOS)


class _Pen:
    """Draws in units of half a head: the middle of the face is (0, 0), y points down."""

    def __init__(self, person: Person) -> None:
        self.image, self.draw, self.filter, self.chops = (
            need(f"PIL.{module}", extra="films", purpose="drawing films")
            for module in ("Image", "ImageDraw", "ImageFilter", "ImageChops")
        )
        self.person = person
        self.size = SIDE * _FINER
        self.unit = self.size * 0.36
        self.canvas = self.image.new("RGBA", (self.size, self.size), (0, 0, 0, 0))
        self.m = measures(person)
        self.skin_mask: Any = None

    def at(self, point: Point) -> Point:
        return self.size / 2 + point[0] * self.unit, self.size * 0.5 + point[1] * self.unit

    def mask(self, points: Sequence[Point], blur: float = 0.0) -> Any:
        """The polygon on the whole canvas, white on black."""
        mask = self.image.new("L", (self.size, self.size), 0)
        self.draw.Draw(mask).polygon([self.at(point) for point in points], fill=255)
        return mask.filter(self.filter.GaussianBlur(blur * self.unit)) if blur else mask

    def fill(
        self, points: Sequence[Point], colour: Colour, alpha: float = 1.0, blur: float = 0.0, within: Any = None
    ) -> None:
        """A polygon with soft edges. Only its surroundings are touched: most shapes of a face are small."""
        corners = [self.at(point) for point in points]
        spread = 3 * blur * self.unit + 2
        left, top = (max(0, math.floor(min(values) - spread)) for values in zip(*corners, strict=True))
        right, bottom = (min(self.size, math.ceil(max(values) + spread)) for values in zip(*corners, strict=True))
        if left >= right or top >= bottom:
            return
        mask = self.image.new("L", (right - left, bottom - top), 0)
        self.draw.Draw(mask).polygon([(x - left, y - top) for x, y in corners], fill=round(255 * alpha))
        if blur:
            mask = mask.filter(self.filter.GaussianBlur(blur * self.unit))
        if within is not None:
            mask = self.chops.multiply(mask, within.crop((left, top, right, bottom)))
        layer = self.image.new("RGBA", mask.size, (*colour, 0))
        layer.putalpha(mask)
        self.canvas.alpha_composite(layer, (left, top))

    def stain(self, mask: Any, colour: Colour) -> None:
        """Colour the whole canvas where the mask is white."""
        layer = self.image.new("RGBA", self.canvas.size, (*colour, 0))
        layer.putalpha(mask)
        self.canvas.alpha_composite(layer)


@dataclass(frozen=True)
class Measures:
    """A person's face in units of half a head."""

    half_width: float
    jaw: float
    chin: float
    crown: float
    eye_x: float
    eye_y: float
    eye_w: float
    eye_h: float
    eye_tilt: float
    brow_y: float
    brow_tilt: float
    brow_w: float
    nose_y: float
    nose_w: float
    mouth_y: float
    mouth_w: float
    lips: float


def measures(person: Person) -> Measures:
    face = person.face
    eye_y = -0.10 + 0.05 * face.eye_height
    nose_y = 0.25 + 0.085 * face.nose_length
    chin = 0.86 + 0.09 * face.chin
    mouth_y = nose_y + (chin - nose_y) * (0.42 + 0.06 * face.mouth_height)
    eye_w = 0.155 + 0.038 * face.eye_size
    return Measures(
        half_width=0.655 + 0.085 * face.width,
        jaw=0.5 + 0.5 * face.jaw,
        chin=chin,
        crown=-0.92 - 0.06 * face.forehead,
        eye_x=0.30 + 0.05 * face.eye_distance,
        eye_y=eye_y,
        eye_w=eye_w,
        eye_h=eye_w * (0.50 + 0.14 * face.eye_shape),
        eye_tilt=0.20 * face.eye_tilt,
        brow_y=eye_y - 0.225 - 0.055 * face.brow_height,
        brow_tilt=0.24 * face.brow_tilt,
        brow_w=0.05 + 0.024 * face.brow_weight,
        nose_y=nose_y,
        nose_w=0.150 + 0.050 * face.nose_width,
        mouth_y=mouth_y,
        mouth_w=0.265 + 0.075 * face.mouth_width,
        lips=0.075 + 0.034 * face.lips,
    )


def _ellipse(x: float, y: float, w: float, h: float, tilt: float = 0.0, steps: int = 48) -> list[Point]:
    cosine, sine = math.cos(tilt), math.sin(tilt)
    angles = [2 * math.pi * step / steps for step in range(steps)]
    around = [(w * math.cos(a), h * math.sin(a)) for a in angles]
    return [(x + dx * cosine - dy * sine, y + dx * sine + dy * cosine) for dx, dy in around]


def _outline(m: Measures) -> list[Point]:
    """The face from ear to ear: a round skull above, a jaw between pointed and square below."""
    points = []
    for step in range(96):
        angle = 2 * math.pi * step / 96
        x, y = math.cos(angle), math.sin(angle)
        if y < 0:
            points.append((m.half_width * x, y * -m.crown))
        else:
            # A larger power keeps the width further down: a square jaw.
            power = 1.55 + 1.35 * m.jaw
            width = (1 - y**power) ** (1 / power) if y < 1 else 0.0
            points.append((m.half_width * math.copysign(width, x), y * m.chin))
    return points


def _back_hair(pen: _Pen, _: Expression) -> None:
    m, hair, style = pen.m, pen.person.hair, pen.person.hair_style
    if style == "bald":
        return
    wide = m.half_width + {"long": 0.16, "bob": 0.17, "fringe": 0.13}.get(style, 0.07)
    pen.fill(_ellipse(0, -0.30, wide, 0.86), shade(hair, 0.75))
    if style in ("long", "fringe"):
        pen.fill([(-wide, -0.3), (wide, -0.3), (wide * 0.98, 1.15), (-wide * 0.98, 1.15)], shade(hair, 0.62))
    if style == "bob":
        pen.fill([(-wide, -0.3), (wide, -0.3), (wide * 1.02, 0.62), (-wide * 1.02, 0.62)], shade(hair, 0.62))
    if style == "bun":
        pen.fill(_ellipse(0, -1.13, 0.27, 0.23), shade(hair, 0.85))


def _neck(pen: _Pen, _: Expression) -> None:
    skin, chin = pen.person.skin, pen.m.chin
    pen.fill([(-0.27, 0.45), (0.27, 0.45), (0.31, 1.38), (-0.31, 1.38)], shade(skin, 0.80))
    pen.fill(
        _ellipse(0, chin + 0.08, 0.46, 0.17), shade(skin, 0.42), 0.65, blur=0.06, within=pen.canvas.getchannel("A")
    )


def _skin(pen: _Pen, _: Expression) -> None:
    m, skin = pen.m, pen.person.skin
    for side in (-1, 1):
        pen.fill(_ellipse(side * m.half_width * 0.99, m.eye_y + 0.14, 0.085, 0.17), shade(skin, 0.82))
        pen.fill(_ellipse(side * m.half_width * 0.99, m.eye_y + 0.15, 0.04, 0.10), shade(skin, 0.62), 0.8, blur=0.02)
    outline = _outline(m)
    pen.fill(outline, skin)
    pen.skin_mask = pen.mask(outline)
    inside = pen.skin_mask
    # Light falls from the upper left: the right side and the lower rim turn away from it.
    middle = [(x * 0.74, y * 0.80 - 0.03) for x, y in outline]
    away = pen.chops.multiply(pen.chops.invert(pen.mask(middle, blur=0.15)), inside)
    pen.stain(away.point(lambda value: int(value * 0.72)), shade(skin, 0.46))
    pen.fill(_ellipse(m.half_width * 0.86, 0.12, 0.26, 0.85), shade(skin, 0.5), 0.30, blur=0.17, within=inside)
    pen.fill(_ellipse(-0.10, -0.52, 0.36, 0.19), shade(skin, 1.55), 0.42, blur=0.12, within=inside)
    pen.fill(_ellipse(0, m.chin - 0.13, 0.15, 0.08), shade(skin, 1.4), 0.45, blur=0.06, within=inside)


def _sockets(pen: _Pen, _: Expression) -> None:
    m, dark, inside = pen.m, shade(pen.person.skin, 0.42), pen.skin_mask
    for side in (-1, 1):
        pen.fill(_ellipse(side * m.eye_x, m.eye_y - 0.035, m.eye_w * 1.45, 0.155), dark, 0.58, 0.065, inside)
        pen.fill(_ellipse(side * (m.eye_x - m.eye_w * 0.95), m.eye_y - 0.03, 0.06, 0.13), dark, 0.50, 0.04, inside)
        pen.fill(_ellipse(side * m.eye_x, m.eye_y + m.eye_h + 0.075, m.eye_w, 0.028), dark, 0.35, 0.03, inside)


def _nose(pen: _Pen, _: Expression) -> None:
    m, skin, inside = pen.m, pen.person.skin, pen.skin_mask
    dark, top = shade(skin, 0.45), m.eye_y - 0.02
    for side, strength in ((-1, 0.28), (1, 0.50)):
        flank = [(side * 0.055, top), (side * 0.10, top), (side * (m.nose_w + 0.02), m.nose_y), (side * 0.06, m.nose_y)]
        pen.fill(flank, dark, strength, 0.035, inside)
    bridge = [(-0.035, top - 0.08), (0.03, top - 0.08), (0.045, m.nose_y - 0.05), (-0.05, m.nose_y - 0.05)]
    pen.fill(bridge, shade(skin, 1.6), 0.55, 0.03, inside)
    pen.fill(_ellipse(-0.015, m.nose_y - 0.055, m.nose_w * 0.52, 0.06), shade(skin, 1.45), 0.6, 0.035, inside)
    pen.fill(_ellipse(0, m.nose_y + 0.055, m.nose_w * 0.95, 0.048), dark, 0.72, 0.03, inside)
    for side in (-1, 1):
        pen.fill(_ellipse(side * m.nose_w * 0.88, m.nose_y - 0.01, 0.045, 0.06), dark, 0.38, 0.02, inside)
        pen.fill(
            _ellipse(side * m.nose_w * 0.50, m.nose_y + 0.025, m.nose_w * 0.26, 0.022), shade(skin, 0.2), 0.9, 0.01
        )


def _cheeks(pen: _Pen, _: Expression) -> None:
    m, skin, inside = pen.m, pen.person.skin, pen.skin_mask
    fullness = pen.person.face.cheeks
    for side in (-1, 1):
        x, y = side * m.half_width * 0.62, m.nose_y - 0.04
        pen.fill(_ellipse(x, y, 0.17, 0.12), shade(skin, 1.35), 0.28 + 0.14 * fullness, 0.08, inside)
        hollow = [
            (side * m.half_width * 0.86, y + 0.08),
            (side * m.mouth_w * 1.25, m.mouth_y),
            (side * m.half_width * 0.7, m.mouth_y + 0.1),
        ]
        pen.fill(hollow, shade(skin, 0.5), 0.34 - 0.26 * fullness, 0.07, inside)
        fold = [
            (side * (m.nose_w + 0.03), m.nose_y),
            (side * (m.nose_w + 0.06), m.nose_y),
            (side * (m.mouth_w + 0.07), m.mouth_y),
            (side * (m.mouth_w + 0.03), m.mouth_y),
        ]
        pen.fill(fold, shade(skin, 0.45), 0.34, 0.022, inside)


def _eyes(pen: _Pen, expression: Expression) -> None:
    m, person = pen.m, pen.person
    lash = shade(person.hair, 0.35) if sum(person.hair) < 380 else (46, 34, 28)
    for side in (-1, 1):
        x, tilt = side * m.eye_x, -side * m.eye_tilt
        open_h = m.eye_h * max(0.10, expression.eyes)
        lens = _ellipse(x, m.eye_y, m.eye_w, open_h, tilt)
        if expression.eyes > 0.3:
            pen.fill(lens, (236, 232, 226))
            within = pen.mask(lens)
            gaze = x + expression.gaze * m.eye_w * 0.38
            iris = m.eye_h * 0.98
            pen.fill(_ellipse(gaze, m.eye_y, iris, iris), person.iris, within=within)
            pen.fill(_ellipse(gaze, m.eye_y, iris * 0.48, iris * 0.48), (12, 10, 10), within=within)
            pen.fill(
                _ellipse(gaze - iris * 0.3, m.eye_y - iris * 0.35, iris * 0.2, iris * 0.2),
                (255, 255, 255),
                within=within,
            )
            shadow = _ellipse(x, m.eye_y - open_h * 0.85, m.eye_w, open_h * 0.5, tilt)
            pen.fill(shadow, (60, 44, 40), 0.45, 0.02, within)
        else:
            pen.fill(lens, shade(person.skin, 0.72), blur=0.008)
        lift = -open_h * 0.86 if expression.eyes > 0.3 else open_h * 0.4
        upper = _arc(x, m.eye_y, m.eye_w * 1.06, lift * 1.12, 0.034, tilt)
        pen.fill(upper, lash, 0.95, 0.006)
        if expression.eyes > 0.3:
            crease = _arc(x, m.eye_y - 0.035, m.eye_w * 1.05, lift * 1.25, 0.014, tilt)
            pen.fill(crease, shade(person.skin, 0.4), 0.7, 0.008)
            pen.fill(_arc(x, m.eye_y, m.eye_w, open_h, 0.010, tilt), shade(person.skin, 0.42), 0.7, 0.006)


def _arc(x: float, y: float, w: float, lift: float, weight: float, tilt: float) -> list[Point]:
    """A stroke from corner to corner that bends by `lift` and is thickest in the middle."""
    steps = [step / 16 * 2 - 1 for step in range(17)]
    cosine, sine = math.cos(tilt), math.sin(tilt)
    upper = [(s * w, lift * (1 - s * s)) for s in steps]
    lower = [(s * w, lift * (1 - s * s) + weight * (1 - 0.6 * s * s)) for s in reversed(steps)]
    return [(x + dx * cosine - dy * sine, y + dx * sine + dy * cosine) for dx, dy in upper + lower]


def _brows(pen: _Pen, expression: Expression) -> None:
    m, hair = pen.m, pen.person.hair
    colour = shade(hair, 0.6) if sum(hair) < 380 else (110, 84, 60)
    for side in (-1, 1):
        tilt = side * (m.brow_tilt - 0.25 * min(0.0, expression.smile))
        pen.fill(
            _arc(side * (m.eye_x + 0.01), m.brow_y + 0.03, m.eye_w * 1.38, -0.055, m.brow_w, tilt), colour, 0.9, 0.012
        )


def _mouth(pen: _Pen, expression: Expression) -> None:
    m, skin, inside = pen.m, pen.person.skin, pen.skin_mask
    paint = (176, 78, 78) if pen.person.gender == "woman" else (158, 92, 84)
    red = (
        (paint[0] * 2 + skin[0]) // 3,
        (paint[1] * 2 + skin[1]) // 3,
        (paint[2] * 2 + skin[2]) // 3,
    )
    y, w, lips = m.mouth_y, m.mouth_w * (1 + 0.12 * max(0.0, expression.smile)), m.lips
    drop = 0.17 * expression.mouth
    bend = 0.07 * expression.smile
    corners = [(-w, y - bend), (w, y - bend)]
    pen.fill(_ellipse(0, y + drop + lips + 0.085, w * 0.62, 0.045), shade(skin, 0.45), 0.55, 0.035, inside)
    upper = [
        corners[0],
        (-w * 0.35, y - lips * 0.85),
        (0, y - lips * 0.6),
        (w * 0.35, y - lips * 0.85),
        corners[1],
        (0, y + 0.02 + bend * 0.6),
    ]
    lower = [
        corners[0],
        *[(w * s, y + bend * 0.6 + drop + lips * 1.15 * (1 - s * s)) for s in (-0.7, -0.4, 0, 0.4, 0.7)],
        corners[1],
    ]
    pen.fill(lower, shade(red, 1.08), blur=0.008)
    pen.fill(_ellipse(0, y + drop + lips * 0.62, w * 0.35, lips * 0.2), shade(red, 1.5), 0.45, 0.02)
    if drop > 0.01:
        hole = [
            corners[0],
            (-w * 0.4, y - lips * 0.2),
            (w * 0.4, y - lips * 0.2),
            corners[1],
            (w * 0.45, y + drop),
            (-w * 0.45, y + drop),
        ]
        pen.fill([(px * 0.88, py) for px, py in hole], (58, 22, 24), blur=0.008)
        pen.fill(
            [
                (-w * 0.5, y - lips * 0.1),
                (w * 0.5, y - lips * 0.1),
                (w * 0.4, y + drop * 0.28),
                (-w * 0.4, y + drop * 0.28),
            ],
            (232, 228, 220),
            0.95,
            0.01,
        )
    pen.fill(upper, shade(red, 0.80), blur=0.008)
    if drop <= 0.01:
        pen.fill(_arc(0, y - bend, w * 1.02, bend * 1.6, 0.026, 0.0), (74, 34, 34), 0.9, 0.008)


def _beard(pen: _Pen, _: Expression) -> None:
    m, hair = pen.m, shade(pen.person.hair, 0.9)
    if pen.person.beard == "moustache":
        y = (m.nose_y + m.mouth_y) / 2 + 0.02
        pen.fill(_arc(0, y + 0.05, m.mouth_w * 0.95, -0.055, 0.06, 0.0), hair, 0.85, 0.02)
    if pen.person.beard == "beard":
        rim = [(x, y) for x, y in _outline(m) if y > m.mouth_y * 0.72]
        inner = [
            (-m.mouth_w * 1.3, m.mouth_y - 0.02),
            (-m.mouth_w, m.mouth_y + 0.2),
            (m.mouth_w, m.mouth_y + 0.2),
            (m.mouth_w * 1.3, m.mouth_y - 0.02),
        ]
        pen.fill([*rim, *inner], hair, 0.55, 0.03, pen.skin_mask)


def _front_hair(pen: _Pen, _: Expression) -> None:
    m, hair, style = pen.m, pen.person.hair, pen.person.hair_style
    w, top = m.half_width, m.crown
    line = m.brow_y - 0.22
    if style == "bald":
        pen.fill(_ellipse(-0.15, top + 0.16, 0.2, 0.08), (255, 255, 255), 0.35, 0.06)
        return
    cap = (
        [(-w - 0.07, line + 0.42)]
        + [
            (math.cos(a) * (w + 0.08), math.sin(a) * 0.80 + top + 0.72)
            for a in [math.pi + math.pi * s / 24 for s in range(25)]
        ]
        + [(w + 0.07, line + 0.42)]
    )
    hairline = {
        "crew": [(w * 0.93, line + 0.05), (w * 0.72, line - 0.16), (-w * 0.72, line - 0.16), (-w * 0.93, line + 0.05)],
        "short": [
            (w * 0.93, line + 0.16),
            (w * 0.66, line - 0.04),
            (0, line - 0.1),
            (-w * 0.66, line - 0.04),
            (-w * 0.93, line + 0.16),
        ],
        "parted": [
            (w * 0.94, line + 0.24),
            (w * 0.62, line - 0.06),
            (-w * 0.25, line - 0.22),
            (-w * 0.72, line - 0.02),
            (-w * 0.94, line + 0.22),
        ],
        "fringe": [
            (w * 0.93, line + 0.44),
            (w * 0.72, line + 0.12),
            (0, line + 0.10),
            (-w * 0.72, line + 0.12),
            (-w * 0.93, line + 0.44),
        ],
        "bob": [
            (w * 0.94, line + 0.5),
            (w * 0.80, line + 0.1),
            (w * 0.2, line - 0.16),
            (-w * 0.75, line + 0.06),
            (-w * 0.94, line + 0.5),
        ],
        "long": [
            (w * 0.94, line + 0.5),
            (w * 0.76, line + 0.06),
            (0, line - 0.22),
            (-w * 0.76, line + 0.06),
            (-w * 0.94, line + 0.5),
        ],
        "bun": [
            (w * 0.94, line + 0.2),
            (w * 0.7, line - 0.06),
            (0, line - 0.17),
            (-w * 0.7, line - 0.06),
            (-w * 0.94, line + 0.2),
        ],
    }[style]
    pen.fill([*cap, *hairline], hair, blur=0.008)
    pen.fill(
        _ellipse(-w * 0.35, top + 0.12, w * 0.42, 0.09, -0.3),
        shade(hair, 1.35),
        0.5,
        0.06,
        pen.mask([*cap, *hairline]),
    )
    # Hair throws a shadow on the forehead.
    pen.fill(
        [(x * 0.96, y + 0.05) for x, y in hairline] + [(x * 0.96, y - 0.02) for x, y in reversed(hairline)],
        shade(pen.person.skin, 0.45),
        0.4,
        0.03,
        pen.skin_mask,
    )


def _glasses(pen: _Pen) -> None:
    m = pen.m
    for side in (-1, 1):
        outer = _ellipse(side * m.eye_x, m.eye_y + 0.02, m.eye_w + 0.075, m.eye_w * 0.95)
        inner = _ellipse(side * m.eye_x, m.eye_y + 0.02, m.eye_w + 0.05, m.eye_w * 0.95 - 0.025)
        pen.stain(pen.chops.subtract(pen.mask(outer), pen.mask(inner)), (40, 36, 36))
    inner_x = m.eye_x - m.eye_w - 0.07
    pen.fill(
        [
            (-inner_x, m.eye_y - 0.01),
            (inner_x, m.eye_y - 0.01),
            (inner_x, m.eye_y + 0.015),
            (-inner_x, m.eye_y + 0.015),
        ],
        (40, 36, 36),
    )


def _tears(pen: _Pen) -> None:
    m = pen.m
    for side in (-1, 1):
        pen.fill(_ellipse(side * m.eye_x, m.eye_y + 0.24, 0.04, 0.14), (150, 205, 250), 0.85, 0.01)
        pen.fill(_ellipse(side * m.eye_x * 1.05, m.eye_y + 0.45, 0.05, 0.08), (150, 205, 250), 0.9, 0.01)
