"""The items of the task: a predicted line and its reference for each gap of a film.

They are captions that know where they belong, so that any caption metric scores them as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from kataribe.captions.items import Captions
from kataribe.core.ragged import Rows, pick
from kataribe.core.signature import fingerprint
from kataribe.core.types import Cast, Int64s, Segment


@dataclass(frozen=True, kw_only=True)
class Film:
    """What is known about one film; `dialogue` is where somebody speaks, in order and without overlaps."""

    cast: Cast | None = None
    dialogue: tuple[Segment, ...] | None = None


# A film of which nothing is known.
UNKNOWN = Film()


@dataclass(frozen=True, kw_only=True, eq=False)
class Narrations(Captions):
    """`films[i]` and `gaps[i]` are the reference's; `spoken[i]` is when the prediction starts and is to end."""

    media_options: ClassVar[Mapping[str, str]] = {"videos": "DIR", **Captions.media_options}

    films: Sequence[str | None]
    gaps: Sequence[Segment | None]
    spoken: Sequence[Segment | None]
    known: Mapping[str, Film] = field(default_factory=dict)
    # The order of the corpus that these items are some of, where they are.
    order: str | None = None

    def __getitem__(self, rows: Rows) -> Narrations:
        films = pick(self.films, rows)
        return Narrations(
            *self._columns(rows),
            films=films,
            gaps=pick(self.gaps, rows),
            spoken=pick(self.spoken, rows),
            known=self._known_of(films),
            order=self.order_signature,
        )

    def _known_of(self, films: Sequence[str | None]) -> dict[str, Film]:
        """All that is known of these films, and the casts of the others: any film's names may be looked for in a line.

        Casts are small, the dialogue of a film is not.
        """
        chosen = set(films)
        return {
            name: film if name in chosen else Film(cast=film.cast)
            for name, film in self.known.items()
            if name in chosen or film.cast
        }

    @cached_property
    def written(self) -> list[str]:
        """The reference of each gap."""
        return [texts[0] for texts in self.references]

    def film(self, row: int) -> Film:
        name = self.films[row]
        return UNKNOWN if name is None else self.known.get(name, UNKNOWN)

    @cached_property
    def casts(self) -> dict[str, Cast]:
        """Of all films whose cast is known, also those that no line is of."""
        return {name: film.cast for name, film in self.known.items() if film.cast}

    @cached_property
    def by_film(self) -> dict[str, Int64s]:
        """The rows of each film in the order of its lines: by time or, where there is none, as in the file.

        Lines of no film are taken together.
        """
        return self._in_order(self.gaps)

    @cached_property
    def as_told(self) -> dict[str, Int64s]:
        """The same in the order in which the predictions are told, which may have times of their own."""
        return self._in_order(self.spoken)

    def _in_order(self, times: Sequence[Segment | None]) -> dict[str, Int64s]:
        rows: dict[str, list[int]] = {}
        for row, film in enumerate(self.films):
            rows.setdefault(film or "", []).append(row)

        def when(row: int) -> tuple[float, float]:
            time = times[row]
            return (time.start, time.end) if time else (0.0, 0.0)

        return {
            film: np.array(sorted(members, key=when) if all(times[row] for row in members) else members)
            for film, members in rows.items()
        }

    @cached_property
    def order_signature(self) -> str:
        """What the order of all lines rests on, for metrics that look at a line's neighbours: time, or the file."""
        return self.order or ("time" if all(self.gaps) else f"file-{fingerprint(self.ids)}")
