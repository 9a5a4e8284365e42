"""Ratings that were collected apart from the captions: `judge export`, or any table of ratings, beside the captions of
each system and the references."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kataribe.captions.files import Source, read_predictions
from kataribe.core.errors import InputError, UsageError, nearest, shorten, some
from kataribe.formats.results import split_name, system_names
from kataribe.people.rated import RatedCaptions
from kataribe.people.ratings import OVERALL, Judgement, Rating, Ratings, Vote, read_ratings
from kataribe.people.references import read_separate
from kataribe.people.result import Text


def read_judged(
    ratings: Sequence[Path],
    captions: Sequence[str | Path],
    references: Source | None,
    dimension: str | None = None,
) -> RatedCaptions:
    """Ratings or votes on one dimension. `captions` are files (FILE or SYSTEM=FILE), one for each system.

    A text is called ITEM#SYSTEM. Captions that nobody judged are left out.
    """
    if references is None:
        problem = "ratings beside files of captions need references"
        raise UsageError(problem, hint="give <references FILE>", options=["references"])
    chosen = _of_dimension(read_ratings(ratings), dimension)
    named = [split_name(argument) for argument in captions]
    defaults = system_names([path for _, path in named])
    by_system = {name or default: read_predictions(path) for (name, path), default in zip(named, defaults, strict=True)}
    written = read_separate(references)
    found = RatedCaptions(file=ratings[0])
    for row in chosen.rows:
        for system in (row.system_a, row.system_b) if isinstance(row, Vote) else (row.system,):
            text = Text(row.item, f"{row.item}#{system}")
            if text in found.captions:
                continue
            if system not in by_system:
                hint = f"name files as the ratings name systems, SYSTEM=FILE; given: {some(by_system)}"
                raise InputError(
                    f"no file of captions is of the system {shorten(system)!r}", file=ratings[0], hint=hint
                )
            if row.item not in by_system[system]:
                raise InputError(f"the captions of {shorten(system)!r} lack it", file=ratings[0], id=row.item)
            found.captions[text] = by_system[system][row.item]
            found.references[text] = written.of(row.item, None, ratings[0])
    found.ratings = Ratings(chosen.kind, tuple(map(_renamed, chosen.rows)))
    return found


def _of_dimension(ratings: Ratings, dimension: str | None) -> Ratings:
    if ratings.kind == "rankings":
        raise UsageError("a metric cannot be trained on rankings", hint="give ratings, or votes between two captions")
    known = ratings.dimensions
    if dimension is None and len(known) > 1:
        problem = f"the ratings have several dimensions: {', '.join(known)}"
        raise UsageError(problem, hint="choose one, <dimension NAME>", options=["dimension"])
    if dimension is not None and dimension not in known:
        raise UsageError(f"no dimension is called {shorten(dimension)!r}", hint=nearest(dimension, known))
    return Ratings(ratings.kind, tuple(row for row in ratings.rows if row.dimension == (dimension or known[0])))


def _renamed(row: Judgement) -> Judgement:
    """One dimension, and systems that are texts."""
    if isinstance(row, Vote):
        one, other = (f"{row.item}#{system}" for system in (row.system_a, row.system_b))
        return row._replace(dimension=OVERALL, system_a=one, system_b=other)
    assert isinstance(row, Rating)
    return row._replace(dimension=OVERALL, system=f"{row.item}#{row.system}")
