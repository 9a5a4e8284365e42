"""What must be known of all lines and casts together, before roles are looked for in any line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, UsageError, counted, some
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Cast
from kataribe.films.names import Names
from kataribe.narration.items import Narrations

# A system that changes the case of some lines only is still one that loses names by it.
_MANY = 0.2


@dataclass(frozen=True)
class CastScan:
    """How many clips each film has, the ids of lines that do not say which film they are of, and all known casts."""

    clips: Counter[str] = field(default_factory=Counter)
    without_film: tuple[str, ...] = ()
    casts: Mapping[str, Cast] = field(default_factory=dict)

    def __add__(self, other: CastScan) -> CastScan:
        clips, without_film = self.clips + other.clips, self.without_film + other.without_film
        return CastScan(clips, without_film, {**self.casts, **other.casts})

    @property
    def uncast(self) -> list[str]:
        """The films that have no cast."""
        return sorted(film for film in self.clips if film not in self.casts)

    @property
    def uncast_clips(self) -> int:
        return sum(self.clips[film] for film in self.uncast)

    def refuse_unusable(self, asked_by: str) -> None:
        """Every line must say which film it is of, and at least one of these must have a cast."""
        if not self.casts:
            raise UsageError(f"{asked_by} needs the films' casts", hint="give them with <cast>", options=["cast"])
        if self.without_film:
            said = counted(len(self.without_film), "reference does not say", "references do not say")
            raise InputError(
                f"{asked_by}: {said} which film is told: {some(self.without_film)}",
                hint="give each line its film (movie_id)",
            )
        if self.clips and len(self.uncast) == len(self.clips):
            raise InputError(
                f"{asked_by}: no cast for {counted(len(self.clips), 'film')}: {some(self.clips)}",
                hint="were these files made for each other?",
            )

    def left_out_of(self, asked_by: str) -> list[Caution]:
        """What is said of films without a cast by a metric that leaves them out."""
        if not self.uncast:
            return []
        clips, films = counted(self.uncast_clips, "clip"), counted(len(self.uncast), "film")
        text = f"{clips} of {films} without a cast, left out of {asked_by}: {some(self.uncast)}"
        return [Caution("no-cast", text)]


def scan_casts(items: Narrations) -> CastScan:
    clips = Counter(film for film in items.films if film is not None)
    without_film = tuple(id for id, film in zip(items.ids, items.films, strict=True) if film is None)
    return CastScan(clips, without_film, items.casts)


def fingerprint_of_casts(scanned: CastScan) -> str:
    """Eight digits that stand for the names of the narrated films' roles."""
    casts = (scanned.casts[film] for film in scanned.clips if film in scanned.casts)
    return fingerprint_by_id((cast.film, *("|".join(role.names) for role in cast.roles)) for cast in casts)


@dataclass(frozen=True)
class NamesInOtherCapitals:
    """How many predictions name a role, where their reference does, and how many only in other capitals than the cast.

    A name may also be a word (Rose, will). It is meant as a name if one of the latter names whom its reference names.
    """

    named: int = 0
    lost: int = 0
    is_meant: bool = False

    def __add__(self, other: NamesInOtherCapitals) -> NamesInOtherCapitals:
        return NamesInOtherCapitals(self.named + other.named, self.lost + other.lost, self.is_meant or other.is_meant)

    def cautions(self) -> list[Caution]:
        """Said where many predictions name roles only in other capitals than the cast."""
        if not self.is_meant or self.lost < _MANY * self.named:
            return []
        text = (
            f"{self.lost:,} of {self.named:,} predictions that name a role, where their reference does, write it in "
            f"other capitals than the cast, and role_f1 does not find it: keep names as the cast has them"
        )
        return [Caution("other-capitals", text)]


def find_other_capitals(items: Narrations) -> NamesInOtherCapitals:
    named = lost = 0
    is_meant = False
    for film, rows in items.by_film.items():
        cast = items.casts.get(film)
        role_of = Names.of_cast(cast).role_of if cast else {}
        with_capitals = {name: role for name, role in role_of.items() if name != name.lower()}
        exact, loose = Names(with_capitals), Names({name.casefold(): role for name, role in with_capitals.items()})
        for row in rows.tolist() if with_capitals else ():
            there, said = exact.in_text(items.written[row]), loose.in_text(items.candidates[row].casefold())
            if there and said:
                named += 1
                if not exact.in_text(items.candidates[row]):
                    lost += 1
                    is_meant = is_meant or bool(said & there)
    return NamesInOtherCapitals(named, lost, is_meant)
