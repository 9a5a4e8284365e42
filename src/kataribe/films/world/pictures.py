"""The frames of a film: backgrounds, people and subtitles put together, one frame after the other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from kataribe.core.need import need
from kataribe.films.world.actions import ACTIONS, STANDING, Action, Pose
from kataribe.films.world.bodies import HEAD_ABOVE, STEPS, draw_figure
from kataribe.films.world.casting import Player
from kataribe.films.world.film import FPS, Film, Line, Shot, Staged
from kataribe.films.world.fonts import open_font
from kataribe.films.world.heads import CALM, FACE_BOX, Expression, draw_head
from kataribe.films.world.languages import WORDS
from kataribe.films.world.options import Language
from kataribe.films.world.places import HEIGHT, WIDTH, draw_place
from kataribe.media.video import Pixels

SUBTITLE_SIZE: dict[Language, int] = {"zh": 24, "en": 20}
SUBTITLE_BASE = HEIGHT - 14  # where the letters stand
_TITLE_SIZE = 40
_TEMPO = (0.6, 1.0, 1.6)

IDLE = Action((STANDING, Pose(lift=0.01)), beat=2.0)
LISTEN = Action((Pose(left=(16, 4), right=(16, 4)), STANDING), beat=2.0)
TALK = Action((Pose(left=(16, 10), right=(30, 90)), Pose(left=(20, 14), right=(36, 70))), beat=1.5)


def frames(film: Film, language: Language, rng: np.random.Generator) -> Iterator[Pixels]:
    """Every frame of a film in order, (height, width, 3)."""
    for shot in film.shots:
        if shot.kind in ("title", "end"):
            text = film.company.title if shot.kind == "title" else WORDS[language].the_end
            card = np.asarray(_card(text, language))
            for _ in range(shot.start, shot.end):
                yield card
        else:
            yield from _shot_frames(film, shot, language, rng)


def _shot_frames(film: Film, shot: Shot, language: Language, rng: np.random.Generator) -> Iterator[Pixels]:
    ground = draw_place(shot.place, shot.camera).copy()
    *around, main = shot.staged
    for staged in around:
        _paste(ground, staged.player, IDLE if staged.part == "bystander" else LISTEN, 0, staged, staged.x, CALM)
    line = film.lines[shot.line] if shot.line is not None else None
    subtitle = _subtitle(line.text, language) if line else None
    blink = int(rng.integers(FPS, 3 * FPS))
    mouths = rng.choice([0.0, 0.5, 1.0], shot.end - shot.start, p=[0.25, 0.45, 0.30])
    tempo = _TEMPO[film.events[shot.event].tempo] if shot.event is not None else 1.0
    for number in range(shot.end - shot.start):
        picture = ground.copy()
        frame = shot.start + number
        if line is None:
            _act(picture, film, shot, main, number, tempo)
        else:
            _speak(
                picture, main, line, frame, number, 0.0 if number % blink == blink - 1 else 1.0, float(mouths[number])
            )
        if line is not None and line.start <= frame < line.end:
            picture.paste(subtitle, (0, 0), subtitle)
        yield np.asarray(picture)


def _act(picture: Any, film: Film, shot: Shot, main: Staged, number: int, tempo: float) -> None:
    action = ACTIONS[film.events[shot.event or 0].action]
    _paste(
        picture,
        main.player,
        action,
        _step(number, action.beat, tempo),
        main,
        _travelled(shot, main, action, number, tempo),
        _expression(action),
    )


def _speak(picture: Any, main: Staged, line: Line, frame: int, number: int, eyes: float, mouth: float) -> None:
    is_speaking = line.start <= frame < line.end
    expression = Expression(mouth=mouth) if is_speaking else Expression(eyes=eyes)
    step = _step(number, TALK.beat, 1.0) if is_speaking else 0
    _paste(picture, main.player, TALK, step, main, main.x, expression)


def _expression(action: Action) -> Expression:
    return Expression(mouth=action.mouth, smile=action.smile, eyes=action.eyes, tears=action.tears)


def _step(number: int, beat: float, tempo: float) -> int:
    """To and fro between the poses."""
    phase = (number / FPS * tempo / beat) % 1.0
    return round(STEPS * (1 - abs(2 * phase - 1)))


def _travelled(shot: Shot, main: Staged, action: Action, number: int, tempo: float) -> float:
    """Whoever travels starts left of where they would stand and goes right; nobody leaves the picture."""
    if not action.travel:
        return main.x
    way = 0.05 * action.travel * tempo * (number - (shot.end - shot.start) / 2) / FPS
    return min(0.80, max(0.20, main.x + way))


def _paste(
    picture: Any, player: Player, action: Action, step: int, staged: Staged, x: float, expression: Expression
) -> None:
    figure = draw_figure(player.look, action, step, staged.head, expression)
    neck_x, neck_y = round(x * WIDTH), _neck(staged)
    picture.paste(figure.picture, (neck_x + figure.left, neck_y + figure.top), figure.picture)


def _neck(staged: Staged) -> int:
    """How deep a neck begins: heads of the same size are at the same height."""
    return staged.head + (34 if staged.part in ("speaker", "listener") else 22)


def face_box(staged: Staged) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a face in the frame, for somebody who stands still."""
    left, top = staged.x * WIDTH - staged.head / 2, _neck(staged) - HEAD_ABOVE * staged.head
    a, b, c, d = (share * staged.head for share in FACE_BOX)
    return left + a, top + b, left + c, top + d


@lru_cache(maxsize=64)
def _subtitle(text: str, language: Language) -> Any:
    """White letters with a dark rim at the bottom of a clear frame."""
    image, draw = (need(f"PIL.{name}", extra="films", purpose="drawing films") for name in ("Image", "ImageDraw"))
    size = SUBTITLE_SIZE[language]
    while (font := open_font(language, size)).getlength(text) > WIDTH - 16:
        size -= 1
    layer = image.new("RGBA", (WIDTH, HEIGHT), (0, 0, 0, 0))
    draw.Draw(layer).text(
        (WIDTH / 2, SUBTITLE_BASE),
        text,
        font=font,
        anchor="ms",
        fill=(255, 255, 255),
        stroke_width=2,
        stroke_fill=(0, 0, 0),
    )
    return layer


def _card(text: str, language: Language) -> Any:
    image, draw = (need(f"PIL.{name}", extra="films", purpose="drawing films") for name in ("Image", "ImageDraw"))
    card = image.new("RGB", (WIDTH, HEIGHT), (16, 16, 24))
    draw.Draw(card).text(
        (WIDTH / 2, HEIGHT * 0.42), text, font=open_font(language, _TITLE_SIZE), anchor="mm", fill=(232, 220, 190)
    )
    return card


def portrait(player: Player, side: int = 224) -> Any:
    """A picture of a role on a plain ground, as a cast list has them."""
    image = need("PIL.Image", extra="films", purpose="drawing films")
    ground = image.new("RGB", (side, side), (196, 204, 212))
    head = draw_head(player.person, Expression(smile=0.3)).resize((side, side), image.Resampling.LANCZOS)
    ground.paste(head, (0, 0), head)
    return ground
