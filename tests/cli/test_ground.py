"""`kataribe index` and `kataribe ground`, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("safetensors", reason="models need kataribe[models]")

from kataribe.cli.main import main
from tests.grounding.retrieval.corpora import WIDTH, write_features
from tests.grounding.retrieval.models import random_retriever

QUERY = "Anna sweeps the car."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_retriever(tmp_path_factory.mktemp("models") / "retriever")


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder, rng = tmp_path_factory.mktemp("films"), np.random.default_rng(0)
    for number in range(3):
        write_features(folder / f"f{number}.npz", rng.normal(size=(70, WIDTH)))
    return sorted(folder.iterdir())


def run(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> str:
    with pytest.raises(SystemExit) as left:
        main([*map(str, arguments), "-q"])
    said = capsys.readouterr()
    assert left.value.code == code, said.err
    if code:
        [line] = said.err.splitlines()
        return line
    return said.out


def test_films_are_indexed_and_found(
    model: Path, films: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library, moments, picture = tmp_path / "library", tmp_path / "moments.json", tmp_path / "scores.png"
    index = ["index", "--model", model, "-o", library]
    assert "2 films added; it holds 2 films, 8 shots" in run(capsys, *index, *films[:2])
    assert "1 film added, 2 films were there; it holds 3 films, 12 shots" in run(capsys, *index, *films)
    ask = ["--query", QUERY, "--model", model, "--top", 4]
    table = run(capsys, "ground", library, *ask, "-o", moments, "--picture", picture)
    rows = [line.split() for line in table.splitlines()[2:]]
    assert len(rows) == 4
    scores = [float(row[-1]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    written = json.loads(moments.read_text())
    assert sorted(entry["video"] for entry in written) == sorted({row[0] for row in rows})
    assert all(entry["query"] == QUERY and len(entry["curve"]["scores"]) == 4 for entry in written)
    assert picture.read_bytes().startswith(b"\x89PNG")
    [best] = [entry for entry in written if entry["video"] == rows[0][0]]
    alone = run(capsys, "ground", next(path for path in films if path.stem == rows[0][0]), *ask)
    assert alone.splitlines()[2].split()[1:] == rows[0][1:], "one film alone gives the same"
    assert best["windows"][0][2] == pytest.approx(scores[0], abs=1e-3)


def test_ctrl_c_keeps_the_films_that_are_done(
    model: Path,
    films: list[Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from kataribe.grounding.retrieval import shot_vectors
    from kataribe.grounding.retrieval.library import open_library

    see, seen = shot_vectors.see_film, []

    def stop_at_the_second(*arguments: object) -> object:
        if seen:
            raise KeyboardInterrupt
        seen.append(arguments)
        return see(*arguments)

    call = ["index", *films, "--model", model, "-o", tmp_path / "library"]
    with monkeypatch.context() as patched:
        patched.setattr(shot_vectors, "see_film", stop_at_the_second)
        assert "has 1 new film; the same call goes on" in run(capsys, *call, code=130)
    assert len(open_library(tmp_path / "library").films) == 1
    assert "2 films added, 1 film was there" in run(capsys, *call)


def test_bad_input_is_one_line(
    model: Path, films: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = tmp_path / "library"
    run(capsys, "index", films[0], "--model", model, "-o", library)

    def refused(place: Path, query: str = QUERY, model: Path = model) -> str:
        return run(capsys, "ground", place, "--query", query, "--model", model, code=2)

    assert "there is nothing in it to search for" in refused(library, " ... ")
    assert "longer than the 256 tokens" in refused(library, "a dog " * 300)
    assert "is neither a video nor a feature file" in refused(model / "card.json")
    assert "is no library" in refused(tmp_path)
    assert "is no retriever" in refused(library, model=library)
    assert "there is no such model folder" in refused(library, model=tmp_path / "nobody")
    assert "was made with retriever-" in refused(library, model=random_retriever(tmp_path / "other", seed=1))
    write_features(tmp_path / "wide.npz", np.ones((30, WIDTH + 1)))
    assert f"has frames of {WIDTH + 1} numbers" in refused(tmp_path / "wide.npz")
    write_features(tmp_path / "other.npz", np.ones((30, WIDTH)), encoder="efficientnet-lite0-da4046d5")
    assert "has frames by efficientnet-lite0-da4046d5" in refused(tmp_path / "other.npz")
    about = json.loads((library / "library.json").read_text())
    (library / "library.json").write_text(json.dumps(about | {"films": []}))
    assert "has no films yet" in refused(library)
    assert "there are no films to add" in run(capsys, "index", "--model", model, "-o", library, code=2)
    assert "same name" in run(capsys, "index", films[0], films[0], "--model", model, "-o", library, code=2)
