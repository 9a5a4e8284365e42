"""A scene graph and its tuples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Word:
    """A word as it is compared (`key`: its spelling normalised) and as it is shown (`text`: as it was written).

    >>> Word("ソファー", "ソファ") == Word("ソファー", "ソファー")
    True
    """

    key: str
    text: str = field(compare=False)

    def __str__(self) -> str:
        return self.text


# Who does something, where the caption does not say.
NOBODY = Word("φ", "φ")

Tuple = tuple[Word, ...]


@dataclass(frozen=True)
class SceneGraph:
    """Objects, what they are like, and the relations between them, each once and in the order of the caption.

    >>> dog, white, run = Word("犬", "犬"), Word("白い", "白い"), Word("走る", "走る")
    >>> graph = SceneGraph((dog,), ((dog, white), (dog, run)), ())
    >>> [tuple_text(entry) for entry in graph]
    ['犬', '犬-白い', '犬-走る']
    """

    objects: tuple[Word, ...]
    attributes: tuple[tuple[Word, Word], ...]
    relations: tuple[tuple[Word, Word, Word], ...]

    def __iter__(self) -> Iterator[Tuple]:
        """Every tuple: (object,), (object, attribute), (subject, relation, object). Nobody is not an object."""
        yield from ((thing,) for thing in self.objects)
        yield from self.attributes
        yield from self.relations

    def to_dict(self) -> dict[str, Any]:
        return {
            "objects": [str(thing) for thing in self.objects],
            "attributes": [list(map(str, entry)) for entry in self.attributes],
            "relations": [list(map(str, entry)) for entry in self.relations],
        }


def tuple_text(entry: Tuple) -> str:
    return "-".join(map(str, entry))
