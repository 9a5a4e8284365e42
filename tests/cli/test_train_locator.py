"""`kataribe train locator`: what it writes and prints, and what it refuses before training."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kataribe.core.types import Segment
from kataribe.films.seen import read_seen
from kataribe.grounding.locators.model import open_locator
from kataribe.learning.folder import read_card
from tests.grounding.locators.toys import write_features

pytest.importorskip("torch", reason="needs kataribe[models]")
pytest.importorskip("accelerate", reason="needs kataribe[models]")

Call = Callable[..., tuple[int, str, str]]
SAMPLES = Path(__file__).parent.parent.parent / "src" / "kataribe" / "samples" / "films"
LENGTHS = {"harbour": 140, "lighthouse": 100, "winter-train": 130}
TINY = ("--width", "8", "--heads", "2", "--rounds", "1", "--epochs", "1", "--window", "40", "--device", "cpu", "-q")


@pytest.fixture
def corpus(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    code, _, _ = call(
        "build", "movie", str(SAMPLES / "films.jsonl"), "--cast", str(SAMPLES / "cast.json"), "-o", "corpus"
    )
    assert code == 0
    Path("features").mkdir()
    for film, seconds in LENGTHS.items():
        write_features(Path("features", f"{film}.npz"), seconds)
    return ["train", "locator", "corpus", "--features", "features"]


def test_a_trained_locator_finds_moments(call: Call, corpus: list[str]) -> None:
    code, out, err = call(*corpus, "-o", "model", *TINY)
    assert (code, err) == (0, "")
    assert out.startswith("model: Locator of moments by text: rnl, faces in video and query")
    assert "times 100, 95% intervals over queries; windows of 40 s" in out
    assert read_card("model").kind == "locator"
    film = read_seen(Path("features/harbour.npz"))
    assert open_locator("model").locate(film, "Nora waits.", Segment(0, 40))


def test_further_queries_are_learned_from_and_scored_apart(call: Call, corpus: list[str]) -> None:
    split = {film: part for part, films in json.loads(Path("corpus/split.json").read_text()).items() for film in films}
    for film, part in split.items():
        query = {"movie_id": film, "start_time": 10, "end_time": 14, "content": "Somebody waits."}
        Path("queries").mkdir(exist_ok=True)
        Path(f"queries/{part}.json").write_text(json.dumps([query]))
        if part == "test":
            Path("queries/test-hard.json").write_text(json.dumps([query]))
    code, out, _ = call(*corpus, "--queries", "queries", "--learn-queries", "-o", "model", "--model", "2d-tan", *TINY)
    assert code == 0
    assert "trained on 1 query of 1 film" in out
    assert [line.split()[0] for line in out.splitlines() if line.startswith(("clips", "queries", "hard"))] == [
        "clips",
        "queries",
        "hard",
    ]
    Path("queries/train.json").write_text(Path("queries/test.json").read_text())
    code, _, err = call(*corpus, "--queries", "queries", "-o", "other", *TINY)
    assert (code, err.count("\n")) == (2, 1)
    assert "asks of films that are not in the part train" in err


def test_what_the_table_varies_cannot_be_given_with_it(call: Call, corpus: list[str]) -> None:
    code, _, err = call(*corpus, "-o", "table", "--ablate", "--model", "ia-net", *TINY)
    assert (code, err) == (2, "kataribe: --model is what the table varies - leave it out beside --ablate\n")
    assert not Path("table").exists()


def test_features_that_are_missing_are_named(call: Call, corpus: list[str]) -> None:
    Path("features/harbour.npz").unlink()
    code, _, err = call(*corpus, "-o", "model", *TINY)
    assert (code, err.count("\n")) == (2, 1)
    assert "has no feature file of 'harbour'" in err
    assert not Path("model").exists()
