"""A picture's references and captions in words that no other picture has, as far as the grammar has words.

A text that was told before is told in other words; where these run out, something else of the same kind is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from kataribe.people.shapes import kinds
from kataribe.people.shapes.description import Description
from kataribe.people.shapes.kinds import Kind, Topic
from kataribe.people.shapes.scene import one_of
from kataribe.people.shapes.wording import Tell, plain

CAPTIONS = 5  # of each picture
REFERENCES = (2, 5)

# Besides one caption that is like the references.
_FURTHER = {"like": 0.16, "unlike": 0.2, "wrong": 0.23, "other": 0.24, "vague": 0.08, "invented": 0.09}
# Of the mistakes that a caption allows: most say no position, all can say a wrong number.
_WRONG: dict[Kind, float] = {"wrong-colour": 1.0, "wrong-shape": 1.0, "wrong-count": 0.6, "wrong-position": 4.0}
# How often a wrong caption says, but for its mistake, what a reference says, and what the references could have said.
_FROM_REFERENCE, _FROM_TOLD = 0.4, 0.3
_INVENTED_FROM_TOLD = 0.5
_ENOUGH_SAID = 3
_WORDINGS, _DESCRIPTIONS = 30, 30

Draw = Callable[[], Description]


@dataclass(frozen=True)
class Told:
    """A description in words, and the seed that chose them."""

    description: Description
    text: str
    seed: int


@dataclass(frozen=True)
class ToldPicture:
    references: tuple[Told, ...]
    captions: tuple[tuple[Kind, Told], ...]


@dataclass
class Speaker:
    """Puts descriptions into words. `shared` counts texts that stand with a second picture, of the same part."""

    tell: Tell
    shared: int = 0
    _parts: dict[str, str] = field(default_factory=dict)

    def say(self, draw: Draw, part: str, own: set[str], rng: np.random.Generator, like: int | None = None) -> Told:
        """`own` are the texts of the picture so far; the words that the seed `like` chooses are tried first."""
        fallback: Told | None = None
        for _ in range(_DESCRIPTIONS):
            description = draw()
            seeds = rng.integers(2**32, size=_WORDINGS).tolist()
            for seed in seeds if like is None else [like, *seeds]:
                told = Told(description, self.tell(description, np.random.default_rng(seed)), seed)
                text = plain(told.text)
                if text not in self._parts:
                    return self._said(told, part, own)
                if text not in own and self._parts[text] == part:
                    fallback = fallback or told
        if fallback is None:
            raise ValueError("the grammar has too few words")
        self.shared += 1
        return self._said(fallback, part, own)

    def _said(self, told: Told, part: str, own: set[str]) -> Told:
        self._parts[plain(told.text)] = part
        own.add(plain(told.text))
        return told


def tell_picture(
    topic: Topic, others: Sequence[Topic], speaker: Speaker, part: str, rng: np.random.Generator
) -> ToldPicture:
    """References and captions; `others` are the topics of other pictures."""
    own: set[str] = set()

    def reference() -> Description:
        return kinds.whole(kinds.tell_reference, topic, rng)

    number = int(rng.integers(REFERENCES[0], REFERENCES[1] + 1))
    references = [speaker.say(reference, part, own, rng) for _ in range(number)]
    captions: list[tuple[Kind, Told]] = []
    for wanted in _wanted(rng):
        kind, draw, like = _plan(wanted, topic, others, references, rng)
        captions.append((kind, speaker.say(draw, part, own, rng, like)))
    return ToldPicture(tuple(references), tuple(captions))


def _wanted(rng: np.random.Generator) -> list[str]:
    further = rng.choice(list(_FURTHER), size=CAPTIONS - 1, replace=False, p=list(_FURTHER.values()))
    return ["like", *further.tolist()]


def _plan(
    wanted: str, topic: Topic, others: Sequence[Topic], references: Sequence[Told], rng: np.random.Generator
) -> tuple[Kind, Draw, int | None]:
    """The kind of a caption, how to draw what it says, and the seed of the words to try first."""

    def like() -> Description:
        return kinds.whole(kinds.tell_like, topic, rng)

    def unlike() -> Description:
        return kinds.whole(kinds.tell_unlike, topic, rng, _ENOUGH_SAID)

    if wanted == "wrong":
        return _plan_wrong(topic, references, like, unlike, rng)
    if wanted == "invented":
        base = like if rng.random() < _INVENTED_FROM_TOLD else unlike
        return "invented", lambda: kinds.tell_invented(base(), topic.scene, rng), None
    if wanted == "other":
        return "other", lambda: kinds.tell_other(topic, others, rng), None
    if wanted == "vague":
        return "vague", lambda: kinds.whole(kinds.tell_vague, topic, rng), None
    return ("like", like, None) if wanted == "like" else ("unlike", unlike, None)


def _plan_wrong(
    topic: Topic, references: Sequence[Told], like: Draw, unlike: Draw, rng: np.random.Generator
) -> tuple[Kind, Draw, int | None]:
    """One detail of a reference, or of a caption that is like or unlike them, is changed into a false one."""
    drawn, seed = rng.random(), None
    if drawn < _FROM_REFERENCE:
        told = one_of(references, rng)
        description, seed = told.description, told.seed
    else:
        description = (like if drawn < _FROM_REFERENCE + _FROM_TOLD else unlike)()
    false = kinds.falsehoods(description, topic.scene)
    weights = np.array([_WRONG[kind] for kind in false])
    kind = list(false)[int(rng.choice(len(false), p=weights / weights.sum()))]
    return kind, lambda: one_of(false[kind], rng), seed
