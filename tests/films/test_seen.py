"""Films as models see them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kataribe.core.errors import InputError
from kataribe.core.types import Cast, Role, Segment
from kataribe.films.frames import FrameVectors
from kataribe.films.seen import SeenFilm, read_seen, read_seen_corpus
from kataribe.media.faces import Faces


def film(seconds: int = 10, faces: int = 2) -> SeenFilm:
    """Frame number s holds the number s; at every second there are faces with the numbers s.0, s.1, ..."""
    seen = np.arange(seconds, dtype=float)
    time = np.repeat(seen, faces)
    vectors = np.stack([time, np.tile(np.arange(faces, dtype=float), seconds)], axis=1).astype(np.float32)
    found = Faces(
        seen, time, np.zeros((len(time), 4)), np.ones(len(time)), vectors, np.zeros(len(time), dtype=np.int64)
    )
    return SeenFilm(
        film="ithaca",
        genres=(),
        cast=Cast("ithaca", ()),
        portraits=np.zeros((0, 2), dtype=np.float32),
        has_portrait=np.zeros(0, dtype=bool),
        frames=FrameVectors(seen, seen[:, None].astype(np.float32)),
        faces=found,
        dialogue=(),
        recipes={"faces": {"rate": 1.0}},
    )


def test_a_span_has_the_frames_from_its_start_until_its_end() -> None:
    span = film().during(Segment(2, 5))
    assert span.time.tolist() == [2, 3, 4]
    assert span.frames[:, 0].tolist() == [2, 3, 4]


def test_a_span_between_two_frames_has_the_nearest_one() -> None:
    assert film().during(Segment(3.6, 3.9)).time.tolist() == [4]
    assert film().during(Segment(90, 95)).time.tolist() == [9]


def test_the_three_surest_faces_of_a_frame_are_seen() -> None:
    span = film(faces=5).during(Segment(1, 3))
    assert span.faces[:, :, 1].tolist() == [[0, 1, 2], [0, 1, 2]]
    assert span.has_face.all()


def test_places_without_a_face_are_zeros_and_say_so() -> None:
    span = film(faces=1).during(Segment(1, 2))
    assert span.has_face.tolist() == [[True, False, False]]
    assert not span.faces[0, 1:].any()


def test_a_frame_far_from_every_look_at_faces_has_none() -> None:
    seen = film()
    late = replace(seen.faces, seen=seen.faces.seen + 0.7, time=seen.faces.time + 0.7)
    assert not replace(seen, faces=late).during(Segment(0, 1)).has_face.any()


@pytest.fixture
def features(tmp_path: Path) -> Path:
    from kataribe.films.feature_file import FORMAT

    path = tmp_path / "ithaca.npz"
    header = f'{{"format": {FORMAT}, "kataribe": "0", "video": {{}}, "stages": {{"frames": {{}}, "faces": {{}}}}}}'
    none = np.zeros(0)
    np.savez(
        path,
        header=np.array(header),
        **{"frames.time": np.arange(3.0), "frames.vector": np.ones((3, 4), dtype=np.float32)},
        **{"faces.seen": np.arange(3.0), "faces.time": none, "faces.box": np.zeros((0, 4)), "faces.score": none},
        **{"faces.vector": np.zeros((0, 2), dtype=np.float32), "faces.track": none.astype(np.int64)},
        **{"portraits.name": np.array(["Ulysses"]), "portraits.vector": np.ones((1, 2), dtype=np.float32)},
    )
    return path


def test_a_portrait_is_found_by_an_alias_and_other_roles_have_none(features: Path) -> None:
    cast = Cast("ithaca", (Role("Penelope"), Role("Odysseus", aliases=("Ulysses",))))
    seen = read_seen(features, cast)
    assert seen.has_portrait.tolist() == [False, True]
    assert seen.portraits.tolist() == [[0, 0], [1, 1]]


def test_a_film_in_which_nobody_was_seen_is_a_film(features: Path) -> None:
    span = read_seen(features).during(Segment(0, 2))
    assert (span.faces.shape, span.has_face.any()) == ((2, 3, 2), False)


def test_what_a_feature_file_lacks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "film.npz"
    np.savez(path, header=np.array('{"format": 1, "kataribe": "0", "video": {}, "stages": {"frames": {}}}'))
    with pytest.raises(InputError, match=r"film\.npz: has no faces"):
        read_seen(path)


def test_a_folder_that_is_no_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no corpus"):
        read_seen_corpus(tmp_path, tmp_path)
