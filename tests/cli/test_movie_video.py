"""`kataribe build movie` on videos: the film alone becomes a corpus, and is watched once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("av", reason="needs kataribe[films]")
pytest.importorskip("onnxruntime", reason="needs kataribe[films]")
pytest.importorskip("rapidocr_onnxruntime", reason="needs kataribe[films]")

from kataribe.films import watched
from tests.media.made import make_narrated_film, needs_espeak

TOLD = [(0.6, "The old man walks slowly along the beach."), (12.0, "She opens the door and takes her coat.")]
SAID = [(5.0, "Where have you been?"), (16.5, "Give me the key.")]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_narrated_film(tmp_path_factory.mktemp("film") / "beach.mp4", 20, TOLD, SAID)


@needs_espeak
def test_a_film_alone_becomes_a_corpus_and_is_watched_once(
    call, film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "corpus"
    code, printed, err = call("build", "movie", str(film), "-o", str(out))
    assert code == 0
    assert "beach  train          2          2               2" in printed
    assert "2 stretches of narration in beach.mp4 have no text" in err
    assert "[no-transcript]" in err
    clips = json.loads((out / "G" / "train.json").read_text())
    assert [clip["start_time"] for clip in clips] == pytest.approx([0.6, 12.0], abs=0.4)
    assert sorted(path.name for path in (tmp_path / "corpus.watched").iterdir()) == ["beach.lines.json", "beach.npz"]

    monkeypatch.setattr(watched, "watch", lambda *_: pytest.fail("the film was watched again"))
    code, printed, err = call("build", "movie", str(film), "-o", str(out), "--dialogue-gap", "20")
    assert code == 0
    assert "beach  train          1" in printed
    assert "[no-transcript]" in err  # told again, as it is still so


@needs_espeak
def test_subtitles_of_a_folder_take_the_place_of_burnt_in_ones(call, film: Path, tmp_path: Path) -> None:
    films = tmp_path / "films"
    films.mkdir()
    (films / "beach.mp4").symlink_to(film)
    given = "1\n00:00:05,000 --> 00:00:06,800\nWhere were you?\n\n2\n00:00:16,500 --> 00:00:18,000\nThe key!\n"
    (films / "beach.dialogue.srt").write_text(given)
    code, printed, _ = call("build", "movie", str(films), "-o", str(tmp_path / "corpus"), "-q")
    assert code == 0
    assert "encodings: utf-8 (1 file)" in printed
    kept = json.loads((tmp_path / "corpus.watched" / "beach.lines.json").read_text())
    assert [line["text"] for line in kept["lines"]["dialogue"]] == ["Where were you?", "The key!"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (None, "gone.mp4: id 'gone': there is no such video - check the path"),
        (b"no film at all", "gone.mp4"),
    ],
)
def test_what_is_no_film_is_told_in_one_line(call, tmp_path: Path, content: bytes | None, line: str) -> None:
    if content is not None:
        (tmp_path / "gone.mp4").write_bytes(content)
    code, _, err = call("build", "movie", str(tmp_path / "gone.mp4"), "-o", str(tmp_path / "corpus"))
    assert code == 2
    assert line in err
    assert err.count("\n") == 1
    assert not (tmp_path / "corpus").exists()
