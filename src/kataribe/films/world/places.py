"""Where films happen: painted backgrounds, each seen by several cameras that look at different walls in other light."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from kataribe.core.need import need
from kataribe.films.world.actions import Genre
from kataribe.films.world.drawing import FINER, Colour, Shape, box, draw, oval, polygon, shade, stroke

WIDTH, HEIGHT = 512, 288
CAMERAS = 3
FLOOR = 0.70  # where the floor begins, as part of the height

# What a camera does to the light, so that a cut is a cut: brightness, and a cast of red, green and blue.
_LIGHT: tuple[tuple[float, Colour], ...] = ((1.0, (0, 0, 0)), (0.66, (10, 2, -10)), (1.22, (-12, 0, 14)))

Prop = Callable[[float, float], list[Shape]]
_WOOD, _DARK, _GREY = (142, 96, 58), (64, 46, 36), (150, 152, 158)


@dataclass(frozen=True)
class Place:
    """Wall or sky from top to bottom, the floor, and what stands there: (prop, x) from left to right, by camera."""

    above: tuple[Colour, Colour]
    floor: Colour
    props: tuple[str, ...]
    genres: tuple[Genre, ...] = ()


PLACES: dict[str, Place] = {
    "kitchen": Place(
        ((250, 232, 190), (240, 214, 160)),
        (198, 150, 110),
        ("cupboard", "fridge", "window", "shelf"),
        ("family", "comedy"),
    ),
    "bedroom": Place(
        ((196, 176, 214), (176, 152, 200)), (120, 90, 110), ("bed", "window", "lamp", "picture"), ("romance", "family")
    ),
    "classroom": Place(
        ((226, 238, 226), (206, 224, 206)), (176, 140, 96), ("board", "bench", "clock", "bench"), ("youth",)
    ),
    "hospital": Place(
        ((226, 246, 250), (206, 232, 240)), (180, 206, 212), ("bed", "cross", "curtain", "clock"), ("family", "mystery")
    ),
    "office": Place(
        ((170, 182, 196), (148, 160, 178)), (92, 98, 110), ("screen", "window", "shelf", "clock"), ("crime",)
    ),
    "restaurant": Place(
        ((170, 60, 50), (140, 44, 40)), (96, 50, 40), ("table", "lantern", "picture", "lantern"), ("comedy", "romance")
    ),
    "street": Place(
        ((150, 190, 230), (206, 220, 232)),
        (110, 112, 116),
        ("house", "street_lamp", "tower", "car"),
        ("crime", "comedy"),
    ),
    "park": Place(
        ((130, 196, 246), (206, 234, 250)), (96, 176, 84), ("tree", "bench", "bush", "tree"), ("romance", "youth")
    ),
    "forest": Place(
        ((70, 110, 80), (110, 150, 96)), (62, 84, 46), ("pine", "pine", "bush", "pine"), ("fantasy", "action")
    ),
    "beach": Place(
        ((96, 190, 240), (190, 232, 250)), (238, 216, 156), ("sea", "palm", "boat", "parasol"), ("romance", "youth")
    ),
    "mountain": Place(
        ((186, 200, 222), (226, 230, 238)), (140, 134, 126), ("peak", "rock", "peak", "pine"), ("action", "fantasy")
    ),
    "snowfield": Place(
        ((200, 214, 232), (232, 238, 246)),
        (246, 248, 252),
        ("snow_pine", "snowman", "snow_pine", "cabin"),
        ("fantasy", "mystery"),
    ),
    "temple": Place(
        ((232, 186, 110), (246, 214, 150)),
        (160, 112, 84),
        ("pillar", "gate", "statue", "pillar"),
        ("costume", "fantasy"),
    ),
    "station": Place(
        ((120, 124, 120), (160, 162, 154)), (86, 82, 80), ("train", "sign", "clock", "bench"), ("romance", "crime")
    ),
    "market": Place(
        ((240, 206, 150), (250, 226, 186)), (170, 130, 90), ("stall", "crate", "stall", "crate"), ("country", "comedy")
    ),
    "rooftop": Place(
        ((40, 44, 92), (92, 76, 130)),
        (70, 68, 82),
        ("skyline", "moon", "tank", "skyline"),
        ("action", "crime", "youth"),
    ),
    "cellar": Place(
        ((58, 52, 50), (74, 64, 58)), (48, 42, 40), ("barrel", "shelf", "pillar", "crate"), ("mystery", "crime")
    ),
    "farm": Place(
        ((160, 206, 240), (226, 236, 226)), (206, 174, 84), ("barn", "fence", "hay", "tree"), ("country", "family")
    ),
}


@lru_cache(maxsize=64)
def draw_place(name: str, camera: int) -> Any:
    """An RGB picture of the whole frame without people."""
    image = need("PIL.Image", extra="films", purpose="drawing films")
    place = PLACES[name]
    canvas = image.fromarray(_ground(place, camera)).resize((WIDTH * FINER, HEIGHT * FINER))
    draw(canvas, [shape for shapes in _furniture(place, camera) for shape in shapes])
    pixels = np.asarray(canvas.resize((WIDTH, HEIGHT), image.Resampling.BOX), dtype=np.float64)
    brightness, cast = _LIGHT[camera]
    # Grain of its own for each place: flat colours would make bands when the film is packed.
    grain = np.random.default_rng([sorted(PLACES).index(name), camera]).normal(0, 2.5, (HEIGHT, WIDTH, 1))
    lit = pixels * brightness + np.array(cast) + grain
    return image.fromarray(np.clip(np.rint(lit), 0, 255).astype(np.uint8))


def _ground(place: Place, camera: int) -> Any:
    top, bottom = (np.array(colour, dtype=np.float64) for colour in place.above)
    split = round(HEIGHT * (FLOOR + 0.05 * (camera - 1)))
    pixels = np.empty((HEIGHT, WIDTH, 3))
    pixels[:split] = (top + (bottom - top) * np.linspace(0, 1, split)[:, None])[:, None]
    floor = np.array(place.floor) * np.linspace(0.82, 1.06, HEIGHT - split)[:, None]
    pixels[split:] = floor[:, None]
    # The cameras look at different walls: the light comes from another side.
    side = np.linspace(1.06, 0.92, WIDTH) if camera != 1 else np.linspace(0.92, 1.06, WIDTH)
    return np.clip(pixels * side[None, :, None], 0, 255).astype(np.uint8)


def _furniture(place: Place, camera: int) -> list[list[Shape]]:
    """Each camera sees the things in another order, nearer or further."""
    props = place.props[camera:] + place.props[:camera]
    scale = (1.0, 1.35, 0.85)[camera]
    ground = HEIGHT * (FLOOR + 0.05 * (camera - 1)) + 14
    xs = [WIDTH * share for share in (0.10, 0.37, 0.64, 0.91)]
    placed = []
    for prop, x in zip(props, xs, strict=True):
        shapes = _PROPS[prop]
        placed.append(
            [
                Shape(tuple((x + px * scale, ground + py * scale) for px, py in s.points), s.colour, s.width * scale)
                for s in shapes
            ]
        )
    return placed


def _window() -> list[Shape]:
    return [
        box((250, 250, 246), -46, -176, 46, -84),
        box((150, 206, 246), -40, -170, 40, -90),
        stroke((250, 250, 246), 5, (0, -170), (0, -90)),
        stroke((250, 250, 246), 5, (-40, -130), (40, -130)),
    ]


def _tree(leaf: Colour, trunk: Colour = (110, 74, 44)) -> list[Shape]:
    return [
        box(trunk, -9, -70, 9, 4),
        oval(leaf, 0, -112, 52, 50),
        oval(shade(leaf, 0.82), 18, -92, 34, 28),
        oval(shade(leaf, 1.2), -18, -124, 26, 20),
    ]


def _pine(leaf: Colour, snow: bool = False) -> list[Shape]:
    shapes = [box((90, 62, 40), -7, -30, 7, 4)]
    for row, (width, top) in enumerate(((48, -100), (38, -138), (26, -170))):
        shapes.append(polygon(shade(leaf, 0.85 + 0.15 * row), (-width, top + 74), (0, top), (width, top + 74)))
        if snow:
            shapes.append(polygon((250, 252, 255), (-width * 0.4, top + 30), (0, top), (width * 0.4, top + 30)))
    return shapes


def _house(wall: Colour, roof: Colour) -> list[Shape]:
    windows = [box((250, 230, 140), x, y, x + 18, y + 24) for x in (-36, 16) for y in (-120, -72)]
    return [
        box(wall, -56, -140, 56, 4),
        polygon(roof, (-66, -140), (0, -184), (66, -140)),
        *windows,
        box(_DARK, -10, -38, 12, 4),
    ]


_PROPS: dict[str, list[Shape]] = {
    "cupboard": [
        box((176, 116, 62), -58, -84, 58, 4),
        box((150, 96, 50), -54, -74, -3, 0),
        box((150, 96, 50), 3, -74, 54, 0),
        box((226, 226, 220), -62, -92, 62, -82),
    ],
    "fridge": [
        box((236, 240, 244), -34, -160, 34, 4),
        stroke((170, 176, 184), 3, (-34, -104), (34, -104)),
        stroke((130, 136, 144), 5, (24, -146), (24, -116)),
        stroke((130, 136, 144), 5, (24, -90), (24, -50)),
    ],
    "window": _window(),
    "shelf": [
        box(_WOOD, -48, -150, 48, -143),
        box(_WOOD, -48, -104, 48, -97),
        *(
            box(c, x, -143 - h + 0, x + 11, -150)
            for x, h, c in (
                (-40, 36, (190, 50, 50)),
                (-24, 30, (50, 100, 180)),
                (-6, 40, (230, 190, 60)),
                (14, 32, (60, 150, 90)),
            )
        ),
        *(
            box(c, x, -104 - h, x + 12, -104)
            for x, h, c in ((-34, 26, (120, 70, 160)), (0, 30, (230, 130, 50)), (22, 22, (70, 170, 180)))
        ),
    ],
    "bed": [
        box(_WOOD, -74, -60, -64, 6),
        box((250, 250, 250), -66, -44, 66, -18),
        box((90, 140, 210), -26, -46, 66, -14),
        oval((240, 236, 226), -46, -48, 18, 10),
        box(_WOOD, 62, -40, 70, 6),
    ],
    "lamp": [
        stroke(_DARK, 5, (0, 0), (0, -96)),
        polygon((255, 226, 130), (-30, -96), (30, -96), (18, -136), (-18, -136)),
        oval(_DARK, 0, 2, 18, 5),
    ],
    "picture": [
        box((170, 120, 50), -40, -166, 40, -104),
        box((206, 230, 240), -34, -160, 34, -110),
        polygon((70, 140, 90), (-34, -110), (-8, -146), (10, -124), (22, -138), (34, -110)),
    ],
    "board": [
        box(_WOOD, -74, -176, 74, -88),
        box((30, 84, 62), -69, -171, 69, -93),
        stroke((226, 232, 226), 3, (-54, -150), (-10, -150)),
        stroke((226, 232, 226), 3, (-54, -132), (20, -132)),
        stroke((226, 232, 226), 3, (-54, -114), (0, -114)),
    ],
    "bench": [
        box((170, 118, 66), -56, -40, 56, -30),
        box((170, 118, 66), -56, -66, 56, -54),
        box(_DARK, -48, -32, -41, 4),
        box(_DARK, 41, -32, 48, 4),
    ],
    "clock": [
        oval((60, 60, 66), 0, -150, 26),
        oval((250, 250, 246), 0, -150, 22),
        stroke((30, 30, 34), 3, (0, -150), (0, -166)),
        stroke((30, 30, 34), 3, (0, -150), (12, -144)),
    ],
    "cross": [
        box((250, 250, 250), -40, -176, 40, -96),
        box((214, 36, 44), -10, -168, 10, -104),
        box((214, 36, 44), -32, -146, 32, -126),
    ],
    "curtain": [
        *(box((120, 190, 180) if n % 2 else (146, 210, 200), -48 + 12 * n, -180, -36 + 12 * n, 2) for n in range(8))
    ],
    "screen": [
        box((196, 166, 120), -66, -56, 66, -46),
        box(_DARK, -60, -46, -53, 4),
        box(_DARK, 53, -46, 60, 4),
        box((36, 38, 44), -30, -112, 30, -64),
        box((110, 190, 240), -26, -108, 26, -68),
        box((36, 38, 44), -5, -64, 5, -56),
    ],
    "table": [
        oval((246, 240, 226), 0, -50, 66, 14),
        box(_DARK, -6, -44, 6, 4),
        oval((226, 226, 230), -22, -54, 16, 5),
        oval((120, 30, 40), 22, -64, 7, 12),
    ],
    "lantern": [
        stroke((60, 30, 20), 2, (0, -200), (0, -168)),
        oval((236, 60, 36), 0, -144, 24, 26),
        oval((255, 180, 70), 0, -144, 11, 22),
        box((230, 190, 70), -9, -172, 9, -167),
    ],
    "house": _house((206, 150, 120), (130, 60, 50)),
    "street_lamp": [stroke((50, 54, 60), 6, (0, 4), (0, -170), (26, -180)), oval((255, 240, 170), 30, -174, 13, 9)],
    "tower": [
        box((132, 146, 166), -40, -196, 40, 4),
        *(box((210, 226, 240), x, y, x + 14, y + 16) for x in (-32, -8, 16) for y in (-186, -158, -130, -102, -74)),
    ],
    "car": [
        polygon(
            (210, 40, 46), (-64, -14), (-60, -40), (-30, -44), (-14, -66), (28, -66), (42, -42), (64, -36), (66, -14)
        ),
        oval((24, 24, 28), -36, -12, 15),
        oval((24, 24, 28), 38, -12, 15),
        polygon((176, 216, 240), (-22, -44), (-10, -60), (24, -60), (32, -44)),
    ],
    "tree": _tree((64, 150, 70)),
    "bush": [
        oval((50, 130, 60), -24, -20, 30, 26),
        oval((66, 150, 74), 14, -26, 36, 32),
        *(oval((240, 90, 130), x, y, 5) for x, y in ((-20, -30), (8, -40), (26, -22), (2, -16))),
    ],
    "pine": _pine((36, 84, 56)),
    "snow_pine": _pine((70, 116, 104), snow=True),
    "palm": [
        stroke((150, 110, 66), 11, (0, 4), (10, -80), (2, -140)),
        *(
            stroke((50, 150, 76), 11, (2, -140), (2 + x, -140 + y))
            for x, y in ((-52, -6), (-36, -36), (0, -48), (40, -34), (54, 0))
        ),
    ],
    "sea": [
        box((30, 116, 190), -300, -56, 600, -8),
        box((60, 150, 214), -300, -56, 600, -44),
        *(stroke((220, 240, 250), 3, (x, -26), (x + 30, -28)) for x in range(-290, 580, 70)),
    ],
    "boat": [
        polygon((160, 70, 44), (-56, -44), (56, -44), (36, -16), (-36, -16)),
        stroke(_DARK, 4, (0, -44), (0, -140)),
        polygon((250, 250, 246), (4, -136), (54, -60), (4, -54)),
    ],
    "parasol": [
        stroke((250, 250, 250), 4, (0, 4), (0, -110)),
        polygon((250, 110, 60), (-60, -96), (-34, -124), (0, -136), (34, -124), (60, -96)),
        polygon((255, 230, 120), (-20, -96), (-10, -130), (0, -136), (10, -130), (20, -96)),
    ],
    "peak": [
        polygon((122, 130, 148), (-110, -6), (-10, -170), (100, -6)),
        polygon((246, 250, 254), (-38, -124), (-10, -170), (22, -118), (4, -132), (-14, -112)),
    ],
    "rock": [
        polygon((112, 108, 104), (-46, 4), (-38, -36), (-8, -58), (26, -44), (48, 4)),
        polygon((136, 132, 126), (-38, -36), (-8, -58), (-2, -20)),
    ],
    "snowman": [
        oval((252, 252, 255), 0, -26, 34, 32),
        oval((252, 252, 255), 0, -78, 24),
        polygon((250, 140, 40), (0, -80), (24, -76), (0, -72)),
        oval((30, 30, 34), -8, -86, 3),
        oval((30, 30, 34), 8, -86, 3),
        box((200, 40, 50), -22, -60, 22, -54),
    ],
    "cabin": _house((140, 92, 58), (236, 240, 248)),
    "pillar": [
        box((176, 44, 36), -16, -200, 16, 4),
        box((220, 180, 90), -22, -200, 22, -186),
        box((120, 116, 110), -24, -8, 24, 6),
    ],
    "gate": [
        box((160, 40, 34), -60, -140, -46, 4),
        box((160, 40, 34), 46, -140, 60, 4),
        polygon((70, 76, 84), (-92, -140), (-70, -166), (70, -166), (92, -140)),
        box((230, 190, 80), -26, -160, 26, -144),
    ],
    "statue": [
        box((140, 136, 130), -34, -24, 34, 4),
        oval((214, 172, 66), 0, -62, 36, 40),
        oval((214, 172, 66), 0, -118, 20, 22),
        oval((246, 216, 120), 0, -118, 10, 12),
    ],
    "train": [
        box((40, 110, 84), -120, -120, 120, -10),
        box((240, 206, 80), -120, -62, 120, -52),
        *(box((200, 226, 240), x, -108, x + 32, -74) for x in (-108, -64, -20, 24, 68)),
        *(oval((30, 30, 34), x, -6, 12) for x in (-90, -40, 40, 90)),
    ],
    "sign": [
        stroke((70, 74, 80), 5, (0, 4), (0, -120)),
        box((30, 80, 170), -54, -156, 54, -112),
        stroke((250, 250, 250), 5, (-36, -134), (34, -134)),
        polygon((250, 250, 250), (30, -144), (46, -134), (30, -124)),
    ],
    "stall": [
        box((150, 100, 56), -60, -50, 60, 4),
        *(
            oval(c, x, -56, 11)
            for x, c in (
                (-44, (230, 60, 50)),
                (-20, (250, 160, 40)),
                (4, (90, 170, 60)),
                (28, (240, 210, 60)),
                (50, (160, 50, 120)),
            )
        ),
        stroke(_DARK, 5, (-58, -50), (-58, -130)),
        stroke(_DARK, 5, (58, -50), (58, -130)),
        *(box((220, 50, 50) if n % 2 else (250, 246, 236), -70 + 20 * n, -150, -50 + 20 * n, -122) for n in range(7)),
    ],
    "crate": [
        box((176, 130, 76), -36, -52, 36, 4),
        stroke((120, 84, 44), 4, (-36, -24), (36, -24)),
        stroke((120, 84, 44), 4, (-36, -52), (36, 4)),
    ],
    "skyline": [
        *(
            shape
            for x, h, c in (
                (-60, 90, (30, 32, 60)),
                (-24, 130, (44, 42, 78)),
                (18, 104, (34, 36, 66)),
                (50, 150, (50, 46, 84)),
            )
            for shape in (
                box(c, x, -h, x + 34, 4),
                *(
                    box((250, 220, 120), x + 6 + 12 * i, -h + 14 + 22 * j, x + 12 + 12 * i, -h + 22 + 22 * j)
                    for i in range(2)
                    for j in range(3)
                ),
            )
        )
    ],
    "moon": [oval((250, 246, 214), 0, -156, 26), oval((236, 228, 190), -8, -160, 6), oval((236, 228, 190), 8, -148, 5)],
    "tank": [
        oval((120, 110, 110), 0, -46, 40, 10),
        box((120, 110, 110), -40, -110, 40, -46),
        oval((146, 136, 132), 0, -110, 40, 10),
        box((70, 66, 70), -32, -44, -26, 4),
        box((70, 66, 70), 26, -44, 32, 4),
    ],
    "barrel": [
        oval((120, 76, 42), 0, -40, 38, 46),
        box((90, 90, 96), -38, -62, 38, -56),
        box((90, 90, 96), -38, -24, 38, -18),
    ],
    "barn": [
        box((176, 50, 42), -70, -104, 70, 4),
        polygon((110, 40, 36), (-80, -104), (-44, -150), (44, -150), (80, -104)),
        box((246, 240, 230), -24, -56, 24, 4),
        stroke((176, 50, 42), 4, (-24, -56), (24, 4)),
        stroke((176, 50, 42), 4, (24, -56), (-24, 4)),
    ],
    "fence": [
        stroke((240, 236, 226), 7, (-76, -46), (76, -46)),
        stroke((240, 236, 226), 7, (-76, -20), (76, -20)),
        *(stroke((240, 236, 226), 8, (x, 4), (x, -60)) for x in (-60, -20, 20, 60)),
    ],
    "hay": [
        oval((226, 186, 84), 0, -26, 54, 34),
        *(stroke((196, 150, 56), 2, (x, -48), (x + 14, -14)) for x in range(-40, 36, 12)),
    ],
}
