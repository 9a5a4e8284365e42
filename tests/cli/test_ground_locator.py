"""`kataribe ground --locator`: shots first, then spans in the windows round them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs kataribe[models]")
pytest.importorskip("accelerate", reason="needs kataribe[models]")

from tests.grounding.locators.toys import write_features
from tests.grounding.retrieval.corpora import ENCODER, WIDTH
from tests.grounding.retrieval.models import random_retriever

Call = Callable[..., tuple[int, str, str]]
SAMPLES = Path(__file__).parent.parent.parent / "src" / "kataribe" / "samples" / "films"
LENGTHS = {"harbour": 140, "lighthouse": 100, "winter-train": 130}
ASK = ("--query", "Nora opens the door.", "--model", "retriever", "--locator", "locator", "-q")


@pytest.fixture
def models(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A retriever and a locator that have learned next to nothing, and the films that they saw."""
    monkeypatch.chdir(tmp_path)
    cast = str(SAMPLES / "cast.json")
    assert call("build", "movie", str(SAMPLES / "films.jsonl"), "--cast", cast, "-o", "corpus")[0] == 0
    Path("features").mkdir()
    for film, seconds in LENGTHS.items():
        write_features(Path("features", f"{film}.npz"), seconds, ENCODER, WIDTH)
    random_retriever(Path("retriever"))
    tiny = ("--width", "8", "--heads", "2", "--rounds", "1", "--epochs", "1", "--window", "40", "--device", "cpu", "-q")
    code, _, err = call("train", "locator", "corpus", "--features", "features", "-o", "locator", *tiny)
    assert (code, err) == (0, "")


def test_moments_lie_in_the_window_round_a_found_shot_the_surest_first(call: Call, models: None) -> None:
    code, out, _ = call("ground", "features/harbour.npz", *ASK, "--k", "2", "--top", "4", "-o", "moments.json")
    assert code == 0
    [entry] = json.loads(Path("moments.json").read_text())
    assert len(entry["windows"]) == len(out.splitlines()) - 2 == 4
    scores = [score for _, _, score in entry["windows"]]
    assert scores == sorted(scores, reverse=True)
    middle = sum(entry["anchor"]) / 2
    start, end, _ = entry["windows"][0]
    assert start <= middle + 20 + 1e-6
    assert end >= middle - 20 - 1e-6
    assert "+locator-" in entry["model"]


def test_a_library_is_searched_with_the_features_of_its_films(call: Call, models: None) -> None:
    films = [f"features/{film}.npz" for film in LENGTHS]
    assert call("index", *films, "--model", "retriever", "-o", "library", "-q")[0] == 0
    cast = str(SAMPLES / "cast.json")
    code, out, _ = call("ground", "library", *ASK, "--features", "features", "--cast", cast, "--top", "5")
    assert code == 0
    assert {line.split()[0] for line in out.splitlines()[2:]} <= set(LENGTHS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("library", *ASK), "give --features DIR"),
        (("film.mp4", *ASK), "needs the film's feature file"),
        (("features/harbour.npz", *ASK[:4], "--cast", "cast.json"), "--cast is for a locator"),
    ],
)
def test_what_a_locator_needs_is_said(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("library").mkdir()
    code, _, err = call("ground", *arguments)
    assert (code, len(err.splitlines())) == (2, 1)
    assert said in err
