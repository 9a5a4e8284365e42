"""`kataribe build movie`: what is printed, written and refused."""

from __future__ import annotations

import json
import shutil
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from kataribe.films import building


@pytest.fixture
def films(tmp_path: Path) -> Path:
    with as_file(files("kataribe") / "samples" / "films") as samples:
        shutil.copytree(samples, tmp_path / "films")
    return tmp_path / "films"


def test_a_corpus_is_built_described_and_scored_with(call, films: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    given = [
        str(films / "films.jsonl"),
        "--cast",
        str(films / "cast.json"),
        "--overrides",
        str(films / "changes.jsonl"),
    ]
    code, printed, err = call("build", "movie", *given, "-o", str(out))
    assert code == 0
    assert printed.startswith(f"{out}: 3 films; 1 line of openings and endings left out\n")
    assert "encodings: utf-16 (1 file), utf-8 (5 files)\n" in printed
    assert "narration fills 100.0% of the gaps and 77.1% of their time\n" in printed
    assert err.count("[override-not-applied]") == 1
    assert "film 'lighthouse': remove 'A gull lands': no clip has the text 'A gull lands'" in err
    assert "[nested-names]" in err
    code, printed, _ = call("build", "movie", *given, "-o", str(out), "--quiet")
    assert printed.startswith(f"{out}: 3 films, 3 of them unchanged")
    references = str(out / "G" / "test.json")
    code, printed, _ = call("score", "narration", references, "-r", references, "--cast", str(out / "cast.json"))
    assert (code, "9 of 9 scored" in printed) == (0, True)


def test_one_film_needs_no_list(call, films: Path, tmp_path: Path) -> None:
    files = ["--narration", str(films / "harbour.narration.vtt"), "--dialogue", str(films / "harbour.dialogue.srt")]
    code, printed, err = call(
        "build", "movie", *files, "--genre", "sea", "--duration", "140", "-o", str(tmp_path / "c")
    )
    assert code == 0
    assert "harbour  train          6" in printed
    assert "genres: sea 1\n" in printed
    assert err == "kataribe: warning: no cast for 1 film: 'harbour'; roles are not counted there [uncast-films]\n"


def test_figures_are_drawn(call, films: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs kataribe[plots]")
    out = tmp_path / "c"
    assert call("build", "movie", str(films / "films.jsonl"), "-o", str(out), "--figures", "-q")[0] == 0
    names = {f"{name}.{form}" for name in ("genres", "roles-and-actions", "length") for form in ("png", "svg")}
    drawn = {path.name: path.read_bytes() for path in (out / "figures").iterdir()}
    assert drawn.keys() == names
    assert drawn["genres.png"].startswith(b"\x89PNG")
    assert b"<svg" in drawn["length.svg"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "nothing to build from - give FILMS, or --narration and --dialogue"),
        (
            ["FILMS", "--genre", "sea"],
            "FILMS and --genre cannot be given together - the list of films names it for each",
        ),
        (["FILMS", "--overlaps", "keep"], "--overlaps: no choice is called 'keep' - there are: refuse, cut"),
        (["FILMS", "--shot-length", "nan"], "--shot-length nan: is not a number"),
        (["FILMS", "--clip-gap", "-1"], "--clip-gap -1.0: cannot be negative"),
        (["FILMS", "--val", "2", "--test", "1"], "--val and --test hold out 3 films of 3 - leave one to train on"),
        (["FILMS", "--encoding", "klingon"], "--encoding: no encoding is called 'klingon' - usual ones are utf-8"),
        (["--narration", "NOWHERE", "--duration", "0"], "duration: is 0 - give seconds"),
    ],
)
def test_a_wrong_call_is_one_line(call, films: Path, tmp_path: Path, arguments: list[str], line: str) -> None:
    given = [str(films / "films.jsonl") if word == "FILMS" else word for word in arguments]
    code, printed, err = call("build", "movie", *given, "-o", str(tmp_path / "c"))
    assert (code, printed, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"kataribe: {line}")
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("1\n-00:00:01,000 --> 00:00:04,000\nx\n", "line 2: has a negative time - times start at 0"),
        (
            "1\n00:00:01,000 --> 00:00:04,000\nx\n\n2\n00:00:02,000 --> 00:00:05,000\ny\n",
            "'y' starts at 2 s, before 'x'",
        ),
        ("a diary\n", "has no cue like 00:00:01,000 --> 00:00:04,000 - is it really subtitles?"),
    ],
)
def test_bad_narration_is_one_line_and_keeps_the_last_corpus(
    call, films: Path, tmp_path: Path, content: str, line: str
) -> None:
    out, path = tmp_path / "c", films / "winter-train.narration.srt"
    assert call("build", "movie", str(films / "films.jsonl"), "-o", str(out), "-q")[0] == 0
    before = {str(file): file.read_bytes() for file in out.rglob("*.json")}
    path.write_text(content)
    code, printed, err = call("build", "movie", str(films / "films.jsonl"), "-o", str(out), "-q")
    assert (code, printed, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"kataribe: {path}: {line}")
    assert {str(file): file.read_bytes() for file in out.rglob("*.json")} == before


def test_a_full_disk_loses_nothing(call, films: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "c"
    assert call("build", "movie", str(films / "films.jsonl"), "-o", str(out), "-q")[0] == 0
    before = {str(file): file.read_bytes() for file in out.rglob("*.json")}

    def fill(path: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fill)
    code, _, err = call("build", "movie", str(films / "films.jsonl"), "-o", str(out), "-q", "--seed", "1")
    assert (code, err) == (2, f"kataribe: {out}: cannot be written (No space left on device) - choose another place\n")
    assert {str(file): file.read_bytes() for file in out.rglob("*.json")} == before


def test_ctrl_c_leaves_nothing(call, films: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(building, "build", interrupt)
    code, _, err = call("build", "movie", str(films / "films.jsonl"), "-o", str(tmp_path / "c"))
    assert (code, err) == (130, "kataribe: interrupted; nothing was written\n")
    assert not (tmp_path / "c").exists()


def test_a_given_split_is_kept(call, films: Path, tmp_path: Path) -> None:
    split = tmp_path / "split.json"
    split.write_text(json.dumps({"train": ["harbour", "lighthouse"], "held": ["winter-train"]}))
    code, printed, _ = call(
        "build", "movie", str(films / "films.jsonl"), "-o", str(tmp_path / "c"), "--split", str(split)
    )
    assert code == 0
    assert sorted(path.name for path in (tmp_path / "c" / "G").iterdir()) == ["held.json", "train.json"]
    assert "parts: train 2 films" in printed
