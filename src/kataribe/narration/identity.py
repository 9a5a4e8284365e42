"""Identity: does the same person keep the same name through the whole film?

    c(r, n)   = clips of a film whose reference names role r and whose prediction says the name n
    match     = each name stands for at most one role and each role for at most one name, so that the sum of c over
                matched pairs is largest
    hits      = that sum; named, there = names said and roles named, each counted once for each clip
    identity  = 2 hits / (named + there), summed over films

The measure of tracking people through cameras, where a person is whoever a tracker calls by one number:

Ristani, E., Solera, F., Zou, R., Cucchiara, R., Tomasi, C. (2016). Performance measures and a data set for
multi-target, multi-camera tracking. ECCV workshops. (IDF1.)

A narrator who calls Anna Tom and Tom Anna from the first clip to the last is wrong about who they are and right about
who is who: RoleF1 is 0 and identity 1. One who names somebody else in every clip is neither. So no measure of single
clips can tell the two apart; `right` says how much of the identity is also the right name.

Quirks. Names are what is said: whoever is now called by name and now by alias has two (aliases=true makes them one). A
role that the film's references never name can be matched with nothing. Names are found by longest match in the film's
own cast. Matches are made once, of all lines of a film; intervals resample clips and keep them. `reference` is what the
references come to. A clip in which neither side names anybody is left out, its own item value is 1. Films without a
cast are left out, with a warning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from kataribe.core.caution import Caution
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats
from kataribe.films.names import Names
from kataribe.narration.cast_scan import CastScan, fingerprint_of_casts, scan_casts
from kataribe.narration.items import Narrations

Said = frozenset[str]


class _Counts(NamedTuple):
    """Of a clip: names said, roles that the reference names, names that stand for one of these, and right names."""

    named: int
    there: int
    hits: int
    right: int


@dataclass(frozen=True)
class Identity(Metric):
    name: ClassVar[str] = "identity"
    task: ClassVar[str] = "narration"
    title: ClassVar[str] = "Identity"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = (
        *("read", "named", "there", "hits", "right"),
        *("reference_named", "reference_hits"),
    )
    group_by: ClassVar[str | None] = "films"

    aliases: bool = option(False, "whether an alias is the same name as the role's own")

    def scan_references(self, items: Narrations) -> CastScan:
        return scan_casts(items)

    def conclude(self, references: CastScan | None, predictions: None) -> CastScan:
        scanned = references or CastScan()
        scanned.refuse_unusable(self.name)
        return scanned

    def stats(self, items: Narrations, context: CastScan) -> Array:
        rows = np.zeros((len(items), len(self.columns)))
        for film, members in items.by_film.items():
            if film not in items.casts:
                continue
            names = Names.of_cast(items.casts[film])
            written = [items.written[row] for row in members.tolist()]
            there = [names.in_text(text) for text in written]
            told = self._counts([items.candidates[row] for row in members.tolist()], there, names)
            own = self._counts(written, there, names)
            rows[members] = [(1, *one, other.named, other.hits) for one, other in zip(told, own, strict=True)]
        return rows

    def measure(self, totals: Floats) -> Measured:
        _, named, there, hits, right, reference_named, reference_hits = np.moveaxis(totals, -1, 0)
        parts = {
            "precision": _ratio(hits, named),
            "recall": _ratio(hits, there),
            "right": _ratio(2 * right, named + there),
            "reference": _ratio(2 * reference_hits, reference_named + there),
        }
        return Measured(_ratio(2 * hits, named + there), parts)

    def per_item(self, statistics: Array) -> Measured:
        """Where neither side names anybody, the two agree; in a film without a cast nobody can tell."""
        value, parts = super().per_item(statistics)
        agree = np.where(statistics[:, self.columns.index("read")] > 0, 1.0, np.nan)
        filled = {name: np.where(np.isnan(part), agree, part) for name, part in parts.items()}
        return Measured(np.where(np.isnan(value), agree, value), filled)

    def signature(self, facts: CastScan) -> dict[str, str]:
        cast = f"own-{fingerprint_of_casts(facts)}"
        return {"match": "longest", "cast": cast, "aliases": "one" if self.aliases else "apart"}

    def warnings(self, facts: CastScan) -> Sequence[Caution]:
        return facts.left_out_of(self.name)

    def _counts(self, texts: Sequence[str], there: Sequence[Said], names: Names) -> list[_Counts]:
        said = [self._names(text, names) for text in texts]
        role_of = match_names(said, there)
        return [
            _Counts(
                named=len(spoken),
                there=len(roles),
                hits=sum(role_of.get(name) in roles for name in spoken),
                right=sum(names.role_of.get(name, name) in roles for name in spoken),
            )
            for spoken, roles in zip(said, there, strict=True)
        ]

    def _names(self, text: str, names: Names) -> Said:
        if self.aliases:
            return names.in_text(text)
        return frozenset(text[mention.start : mention.end] for mention in names.mentions(text))


def match_names(said: Sequence[Said], there: Sequence[Said]) -> dict[str, str]:
    """The role that each name stands for, so that most clips agree; names that stand for nobody are left out.

    >>> match_names([{"Tom"}, {"Anna"}, {"Tom"}], [{"Anna"}, {"Tom"}, {"Anna"}])
    {'Anna': 'Tom', 'Tom': 'Anna'}
    """
    together = Counter(
        (name, role) for names, roles in zip(said, there, strict=True) for name in names for role in roles
    )
    if not together:
        return {}
    # In the order of the alphabet, so that of equally good matches always the same is taken.
    names, roles = (sorted({pair[side] for pair in together}) for side in (0, 1))
    counts = np.array([[together[name, role] for role in roles] for name in names])
    return {
        names[row]: roles[column]
        for row, column in zip(*linear_sum_assignment(counts, maximize=True), strict=True)
        if counts[row, column]
    }


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Where nobody is named there is nothing to share: 0/0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(numerator / denominator)
