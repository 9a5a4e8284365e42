"""`python -m bench.world_drawings`: the pictures of docs/film-world.md: frames of films, everybody's actions, faces."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from PIL import Image

from bench.data import ROOT
from kataribe.films.world.actions import ACTIONS
from kataribe.films.world.bodies import draw_figure
from kataribe.films.world.casting import company_of
from kataribe.films.world.options import Language, WorldOptions, random_stream
from kataribe.films.world.pictures import _expression, frames, portrait
from kataribe.films.world.places import HEIGHT, WIDTH
from kataribe.films.world.plot import plan_film

IMAGES = ROOT / "docs" / "images"
COLUMNS = 4


def main() -> None:
    for language in ("zh", "en"):
        _save(f"world_frames_{language}.png", _grid(_frames(language, 12), COLUMNS, (WIDTH // 2, HEIGHT // 2)))
    _save("world_actions.png", _grid(_actions(), 12, (110, 110)))
    company = company_of(WorldOptions("train"), 0)
    players = (*company.players, *company.extras)[:12]
    _save("world_people.png", _grid([portrait(player) for player in players], 12, (100, 100)))


def _frames(language: Language, number: int) -> list[Any]:
    """Frames of one film, evenly spread, without the title and the end."""
    options = WorldOptions("small", language=language)
    film = plan_film(options, 2)
    first, last = film.shots[0].end, film.shots[-1].start
    wanted = {first + round((last - first) * (each + 0.5) / number) for each in range(number)}
    drawn = enumerate(frames(film, language, random_stream(0, "pixels", 2)))
    return [Image.fromarray(frame) for at, frame in islice(drawn, last) if at in wanted]


def _actions() -> list[Any]:
    players = company_of(WorldOptions("train"), 3).players
    pictures = []
    for number, action in enumerate(ACTIONS.values()):
        figure = draw_figure(players[number % len(players)].look, action, 0, 96, _expression(action))
        ground = Image.new("RGB", (270, 270), (206, 214, 222))
        ground.paste(figure.picture, (110 + figure.left, 145 + figure.top), figure.picture)
        pictures.append(ground)
    return pictures


def _grid(pictures: Sequence[Any], columns: int, size: tuple[int, int]) -> Any:
    rows = -(-len(pictures) // columns)
    sheet = Image.new("RGB", (columns * size[0], rows * size[1]), (255, 255, 255))
    for number, picture in enumerate(pictures):
        at = (number % columns * size[0], number // columns * size[1])
        sheet.paste(picture.resize(size, Image.Resampling.LANCZOS), at)
    return sheet


def _save(name: str, sheet: Any) -> None:
    """In 256 colours: small enough for a page."""
    quantised = sheet.quantize(256, dither=Image.Dither.FLOYDSTEINBERG)
    quantised.save(IMAGES / name, optimize=True)
    print(f"{name}: {sheet.size}, {len(np.unique(np.asarray(quantised)))} colours")


if __name__ == "__main__":
    main()
