"""Draw the little film of the sample studies again: python -m tests.people.draw_samples

Three scenes of twelve seconds: a boat leaves a harbour at sunrise, a kite tears loose, a cat pushes a vase off a table.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
from PIL import Image, ImageDraw

FILM = Path(__file__).parents[2] / "src" / "kataribe" / "samples" / "judge" / "film.webm"
WIDTH, HEIGHT, RATE, SECONDS = 384, 216, 10, 12
FINER = 3  # drawn larger and made smaller, for smooth edges

Draw = Callable[["Pen", float], None]


class Pen:
    """Shapes in units of the film's own pixels."""

    def __init__(self) -> None:
        self.image = Image.new("RGB", (WIDTH * FINER, HEIGHT * FINER))
        self.draw = ImageDraw.Draw(self.image)

    def shape(self, colour: str, *points: tuple[float, float]) -> None:
        self.draw.polygon([(x * FINER, y * FINER) for x, y in points], fill=colour)

    def box(self, colour: str, x: float, y: float, width: float, height: float) -> None:
        self.shape(colour, (x, y), (x + width, y), (x + width, y + height), (x, y + height))

    def disc(self, colour: str, x: float, y: float, radius: float, squash: float = 1.0) -> None:
        box = [x - radius, y - radius * squash, x + radius, y + radius * squash]
        self.draw.ellipse([value * FINER for value in box], fill=colour)

    def line(self, colour: str, width: float, *points: tuple[float, float]) -> None:
        self.draw.line([(x * FINER, y * FINER) for x, y in points], colour, round(width * FINER), joint="curve")


def mix(one: str, other: str, share: float) -> str:
    share = min(1.0, max(0.0, share))
    pairs = [(int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def harbour(pen: Pen, time: float) -> None:
    dawn = time / 7
    pen.box(mix("#2b3a5c", "#f6c88f", dawn), 0, 0, WIDTH, 130)
    pen.disc(mix("#c2452d", "#ffd76a", dawn), 270, 150 - 85 * min(1.0, dawn), 24)
    pen.box(mix("#1b2a44", "#3f7f95", dawn), 0, 128, WIDTH, 90)
    pen.box("#4b4038", 0, 112, 70, 40)
    for post in (12, 34, 56):
        pen.box("#2e2723", post, 98, 5, 60)
    x, y = 60 + time * 22, 140 + 2 * math.sin(time * 2)
    pen.shape("#7a2f1d", (x - 34, y), (x + 36, y), (x + 24, y + 16), (x - 26, y + 16))
    pen.box("#3a2a20", x - 2, y - 64, 3, 64)
    pen.shape("#fdf6e9", (x + 3, y - 62), (x + 32, y - 8), (x + 3, y - 8))
    pen.shape("#e7d7bd", (x - 4, y - 56), (x - 24, y - 8), (x - 4, y - 8))
    if time > 8.5:
        gull, wing = 384 - (time - 8.5) * 90, 6 * math.sin(time * 9)
        pen.line("#fdfdfd", 3, (gull - 14, 52 - wing), (gull, 56), (gull + 14, 52 - wing))


def kite(pen: Pen, time: float) -> None:
    pen.box("#a9d3ec", 0, 0, WIDTH, HEIGHT)
    for start, height in ((40, 40), (210, 66), (330, 30)):
        x = (start + time * (8 if time < 6 else 20)) % 440 - 30
        for dx, radius in ((-18, 12), (0, 17), (20, 13)):
            pen.disc("#f4fafc", x + dx, height, radius, 0.7)
    pen.disc("#7fae5a", 150, 300, 190, 0.75)
    loose = max(0.0, time - 7)
    x, y = 230 + 14 * math.sin(time * 1.7) + loose * 26, 58 + 8 * math.cos(time * 1.3) - loose * 9
    hand = (138.0, 128.0 - (8 if time > 7.5 else 0))
    if loose == 0:
        pen.line("#555555", 1.2, hand, ((hand[0] + x) / 2, (hand[1] + y) / 2 + 16), (x, y + 20))
    else:
        pen.line("#555555", 1.2, hand, (hand[0] + 12, hand[1] + 18), (hand[0] + 26, hand[1] + 26))
    pen.shape("#c8322b", (x, y - 24), (x + 17, y), (x, y + 26), (x - 17, y))
    pen.line("#8a1f1a", 2, (x, y + 26), (x - 8, y + 38), (x + 2, y + 48), (x - 6, y + 58))
    child = 122 + (max(0.0, time - 8.5) * 14 if time > 8.5 else 0)
    step = 5 * math.sin(time * 8) if time > 8.5 else 3
    pen.line("#31445e", 5, (child, 150), (child - step, 172))
    pen.line("#31445e", 5, (child, 150), (child + step, 172))
    pen.box("#e3a33a", child - 8, 122, 16, 30)
    pen.line("#e9b99a", 4, (child + 4, 128), (child + 16, 128 - (8 if time > 7.5 else 0)))
    pen.disc("#e9b99a", child, 113, 9)
    pen.disc("#5a3a22", child - 2, 109, 8, 0.7)


def cat(pen: Pen, time: float) -> None:
    pen.box("#efe3d0", 0, 0, WIDTH, 170)
    pen.box("#b98d63", 0, 170, WIDTH, 46)
    pen.box("#ffffff", 40, 30, 84, 70)
    pen.box("#9fc9e6", 45, 35, 74, 60)
    pen.box("#ffffff", 80, 35, 4, 60)
    pen.box("#7a5230", 220, 112, 130, 9)
    for leg in (230, 334):
        pen.box("#6a4528", leg, 121, 8, 62)
    falling = max(0.0, time - 8.2)
    y, x = min(164.0, 96 + 150 * falling * falling), 322 + min(24.0, max(0.0, time - 7.2) * 26)
    if y < 164:
        pen.disc("#2f7f8c", x, y, 11, 1.3)
        pen.box("#2f7f8c", x - 5, y - 22, 10, 12)
        for dx, colour in ((-6, "#d9534f"), (1, "#f0c33c"), (7, "#d96fa8")):
            pen.line("#4d7a3a", 2, (x, y - 20), (x + dx, y - 36))
            pen.disc(colour, x + dx, y - 38, 5)
    else:
        for dx, dy in ((-16, 8), (-4, 12), (8, 7), (17, 13), (2, 4)):
            pen.shape("#2f7f8c", (346 + dx, 170 + dy), (352 + dx, 164 + dy), (356 + dx, 172 + dy))
        for dx, colour in ((-20, "#d9534f"), (4, "#f0c33c"), (18, "#d96fa8")):
            pen.disc(colour, 346 + dx, 190, 5)
    if time < 4:
        place, floor = 20 + time * 42, 168.0
    elif time < 5.2:
        share = (time - 4) / 1.2
        place, floor = 188 + share * 62, 168 - 56 * share - 34 * math.sin(math.pi * share)
    else:
        place, floor = 250 + min(38.0, max(0.0, time - 6.2) * 34), 112.0
    swing = 5 * math.sin(time * 7) if time < 4 else 0
    for leg, way in ((-18, 1), (-10, -1), (12, 1), (19, -1)):
        pen.line("#3c3c42", 5, (place + leg, floor - 16), (place + leg + way * swing, floor))
    pen.disc("#3c3c42", place, floor - 22, 26, 0.5)
    pen.disc("#3c3c42", place + 26, floor - 34, 12)
    for ear in (18, 28):
        pen.shape("#3c3c42", (place + ear, floor - 42), (place + ear + 4, floor - 54), (place + ear + 9, floor - 42))
    pen.disc("#e8d44d", place + 31, floor - 36, 2)
    tail = 6 * math.sin(time * 3)
    pen.line("#3c3c42", 5, (place - 24, floor - 24), (place - 36, floor - 34), (place - 38 + tail, floor - 54))


def main() -> None:
    with av.open(str(FILM), "w") as container:
        stream = container.add_stream("libvpx-vp9", rate=RATE, options={"crf": "40", "b": "0", "g": "20"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.codec_context.time_base = Fraction(1, RATE)
        scenes: tuple[Draw, ...] = (harbour, kite, cat)
        for number in range(len(scenes) * SECONDS * RATE):
            scene, frame = divmod(number, SECONDS * RATE)
            pen = Pen()
            scenes[scene](pen, frame / RATE)
            picture = av.VideoFrame.from_image(pen.image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS))
            picture.pts = number
            container.mux(stream.encode(picture))
        container.mux(stream.encode())


if __name__ == "__main__":
    main()
