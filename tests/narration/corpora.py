"""Narrations to score: small ones made by hand or by hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from kataribe.core.metric import Metric
from kataribe.core.shards import shards_at
from kataribe.core.types import Array, Cast, Narration, Role, Score, Segment
from kataribe.narration.items import Film, Narrations
from kataribe.narration.join import join

CAST = Cast("f", (Role("Maria"), Role("Odysseus", ("Ulysses",)), Role("Mar"), Role("李白"), Role("李白龙")))

# What lines are made of: names, parts of names, and words.
pieces = st.sampled_from(["Maria", "Odysseus", "Ulysses", "Mar", "李白", "李白龙", "白龙", "Mariana", "waits", "。"])
texts = st.lists(pieces, max_size=5).map(" ".join)
corpora = st.lists(st.tuples(texts, texts), min_size=1, max_size=8)


def narrations(
    lines: list[tuple[str, str]],
    casts: tuple[Cast, ...] = (CAST,),
    films: list[str] | None = None,
    seconds: float = 10.0,
    dialogue: tuple[Segment, ...] | None = None,
) -> Narrations:
    """(prediction, reference) one after the other in one film, each in a gap of so many seconds."""
    known = {cast.film: Film(cast=cast, dialogue=dialogue) for cast in casts}
    predicted, written = {}, {}
    for row, (one, other) in enumerate(lines):
        id, film = str(row), films[row] if films else casts[0].film
        predicted[id] = Narration(id, None, None, one)
        written[id] = Narration(id, film, Segment(2 * row * seconds, (2 * row + 1) * seconds), other)
    return join(predicted, written, known, "error")[0]


def in_two_films(lines: list[tuple[str, str]]) -> Narrations:
    """Every third line is of another film, whose cast is the same."""
    casts = (CAST, Cast("g", CAST.roles))
    return narrations(lines, casts, ["g" if row % 3 == 1 else "f" for row in range(len(lines))])


def rows_by_film(metric: Metric, items: Narrations) -> Array:
    """The rows of the items, where each film is a shard of its own."""
    sharding = shards_at(items, [np.sort(rows) for rows in items.by_film.values()])
    facts = metric.facts(items)
    return sharding.in_order([metric.stats(shard, metric.prepare(shard, facts)) for shard in sharding.shards])


def score(metric: Metric, items: Narrations) -> Score:
    return metric.reduce(metric.rows(items))
