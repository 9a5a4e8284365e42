"""RoleF1: does the narration name the roles that its reference names?

    P, R, F1  of the set of roles that the prediction names beside the set that the reference names, for each clip
    RoleF1    = mean of F1 over clips (macro), or F1 of the summed counts (micro)

Yue, Z., Zhang, Q., Hu, A., Zhang, L., Wang, Z., Jin, Q. (2023). Movie101: a new movie understanding benchmark. ACL.

Quirks. The published scorer looks for the names of all films in the text as substrings, skips twelve names that are
also common words (`ban=movie101`), and scores a clip whose reference names nobody 0 whatever is predicted: a reference
against itself stays far below 1 (official). `--protocol paper` finds the longest names in the film's own cast, with
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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, counted, some
from kataribe.core.join import missing_field
from kataribe.core.metric import Measured, Metric, Protocols, option
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Array, Cast, Floats
from kataribe.narration.items import Narrations
from kataribe.narration.names import Names
from kataribe.narration.result import NamedRoles

# Role names that are also common words, as the published scorer lists them.
BANNED = frozenset(
    ["司机", "淡定", "大海", "火山", "主持人", "琉璃", "李小龙", "莎莎", "老牛", "小河", "小方", "时分"],
)

# A system that changes the case of some lines only is still one that loses names by it.
_MANY = 0.2

Roles = frozenset[str]


class _Film(NamedTuple):
    """How names are found, what each member of the cast is found as, and whom the references name most often."""

    names: Names
    billed: list[Roles]
    favourite: Roles


# A film without a cast: nobody can be found, and nobody named.
_NOBODY = _Film(Names({}), [frozenset()], frozenset())


class _Prepared(NamedTuple):
    films: dict[str, _Film]
    casts: str
    uncast_clips: int
    remarks: list[Caution]

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

    def prepare(self, items: Narrations) -> _Prepared:
        items.need_casts(self.name)
        casts = {name: film.cast for name, film in items.known.items() if film.cast}
        if items.uncast and self.uncast == "error":
            raise InputError(
                f"{self.name}: no cast for {counted(len(items.uncast), 'film')}: {some(items.uncast)}",
                hint="add their casts",
            )
        told = {film: casts[film] for film in items.films if film in casts}
        banned = BANNED if self.ban == "movie101" else frozenset[str]()
        everybody = Names.of_all(casts.values(), self.aliases).without(banned)
        films = {}
        for film, cast in told.items():
            names = everybody if self.cast == "all" else Names.of_cast(cast, self.aliases).without(banned)
            written = [items.written[row] for row in items.by_film[film].tolist()]
            counts = Counter(role for text in written for role in sorted(self._roles(text, names)))
            # Trivial narrators say names, and these are found or not like anybody's.
            billed = [self._roles(name, names) for name in cast.names]
            films[film] = _Film(names, billed, frozenset(role for role, _ in counts.most_common(1)))
        looked_for = casts if self.cast == "all" else told
        uncast_clips = sum(len(items.by_film[film]) for film in items.uncast)
        remarks = [*self._of_uncast(items.uncast, uncast_clips), *_of_other_capitals(items, told)]
        return _Prepared(films, fingerprint_by_id(map(_spelled, looked_for.values())), uncast_clips, remarks)

    def stats(self, items: Narrations, context: _Prepared) -> Array:
        rows = [self._row(items, row, context) for row in range(len(items))]
        return np.array(rows, dtype=np.float64).reshape(len(items), len(self.columns))

    def measure(self, totals: Floats) -> Measured:
        clips, f1, precision, recall, hits, named, in_reference = (totals[..., place] for place in range(7))
        is_macro = self.average == "macro"
        macro, micro = _ratio(f1, clips), _ratio(2 * hits, named + in_reference)
        parts = {
            "precision": _ratio(precision, clips) if is_macro else _ratio(hits, named),
            "recall": _ratio(recall, clips) if is_macro else _ratio(hits, in_reference),
        }
        parts |= {"micro F1": micro} if is_macro else {"macro F1": macro}
        for place, baseline in enumerate(self.baselines):
            its_clips, its_f1, its_hits, its_named = (totals[..., 7 + 4 * place + offset] for offset in range(4))
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

    def signature(self, context: _Prepared) -> dict[str, str]:
        return {
            "avg": self.average,
            "match": self.match,
            "cast": f"{self.cast}-{context.casts}",
            "aliases": "yes" if self.aliases else "no",
            "ban": self.ban,
            "empty": self.empty,
            "uncast": missing_field(self.uncast, context.uncast_clips),
        }

    def warnings(self, context: _Prepared) -> Sequence[Caution]:
        return context.remarks

    def details(self, items: Narrations, context: _Prepared) -> list[NamedRoles]:
        """For each clip the roles that both sides name, those only the reference and those only the prediction does."""
        details = []
        for film, told, written in zip(items.films, items.candidates, items.written, strict=True):
            names = context.film(film).names
            named, in_reference = self._roles(told, names), self._roles(written, names)
            details.append(
                NamedRoles(
                    found=sorted(named & in_reference),
                    lost=sorted(in_reference - named),
                    invented=sorted(named - in_reference),
                )
            )
        return details

    def _roles(self, text: str, names: Names) -> Roles:
        return names.in_text(text, substring=self.match == "substring")

    def _row(self, items: Narrations, row: int, context: _Prepared) -> list[float]:
        film = context.film(items.films[row])
        if film is _NOBODY and self.uncast == "drop":
            return [0.0] * (len(self.columns) - 1) + [1.0]
        named, there = self._roles(items.candidates[row], film.names), self._roles(items.written[row], film.names)
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

    def _of_uncast(self, films: Sequence[str], clips: int) -> list[Caution]:
        if not films:
            return []
        are_left_out = self.uncast == "drop" or self.empty == "drop"
        action = "left out of role_f1" if are_left_out else "scored 0 in role_f1, as clips without roles are"
        text = f"{counted(clips, 'clip')} of {counted(len(films), 'film')} without a cast, {action}: {some(films)}"
        return [Caution("no-cast", text)]


def _of_other_capitals(items: Narrations, casts: Mapping[str, Cast]) -> list[Caution]:
    """Said where many predictions name roles only in other capitals than the cast.

    Where their reference names somebody, that is; and at least one names whom its reference names, since a name may
    also be a word: Rose, will.
    """
    named = lost = 0
    is_meant = False
    for film, cast in casts.items():
        spelled = {name: role for name, role in Names.of_cast(cast).role_of.items() if name != name.lower()}
        exact, loose = Names(spelled), Names({name.casefold(): role for name, role in spelled.items()})
        for row in items.by_film[film].tolist() if spelled else ():
            there, said = exact.in_text(items.written[row]), loose.in_text(items.candidates[row].casefold())
            if there and said:
                named += 1
                if not exact.in_text(items.candidates[row]):
                    lost += 1
                    is_meant = is_meant or bool(said & there)
    if not is_meant or lost < _MANY * named:
        return []
    text = (
        f"{lost:,} of {named:,} predictions that name a role, where their reference does, write it in other capitals "
        f"than the cast, and role_f1 does not find it: keep names as the cast has them"
    )
    return [Caution("other-capitals", text)]


def _spelled(cast: Cast) -> tuple[str, ...]:
    """What tells one cast from another, the film first."""
    return cast.film, *(text for role in cast.roles for text in (str(len(role.names)), *role.names))


def _f1(named: Roles, there: Roles) -> float:
    return 2 * len(named & there) / (len(named) + len(there)) if named and there else 0.0


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """A clip that was left out has no score, and a corpus in which nobody is named has none either: 0/0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(numerator / denominator)
