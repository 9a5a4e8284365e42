"""Model folders: what was trained is told again; what does not fit is refused with one line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("accelerate")

from kataribe.core.errors import InputError, KataribeError, UsageError
from kataribe.core.types import Caption, Cast, Role, Segment
from kataribe.films.frames import FrameVectors
from kataribe.learning.folder import Card, write_model
from kataribe.narration.narrators.options import NarratorOptions, NarratorTraining, SearchOptions
from kataribe.narration.narrators.protocol import open_narrator
from kataribe.narration.narrators.scoring import tell_clips
from kataribe.narration.narrators.training import Trained, train
from tests.narration.narrators.made import made_corpus

CORPUS = made_corpus()
FILM = CORPUS.films["test0"]
SPANS = [Segment(0, 4), Segment(4, 8)]
# A network that has hardly learned anything would go on and on.
SHORT = SearchOptions(longest=9)


@pytest.fixture(scope="module")
def trained() -> Trained:
    model = NarratorOptions(width=8, heads=2, layers=1, context="lines+dialogue")
    return train(CORPUS, model, NarratorTraining(epochs=1, batch=8, rate=5e-3))


@pytest.fixture(scope="module")
def folder(trained: Trained, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("models") / "narrator"
    trained.write(place)
    return place


def test_a_folder_tells_what_its_network_told(trained: Trained, folder: Path) -> None:
    clips = CORPUS.clips("test")
    mine = replace(trained.narrator, search=SHORT)
    assert tell_clips(open_narrator(folder, longest=9), clips) == tell_clips(mine, clips)


def test_signatures_name_the_weights_and_the_search(folder: Path) -> None:
    greedy, beam = open_narrator(folder).signature, open_narrator(folder, beam=3).signature
    assert greedy.endswith("-greedy")
    assert beam == greedy.replace("greedy", "beam3^1")


def test_characters_that_a_chinese_narrator_does_not_know_are_counted_and_not_refused(folder: Path) -> None:
    narrator = open_narrator(folder, longest=9)
    told = narrator.tell(FILM, SPANS[:1], said=[Caption(Segment(0, 1), "Run!")])
    assert len(told) == 1
    assert narrator.unknown == 4


def test_one_span_and_no_span_are_told(folder: Path) -> None:
    narrator = open_narrator(folder, longest=9)
    assert narrator.tell(FILM, []) == []
    assert len(narrator.tell(FILM, SPANS)) == 2


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            {"frames": FrameVectors(np.arange(9.0), np.ones((9, 5), dtype=np.float32))},
            "'test0': its frames are 5 numbers wide, the narrator .* takes 8 - make the features as those",
        ),
        (
            {"recipes": {"frames": {"encoder": "other-2", "rate": 1.0}, "faces": {"rate": 1.0}}},
            "its frames were made otherwise .encoder other-2, not made-1. than those of the narrator",
        ),
        ({"cast": Cast("harbour", (Role("Maria"),))}, "'test0': the cast is of another film, 'harbour' - give"),
        (
            {"recipes": {**FILM.recipes, "portraits": {"pictures": {"Maria": "aa"}}}},
            "the cast is of another film: the features have portraits of 'Maria', and no role of these",
        ),
    ],
)
def test_features_and_casts_that_do_not_fit_are_refused(folder: Path, change: dict, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as refused:
        open_narrator(folder).tell(replace(FILM, **change), SPANS)
    assert "\n" not in str(refused.value)


def test_folders_that_are_damaged_or_of_another_kind_are_refused(folder: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    for file in folder.iterdir():
        (damaged / file.name).write_bytes(file.read_bytes())
    (damaged / "vocabulary.json").write_text("{}")
    with pytest.raises(InputError, match=r"its vocabulary.json is damaged"):
        open_narrator(damaged)
    write_model(tmp_path / "other", Card(kind="suisei", title="a metric"), {"x": np.zeros(1)})
    with pytest.raises(InputError, match="is a model of the kind 'suisei', not 'narrator'"):
        open_narrator(tmp_path / "other")
    write_model(tmp_path / "empty", Card(kind="narrator", title="nothing"), {"x": np.zeros(1)})
    with pytest.raises(InputError, match="its card does not describe a narrator"):
        open_narrator(tmp_path / "empty")
    with pytest.raises(InputError, match="there is no such model folder"):
        open_narrator(tmp_path / "nowhere")


def test_options_of_the_search_are_checked(folder: Path) -> None:
    with pytest.raises(UsageError, match="a narrator has no option 'beams' - did you mean 'beam'"):
        open_narrator(folder, beams=3)
    with pytest.raises(KataribeError, match="beam=0: must be at least 1"):
        open_narrator(folder, beam=0)
