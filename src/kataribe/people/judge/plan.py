"""Who sees what in which order: decided by the study's seed and the rater's number alone, so a reload changes nothing.

Every order is a sort by hash. The tasks of a study are dealt in one shuffled ring: each rater takes the next
`tasks_per_rater` of them, so after any number of raters no task has been dealt twice more often than another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from kataribe.people.judge.study import Study, Text, order_key

PLANTED = "(planted)"
REFERENCE = "(reference)"


@dataclass(frozen=True)
class Task:
    """One question to one rater: the systems whose texts are `shown`, in the order in which this rater sees them."""

    key: str
    item: str
    shown: tuple[str, ...]


def plan(study: Study, rater: int) -> tuple[Task, ...]:
    """The rater's tasks, in order. Raters are numbered from 1."""
    seed = study.settings.seed
    ring = sorted(_units(study), key=lambda unit: order_key(seed, "deal", *unit))
    share = _share(study, len(ring))
    first = (rater - 1) * share
    dealt = [ring[(first + step) % len(ring)] for step in range(share)]
    tasks = [_task(seed, rater, item, systems) for item, systems in [*dealt, *_checks(study)]]
    return tuple(sorted(tasks, key=lambda task: order_key(seed, rater, task.key)))


def questions(study: Study) -> list[str]:
    """The keys of all tasks but the checks, whoever gets them."""
    return [_key(item, systems) for item, systems in _units(study)]


def tasks_each(study: Study) -> int:
    """How many tasks every rater has."""
    return _share(study, sum(1 for _ in _units(study))) + len(study.planted)


def _share(study: Study, units: int) -> int:
    return min(study.settings.tasks_per_rater or units, units)


def text_of(study: Study, item: str, system: str) -> Text:
    """What a shown system says; planted texts and references count as systems."""
    if system == PLANTED:
        return study.planted[item]
    if system == REFERENCE:
        return study.items[item].references[0]
    return study.items[item].texts[system]


Unit = tuple[str, tuple[str, ...]]


def _units(study: Study) -> Iterator[Unit]:
    """What there is to judge, whoever judges it: an item and the systems that stand side by side."""
    settings = study.settings
    systems = tuple(settings.systems)
    for item in study.items:
        if settings.kind == "pairs":
            yield from ((item, pair) for pair in settings.pairs or combinations(systems, 2))
        elif settings.kind == "ranking" or settings.together:
            yield item, systems
        else:
            yield from ((item, (system,)) for system in systems)


def _checks(study: Study) -> Iterator[Unit]:
    """A planted text alone, beside a good text, or instead of a candidate: their number must not give it away."""
    seed = study.settings.seed
    for item in study.planted:
        if study.settings.kind == "rating" and not study.settings.together:
            yield item, (PLANTED,)
        elif study.settings.kind == "pairs":
            # A reference that raters see above both texts would be a check of reading, not of watching.
            has_good = bool(study.items[item].references) and not study.settings.show_references
            good = REFERENCE if has_good else next(iter(study.settings.systems))
            yield item, (good, PLANTED)
        else:
            shuffled = sorted(study.settings.systems, key=lambda system: order_key(seed, "check", item, system))
            yield item, (*shuffled[1:], PLANTED)


def _task(seed: int, rater: int, item: str, systems: tuple[str, ...]) -> Task:
    key = _key(item, systems)
    shown = sorted(systems, key=lambda system: order_key(seed, rater, key, system))
    return Task(key, item, tuple(shown))


def _key(item: str, systems: tuple[str, ...]) -> str:
    return order_key("task", item, *systems).hex()[:24]
