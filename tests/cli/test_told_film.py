"""From pixels to a page: a film is made, looked at, told, scored and shown, mp4 files all the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("dlib", reason="needs kataribe[films]")
pytest.importorskip("av", reason="needs kataribe[films]")
pytest.importorskip("rapidocr_onnxruntime", reason="needs kataribe[films]")

from kataribe.films.casts import read_casts
from kataribe.films.feature_file import read_features
from kataribe.narration.files import read_narrations

Run = Callable[[str], str]

TELLING = "--cast world/cast.json -o told/w002.vtt -q --model"
SCORING = (
    "-r corpus/N/test.json --cast world/cast.json --dialogue world/dialogue --join time --tok char --protocol paper"
)


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A world, its corpus and what is seen in it, faces looked for every fourth second."""
    from kataribe.cli.main import main

    folder = tmp_path_factory.mktemp("films")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in (
            "build world world --size smoke --sound silent --processes 1 -q",
            "build movie world/films.json -o corpus --cast world/cast.json --split world/splits.json -q",
            "build features corpus --videos world/videos --cast world/cast.json -o features --encoder histogram "
            "--rate 0.25 --processes 1 -q",
        ):
            with pytest.raises(SystemExit, match="0"):
                main(line.split())
        Path("told").mkdir()
    return folder


@pytest.fixture
def run(films: Path, call: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(films)

    def run_(line: str) -> str:
        code, out, err = call(*line.split())
        assert code == 0, err
        return out

    return run_


def test_a_film_is_told_from_its_pixels_scored_and_shown(run: Run) -> None:
    """The commands of docs/narrate.md at size smoke."""
    assert "clips told in 2 gaps" in run(
        f"narrate world/videos/w002.mp4 --features features/w002.npz {TELLING} first-billed"
    )
    held = read_features(Path("features/w002.npz"))
    assert held.stages["frames"]["rate"] == 0.25, "what was there is not looked for again"
    assert "subtitles" in held.stages
    gaps = read_narrations(Path("corpus/N/test.json")).values()
    for cue in read_narrations(Path("told/w002.vtt")).values():
        assert (cue.film, cue.text) == ("w002", f"{read_casts(Path('world/cast.json'))['w002'].first_billed}。")
        assert any(cue.segment & gap.segment for gap in gaps if cue.segment and gap.segment)
    metrics = "-m role_f1 -m dialogue_overlap -m speech_rate -m first_mention -m identity"
    table = run(f"score narration told/w002.vtt {SCORING} {metrics} -o first-billed.json -q")
    assert "2 of 2 scored" in table
    again = run(f"narrate features/w002.npz {TELLING} whole-cast")
    assert again.startswith("told/w002.vtt: 2 of 2 clips told in 2 gaps")
    run(f"score narration told/w002.vtt {SCORING} {metrics} -o whole-cast.json -q")
    run("report first-billed.json whole-cast.json -o page.html --videos world/videos --dialogue world/dialogue -q")
    page = Path("page.html").read_text(encoding="utf-8")
    assert '"w002":"world/videos/w002.mp4"' in page
    assert 'id="data-films"' in page


def test_a_trained_narrator_tells_and_refuses_features_that_are_not_as_those_of_its_training(
    films: Path, run: Run, call: Callable[..., tuple[int, str, str]]
) -> None:
    pytest.importorskip("torch", reason="needs kataribe[models]")
    pytest.importorskip("kataribe.cli.train_narrator")
    run(
        "train narrator corpus --features features -o rmn --epochs 1 --width 16 --layers 1 --heads 2 "
        "--stop-by validation_loss -q"
    )
    given = "--dialogue world/dialogue/w002.srt --longest 40"
    said = run(f"narrate features/w002.npz {given} {TELLING} rmn")
    assert "told in 2 gaps" in said
    first = Path("told/w002.vtt").read_text(encoding="utf-8")
    run(f"narrate features/w002.npz {given} {TELLING} rmn")
    assert Path("told/w002.vtt").read_text(encoding="utf-8") == first
    with np.load("features/w002.npz") as archive:
        arrays = dict(archive)
    np.savez("w002.npz", **arrays | {"frames.vector": arrays["frames.vector"][:, :10]})
    for arguments in (
        f"narrate w002.npz {given} {TELLING} rmn",
        f"narrate world/videos/w002.mp4 --encoder efficientnet-lite0 {given} {TELLING} rmn",
        f"narrate features/w002.npz {given} {TELLING} world",
    ):
        code, out, err = call(*arguments.split())
        assert (code, out, err.count("\n")) == (2, "", 1), err
