"""`kataribe build features`: a world on disk, looked at by the real stages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("dlib", reason="needs kataribe[films]")
pytest.importorskip("av", reason="needs kataribe[films]")

from kataribe.core.types import Segment
from kataribe.films.building import BuildOptions, build_corpus
from kataribe.films.folder import write_corpus
from kataribe.films.seen import read_seen_corpus
from kataribe.films.sources import read_sources
from kataribe.films.world.building import build_world
from kataribe.films.world.options import WorldOptions

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    build_world(folder, WorldOptions("smoke", sound="silent"), processes=1)
    built = build_corpus(
        read_sources(folder / "films.json"), BuildOptions(), cast=folder / "cast.json", split=folder / "splits.json"
    )
    write_corpus(built.corpus, folder / "corpus")
    return folder


def arguments(world: Path, output: Path, *more: str) -> list[str]:
    paths = [str(world / "corpus"), "--videos", str(world / "videos"), "-o", str(output)]
    return ["build", "features", *paths, "--encoder", "histogram", "--processes", "1", *more]


def test_the_people_of_a_clip_are_those_whose_faces_are_seen(world: Path, tmp_path: Path, call: Run) -> None:
    """Everybody a clip of the test film names is the nearest portrait to one of the faces in it."""
    import numpy as np

    code, out, _ = call(*arguments(world, tmp_path / "features", "--cast", str(world / "cast.json")))
    assert code == 0
    assert out.endswith("3 films, frames by histogram, 1 a second\n")
    corpus = read_seen_corpus(world / "corpus", tmp_path / "features")
    named = seen = 0
    for clip in corpus.clips("test", "n"):
        span = clip.film.during(clip.span)
        faces = span.faces[span.has_face]
        nearest = np.linalg.norm(faces[:, None] - clip.film.portraits, axis=2).argmin(axis=1)
        there = {clip.film.cast.names[role] for role in nearest}
        names = {name for name in clip.film.cast.names if name in clip.text}
        named, seen = named + len(names), seen + len(names & there)
    assert named > 2
    assert seen == named


def test_a_film_that_was_looked_at_is_not_looked_at_again(world: Path, tmp_path: Path, call: Run) -> None:
    call(*arguments(world, tmp_path))
    before = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    assert len(before) == 3
    call(*arguments(world, tmp_path))
    assert {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == before


def test_without_portraits_faces_are_seen_and_nobody_knows_whose(world: Path, tmp_path: Path, call: Run) -> None:
    call(*arguments(world, tmp_path))
    film = read_seen_corpus(world / "corpus", tmp_path).films["w000"]
    assert film.during(Segment(0, film.duration)).has_face.any()
    assert not film.has_portrait.any()


@pytest.mark.parametrize(
    ("cast", "said"),
    [
        ({"another": ["Maria"]}, "has no cast of 'w000'"),
        ({f"w00{number}": ["Maria"] for number in range(3)}, "names no portrait"),
        ({f"w00{number}": [{"name": "Maria", "portrait": "no.png"}] for number in range(3)}, "no such portrait"),
    ],
)
def test_a_cast_that_does_not_fit_is_named(world: Path, tmp_path: Path, call: Run, cast: object, said: str) -> None:
    path = tmp_path / "cast.json"
    path.write_text(json.dumps(cast))
    code, _, err = call(*arguments(world, tmp_path / "features", "--cast", str(path)))
    assert (code, len(err.splitlines())) == (2, 1)
    assert said in err
    assert not (tmp_path / "features").exists()
