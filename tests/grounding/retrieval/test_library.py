"""A library grows film by film, is never half-written, and gives what searching each film gives."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("safetensors", reason="models need kataribe[models]")

from kataribe.core.errors import InputError, JoinError, KataribeError, OutputError
from kataribe.encoders.dual import DualEncoder, pooled
from kataribe.grounding.retrieval import library as libraries
from kataribe.grounding.retrieval.library import VECTORS, Library, Precision, add_film, open_library, sort_library
from kataribe.grounding.retrieval.nearest import nearest
from kataribe.grounding.retrieval.pairs import read_frames
from kataribe.grounding.retrieval.shot_vectors import see_film
from kataribe.grounding.search import search_film, search_library
from tests.grounding.retrieval.corpora import WIDTH, write_features
from tests.grounding.retrieval.models import random_retriever

SECONDS = {"long": 130, "odd": 47, "short": 9}


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> DualEncoder:
    return DualEncoder(random_retriever(tmp_path_factory.mktemp("models") / "retriever"))


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder, rng = tmp_path_factory.mktemp("films"), np.random.default_rng(0)
    for film, seconds in SECONDS.items():
        write_features(folder / f"{film}.npz", rng.normal(size=(seconds, WIDTH)))
    return {film: folder / f"{film}.npz" for film in SECONDS}


def filled(folder: Path, films: dict[str, Path], encoder: DualEncoder, precision: Precision | None = None) -> Library:
    for path in films.values():
        found = add_film(folder, see_film(path, encoder), path, encoder, precision)
    return found


def test_shots_cover_the_film_to_its_last_second(films: dict[str, Path], encoder: DualEncoder) -> None:
    assert [(span.start, span.end) for span in see_film(films["odd"], encoder).spans] == [(0, 20), (20, 40), (40, 47)]
    assert [(span.start, span.end) for span in see_film(films["short"], encoder).spans] == [(0, 9)]
    assert len(see_film(films["long"], encoder)) == 7


def test_a_shot_is_the_mean_of_its_projected_frames(films: dict[str, Path], encoder: DualEncoder) -> None:
    frames = read_frames(films["odd"]).vectors
    naive = [pooled(encoder.frames(frames[start : start + 20])) for start in (0, 20, 40)]
    assert see_film(films["odd"], encoder).vectors == pytest.approx(np.stack(naive), abs=1e-6)


@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_a_library_holds_what_its_films_hold(
    films: dict[str, Path], encoder: DualEncoder, tmp_path: Path, precision: Precision
) -> None:
    library = filled(tmp_path / "library", films, encoder, precision)
    opened = open_library(tmp_path / "library")
    assert len(opened) == len(library) == 7 + 3 + 1
    for entry, path in zip(opened.films, films.values(), strict=True):
        seen = see_film(path, encoder)
        spans, vectors = opened.of_film(entry)
        assert vectors == pytest.approx(seen.vectors, abs=1e-6 if precision == "float32" else 1e-3)
        assert spans.tolist() == [[span.start, span.end] for span in seen.spans]
    assert opened.film_at(7).film == "odd"
    assert opened.span(9).end == 47


def test_searching_a_library_is_searching_its_films(
    films: dict[str, Path], encoder: DualEncoder, tmp_path: Path
) -> None:
    library = filled(tmp_path / "library", films, encoder)
    answer = search_library(library, encoder, "Anna sweeps the car.", 6)
    alone = [search_film(see_film(path, encoder), encoder, "Anna sweeps the car.", 6) for path in films.values()]
    every = sorted((moment for one in alone for moment in one.moments), key=lambda moment: -moment.score)[:6]
    assert [(moment.film, moment.span) for moment in answer.moments] == [(each.film, each.span) for each in every]
    assert [m.score for m in answer.moments] == pytest.approx([m.score for m in every], abs=1e-6)
    by_film = {film: curve for one in alone for film, curve in one.curves.items()}
    for film, curve in answer.curves.items():
        assert curve.scores == pytest.approx(by_film[film].scores, abs=1e-6)


def test_adding_later_leaves_the_others_alone(
    films: dict[str, Path], encoder: DualEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = add_film(tmp_path / "library", see_film(films["long"], encoder), films["long"], encoder)
    before = np.array(first.vectors)
    grown = add_film(tmp_path / "library", see_film(films["odd"], encoder), films["odd"], encoder)
    assert np.array_equal(grown.vectors[: len(before)], before)
    again = add_film(tmp_path / "library", see_film(films["long"], encoder), films["long"], encoder)
    assert len(again) == len(grown), "a film that is there is not added twice"


def test_whoever_stops_while_writing_leaves_the_library_as_it_was(
    films: dict[str, Path], encoder: DualEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "library"
    add_film(folder, see_film(films["long"], encoder), films["long"], encoder)
    before = np.array(open_library(folder).vectors)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(libraries, "write_whole", stop)  # rows are appended, and nobody names them
        with pytest.raises(KeyboardInterrupt):
            add_film(folder, see_film(films["odd"], encoder), films["odd"], encoder)
    assert os.path.getsize(folder / VECTORS) > before.nbytes
    assert np.array_equal(open_library(folder).vectors, before)
    grown = add_film(folder, see_film(films["short"], encoder), films["short"], encoder)
    assert [film.film for film in grown.films] == ["long", "short"]
    assert grown.vectors[len(before)] == pytest.approx(see_film(films["short"], encoder).vectors[0], abs=1e-6)
    assert os.path.getsize(folder / VECTORS) == grown.vectors.nbytes


def test_two_calls_do_not_write_at_once(films: dict[str, Path], encoder: DualEncoder, tmp_path: Path) -> None:
    folder = tmp_path / "library"
    filled(folder, films, encoder)
    with libraries._alone(folder), pytest.raises(OutputError, match="another call is adding"):
        add_film(folder, see_film(films["odd"], encoder), films["odd"], encoder)


def test_sorted_libraries_find_films_that_were_added_since(
    films: dict[str, Path], encoder: DualEncoder, tmp_path: Path
) -> None:
    pytest.importorskip("faiss", reason="needs kataribe[faiss]")
    folder = tmp_path / "library"
    for film in ("long", "odd"):
        library = add_film(folder, see_film(films[film], encoder), films[film], encoder)
    library = sort_library(library)
    assert library.about.sorted_rows == 10
    library = add_film(folder, see_film(films["short"], encoder), films["short"], encoder)
    asked = np.array(library.vectors[-1:])
    assert library.nearest(asked, 3).rows[0, 0] == len(library) - 1
    assert library.nearest(asked, 11).rows.tolist() == nearest(library.vectors, asked, 11).rows.tolist()
    assert library.nearest(asked, 3, exact=True).rows.tolist() == nearest(library.vectors, asked, 3).rows.tolist()


def test_what_does_not_fit_is_refused(films: dict[str, Path], encoder: DualEncoder, tmp_path: Path) -> None:
    folder = tmp_path / "library"
    filled(folder, films, encoder)
    other = DualEncoder(random_retriever(tmp_path / "other", seed=1))
    with pytest.raises(JoinError, match=f"was made with {encoder.signature}"):
        add_film(folder, see_film(films["odd"], other), films["odd"], other)
    write_features(tmp_path / "odd.npz", np.ones((30, WIDTH)))
    changed = tmp_path / "odd.npz"
    with np.load(changed) as archive:
        content = dict(archive)
    content["header"] = np.array(str(content["header"]).replace('"ends": "odd"', '"ends": "another"'))
    np.savez(changed, **content)
    with pytest.raises(InputError, match="made from another video"):
        add_film(folder, see_film(changed, encoder), changed, encoder)
    with pytest.raises(KataribeError, match="holds float32"):
        add_film(folder, see_film(films["odd"], encoder), films["odd"], encoder, "float16")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("all of it")
    with pytest.raises(OutputError, match="holds other things"):
        add_film(tmp_path / "full", see_film(films["odd"], encoder), films["odd"], encoder)


def test_damaged_libraries_are_refused(films: dict[str, Path], encoder: DualEncoder, tmp_path: Path) -> None:
    folder = tmp_path / "library"
    filled(folder, films, encoder)
    about = json.loads((folder / "library.json").read_text())
    with (folder / VECTORS).open("r+b") as file:
        file.truncate(100)
    with pytest.raises(InputError, match="lacks vectors"):
        search_library(open_library(folder), encoder, "a dog", 3)
    (folder / "library.json").write_text(json.dumps(about | {"format": "kataribe library 9"}))
    with pytest.raises(InputError, match="no library that this version reads"):
        open_library(folder)
    (folder / "library.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        open_library(folder)
