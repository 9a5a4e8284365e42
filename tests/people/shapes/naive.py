"""Truth once more, by trying every way to hand out things to phrases: what the rule is checked against."""

from __future__ import annotations

from itertools import product

from kataribe.people.shapes.description import SEVERAL, Description, Phrase
from kataribe.people.shapes.scene import Scene, Thing, is_related


def is_entailed(description: Description, scene: Scene) -> bool:
    """Some way to hand out the things makes every detail true; a number must count all things that it could mean."""
    if description.background not in (None, scene.background):
        return False
    choices = range(-1, len(description.phrases))  # -1: no phrase speaks of the thing
    return any(_holds(description, scene, owners) for owners in product(choices, repeat=len(scene.things)))


def _holds(description: Description, scene: Scene, owners: tuple[int, ...]) -> bool:
    pairs = list(zip(scene.things, owners, strict=True))
    for index, phrase in enumerate(description.phrases):
        own = [thing for thing, owner in pairs if owner == index]
        left = [thing for thing, owner in pairs if owner == -1]
        if not own or not all(_fits(phrase, thing) for thing in own):
            return False
        if phrase.count == SEVERAL and len(own) < 2:
            return False
        if phrase.count > 1 and (len(own) != phrase.count or any(_fits(phrase, thing) for thing in left)):
            return False
    if description.relation is None:
        return True
    some, others = ([thing for thing, owner in pairs if owner == index] for index in (0, 1))
    return is_related(some, description.relation, others)


def _fits(phrase: Phrase, thing: Thing) -> bool:
    look = thing.look
    return (
        phrase.size in (None, look.size) and phrase.colour in (None, look.colour) and phrase.shape in (None, look.shape)
    )
