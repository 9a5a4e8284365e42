"""Narrators that never look: what a score is worth shows beside them.

    first-billed   the role on the poster, always
    whole-cast     everybody, always
    random         one member of the cast, drawn for each span

They say names and nothing else. A film without a cast leaves them silent.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kataribe.core.types import Caption, Segment
from kataribe.narration.narrators.options import search_options
from kataribe.narration.narrators.protocol import Told
from kataribe.text.scripts import is_mostly_unspaced

if TYPE_CHECKING:
    from kataribe.films.seen import SeenFilm

TRIVIAL = ("first-billed", "whole-cast", "random")


@dataclass(frozen=True)
class TrivialNarrator:
    """Names of the cast, whatever is shown. Draws depend on the seed, the film and the span alone."""

    name: str
    seed: int = 0

    @property
    def signature(self) -> str:
        return f"narrator-{self.name}" + (f"-seed{self.seed}" if self.name == "random" else "")

    def tell(self, film: SeenFilm, spans: Sequence[Segment], said: Sequence[Caption] | None = None) -> list[Told]:
        return [_naming(self._chosen(film.film, film.cast.names, span)) for span in spans]

    def _chosen(self, film: str, names: Sequence[str], span: Segment) -> Sequence[str]:
        if self.name == "whole-cast" or not names:
            return names
        if self.name == "first-billed":
            return names[:1]
        where = zlib.crc32(f"{film} {span.start:.3f} {span.end:.3f}".encode("utf-8", "surrogatepass"))
        return [names[int(np.random.default_rng([self.seed, where]).integers(len(names)))]]


def trivial_narrator(name: str, **options: Any) -> TrivialNarrator:
    """By its name; the options of a search, which it has no use for, may be given and are only checked by name."""
    return TrivialNarrator(name, search_options(options).seed)


def _naming(names: Sequence[str]) -> Told:
    """
    >>> _naming(["程勇", "吕受益"]).text, _naming(["Maria", "Tomas"]).text, _naming([]).text
    ('程勇、吕受益。', 'Maria, Tomas.', '')
    """
    if not names:
        return Told("", ())
    text = "、".join(names) + "。" if is_mostly_unspaced(names) else ", ".join(names) + "."
    return Told(text, tuple(names))
