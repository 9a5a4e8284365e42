"""What people do: how they stand and move while they do it, and what they hold; the words are elsewhere.

Angles are degrees: an arm or a leg at 0 hangs down, at 90 points to its own side, at 180 up; below 0 it crosses over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kataribe.films.world.things import MARKS

Genre = Literal["comedy", "romance", "action", "crime", "mystery", "fantasy", "costume", "family", "youth", "country"]


@dataclass(frozen=True)
class Pose:
    """Upper arm and forearm, thigh and shin, left and right; `lift` is how far the body is off the ground, in heads."""

    left: tuple[float, float] = (12, 8)
    right: tuple[float, float] = (12, 8)
    left_leg: tuple[float, float] = (6, 4)
    right_leg: tuple[float, float] = (6, 4)
    lift: float = 0.0
    lean: float = 0.0


STANDING = Pose()


@dataclass(frozen=True)
class Held:
    """A thing and where it is: in a hand, between the hands, or on the ground so many heads to the right."""

    thing: str
    where: Literal["left", "right", "hands", "neck", "ground", "behind"] = "right"
    x: float = 0.0
    y: float = 0.0
    angle: float = 0.0


@dataclass(frozen=True)
class Action:
    """A movement between two poses, `beat` seconds to and fro; `travel` crosses the picture."""

    poses: tuple[Pose, Pose]
    held: tuple[Held, ...] = ()
    beat: float = 1.0
    travel: float = 0.0
    smile: float = 0.0
    mouth: float = 0.0
    eyes: float = 1.0
    tears: bool = False
    # Somebody it is done to, who stands at the right.
    has_target: bool = False
    # Genres in which it happens more often.
    genres: tuple[Genre, ...] = ()

    # It cannot be done slowly, or it is quick in itself.
    is_steady: bool = False

    @property
    def thing(self) -> str | None:
        """What somebody holds or uses; a mark that only shows a movement is no thing."""
        return next((held.thing for held in self.held if held.thing not in MARKS), None)


def _arms(left: tuple[float, float], right: tuple[float, float], lift: float = 0.0, lean: float = 0.0) -> Pose:
    return Pose(left=left, right=right, lift=lift, lean=lean)


_STEP_A = Pose((30, 10), (-20, -30), (28, 10), (-14, -4))
_STEP_B = Pose((-20, -30), (30, 10), (-14, -4), (28, 10))
_RUN_A = Pose((60, 120), (-30, 60), (50, -10), (-25, -60), lift=0.10)
_RUN_B = Pose((-30, 60), (60, 120), (-25, -60), (50, -10), lift=0.02)
_SAT = ((62, 4), (62, 4))

ACTIONS: dict[str, Action] = {
    "walk": Action((_STEP_A, _STEP_B), travel=1.0),
    "run": Action(
        (_RUN_A, _RUN_B),
        (Held("dust", "ground"),),
        beat=0.5,
        travel=2.2,
        mouth=0.4,
        is_steady=True,
        genres=("action", "crime"),
    ),
    "jump": Action(
        (Pose((150, 165), (150, 165), (24, 60), (24, 60), lift=0.34), _arms((20, 30), (20, 30))),
        smile=0.7,
        is_steady=True,
        genres=("youth", "comedy"),
    ),
    "dance": Action(
        (Pose((95, 175), (40, -60), (30, -20), (4, 0), lean=8), Pose((40, -60), (95, 175), (4, 0), (30, -20), lean=-8)),
        (Held("notes", "neck"),),
        smile=0.8,
        is_steady=True,
        genres=("youth", "romance"),
    ),
    "wave": Action(
        (_arms((12, 8), (120, 190)), _arms((12, 8), (120, 150))),
        (Held("arcs", "right", 0, -0.06),),
        beat=0.5,
        smile=0.6,
    ),
    "bow": Action(
        (_arms((20, -40), (20, -40)), Pose((20, -40), (20, -40), lift=-0.06, lean=9)),
        beat=2.0,
        eyes=0.6,
        has_target=True,
        genres=("costume",),
    ),
    "cry": Action(
        (_arms((40, 150), (40, 150)), _arms((44, 155), (44, 155), lift=-0.02)),
        beat=0.5,
        smile=-1.0,
        tears=True,
        is_steady=True,
        genres=("romance", "family"),
    ),
    "clap": Action(
        (_arms((50, -60), (50, -60)), _arms((60, 20), (60, 20))),
        (Held("burst", "hands", 0, -0.12),),
        beat=0.5,
        smile=0.6,
    ),
    "stretch": Action(
        (_arms((150, 172), (150, 172), lift=0.04), _arms((120, 150), (120, 150))), beat=2.0, eyes=0.1, mouth=0.7
    ),
    "salute": Action(
        (_arms((8, 4), (95, 215)), _arms((8, 4), (92, 212))), beat=2.0, is_steady=True, genres=("action",)
    ),
    "kneel": Action(
        (
            Pose((30, -30), (30, -30), (70, -70), (70, -70), lift=-0.26),
            Pose((34, -26), (34, -26), (70, -70), (70, -70), lift=-0.28),
        ),
        beat=2.0,
        smile=-0.5,
        genres=("costume",),
    ),
    "sit": Action(
        (Pose((20, 0), (20, 0), *_SAT, lift=-0.14), Pose((20, 0), (24, 4), *_SAT, lift=-0.15)),
        (Held("chair", "behind"),),
        is_steady=True,
        beat=2.0,
    ),
    "doze": Action(
        (Pose((14, -20), (14, -20), *_SAT, lift=-0.16, lean=7), Pose((14, -20), (14, -20), *_SAT, lift=-0.18, lean=11)),
        (
            Held("chair", "behind"),
            Held("sleep", "neck"),
        ),
        is_steady=True,
        beat=2.0,
        eyes=0.05,
        mouth=0.2,
    ),
    "point": Action(
        (_arms((12, 8), (92, 92)), _arms((12, 8), (84, 86))),
        (Held("exclamation", "neck", 0.62, -0.75),),
        beat=0.5,
        smile=-0.7,
        mouth=0.5,
        has_target=True,
        genres=("crime", "mystery"),
    ),
    "give_flowers": Action(
        (_arms((12, 8), (70, 80)), _arms((12, 8), (60, 66))),
        (Held("flowers"),),
        smile=0.6,
        has_target=True,
        genres=("romance",),
    ),
    "hand_letter": Action(
        (_arms((12, 8), (76, 82)), _arms((12, 8), (58, 64))),
        (Held("letter"),),
        has_target=True,
        genres=("mystery", "costume"),
    ),
    "drink": Action((_arms((12, 8), (60, 160)), _arms((12, 8), (40, 110))), (Held("cup"),), beat=2.0),
    "eat": Action(
        (_arms((40, -60), (50, 130)), _arms((40, -60), (46, 100))),
        (Held("bowl", "left"),),
        mouth=0.5,
        genres=("family", "comedy"),
    ),
    "read": Action(
        (_arms((34, -46), (34, -46)), _arms((36, -40), (36, -40))),
        (Held("book", "hands", 0, -0.04),),
        beat=2.0,
        eyes=0.6,
        genres=("youth",),
    ),
    "phone": Action(
        (_arms((12, 8), (70, 195)), _arms((30, 60), (70, 195))),
        (Held("phone", "right", 0, -0.05),),
        mouth=0.5,
        genres=("crime", "mystery"),
    ),
    "write": Action(
        (_arms((30, -30), (36, -20)), _arms((30, -30), (44, 0))),
        (Held("desk", "ground", 0, -0.42), Held("pen")),
        eyes=0.6,
        genres=("youth", "costume"),
    ),
    "sweep": Action(
        (Pose((60, -10), (60, 0), lean=6), Pose((30, -50), (30, -40), lean=-6)),
        (Held("broom", "hands", 0.34, -0.05, 8),),
        genres=("family", "country"),
    ),
    "umbrella": Action(
        (_arms((12, 8), (50, 150)), _arms((12, 8), (54, 154), lift=0.02)),
        (Held("umbrella"),),
        travel=0.5,
        genres=("romance", "mystery"),
    ),
    "guitar": Action(
        (_arms((40, -40), (70, 30)), _arms((56, -30), (70, 34))),
        (Held("guitar", "hands", 0, 0.0),),
        beat=0.5,
        smile=0.4,
        genres=("youth", "romance"),
    ),
    "drum": Action(
        (_arms((60, 100), (46, -10)), _arms((46, -10), (60, 100))),
        (Held("drum", "ground", 0, -0.34), Held("stick", "left"), Held("stick")),
        beat=0.5,
        smile=0.4,
        genres=("costume", "country"),
    ),
    "throw_ball": Action(
        (_arms((40, 60), (120, 150)), _arms((40, 60), (80, 84))),
        (Held("ball"),),
        beat=0.75,
        genres=("youth", "comedy"),
    ),
    "kick_ball": Action(
        (Pose((50, 60), (50, 60), (6, 4), (70, 70), lean=-6), Pose((50, 60), (50, 60), (6, 4), (-20, -50))),
        (Held("football", "ground", 0.75, -0.12),),
        beat=0.75,
        smile=0.4,
        genres=("youth",),
    ),
    "carry_box": Action(
        (Pose((36, -50), (36, -50), (20, 8), (-8, -4)), Pose((36, -50), (36, -50), (-8, -4), (20, 8), lift=0.03)),
        (Held("box", "hands", 0, 0.05),),
        travel=0.7,
        genres=("country", "crime"),
    ),
    "candle": Action(
        (_arms((12, 8), (70, 120)), _arms((12, 8), (66, 114))),
        (Held("candle"),),
        beat=2.0,
        genres=("mystery", "fantasy"),
    ),
    "lantern": Action(
        (_arms((12, 8), (84, 130)), _arms((12, 8), (78, 120))),
        (Held("lantern", "right"),),
        beat=1.0,
        travel=0.4,
        genres=("fantasy", "costume"),
    ),
    "camera": Action(
        (_arms((44, -70), (44, -70)), _arms((46, -66), (46, -66))),
        (Held("camera", "hands"),),
        genres=("crime", "youth"),
    ),
    "hammer": Action(
        (_arms((20, 20), (140, 190)), _arms((20, 20), (60, 60))),
        (Held("anvil", "ground", 0.72, -0.4), Held("hammer")),
        beat=0.75,
        smile=-0.3,
        genres=("country", "fantasy"),
    ),
    "fish": Action(
        (_arms((30, -20), (60, 80)), _arms((30, -20), (66, 96))), (Held("rod"),), beat=2.0, genres=("country", "comedy")
    ),
    "kite": Action(
        (_arms((30, 20), (100, 150)), _arms((30, 20), (88, 120))),
        (Held("kite"),),
        smile=0.6,
        travel=0.4,
        genres=("family", "romance"),
    ),
    "sword": Action(
        (_arms((60, 40), (120, 150)), Pose((60, 40), (80, 100), (30, 0), (30, 0), lean=6)),
        (Held("sword", "right", 0, 0, 24),),
        beat=0.75,
        smile=-0.5,
        genres=("action", "costume", "fantasy"),
    ),
    "flag": Action(
        (_arms((12, 8), (110, 150)), _arms((12, 8), (90, 110))),
        (Held("flag"),),
        beat=0.75,
        mouth=0.5,
        genres=("action", "youth"),
    ),
    "fan": Action(
        (_arms((12, 8), (50, 130)), _arms((12, 8), (50, 100))),
        (Held("fan"),),
        beat=0.5,
        smile=0.2,
        genres=("costume", "comedy"),
    ),
    "map": Action(
        (_arms((40, -20), (40, -20)), _arms((44, -14), (44, -14))),
        (Held("map", "hands", 0, -0.02),),
        eyes=0.6,
        genres=("mystery", "action"),
    ),
    "balloons": Action(
        (_arms((12, 8), (90, 150)), _arms((12, 8), (80, 140))),
        (Held("balloons", "right", 0.1),),
        smile=0.7,
        travel=0.3,
        genres=("family", "romance"),
    ),
    "water_plant": Action(
        (_arms((12, 8), (60, 60)), _arms((12, 8), (66, 72))),
        (Held("plant", "ground", 1.05, -0.3), Held("can")),
        genres=("family", "country"),
    ),
    "paint": Action(
        (_arms((12, 8), (70, 110)), _arms((12, 8), (60, 80))),
        (Held("easel", "ground", 0.95, -0.75), Held("brush")),
        eyes=0.8,
        genres=("romance", "youth"),
    ),
    "cook": Action(
        (_arms((12, 8), (50, 60)), _arms((12, 8), (56, 76))),
        (Held("stove", "ground", 0.85, -0.6), Held("pan", "right", 0, -0.02)),
        genres=("family", "comedy"),
    ),
    "chop": Action(
        (Pose((20, 10), (130, 160), lean=-4), Pose((20, 10), (70, 60), lean=6)),
        (Held("log", "ground", 0.75, -0.3), Held("axe", "right", 0, 0, 12)),
        beat=0.75,
        genres=("country",),
    ),
    "bicycle": Action(
        (
            Pose((50, 20), (50, 20), (40, -20), (20, 10), lift=0.04),
            Pose((50, 20), (50, 20), (20, 10), (40, -20), lift=0.06),
        ),
        (Held("bicycle", "ground", 0.0, -0.6),),
        beat=0.5,
        travel=1.4,
        genres=("youth", "country"),
    ),
    "suitcase": Action(
        (_STEP_A, Pose((-20, -30), (34, 24), (-14, -4), (28, 10))),
        (Held("suitcase", "right", 0.22, -0.06),),
        travel=0.8,
        genres=("romance", "crime"),
    ),
    "telescope": Action(
        (_arms((40, 70), (60, 120)), _arms((40, 70), (56, 112))),
        (Held("telescope", "right", 0.0, 0.06),),
        beat=2.0,
        genres=("mystery", "fantasy"),
    ),
    "open_door": Action(
        (_arms((12, 8), (70, 80)), _arms((12, 8), (50, 60))),
        (Held("door", "ground", 0.95, -0.62),),
        beat=2.0,
        genres=("mystery", "crime"),
    ),
    "sing": Action(
        (_arms((60, 70), (50, 165)), _arms((100, 120), (50, 165))),
        (
            Held("microphone", "right", 0, -0.05),
            Held("notes", "neck", -0.1),
        ),
        mouth=0.9,
        smile=0.4,
        genres=("romance", "comedy"),
    ),
}
