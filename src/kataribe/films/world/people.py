"""The people of the film world: who they are lies in the geometry of their faces, as it does for a face recogniser.

Hair, skin and clothes differ too, but a film may change those; the measures of a face are a person's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from kataribe.films.world.drawing import Colour

Gender = Literal["woman", "man"]

HAIR_STYLES: dict[Gender, tuple[str, ...]] = {
    "woman": ("long", "bob", "bun", "fringe"),
    "man": ("short", "crew", "parted", "short", "parted", "bald"),
}
BEARDS = ("none", "none", "moustache", "beard")
# The variants of the synthesiser's voices; the narrator has one of his own.
VOICES: dict[Gender, tuple[str, ...]] = {"woman": ("f1", "f2", "f3", "f4", "f5"), "man": ("m1", "m2", "m4", "m5", "m8")}

_SKINS = ((241, 206, 178), (228, 184, 150), (214, 166, 130), (190, 138, 102), (150, 104, 76), (246, 218, 198))
_HAIRS = ((30, 24, 22), (54, 36, 26), (92, 58, 34), (150, 104, 56), (128, 128, 132), (112, 44, 26), (206, 168, 96))
_IRISES = ((64, 40, 26), (40, 28, 22), (70, 96, 120), (76, 100, 64), (96, 72, 40))


@dataclass(frozen=True)
class Face:
    """Measures of a face, each from -1 to 1; 0 is the average of all people."""

    width: float
    jaw: float
    chin: float
    forehead: float
    eye_size: float
    eye_distance: float
    eye_height: float
    eye_tilt: float
    eye_shape: float
    brow_height: float
    brow_tilt: float
    brow_weight: float
    nose_length: float
    nose_width: float
    mouth_width: float
    mouth_height: float
    lips: float
    cheeks: float

    @property
    def measures(self) -> tuple[float, ...]:
        return tuple(vars(self).values())


@dataclass(frozen=True)
class Person:
    """Somebody who plays in films: a face, hair, skin and a voice that stay, whatever the role."""

    gender: Gender
    face: Face
    skin: Colour
    hair: Colour
    iris: Colour
    hair_style: str
    beard: str
    has_glasses: bool
    voice: str
    pitch: int


# People of one film are at least so far apart: the root of the mean squared difference of their measures.
APART = 0.62


def random_people(number: int, rng: np.random.Generator) -> list[Person]:
    """People who can be told apart by their faces alone."""
    people: list[Person] = []
    while len(people) < number:
        # A face that is too near to another is drawn anew; after many tries the nearest is taken as it is.
        tries = [random_person(rng) for _ in range(12)]
        people.append(max(tries, key=lambda person: _nearest(person, people)))
    return people


def distance(one: Person, other: Person) -> float:
    difference = np.subtract(one.face.measures, other.face.measures)
    return float(np.sqrt(np.mean(difference**2)))


def _nearest(person: Person, people: list[Person]) -> float:
    return min((distance(person, other) for other in people), default=APART)


def random_person(rng: np.random.Generator) -> Person:
    gender: Gender = "woman" if rng.random() < 0.5 else "man"
    # Extremes are as common as the middle: faces of a small cast should differ more than those of a crowd.
    face = Face(*np.round(rng.uniform(-1, 1, len(Face.__dataclass_fields__)), 3).tolist())
    return Person(
        gender=gender,
        face=face,
        skin=_varied(_SKINS[rng.integers(len(_SKINS))], rng),
        hair=_varied(_HAIRS[rng.integers(len(_HAIRS))], rng),
        iris=_IRISES[rng.integers(len(_IRISES))],
        hair_style=str(rng.choice(HAIR_STYLES[gender])),
        beard=str(rng.choice(BEARDS)) if gender == "man" else "none",
        has_glasses=bool(rng.random() < 0.12),
        voice=str(rng.choice(VOICES[gender])),
        pitch=int(rng.integers(55, 85) if gender == "woman" else rng.integers(20, 50)),
    )


def _varied(colour: Colour, rng: np.random.Generator) -> Colour:
    red, green, blue = (int(np.clip(part + rng.integers(-9, 10), 0, 255)) for part in colour)
    return red, green, blue
