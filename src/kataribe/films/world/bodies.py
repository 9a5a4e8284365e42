"""Whole figures: a head on a body that is drawn in a pose, with what it holds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from kataribe.core.need import need
from kataribe.films.world.actions import Action, Held, Pose
from kataribe.films.world.drawing import (
    Colour,
    Point,
    Shape,
    Sprite,
    moved,
    oval,
    polygon,
    render,
    shade,
    stroke,
    together,
)
from kataribe.films.world.heads import Expression, draw_head
from kataribe.films.world.people import Person
from kataribe.films.world.things import THINGS

# All in heads: the square that a head is drawn in.
SHOULDER, HIP = (0.24, 0.10), (0.11, 0.50)
UPPER, LOWER = 0.25, 0.25
THIGH, SHIN = 0.22, 0.22
LEGS = 0.47
# The square of a head ends a little below the foot of the neck.
HEAD_ABOVE = 0.94
# Steps of a movement from one pose to the other; more would only cost time.
STEPS = 4


@dataclass(frozen=True)
class Outfit:
    top: Colour
    trousers: Colour


@dataclass(frozen=True)
class Look:
    """Somebody in a film: the same person in the same clothes."""

    person: Person
    outfit: Outfit


@lru_cache(maxsize=128)
def draw_figure(look: Look, action: Action, step: int, head: int, expression: Expression) -> Sprite:
    """Somebody who does something, `head` pixels for a head; (0, 0) is where the neck of a standing figure begins.

    `step` of STEPS leads from the first pose of the action to the second.
    """
    pose = _between(*action.poses, step / STEPS)
    neck, ground = (0.0, -pose.lift * head), (0.0, (HIP[1] + LEGS) * head)
    hands = _hands(pose)

    def put(*wheres: str) -> list[Shape]:
        held = [each for each in action.held if each.where in wheres]
        origin = ground if wheres[0] in ("ground", "behind") else neck
        return [shape for each in held for shape in _put(each, hands, origin, head)]

    body = [
        *put("behind"),
        *moved(_lower_body(pose, look.outfit), neck, head),
        *moved(_torso(look.outfit), neck, head, pose.lean),
    ]
    front = [
        *put("ground"),
        *moved(_arms(pose, look), neck, head),
        *put("left", "right", "hands", "neck"),
        *moved(_fists(hands, look), neck, head),
    ]
    return together([render(body), _head(look, pose, neck, head, expression), render(front)])


def _head(look: Look, pose: Pose, neck: Point, head: int, expression: Expression) -> Sprite:
    image = need("PIL.Image", extra="films", purpose="drawing films")
    face = draw_head(look.person, expression).resize((head, head), image.Resampling.LANCZOS)
    if pose.lean:
        face = face.rotate(-pose.lean, image.Resampling.BICUBIC)
    left = neck[0] - head / 2 + math.sin(math.radians(pose.lean)) * head * 0.5
    return Sprite(face, round(left), round(neck[1] - HEAD_ABOVE * head))


def _between(one: Pose, other: Pose, share: float) -> Pose:
    def mix(a: float, b: float) -> float:
        return a + (b - a) * share

    def limb(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
        return mix(a[0], b[0]), mix(a[1], b[1])

    return Pose(
        limb(one.left, other.left),
        limb(one.right, other.right),
        limb(one.left_leg, other.left_leg),
        limb(one.right_leg, other.right_leg),
        mix(one.lift, other.lift),
        mix(one.lean, other.lean),
    )


@dataclass(frozen=True)
class _Hands:
    left_elbow: Point
    left: Point
    right_elbow: Point
    right: Point


def _hands(pose: Pose) -> _Hands:
    joints = []
    for side, (upper, lower) in ((-1, pose.left), (1, pose.right)):
        elbow = _end((side * SHOULDER[0], SHOULDER[1]), side, upper, UPPER)
        joints += [elbow, _end(elbow, side, lower, LOWER)]
    return _Hands(*joints)


def _end(start: Point, side: int, angle: float, length: float) -> Point:
    turn = math.radians(angle)
    return start[0] + side * math.sin(turn) * length, start[1] + math.cos(turn) * length


def _put(held: Held, hands: _Hands, origin: Point, head: int) -> tuple[Shape, ...]:
    """A thing where it belongs; on the ground it is measured from between the feet."""
    x, y = {
        "left": hands.left,
        "right": hands.right,
        "hands": ((hands.left[0] + hands.right[0]) / 2, (hands.left[1] + hands.right[1]) / 2),
        "neck": (0.0, 0.0),
        "ground": (0.0, 0.0),
        "behind": (0.0, -0.5),
    }[held.where]
    to = origin[0] + (x + held.x) * head, origin[1] + (y + held.y) * head
    return moved(THINGS[held.thing], to, head, held.angle)


def _lower_body(pose: Pose, outfit: Outfit) -> list[Shape]:
    shapes = []
    for side, (thigh, shin) in ((-1, pose.left_leg), (1, pose.right_leg)):
        hip = (side * HIP[0], HIP[1])
        knee = _end(hip, side, thigh, THIGH)
        foot = _end(knee, side, shin, SHIN)
        shapes.append(stroke(outfit.trousers, 0.17, hip, knee, foot))
        shapes.append(oval((40, 34, 32), foot[0] + side * 0.04, foot[1] + 0.03, 0.13, 0.06))
    return shapes


def _torso(outfit: Outfit) -> list[Shape]:
    x, y = SHOULDER
    top, dark = outfit.top, shade(outfit.top, 0.78)
    return [
        polygon(
            top, (-x - 0.07, y + 0.02), (-0.12, -0.02), (0.12, -0.02), (x + 0.07, y + 0.02), (0.23, 0.56), (-0.23, 0.56)
        ),
        polygon(dark, (0.06, -0.02), (0.12, -0.02), (x + 0.07, y + 0.02), (0.23, 0.56), (0.11, 0.56)),
        polygon(shade(top, 1.35), (-0.10, -0.02), (0.10, -0.02), (0, 0.13)),
    ]


def _arms(pose: Pose, look: Look) -> list[Shape]:
    hands, sleeve = _hands(pose), shade(look.outfit.top, 0.88)
    shapes = []
    for side, elbow, hand in ((-1, hands.left_elbow, hands.left), (1, hands.right_elbow, hands.right)):
        shapes.append(stroke(sleeve, 0.13, (side * SHOULDER[0], SHOULDER[1] + 0.03), elbow, hand))
    return shapes


def _fists(hands: _Hands, look: Look) -> list[Shape]:
    return [oval(shade(look.person.skin, 0.95), *hand, 0.075) for hand in (hands.left, hands.right)]
