"""Every command that writes: no answer destroys what the same call reads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kataribe.cli.main import _run

CAPTIONS = {"1": "a dog runs", "2": "a cat sleeps on a mat"}
STORIES = {"v": {"duration": 20, "timestamps": [[0, 10]], "sentences": ["A dog runs."]}}
TRUTH = {"v": {"duration": 20, "fps": 30, "annotators": [[3.0, 9.0], [3.1]]}}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an input of every kind, and copies that stand for predictions."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, value: object) -> None:
        (tmp_path / name).write_text(json.dumps(value))

    write("captions.json", {id: [text] for id, text in CAPTIONS.items()})
    write("predicted.json", CAPTIONS)
    write("stories.json", STORIES)
    write("predicted_stories.json", {"results": {"v": [{"sentence": "A dog.", "timestamp": [0, 9]}]}})
    write("truth.json", TRUTH)
    write("boundaries.json", {"v": [3.0]})
    write("lines.json", [{"id": "1", "movie": "film", "text": "Ann smiles."}])
    write("cast.json", {"film": ["Ann", "Bob"]})
    (tmp_path / "ratings.csv").write_text("item,rater,score\n1,a,3\n1,b,4\n2,a,1\n2,b,2\n")
    (tmp_path / "film.mp4").write_bytes(b"no film")
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "1.jpg").write_bytes(b"no picture")
    for name in ("a", "b"):
        assert _run(["score", "captions", "predicted.json", "-r", "captions.json", "-q", "-o", f"{name}.json"]) == 0
    assert _run(["resources", "idf", "captions.json", "-o", "idf.json"]) == 0
    return tmp_path


CALLS = [
    ("predicted.json", "score captions predicted.json -r captions.json -o predicted.json"),
    ("captions.json", "score captions predicted.json -r captions.json -o captions.json"),
    ("idf.json", "score captions predicted.json -r captions.json -m cider(idf=idf.json) -o idf.json"),
    ("pictures/1.jpg", "score captions predicted.json -r captions.json --images pictures -o pictures/1.jpg"),
    ("predicted_stories.json", "score stories predicted_stories.json -r stories.json -o predicted_stories.json"),
    ("stories.json", "score stories predicted_stories.json -r stories.json -o stories.json"),
    ("boundaries.json", "score boundaries boundaries.json -r truth.json -o boundaries.json"),
    ("truth.json", "score boundaries boundaries.json -r truth.json -o truth.json"),
    ("lines.json", "score narration lines.json -r lines.json --cast cast.json -o lines.json"),
    ("cast.json", "score narration lines.json -r lines.json --cast cast.json -o cast.json"),
    ("a.json", "compare a.json b.json -o a.json"),
    ("b.json", "compare one=a.json two=b.json -o b.json"),
    ("a.json", "report a.json -o a.json"),
    ("b.json", "report one=a.json two=b.json -o b.json"),
    ("ratings.csv", "report a.json --human ratings.csv -o ratings.csv"),
    ("film.mp4", "report a.json --videos . -o film.mp4"),
    ("a.json", "agree a.json --human ratings.csv -o a.json"),
    ("ratings.csv", "agree a.json --human ratings.csv --report ratings.csv"),
    ("ratings.csv", "judge agreement ratings.csv -o ratings.csv"),
    ("stories.json", "audit stories predicted_stories.json -r stories.json -o stories.json"),
    ("truth.json", "audit boundaries -r truth.json -o truth.json"),
    ("boundaries.json", "audit boundaries boundaries.json -r truth.json -o boundaries.json"),
    ("cast.json", "audit narration lines.json -r lines.json --cast cast.json -o cast.json"),
    ("film.mp4", "detect film.mp4 --method uniform -o film.mp4"),
    ("truth.json", "detect film.mp4 --method uniform -r truth.json -o truth.json"),
    ("truth.json", "train boundaries film.mp4 -r truth.json -o truth.json"),
    ("captions.json", "resources idf captions.json -o captions.json"),
]


@pytest.mark.parametrize(("kept", "call"), CALLS, ids=[call for _, call in CALLS])
def test_an_input_is_never_overwritten(files: Path, kept: str, call: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = (files / kept).read_bytes()
    capsys.readouterr()
    assert _run(call.split()) == 2
    assert "would be lost" in capsys.readouterr().err
    assert (files / kept).read_bytes() == before


def test_two_answers_of_one_call_need_two_files(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["agree", "a.json", "--human", "ratings.csv", "-o", "out.json", "--report", "out.json"]) == 2
    assert "two answers" in capsys.readouterr().err


def test_export_keeps_the_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["judge", "new", "soda", str(tmp_path / "study")]) == 0
    study = tmp_path / "study" / "STUDY.toml"
    (tmp_path / "study" / "answers.sqlite").write_bytes(b"years of work")
    named = [path for path in (tmp_path / "study").iterdir() if path.is_file()]
    assert len(named) > 2
    for path in named:
        before = path.read_bytes()
        _run(["judge", "export", str(study), "-o", str(path)])
        assert path.read_bytes() == before
        assert "would be lost" in capsys.readouterr().err


def test_a_result_may_go_to_standard_output(files: Path) -> None:
    call = ["score", "captions", "predicted.json", "-r", "captions.json", "-q", "-m", "bleu", "-o", "/dev/stdout"]
    done = subprocess.run(
        [sys.executable, "-m", "kataribe", *call], cwd=files, capture_output=True, text=True, check=True
    )
    result, end = json.JSONDecoder().raw_decode(done.stdout)
    assert result["metrics"]["bleu"]["value"] == pytest.approx(1.0)
    assert "metric" in done.stdout[end:]
