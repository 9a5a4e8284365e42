"""Who belongs together, and who may learn from whom: splits in which nothing that is held out was seen in training.

Examples that share a key (the same picture, the same sentence) are of one component, and so are those that are linked
through others. A split deals out whole components. In a split by picture alone the same sentences stand on both sides:
in Flickr8k-Expert 97.7% of the held-out candidates would be among the training candidates.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from kataribe.core.errors import UsageError
from kataribe.core.types import Int64s


def components(keys: Sequence[Iterable[Hashable]]) -> Int64s:
    """The number of each example's component; `keys[i]` is all that example i may not share with another part.

    >>> components([["p1", "a dog"], ["p2", "a cat"], ["p3", "a dog"], ["p3", "a bird"]]).tolist()
    [0, 1, 0, 0]
    """
    number_of: dict[Hashable, int] = {}
    rows, columns = [], []
    for row, found in enumerate(keys):
        for key in found:
            rows.append(row)
            columns.append(number_of.setdefault(key, len(number_of)))
    examples, size = len(keys), len(keys) + len(number_of)
    links = coo_array((np.ones(len(rows)), (rows, np.array(columns, dtype=np.int64) + examples)), shape=(size, size))
    found = connected_components(links, directed=False)[1][:examples]
    return np.unique(found, return_inverse=True)[1].astype(np.int64) if examples else found.astype(np.int64)


def split(groups: Int64s, shares: Mapping[str, float], seed: int) -> dict[str, Int64s]:
    """The rows of each named part: whole groups, dealt out at random until each part has about its share of the rows.

    >>> parts = split(np.array([0, 0, 1, 2, 3, 4]), {"train": 0.5, "held": 0.5}, seed=0)
    >>> {name: rows.tolist() for name, rows in parts.items()}
    {'train': [0, 1, 4], 'held': [2, 3, 5]}

    Each group goes to the part that lacks most. The largest groups go first: a late one would overshoot. No part stays
    empty: the last groups go to those that have none.
    """
    if not shares or any(not share > 0 for share in shares.values()):
        raise UsageError(f"a split needs parts with shares above 0, not {dict(shares)}")
    sizes = np.bincount(groups)
    known = np.flatnonzero(sizes)
    if len(known) < len(shares):
        linked = "all examples are linked" if len(known) == 1 else f"there are {len(known)} groups of linked examples"
        raise UsageError(
            f"{linked} by what they share, too few for {len(shares)} parts",
            hint="give a file of its own for testing",
        )
    order = np.random.default_rng(seed).permutation(known)
    order = order[np.argsort(-sizes[order], kind="stable")]
    wanted = np.array(list(shares.values())) / sum(shares.values()) * len(groups)
    part_of, is_empty = np.zeros(len(sizes), dtype=np.int64), np.ones(len(shares), dtype=bool)
    for left, group in zip(range(len(order), 0, -1), order, strict=True):
        may = is_empty if left <= is_empty.sum() else np.ones_like(is_empty)
        part = int(np.argmax(np.where(may, wanted, -np.inf)))
        part_of[group], is_empty[part] = part, False
        wanted[part] -= sizes[group]
    return {name: np.flatnonzero(part_of[groups] == part) for part, name in enumerate(shares)}


@dataclass(frozen=True)
class Shared:
    """How many distinct things of one part stand in the other too, by what they are."""

    counts: Mapping[str, tuple[int, int]]

    def __bool__(self) -> bool:
        return any(shared for shared, _ in self.counts.values())

    def __str__(self) -> str:
        return ", ".join(f"{shared:,} of {total:,} {what}" for what, (shared, total) in self.counts.items())


def shared(one: Mapping[str, Iterable[Hashable]], other: Mapping[str, Iterable[Hashable]]) -> Shared:
    """
    >>> print(shared({"pictures": ["p1", "p2"]}, {"pictures": ["p2"]}))
    1 of 2 pictures
    """
    sets = {what: (set(found), set(other[what])) for what, found in one.items()}
    return Shared({what: (len(ours & theirs), len(ours)) for what, (ours, theirs) in sets.items()})
