"""The items of the task: a predicted line and its reference for each gap of a film.

They are captions that know where they belong, so that any caption metric scores them as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kataribe.captions.items import Captions
from kataribe.core.errors import InputError, UsageError, counted, some
from kataribe.core.signature import fingerprint
from kataribe.core.types import Cast, Int64s, Segment


@dataclass(frozen=True, kw_only=True)
class Film:
    """What is known about one film; `dialogue` is where somebody speaks, in order and without overlaps."""

    cast: Cast | None = None
    dialogue: tuple[Segment, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Narrations(Captions):
    """`films[i]` and `gaps[i]` are the reference's; `spoken[i]` is when the prediction starts and is to end."""

    films: Sequence[str | None]
    gaps: Sequence[Segment | None]
    spoken: Sequence[Segment | None]
    known: Mapping[str, Film] = field(default_factory=dict)
    # Rows of a slice are rows of the whole: `first` is the row of the first one.
    first: int = 0

    def __getitem__(self, rows: slice) -> Narrations:
        start, stop, _ = rows.indices(len(self))
        return Narrations(
            self.ids[start:stop],
            self.candidates[start:stop],
            self.references[start:stop],
            {name: captions[start:stop] for name, captions in self._tokenized.items()},
            self.media,
            films=self.films[start:stop],
            gaps=self.gaps[start:stop],
            spoken=self.spoken[start:stop],
            known=self.known,
            first=self.first + start,
        )

    @cached_property
    def written(self) -> list[str]:
        """The reference of each gap."""
        return [texts[0] for texts in self.references]

    @property
    def rows(self) -> range:
        return range(self.first, self.first + len(self))

    def film(self, row: int) -> Film:
        name = self.films[row]
        return self.known.get(name, Film()) if name is not None else Film()

    @cached_property
    def by_film(self) -> dict[str, Int64s]:
        """The rows of each film in the order in which they are told: by time or, where there is none, as in the file.

        Lines of no film are told together.
        """
        rows: dict[str, list[int]] = {}
        for row, film in enumerate(self.films):
            rows.setdefault(film or "", []).append(row)

        def when(row: int) -> tuple[float, float]:
            gap = self.gaps[row]
            return (gap.start, gap.end) if gap else (0.0, 0.0)

        return {
            film: np.array(sorted(members, key=when) if all(self.gaps[r] for r in members) else members)
            for film, members in rows.items()
        }

    @cached_property
    def order_signature(self) -> str:
        """What the lines' order rests on, for metrics that look at a line's neighbours: time, or the file's order."""
        is_timed = all(self.gaps)
        return "time" if is_timed else f"file-{fingerprint(self.ids)}"

    def need_casts(self, asked_by: str) -> None:
        """Every line says which film it tells, and at least one of these has a cast: `uncast` lists the others."""
        if not any(film.cast for film in self.known.values()):
            raise UsageError(f"{asked_by} needs the films' casts", hint="give them with --cast")
        without = [id for id, film in zip(self.ids, self.films, strict=True) if film is None]
        if without:
            said = counted(len(without), "reference does not say", "references do not say")
            raise InputError(
                f"{asked_by}: {said} which film is told: {some(without)}",
                hint="give each line its film (movie_id)",
            )
        films = [film for film in dict.fromkeys(self.films) if film]
        if films and self.uncast == films:
            raise InputError(
                f"{asked_by}: no cast for {counted(len(films), 'film')}: {some(films)}",
                hint="were these files made for each other?",
            )

    @cached_property
    def uncast(self) -> list[str]:
        """The films that have no cast."""
        return [film for film in dict.fromkeys(self.films) if film and not self.known.get(film, Film()).cast]

    def need_gaps(self, asked_by: str) -> None:
        without = [id for id, gap in zip(self.ids, self.gaps, strict=True) if gap is None]
        if without:
            raise InputError(
                f"{asked_by}: {counted(len(without), 'reference has', 'references have')} no times: {some(without)}",
                hint="give each line its start and end in seconds",
            )
