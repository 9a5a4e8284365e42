"""`kataribe train narrator`: films of the samples with made features, as a user would call it."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs kataribe[models]")
pytest.importorskip("accelerate", reason="needs kataribe[models]")

from kataribe.films.building import BuildOptions, build_corpus
from kataribe.films.feature_file import FORMAT
from kataribe.films.folder import write_corpus
from kataribe.films.seen import read_seen_corpus
from kataribe.films.sources import read_sources
from kataribe.narration.narrators.protocol import open_narrator

Run = Callable[..., tuple[int, str, str]]
TINY = ["--width", "8", "--epochs", "1", "--batch", "4", "--quiet"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("films")
    with as_file(files("kataribe") / "samples" / "films") as samples:
        built = build_corpus(read_sources(samples / "films.jsonl"), BuildOptions(), cast=samples / "cast.json")
    write_corpus(built.corpus, folder / "corpus")
    (folder / "features").mkdir()
    for number, film in enumerate(built.corpus.films):
        names = [role.name for role in built.corpus.casts[film.film].roles]
        _write_features(folder / "features" / f"{film.film}.npz", names, np.random.default_rng(number))
    return folder


def _write_features(path: Path, names: list[str], rng: np.random.Generator) -> None:
    stages = {"frames": {"encoder": "made-1", "rate": 1.0}, "faces": {"finder": "made", "rate": 1.0}, "portraits": {}}
    time = np.arange(150.0)
    arrays = {
        "frames.time": time,
        "frames.vector": rng.normal(size=(150, 4)).astype(np.float32),
        "faces.seen": time,
        "faces.time": time,
        "faces.box": np.zeros((150, 4)),
        "faces.score": np.ones(150),
        "faces.vector": rng.normal(size=(150, 3)).astype(np.float32),
        "faces.track": np.zeros(150, dtype=np.int64),
        "portraits.name": np.array(names),
        "portraits.vector": rng.normal(size=(len(names), 3)).astype(np.float32),
    }
    header = json.dumps({"format": FORMAT, "kataribe": "0", "video": {}, "stages": stages})
    np.savez(path, header=np.array(header), **arrays)


def arguments(made: Path, output: Path, *more: str) -> list[str]:
    paths = [str(made / "corpus"), "--features", str(made / "features"), "-o", str(output)]
    return ["train", "narrator", *paths, *TINY, *more]


def test_a_model_is_trained_described_and_tells(made: Path, tmp_path: Path, call: Run) -> None:
    code, out, err = call(*arguments(made, tmp_path / "model", "--seeds", "2", "--no-genres"))
    assert (code, err) == (0, "")
    assert out.startswith(f"{tmp_path / 'model'}: RMN narrator, trained on 6 clips of 1 film, seed ")
    assert "role_f1" in out
    assert "The epoch was chosen on 7 validation clips." in out
    film = read_seen_corpus(made / "corpus", made / "features").films["harbour"]
    narrator = open_narrator(tmp_path / "model", longest=5)
    assert len(narrator.tell(film, [film.dialogue[0].segment])) == 1
    assert (tmp_path / "model" / "vocabulary.json").is_file()


def test_a_table_is_trained_once(made: Path, tmp_path: Path, call: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ["--ablate", "--row", "vt", "--row", "rmn + faces", "--bootstrap", "20"]
    code, out, _ = call(*arguments(made, tmp_path / "table", *rows))
    assert code == 0
    names = [line.split("  ")[0] for line in out.splitlines()[2:7]]
    assert names == ["first-billed", "whole-cast", "random", "vt", "rmn + faces"]
    assert "clips of 1 film that were not trained on, 6 clips of 1 film that were" in out
    assert {path.name for path in (tmp_path / "table").glob("table.*")} == {
        f"table.{kind}" for kind in ("txt", "md", "tex", "json", "csv")
    }

    def fail(*given: object, **options: object) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr("kataribe.narration.narrators.ablation.train", fail)
    again = call(*arguments(made, tmp_path / "table", *rows))
    assert (again[0], again[1]) == (0, out)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (["--ablate", "--state", "s"], "--state is of one model, not of the whole table - leave it out"),
        (["--videos", "v"], "--videos is of the whole table - give --ablate, too"),
        (["--ablate", "--row", "rnn"], "no row of the table is called 'rnn' - there are: vt, ovp"),
        (["--heads", "3"], "--width 8: must be even and a multiple of the 3 heads"),
        (["--stop-by", "bleurgh"], "no metric is called 'bleurgh'"),
    ],
)
def test_what_cannot_be_meant_is_refused(made: Path, tmp_path: Path, call: Run, more: list[str], problem: str) -> None:
    code, _, err = call(*arguments(made, tmp_path / "model", *more))
    assert code == 2
    assert problem in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "model").exists()


def test_features_that_are_missing_are_named(made: Path, tmp_path: Path, call: Run) -> None:
    (tmp_path / "empty").mkdir()
    paths = [str(made / "corpus"), "--features", str(tmp_path / "empty"), "-o", str(tmp_path / "model")]
    code, _, err = call("train", "narrator", *paths)
    assert code == 2
    assert "has no feature file of 'harbour'" in err
    assert not (tmp_path / "model").exists()
