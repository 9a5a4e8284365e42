"""What a caption says, apart from its words, and how much of it a scene bears out.

A phrase speaks of things: some of their number, size, colour and shape. A description is one to three phrases, perhaps
how the first lies to the second, perhaps the background. Each of these is one detail. The rule of the ratings:

    said     details that the description states
    true     those that hold when every phrase is read as the group of things it fits best, no group twice
    share    true / said
    telling  min(1, true / 3): three details are enough
    rating   1 + 4 share³ (0.4 + 0.6 telling)

A number from two on says exactly how many there are. One ("a red circle") and several ("red circles") are no details.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

from kataribe.people.shapes.scene import Background, Colour, Group, Relation, Scene, Shape, Size, Thing, is_related

LOWEST, HIGHEST = 1.0, 5.0
SEVERAL = 0  # more than one; how many is not said
ENOUGH = 3
SEVERITY = 3.0
BARE = 0.4


@dataclass(frozen=True)
class Phrase:
    """Things that a description speaks of; what is None is not said."""

    count: int = 1
    size: Size | None = None
    colour: Colour | None = None
    shape: Shape | None = None

    @property
    def said(self) -> int:
        return (self.count > 1) + sum(value is not None for value in (self.size, self.colour, self.shape))

    def fits(self, thing: Thing) -> bool:
        """Everything but the number is true of this thing."""
        return all(said in (None, seen) for said, seen in self._looks(thing))

    def meant(self, group: Group, unread: Sequence[Thing]) -> tuple[Thing, ...]:
        """The things that the phrase speaks of if it is read as this group; `unread` are things of no phrase.

        A number counts everything that the rest of the phrase is true of. If the rest is not true of the group, it is
        the number of a group that was described wrongly.
        """
        if self.count > 1 and self.fits(group.things[0]):
            return (*group.things, *filter(self.fits, unread))
        return group.things

    def true_of(self, meant: Sequence[Thing]) -> int:
        """Details that hold of these things, whose first is of the group that the phrase is read as."""
        looks = sum(said is not None and said == seen for said, seen in self._looks(meant[0]))
        return looks + (self.count > 1 and self.count == len(meant))

    def _looks(self, thing: Thing) -> Iterator[tuple[str | None, str]]:
        look = thing.look
        yield from ((self.size, look.size), (self.colour, look.colour), (self.shape, look.shape))


@dataclass(frozen=True)
class Description:
    """`relation` is how the things of the first phrase lie to those of the second."""

    phrases: tuple[Phrase, ...] = ()
    relation: Relation | None = None
    background: Background | None = None

    @property
    def said(self) -> int:
        return sum(phrase.said for phrase in self.phrases) + (self.relation is not None) + (self.background is not None)


class Truth(NamedTuple):
    """How many details are said, and how many of them are true."""

    said: int
    true: int

    @property
    def is_whole(self) -> bool:
        return self.said == self.true

    def rating(self, severity: float = SEVERITY, bare: float = BARE) -> float:
        """By the rule; `severity` is what errors cost, `bare` what a caption is worth that tells nothing.

        >>> [round(Truth(said, true).rating(), 2) for said, true in ((4, 4), (1, 1), (4, 3), (4, 1))]
        [5.0, 3.4, 2.69, 1.04]
        """
        share = self.true / max(1, self.said)
        telling = min(1.0, self.true / ENOUGH)
        return float(LOWEST + (HIGHEST - LOWEST) * share**severity * (bare + (1 - bare) * telling))


def compare(description: Description, scene: Scene) -> Truth:
    """How much of a description is true of a scene, by the kindest reading.

    >>> from kataribe.people.shapes.scene import Look
    >>> circle, square = Look("circle", "red", "small"), Look("square", "blue", "large")
    >>> scene = Scene("white", (Thing(circle, 50, 50, 24, 0), Thing(square, 150, 50, 40, 0)))
    >>> red, blue = Phrase(colour="red", shape="circle"), Phrase(colour="blue", shape="square")
    >>> compare(Description((red, blue), "left"), scene)
    Truth(said=5, true=5)
    >>> compare(Description((blue, red), "left", "black"), scene)
    Truth(said=6, true=4)
    """
    nobody: list[Group | None] = [None] * len(description.phrases)
    readings = set(permutations([*scene.groups, *nobody], len(description.phrases)))
    true = max(_true_in(description, reading, scene) for reading in readings)
    return Truth(description.said, true + (description.background == scene.background))


def _true_in(description: Description, reading: tuple[Group | None, ...], scene: Scene) -> int:
    """Details of the phrases and their relation that hold if each phrase speaks of its group."""
    looks = [group.look for group in reading if group is not None]
    unread = [thing for thing in scene.things if thing.look not in looks]
    pairs = zip(description.phrases, reading, strict=True)
    meant = [() if group is None else phrase.meant(group, unread) for phrase, group in pairs]
    true = sum(phrase.true_of(things) for phrase, things in zip(description.phrases, meant, strict=True) if things)
    if description.relation is not None and meant[0] and meant[1]:
        true += is_related(meant[0], description.relation, meant[1])
    return true
