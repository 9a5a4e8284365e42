"""RoleF1: does the narration name the roles that its reference names?

    P, R, F1  of the set of roles that the prediction names beside the set that the reference names, for each clip
    RoleF1    = mean of F1 over clips (macro), or F1 of the summed counts (micro)

Yue, Z., Zhang, Q., Hu, A., Zhang, L., Wang, Z., Jin, Q. (2023). Movie101: a new movie understanding benchmark. ACL.

Quirks. The published scorer looks for the names of all films in the text as substrings, skips twelve names that are
also common words (`ban=movie101`), and scores a clip whose reference names nobody 0 whatever is predicted: a reference
against itself stays far below 1 (official). `protocol="paper"` finds the longest names in the film's own cast, with
aliases, and leaves out clips where neither side names anybody (whose own item value is 1: they agree).

The published cast file lacks a film of the test split, and the published scorer finds no roles in its clips, so that
each scores 0 (`uncast=empty`, official); `uncast=drop` (paper) leaves such clips out, `uncast=error` refuses them. The
signature counts them.

Naming the same role in every clip is hard to beat, so that the parts say what trivial narrators score: the first-billed
role always, the whole cast always, a random member (its expectation, nothing is drawn), the role that the film's
references name most often (it has seen them), and the reference itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, counted, some
from kataribe.core.join import missing_field
from kataribe.core.metric import Measured, Metric, Protocols, option
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Array, Cast, Floats
from kataribe.films.names import Names
from kataribe.narration.cast_scan import CastScan, NamesInOtherCapitals, find_other_capitals, scan_casts
from kataribe.narration.items import Narrations
from kataribe.narration.result import NamedRoles

# Role names that are also common words, as the published scorer lists them.
BANNED = frozenset(
    ["司机", "淡定", "大海", "火山", "主持人", "琉璃", "李小龙", "莎莎", "老牛", "小河", "小方", "时分"],
)

Roles = frozenset[str]


class _Film(NamedTuple):
    """How names are found, what each member of the cast is found as, and whom the references name most often."""

    names: Names
    billed: list[Roles]
    favourite: Roles


# A film without a cast: nobody can be found, and nobody named.
_NOBODY = _Film(Names({}), [frozenset()], frozenset())


class _Facts(NamedTuple):
    """Eight digits that stand for the casts, the clips of films without one, and what is to be said."""

    casts: str
    uncast_clips: int
    warnings: tuple[Caution, ...]


class _Context(NamedTuple):
    """The films, and the roles that each reference names."""

    films: dict[str, _Film]
    in_references: list[Roles]

    def film(self, name: str | None) -> _Film:
        return self.films.get(name or "", _NOBODY)


@dataclass(frozen=True)
class RoleF1(Metric):
    name: ClassVar[str] = "role_f1"
    task: ClassVar[str] = "narration"
    title: ClassVar[str] = "RoleF1"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    baselines: ClassVar[tuple[str, ...]] = (
        "first-billed always",
        "whole cast always",
        "random member",
        "most frequent always",
        "reference itself",
    )
    columns: ClassVar[tuple[str, ...]] = (
        *("clips", "f1", "precision", "recall", "hits", "named", "in_reference"),
        *(f"{column} of {baseline}" for baseline in baselines for column in ("clips", "f1", "hits", "named")),
        "uncast",
    )
    # Whom a film's references name most often is known where all of its lines are.
    group_by: ClassVar[str | None] = "films"
    protocols: ClassVar[Protocols] = {
        "paper": {"match": "longest", "cast": "own", "aliases": True, "ban": "none", "empty": "drop", "uncast": "drop"}
    }

    average: Literal["macro", "micro"] = option(
        "macro", "the mean over clips, or F1 of the summed counts", positional=True
    )
    match: Literal["substring", "longest"] = option("substring", "how names are found in a text")
    cast: Literal["all", "own"] = option("all", "whose names are looked for: all films', or the film's own")
    aliases: bool = option(False, "whether aliases count as their role")
    ban: Literal["movie101", "none"] = option(
        "movie101", "names that are never looked for: the published scorer's, or none"
    )
    empty: Literal["zero", "drop"] = option(
        "zero", "clips without roles: zero if the reference names nobody, or left out if neither side does"
    )
    uncast: Literal["empty", "drop", "error"] = option(
        "empty", "clips of films without a cast: they have no roles, are left out, or are refused"
    )

    def scan_references(self, items: Narrations) -> CastScan:
        return scan_casts(items)

    def scan_predictions(self, items: Narrations) -> NamesInOtherCapitals:
        return find_other_capitals(items)

    def conclude(self, references: CastScan | None, predictions: NamesInOtherCapitals | None) -> _Facts:
        scanned = references or CastScan()
        scanned.refuse_unusable(self.name)
        if scanned.uncast and self.uncast == "error":
            raise InputError(
                f"{self.name}: no cast for {counted(len(scanned.uncast), 'film')}: {some(scanned.uncast)}",
                hint="add their casts",
            )
        looked_for = [cast for film, cast in scanned.casts.items() if self.cast == "all" or film in scanned.clips]
        warnings = (*self._of_uncast(scanned), *(predictions or NamesInOtherCapitals()).cautions())
        return _Facts(fingerprint_by_id(map(_content_of, looked_for)), scanned.uncast_clips, warnings)

    def prepare(self, items: Narrations, facts: _Facts) -> _Context:
        casts = items.casts
        banned = BANNED if self.ban == "movie101" else frozenset[str]()
        everybody = Names.of_all(casts.values(), self.aliases).without(banned)
        films: dict[str, _Film] = {}
        in_references: list[Roles] = [frozenset()] * len(items)
        for film, rows in items.by_film.items():
            if film not in casts:
                continue
            cast = casts[film]
            names = everybody if self.cast == "all" else Names.of_cast(cast, self.aliases).without(banned)
            for row in rows.tolist():
                in_references[row] = self._roles(items.written[row], names)
            counts = Counter(role for row in rows.tolist() for role in sorted(in_references[row]))
            # Trivial narrators say names, and these are found or not like anybody's.
            billed = [self._roles(name, names) for name in cast.names]
            films[film] = _Film(names, billed, frozenset(role for role, _ in counts.most_common(1)))
        return _Context(films, in_references)

    def stats(self, items: Narrations, context: _Context) -> Array:
        rows = [self._row(items, row, context) for row in range(len(items))]
        return np.array(rows, dtype=np.float64).reshape(len(items), len(self.columns))

    def measure(self, totals: Floats) -> Measured:
        clips, f1, precision, recall, hits, named, in_reference = (totals[..., column] for column in range(7))
        is_macro = self.average == "macro"
        macro, micro = _ratio(f1, clips), _ratio(2 * hits, named + in_reference)
        parts = {
            "precision": _ratio(precision, clips) if is_macro else _ratio(hits, named),
            "recall": _ratio(recall, clips) if is_macro else _ratio(hits, in_reference),
        }
        parts |= {"micro F1": micro} if is_macro else {"macro F1": macro}
        for index, baseline in enumerate(self.baselines):
            its_clips, its_f1, its_hits, its_named = (totals[..., 7 + 4 * index + offset] for offset in range(4))
            parts[baseline] = _ratio(its_f1, its_clips) if is_macro else _ratio(2 * its_hits, its_named + in_reference)
        return Measured(macro if is_macro else micro, parts)

    def per_item(self, statistics: Array) -> Measured:
        """A clip in which neither side names anybody is not part of the mean; by itself, the two agree.

        Whether they agree in a film without a cast, nobody can tell.
        """
        value, parts = super().per_item(statistics)
        agrees = np.where(statistics[:, self.columns.index("uncast")] > 0, np.nan, 1.0)
        agreed = {name: np.where(np.isnan(part), agrees, part) for name, part in parts.items()}
        return Measured(np.where(np.isnan(value), agrees, value), agreed)

    def signature(self, facts: _Facts) -> dict[str, str]:
        return {
            "avg": self.average,
            "match": self.match,
            "cast": f"{self.cast}-{facts.casts}",
            "aliases": "yes" if self.aliases else "no",
            "ban": self.ban,
            "empty": self.empty,
            "uncast": missing_field(self.uncast, facts.uncast_clips),
        }

    def warnings(self, facts: _Facts) -> Sequence[Caution]:
        return facts.warnings

    def details(self, items: Narrations, context: _Context) -> list[NamedRoles]:
        """For each clip the roles that both sides name, those only the reference and those only the prediction does."""
        details = []
        for row, (prediction, there) in enumerate(zip(items.candidates, context.in_references, strict=True)):
            names = context.film(items.films[row]).names
            named = self._roles(prediction, names)
            details.append(
                NamedRoles(
                    found=sorted(named & there),
                    lost=sorted(there - named),
                    invented=sorted(named - there),
                    said=tuple((each.start, each.end, each.role in there) for each in names.mentions(prediction)),
                    written=tuple(
                        (each.start, each.end, each.role in named) for each in names.mentions(items.written[row])
                    ),
                )
            )
        return details

    def _roles(self, text: str, names: Names) -> Roles:
        return names.in_text(text, substring=self.match == "substring")

    def _row(self, items: Narrations, row: int, context: _Context) -> list[float]:
        film = context.film(items.films[row])
        if film is _NOBODY and self.uncast == "drop":
            return [0.0] * (len(self.columns) - 1) + [1.0]
        named, there = self._roles(items.candidates[row], film.names), context.in_references[row]
        hits = len(named & there)
        clips, f1, _, _ = self._counts([named], there)
        everybody: Roles = frozenset().union(*film.billed)
        guesses = [film.billed[:1], [everybody], film.billed, [film.favourite], [there]]
        return [
            clips,
            f1,
            hits / max(len(named), 1),
            hits / max(len(there), 1),
            *(hits, len(named), len(there)),
            *(number for guess in guesses for number in self._counts(guess, there)),
            float(film is _NOBODY),
        ]

    def _counts(self, guesses: Sequence[Roles], there: Roles) -> list[float]:
        """Clips that count (one or none), F1, hits and size of a guess; of several equally likely ones the mean."""
        counts = [
            (1.0 if self.empty == "zero" or guess or there else 0.0, _f1(guess, there), len(guess & there), len(guess))
            for guess in guesses
        ]
        return [sum(column) / len(guesses) for column in zip(*counts, strict=True)]

    def _of_uncast(self, scanned: CastScan) -> list[Caution]:
        films = scanned.uncast
        if not films:
            return []
        are_left_out = self.uncast == "drop" or self.empty == "drop"
        action = "left out of role_f1" if are_left_out else "scored 0 in role_f1, as clips without roles are"
        clips = counted(scanned.uncast_clips, "clip")
        return [Caution("no-cast", f"{clips} of {counted(len(films), 'film')} without a cast, {action}: {some(films)}")]


def _content_of(cast: Cast) -> tuple[str, ...]:
    """What tells one cast from another, the film first."""
    return cast.film, *(text for role in cast.roles for text in (str(len(role.names)), *role.names))


def _f1(named: Roles, there: Roles) -> float:
    return 2 * len(named & there) / (len(named) + len(there)) if named and there else 0.0


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """A clip that was left out has no score, and a corpus in which nobody is named has none either: 0/0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(numerator / denominator)
