"""Boundary files as strangers write them."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from kataribe.boundaries.files import read_predictions, read_truth
from kataribe.core.errors import InputError
from kataribe.formats.safepickle import parse_pickle

GEBD = {
    "clip": {
        "num_frames": 300,
        "fps": 30.0,
        "video_duration": 10.0,
        "path_video": "somewhere/clip.mp4",
        "f1_consis": [np.float64(0.8), np.float64(0.7)],
        "f1_consis_avg": np.float64(0.75),
        "substages_myframeidx": [[np.float64(30.0)], []],
        "substages_timestamps": [[1.0, 4.5], []],
    }
}


class Malicious:
    def __reduce__(self):
        return exec, ("import os; os.environ['KATARIBE_PWNED'] = 'yes'",)


class Sneaky:
    def __reduce__(self):
        return getattr, ("", "join")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_the_published_pickle_is_read(tmp_path: Path, protocol: int) -> None:
    path = tmp_path / "truth.pkl"
    path.write_bytes(pickle.dumps(GEBD, protocol))
    video = read_truth(path)["clip"]
    assert (video.duration, video.fps, video.frames, video.consistency) == (10.0, 30.0, 300, (0.8, 0.7))
    assert [annotator.times for annotator in video.annotators] == [(1.0, 4.5), ()]


@pytest.mark.parametrize("value", [Malicious(), [Sneaky()], {"clip": Malicious()}, np.load])
def test_a_malicious_pickle_is_refused_and_runs_nothing(tmp_path: Path, value) -> None:
    path = tmp_path / "truth.pkl"
    path.write_bytes(pickle.dumps(value))
    with pytest.raises(InputError, match="wants to run") as error:
        read_truth(path)
    assert "\n" not in str(error.value)
    assert "KATARIBE_PWNED" not in os.environ


@pytest.mark.parametrize("content", [b"", b"not a pickle", pickle.dumps(GEBD)[:-20], b"\x80\x04."])
def test_a_damaged_pickle_is_one_line(content: bytes) -> None:
    with pytest.raises(InputError, match="is not a pickle"):
        parse_pickle(content)


def test_arrays_of_any_kind_survive_but_arrays_of_objects_run_nothing() -> None:
    data = {"a": np.arange(3.0), "b": np.int64(3), "c": np.array(["x"])}
    read = parse_pickle(pickle.dumps(data))
    assert read["a"].tolist() == [0, 1, 2]
    with pytest.raises(InputError, match="dtype 'O8', not plain numbers"):
        parse_pickle(pickle.dumps(np.array([Malicious()], dtype=object)))


@pytest.mark.parametrize(
    ("name", "content", "times", "scores"),
    [
        ("p.json", '{"v": [4, 1.5]}', (1.5, 4.0), None),
        ("p.json", '{"v": [[4, 0.1], [1.5, 0.9]]}', (1.5, 4.0), (0.9, 0.1)),
        ("p.json", '{"v": {"boundaries": [4, 1.5], "scores": [0.1, 0.9]}}', (1.5, 4.0), (0.9, 0.1)),
        ("p.json", '[{"video_id": "v", "timestamps": [1.5, 4]}]', (1.5, 4.0), None),
        ("p.json", '{"v": []}', (), None),
        ("p.jsonl", '{"id": "v", "boundaries": [1.5, 4]}\n', (1.5, 4.0), None),
        ("p.csv", "id,time,score\nv,1.5,0.9\nv,4,0.1\n", (1.5, 4.0), (0.9, 0.1)),
        ("p.tsv", "id\tframe\nv\t1.5\nv\t4\n", (1.5, 4.0), None),
        ("p.csv", "id,time\nv,\n", (), None),
    ],
)
def test_every_form_of_predictions(tmp_path: Path, name: str, content: str, times, scores) -> None:
    path = tmp_path / name
    path.write_text(content)
    read = read_predictions(path)["v"]
    assert (read.times, read.scores) == (times, scores)


def test_probabilities_come_as_npz_without_pickled_objects(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", v=np.linspace(0, 1, 5))
    curve = read_predictions(tmp_path / "p.npz")["v"].probabilities
    assert curve is not None
    assert curve.tolist() == [0, 0.25, 0.5, 0.75, 1]
    np.savez(tmp_path / "bad.npz", v=np.array([Malicious()], dtype=object))
    with pytest.raises(InputError, match="is not an npz file of plain arrays"):
        read_predictions(tmp_path / "bad.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(InputError, match="is not an npz file"):
        read_predictions(tmp_path / "text.npz")


def test_truth_as_json_and_csv(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,duration,fps,annotator,time\nv,10,30,a,1\nv,10,30,a,2\nv,10,30,b,3\n")
    (tmp_path / "t.jsonl").write_text('{"id": "v", "duration": 10, "fps": 30, "annotators": [[1, 2], [3]]}\n')
    assert read_truth(tmp_path / "t.csv") == read_truth(tmp_path / "t.jsonl")


def video(**changes):
    return {"v": {"duration": 10.0, "fps": 30.0, "annotators": [[1.0]], **changes}}


@pytest.mark.parametrize(
    ("truth", "says"),
    [
        (video(duration=0), "a video without length"),
        (video(duration=-3), "a video without length"),
        (video(duration=None), "duration: is missing"),
        (video(duration=float("nan")), "holds nan"),
        (video(fps=0), "fps: is 0"),
        (video(fps="fast"), "not a number"),
        (video(num_frames=500), "a variable frame rate?"),
        (video(num_frames=299.5), "not a whole number"),
        (video(annotators=[]), "has no annotator"),
        (video(annotators=[[11.0]]), "11 s lies outside the video of 10 s"),
        (video(annotators=[[-1.0]]), "-1 s lies outside"),
        (video(annotators=[[float("nan")]]), "holds nan"),
        (video(annotators=[1.0]), "is not a list"),
        (video(f1_consis=[0.1, 0.2]), "2 values for 1 annotators"),
        ({"v": [1.0]}, "is not an object"),
        ({"v": {"duration": 3}}, "annotators: is missing"),
        ({}, "holds no videos"),
        (7, "holds a single int"),
    ],
)
def test_bad_truth_is_one_line(truth, says: str) -> None:
    with pytest.raises(InputError) as error:
        read_truth(truth)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("prediction", "says"),
    [
        ({"v": None}, "is not a list"),
        ({"v": [1, "x"]}, "not a number"),
        ({"v": [True]}, "not a number"),
        ({"v": [float("inf")]}, "holds inf"),
        ({"v": [[1, 2, 3]]}, "not [time, score]"),
        ({"v": {"boundaries": [1], "scores": [1, 2]}}, "2 values for 1 boundaries"),
        ({"v": {"probabilities": [0.1, float("nan")]}}, "are nan at frame 1"),
        ({"v": {"probabilities": [[0.1]]}}, "have the shape (1, 1)"),
        ({"v": {"fps": 30}}, "boundaries: is missing"),
        ({}, "holds no predictions"),
    ],
)
def test_bad_predictions_are_one_line(prediction, says: str) -> None:
    with pytest.raises(InputError) as error:
        read_predictions(prediction)
    assert says in str(error.value)


def test_a_repeated_id_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text('{"v": [1], "v": [2]}')
    with pytest.raises(InputError, match="more than once"):
        read_predictions(tmp_path / "p.json")
    (tmp_path / "p.jsonl").write_text('{"id": "v", "boundaries": []}\n{"id": "v", "times": []}')
    with pytest.raises(InputError, match="more than once"):
        read_predictions(tmp_path / "p.jsonl")
