"""The whole set: pictures, their references, captions of every kind, and what simulated raters say of them.

Everything follows from the seed, the number of pictures and the language; pictures follow from the seed alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kataribe.core.options import Options, RunOptions, option, same_as
from kataribe.core.progress import report
from kataribe.core.types import Floats
from kataribe.people.shapes import english, japanese
from kataribe.people.shapes.description import Description, compare
from kataribe.people.shapes.kinds import Kind, random_topic
from kataribe.people.shapes.raters import Rater, random_raters
from kataribe.people.shapes.scene import Scene, random_scene
from kataribe.people.shapes.telling import Speaker, ToldPicture, tell_picture
from kataribe.people.shapes.wording import Tell

SetSize = Literal["smoke", "small", "full"]
Language = Literal["en", "ja"]
Part = Literal["train", "test"]

PICTURES: dict[SetSize, int] = {"smoke": 40, "small": 400, "full": 2000}
TEST_EVERY = 5  # one picture in so many is for testing

_TELL: dict[Language, Tell] = {"en": english.tell, "ja": japanese.tell}


@dataclass(frozen=True)
class ShapesOptions(Options):
    """How much to draw, and in which language to tell it."""

    size: SetSize = option("small", "smoke: 40 pictures, small: 400, full: 2,000; five captions each.", noun="size")
    language: Language = option("en", "Captions in English (en) or Japanese (ja).", noun="language")
    seed: int = same_as(RunOptions, "seed")


@dataclass(frozen=True)
class Caption:
    """`rule` is the rating by the rule; `ratings` are those of the raters."""

    kind: Kind
    text: str
    description: Description
    rule: float
    ratings: tuple[int, ...]


@dataclass(frozen=True)
class Picture:
    index: int
    part: Part
    scene: Scene
    references: tuple[str, ...]
    captions: tuple[Caption, ...]

    @property
    def id(self) -> str:
        return f"s{self.index:04d}"


@dataclass(frozen=True)
class ShapeSet:
    """`shared` texts stand with a second picture, of the same part always."""

    options: ShapesOptions
    pictures: tuple[Picture, ...]
    shared: int

    @property
    def captions(self) -> Iterator[Caption]:
        return (caption for picture in self.pictures for caption in picture.captions)

    @property
    def ratings(self) -> Floats:
        """A row for each caption, a column for each rater."""
        return np.array([caption.ratings for caption in self.captions], dtype=np.float64)


def make_shapes(options: ShapesOptions) -> ShapeSet:
    """The set without its pictures' pixels.

    >>> first = make_shapes(ShapesOptions("smoke")).pictures[0]
    >>> first.id, first.part, [caption.kind for caption in first.captions]
    ('s0000', 'train', ['like', 'like', 'other', 'wrong-count', 'unlike'])
    """
    raters = random_raters(random_stream(options.seed, "raters"))
    numbers = range(PICTURES[options.size])
    scenes = [random_scene(random_stream(options.seed, "scene", number)) for number in numbers]
    topics = [random_topic(scenes[number], random_stream(options.seed, "topic", number)) for number in numbers]
    speaker = Speaker(_TELL[options.language])
    pictures = []
    for number in numbers:
        part: Part = "test" if number % TEST_EVERY == TEST_EVERY - 1 else "train"
        others = topics[:number] + topics[number + 1 :]
        told = tell_picture(topics[number], others, speaker, part, random_stream(options.seed, "words", number))
        captions = _rated(told, scenes[number], raters, random_stream(options.seed, "ratings", number))
        references = tuple(reference.text for reference in told.references)
        pictures.append(Picture(number, part, scenes[number], references, captions))
        report("telling", number + 1, len(topics))
    return ShapeSet(options, tuple(pictures), speaker.shared)


def _rated(told: ToldPicture, scene: Scene, raters: list[Rater], rng: np.random.Generator) -> tuple[Caption, ...]:
    captions = []
    for kind, caption in told.captions:
        truth = compare(caption.description, scene)
        ratings = tuple(rater.rate(truth, rng) for rater in raters)
        captions.append(Caption(kind, caption.text, caption.description, truth.rating(), ratings))
    return tuple(captions)


Stream = Literal["scene", "topic", "words", "raters", "ratings", "pixels"]
_STREAMS: dict[Stream, int] = {"scene": 0, "topic": 1, "words": 2, "raters": 3, "ratings": 4, "pixels": 5}


def random_stream(seed: int, stream: Stream, number: int = 0) -> np.random.Generator:
    """Random numbers of a picture for one purpose: more draws for one leave the others as they are."""
    return np.random.default_rng([seed, _STREAMS[stream], number])
