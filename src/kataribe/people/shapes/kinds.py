"""What references tell of a scene, what they leave out, and what each kind of caption says beside them.

like            true; tells what the references tell
unlike          true; tells what no reference tells: only the picture can decide
wrong-colour    false in one detail of one of the two above, often in a reference's own words;
wrong-shape     the same
wrong-count     the same
wrong-position  the same
other           true of another picture
vague           true, a single detail
invented        true but for one thing that is not there
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from kataribe.people.shapes.description import SEVERAL, Description, Phrase, compare
from kataribe.people.shapes.scene import (
    COLOURS,
    CONVERSE,
    MOST_THINGS,
    RELATIONS,
    SHAPES,
    Group,
    Relation,
    Scene,
    is_related,
    one_of,
)

Kind = Literal[
    "like", "unlike", "wrong-colour", "wrong-shape", "wrong-count", "wrong-position", "other", "vague", "invented"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
RIGHT: tuple[Kind, ...] = ("like", "unlike", "vague")
Extra = Literal["size", "count", "background"]
_EXTRAS: tuple[Extra, ...] = get_args(Extra)

# A caption of another picture that is more true of this one than so would be no mistake.
_MOSTLY_FALSE = 0.5
_TRIES, _TRIES_FOR_MORE = 200, 12


@dataclass(frozen=True)
class Topic:
    """What references may tell: `told` groups by colour and shape, some extras, perhaps how two groups lie."""

    scene: Scene
    told: tuple[Group, ...]
    hidden: tuple[Group, ...]
    extras: frozenset[Extra]
    relation: Relation | None

    @property
    def hidden_extras(self) -> frozenset[Extra]:
        return frozenset(_EXTRAS) - self.extras


TellTopic = Callable[[Topic, np.random.Generator], Description]


def random_topic(scene: Scene, rng: np.random.Generator) -> Topic:
    """One group of the scene, or two; never everything that can be said."""
    groups = [scene.groups[index] for index in rng.permutation(len(scene.groups))]
    number = 1 if len(groups) == 1 else 1 + int(rng.random() < 0.6)
    told, hidden = tuple(groups[:number]), tuple(groups[number:])
    extras = {extra for extra in _EXTRAS if rng.random() < 0.35}
    if not hidden:  # something must be left to tell
        extras = set(sorted(extras)[:1]) if len(scene.things) > 1 else set()
    relation = _relation(told, rng) if number == 2 and rng.random() < 0.85 else None
    return Topic(scene, told, hidden, frozenset(extras), relation)


def _relation(groups: Sequence[Group], rng: np.random.Generator) -> Relation | None:
    """One of the relations that hold between the first two groups, if any does."""
    some, others = (group.things for group in groups[:2])
    true = [relation for relation in RELATIONS if is_related(some, relation, others)]
    return one_of(true, rng) if true else None


def tell_reference(topic: Topic, rng: np.random.Generator) -> Description:
    """Some of the topic: references of one picture overlap, none tells it all."""
    groups = topic.told
    if len(groups) == 2 and rng.random() < 0.25:
        groups = (one_of(groups, rng),)
    extras = {extra for extra in sorted(topic.extras) if rng.random() < 0.6}
    phrases = []
    for group in groups:
        phrase = _phrase(group, extras)
        dropped = rng.random()
        if dropped < 0.1 and phrase.said > 1:
            phrase = replace(phrase, colour=None)
        elif dropped < 0.2:
            phrase = replace(phrase, shape=None)
        phrases.append(phrase)
    relation = topic.relation if len(groups) == 2 and rng.random() < 0.8 else None
    return Description(tuple(phrases), relation, topic.scene.background if "background" in extras else None)


def tell_like(topic: Topic, rng: np.random.Generator) -> Description:
    extras = {extra for extra in sorted(topic.extras) if rng.random() < 0.8}
    phrases = tuple(_phrase(group, extras) for group in topic.told)
    return Description(phrases, topic.relation, topic.scene.background if "background" in extras else None)


def tell_unlike(topic: Topic, rng: np.random.Generator) -> Description:
    """Hidden groups; where there are none, what is hidden of the told ones: size, number, background, how they lie."""
    extras = {extra for extra in sorted(topic.hidden_extras) if rng.random() < 0.75}
    if topic.hidden:
        groups = topic.hidden[: 1 + int(rng.random() < 0.6)]
        extras |= topic.extras & {"size", "count"}  # references tell them of other things
        phrases = tuple(_phrase(group, extras) for group in groups)
    else:
        groups = topic.told
        phrases = _without_looks(groups, extras)
    is_open = len(phrases) == 2 and topic.relation is None
    relation = _relation(groups, rng) if is_open and rng.random() < 0.6 else None
    return Description(phrases, relation, topic.scene.background if "background" in extras else None)


def _without_looks(groups: Sequence[Group], extras: set[Extra]) -> tuple[Phrase, ...]:
    """Groups by size and number alone; those that this cannot tell apart are one."""
    phrases = [replace(_phrase(group, extras), colour=None, shape=None) for group in groups]
    if len({phrase.size for phrase in phrases}) == len(phrases):
        return tuple(phrases)
    number = sum(len(group.things) for group in groups)
    return (replace(phrases[0], count=number if "count" in extras else SEVERAL),)


def _phrase(group: Group, extras: set[Extra]) -> Phrase:
    look, number = group.look, len(group.things)
    count = number if "count" in extras or number == 1 else SEVERAL
    return Phrase(count, look.size if "size" in extras else None, look.colour, look.shape)


def tell_vague(topic: Topic, rng: np.random.Generator) -> Description:
    """A colour, a shape, or how many things there are."""
    things = topic.scene.things
    look = one_of(things, rng).look
    drawn = rng.random()
    if drawn < 0.2 and len(things) > 1:
        return Description((Phrase(len(things)),))
    phrase = Phrase(colour=look.colour) if drawn < 0.6 else Phrase(shape=look.shape)
    number = sum(map(phrase.fits, things))
    return Description((replace(phrase, count=1 if number == 1 else SEVERAL),))


def tell_other(topic: Topic, others: Sequence[Topic], rng: np.random.Generator) -> Description:
    """What is true of another picture, and mostly false here."""
    for _ in range(_TRIES):
        other = one_of(others, rng)
        description = (tell_like if rng.random() < 0.5 else tell_unlike)(other, rng)
        truth = compare(description, topic.scene)
        if truth.said >= 2 and truth.true <= _MOSTLY_FALSE * truth.said:
            return description
    raise ValueError("all pictures are alike")


def tell_invented(description: Description, scene: Scene, rng: np.random.Generator) -> Description:
    """The description and a thing of a colour and a shape that nothing has."""
    colours = [colour for colour in COLOURS if all(thing.look.colour != colour for thing in scene.things)]
    shapes = [shape for shape in SHAPES if all(thing.look.shape != shape for thing in scene.things)]
    invented = Phrase(colour=one_of(colours, rng), shape=one_of(shapes, rng))
    return replace(description, phrases=(*description.phrases, invented))


def falsehoods(description: Description, scene: Scene) -> dict[Kind, list[Description]]:
    """By kind, every description that differs from this true one in one detail and is false in it alone."""
    found: dict[Kind, list[Description]] = {}
    for kind, changed in _changes(description):
        is_new = kind not in ("wrong-colour", "wrong-shape") or not any(
            phrase.fits(thing) for phrase in set(changed.phrases) - set(description.phrases) for thing in scene.things
        )
        truth = compare(changed, scene)
        if is_new and truth.true == truth.said - 1 and not _may_count(changed, description, scene):
            found.setdefault(kind, []).append(changed)
    return found


def _may_count(description: Description, true: Description, scene: Scene) -> bool:
    """Whether a new number is right for a reader who does not count what other phrases speak of.

    Two red things and some red crosses: are the crosses among the two?
    """
    for index, phrase in enumerate(description.phrases):
        others = [*description.phrases[:index], *description.phrases[index + 1 :]]
        meant = [thing for thing in scene.things if phrase.fits(thing)]
        shared = sum(any(other.fits(thing) for other in others) for thing in meant)
        if (
            phrase not in true.phrases
            and phrase.count > 1
            and shared
            and len(meant) - shared <= phrase.count <= len(meant)
        ):
            return True
    return False


def _changes(description: Description) -> Iterator[tuple[Kind, Description]]:
    if description.relation is not None:
        yield "wrong-position", replace(description, relation=CONVERSE[description.relation])
    for index, phrase in enumerate(description.phrases):

        def put(changed: Phrase, index: int = index) -> Description:
            phrases = description.phrases
            return replace(description, phrases=(*phrases[:index], changed, *phrases[index + 1 :]))

        if phrase.colour is not None:
            yield from (("wrong-colour", put(replace(phrase, colour=c))) for c in COLOURS if c != phrase.colour)
        if phrase.shape is not None:
            yield from (("wrong-shape", put(replace(phrase, shape=s))) for s in SHAPES if s != phrase.shape)
        counts = (count for count in range(2, MOST_THINGS + 1) if count != phrase.count)
        yield from (("wrong-count", put(replace(phrase, count=count))) for count in counts)


def whole(tell: TellTopic, topic: Topic, rng: np.random.Generator, at_least: int = 1) -> Description:
    """Drawn until everything said is true and enough is said; some scenes offer less than enough."""
    best = Description()
    for tries in range(_TRIES):
        description = tell(topic, rng)
        if description.said > best.said and compare(description, topic.scene).is_whole:
            best = description
        if best.said >= at_least or (best.said and tries >= _TRIES_FOR_MORE):
            return best
    raise ValueError("nothing true can be said")
