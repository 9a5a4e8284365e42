"""Find the moments that a text describes, in one film or in a library of films.

    stage one   the text against every shot of 20 seconds (`retrieval/`): the moments are the best shots
    stage two   a locator looks at the film round each of the first k shots and says where the moment starts and ends

`located` adds stage two to an answer: the moments are the locator's then, and so are the scores.

Yue, Z., Zhang, Q., Hu, A., Zhang, L., Wang, Z., Jin, Q. (2023). Movie101: a new movie understanding benchmark. ACL,
section 5.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.errors import InputError, Location, UsageError
from kataribe.core.types import Float32s, Floats, Segment
from kataribe.encoders.dual import DualEncoder, is_retriever
from kataribe.encoders.encoded import tokenize_texts
from kataribe.films.seen import SeenFilm
from kataribe.grounding.locators.joint import FilmShot, joint_search
from kataribe.grounding.locators.model import Locator
from kataribe.grounding.retrieval.library import Library
from kataribe.grounding.retrieval.nearest import nearest
from kataribe.grounding.retrieval.shot_vectors import FilmShots
from kataribe.text.scripts import says_something


@dataclass(frozen=True)
class FoundMoment:
    """Where in which film something is, and how well it fits the text; `shot`: round which a locator looked."""

    film: str
    span: Segment
    score: float
    shot: Segment | None = None


@dataclass(frozen=True, eq=False)
class ShotScores:
    """How well every shot of a film fits the text, in order."""

    spans: tuple[Segment, ...]
    scores: Floats

    @property
    def middles(self) -> list[float]:
        return [(span.start + span.end) / 2 for span in self.spans]


@dataclass(frozen=True, eq=False)
class Answer:
    """Moments, the best first, and the scores over time of each film that they are in."""

    query: str
    model: str
    moments: tuple[FoundMoment, ...]
    curves: Mapping[str, ShotScores]

    def to_list(self) -> list[dict[str, Any]]:
        """An entry for each film, the best first, in the form that `kataribe score grounding` reads."""
        return [self._entry(film, curve) for film, curve in self.curves.items()]

    def _entry(self, film: str, curve: ShotScores) -> dict[str, Any]:
        moments = [moment for moment in self.moments if moment.film == film]
        anchor = moments[0].shot
        return {
            "video": film,
            "query": self.query,
            "windows": [[moment.span.start, moment.span.end, moment.score] for moment in moments],
            **({"anchor": [anchor.start, anchor.end]} if anchor is not None else {}),
            "curve": {"times": curve.middles, "scores": curve.scores.tolist()},
            "model": self.model,
        }


def open_retriever(folder: Path) -> DualEncoder:
    if folder.is_dir() and not is_retriever(folder):
        raise Location(folder).error("is no retriever", hint="`kataribe train retriever` makes one")
    return DualEncoder(folder)


def encode_query(encoder: DualEncoder, query: str) -> Float32s:
    """The text as a vector of length 1: (1, width). What says nothing, or more than the encoder takes, is refused."""
    if not says_something(query):
        raise UsageError("<query>: there is nothing in it to search for", hint="give a sentence", options=["query"])
    [tokens] = tokenize_texts(encoder, [query])
    if not tokens.is_whole:
        raise UsageError(
            f"<query>: is longer than the {encoder.longest} tokens that {encoder.text_encoder.name} takes",
            hint="search for a shorter text, one sentence of it say",
            options=["query"],
        )
    return encoder.forward([tokens.ids]).sentences


def search_film(film: FilmShots, encoder: DualEncoder, query: str, top: int) -> Answer:
    """The best shots of one film."""
    vector = encode_query(encoder, query)
    found = nearest(film.vectors, vector, top)
    moments = tuple(
        FoundMoment(film.film, film.spans[row], float(score))
        for row, score in zip(found.rows[0].tolist(), found.scores[0].tolist(), strict=True)
    )
    return Answer(query, encoder.signature, moments, {film.film: ShotScores(film.spans, _scores(film.vectors, vector))})


def search_library(library: Library, encoder: DualEncoder, query: str, top: int, *, exact: bool = False) -> Answer:
    """The best shots of all films of a library."""
    library.check_model(encoder)
    if not len(library):
        raise InputError("has no films yet", file=library.folder, hint="add some: `kataribe index FILMS... -o LIBRARY`")
    vector = encode_query(encoder, query)
    found = library.nearest(vector, top, exact=exact)
    moments, films = [], {}
    for row, score in zip(found.rows[0].tolist(), found.scores[0].tolist(), strict=True):
        entry = library.film_at(row)
        films[entry.film] = entry
        moments.append(FoundMoment(entry.film, library.span(row), float(score)))
    curves = {}
    for name, entry in films.items():
        spans, vectors = library.of_film(entry)
        curves[name] = ShotScores(tuple(Segment(*span) for span in spans.tolist()), _scores(vectors, vector))
    return Answer(query, encoder.signature, tuple(moments), curves)


def located(answer: Answer, locator: Locator, films: Mapping[str, SeenFilm], k: int, top: int) -> Answer:
    """What a locator finds round the first k moments of an answer, the surest first."""
    shots = [FilmShot(films[moment.film], moment.span) for moment in answer.moments[:k]]
    found = joint_search(locator, shots, answer.query, k, top)
    moments = tuple(FoundMoment(each.film, each.span, each.confidence, each.shot) for each in found)
    curves = {film: answer.curves[film] for film in dict.fromkeys(moment.film for moment in moments)}
    return Answer(answer.query, f"{answer.model}+{locator.signature}", moments, curves)


def _scores(vectors: Any, query: Float32s) -> Floats:
    scores: Floats = (np.asarray(vectors, dtype=np.float32) @ query[0]).astype(np.float64)
    return scores
