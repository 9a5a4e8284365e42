"""First mention: is a role introduced by name before it is "he" or "she"?

    meant(i)  = the roles that reference i names; if it opens with a pronoun, also the last one that references named
    a line opens with a pronoun if no name stands before its first he, she, 他, 她, ...; it stands for one of meant(i)
    first_mention       = roles whose first mention in the film is their name / roles that are mentioned at all
    first_mention(turn) = opening pronouns that are understood / opening pronouns that stand for somebody
                          understood: the last role that the narration named before is one of meant(i)

Lines of a film are read in the order in which they are told. A clip by itself shows nothing of this, so no measure of
single clips does: "She opens the letter" is a fine line, unless nobody was told who she is.

Quirks. No coreference model is asked. Who is meant is read from the references; in a line whose reference has neither a
name nor an opening pronoun nobody is, and its pronouns are not counted. Where several are meant, the pronoun may stand
for any of them. Genders are not looked at. A narrator who never says "she" scores 1 on the roles that it names: read
this beside role_f1. Names are found by longest match in the film's own cast, with aliases. `introduced` is the share of
opening pronouns of which one who is meant was named before, `understood` is first_mention(turn), and `reference` what
the references come to. Films without a cast are left out, with a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats
from kataribe.films.names import Names
from kataribe.narration import pronouns
from kataribe.narration.cast_scan import CastScan, fingerprint_of_casts, scan_casts
from kataribe.narration.items import Narrations
from kataribe.narration.pronouns import ReadLine, read_line, who_is_meant


class _Counts(NamedTuple):
    """Of a line: roles that are first mentioned in it and those of them by name; opening pronouns, none or one."""

    roles: int = 0
    by_name: int = 0
    pronouns: int = 0
    introduced: int = 0
    understood: int = 0


class _Facts(NamedTuple):
    """The casts, and what the order of lines rests on."""

    casts: CastScan
    order: str


@dataclass(frozen=True)
class _Scanned:
    casts: CastScan
    order: str

    def __add__(self, other: _Scanned) -> _Scanned:
        return _Scanned(self.casts + other.casts, self.order)  # all shards carry the order of the corpus


@dataclass(frozen=True)
class FirstMention(Metric):
    name: ClassVar[str] = "first_mention"
    task: ClassVar[str] = "narration"
    title: ClassVar[str] = "First mention"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = (
        *_Counts._fields,
        *(f"reference_{name}" for name in _Counts._fields),
        "read",
    )
    group_by: ClassVar[str | None] = "films"

    of: Literal["role", "turn"] = option(
        "role", "what is counted: the first mention of each role, or each pronoun that opens a line", positional=True
    )

    @property
    def ignores_empty(self) -> bool:
        return True

    def scan_references(self, items: Narrations) -> _Scanned:
        return _Scanned(scan_casts(items), items.order_signature)

    def conclude(self, references: _Scanned | None, predictions: None) -> _Facts:
        scanned = references or _Scanned(CastScan(), "time")
        scanned.casts.refuse_unusable(self.name)
        return _Facts(scanned.casts, scanned.order)

    def stats(self, items: Narrations, context: _Facts) -> Array:
        rows = np.zeros((len(items), len(self.columns)))
        for film, written in items.by_film.items():
            if film not in items.casts:
                continue
            names = Names.of_cast(items.casts[film])
            references = [read_line(items.written[row], names) for row in written.tolist()]
            meant = dict(zip(written.tolist(), who_is_meant(references), strict=True))
            told = items.as_told[film].tolist()
            predictions = [read_line(items.candidates[row], names) for row in told]
            rows[told, :5] = count_mentions(predictions, [meant[row] for row in told])
            rows[written, 5:10] = count_mentions(references, [meant[row] for row in written.tolist()])
            rows[written, 10] = 1.0
        return rows

    def measure(self, totals: Floats) -> Measured:
        roles, by_name, pronouns, introduced, understood = np.moveaxis(totals[..., :5], -1, 0)
        reference_roles, reference_by_name, reference_pronouns, _, reference_understood = np.moveaxis(
            totals[..., 5:10], -1, 0
        )
        shares = {"role": _share(by_name, roles), "turn": _share(understood, pronouns)}
        of_references = {
            "role": _share(reference_by_name, reference_roles),
            "turn": _share(reference_understood, reference_pronouns),
        }
        parts = {
            "introduced": _share(introduced, pronouns),
            "understood": shares["turn"],
            "reference": of_references[self.of],
        }
        return Measured(shares[self.of], parts)

    def per_item(self, statistics: Array) -> Measured:
        """A line that mentions nobody for the first time does nothing wrong; without a cast nobody can tell."""
        value, parts = super().per_item(statistics)
        fine = np.where(statistics[:, self.columns.index("read")] > 0, 1.0, np.nan)
        filled = {name: np.where(np.isnan(part), fine, part) for name, part in parts.items()}
        return Measured(np.where(np.isnan(value), fine, value), filled)

    def signature(self, facts: _Facts) -> dict[str, str]:
        return {
            "of": self.of,
            "pronouns": pronouns.SIGNATURE,
            "match": "longest",
            "cast": f"own-{fingerprint_of_casts(facts.casts)}",
            "order": facts.order,
        }

    def warnings(self, facts: _Facts) -> Sequence[Caution]:
        return facts.casts.left_out_of(self.name)


def count_mentions(lines: Sequence[ReadLine], meant: Sequence[Sequence[str]]) -> list[_Counts]:
    """Of each line of a film, as they are told, what it counts for.

    >>> lines = [ReadLine((), True), ReadLine(("Anna", "Tom"), False), ReadLine((), True)]
    >>> [counts[:4] for counts in count_mentions(lines, [("Anna",), (), ("Anna",)])]
    [(1, 0, 1, 0), (1, 1, 0, 0), (0, 0, 1, 1)]
    """
    counts = []
    met: set[str] = set()
    named: set[str] = set()
    last: str | None = None
    for line, whom in zip(lines, meant, strict=True):
        roles = by_name = 0
        stands_for = whom if line.opens_with_pronoun else ()
        is_introduced, is_understood = not named.isdisjoint(stands_for), last in stands_for
        if stands_for and not is_introduced and met.isdisjoint(stands_for):
            met.add(stands_for[0])
            roles += 1
        for role in line.roles:
            if role not in met:
                met.add(role)
                roles, by_name = roles + 1, by_name + 1
            named.add(role)
            last = role
        counts.append(_Counts(roles, by_name, int(bool(stands_for)), int(is_introduced), int(is_understood)))
    return counts


def _share(part: Floats, whole: Floats) -> Floats:
    """Where nobody is mentioned there is no share: 0/0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(part / whole)
