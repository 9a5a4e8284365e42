"""From pixels to a page: a film is made, looked at, told, scored and shown, mp4 files all the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("dlib", reason="needs kataribe[films]")
pytest.importorskip("av", reason="needs kataribe[films]")
pytest.importorskip("rapidocr_onnxruntime", reason="needs kataribe[films]")

from kataribe.films.feature_file import read_features
from kataribe.narration.files import read_narrations

Run = Callable[..., tuple[int, str, str]]


def test_a_world_is_told_scored_and_shown(call: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of docs/narrate.md at size smoke, faces looked for every fourth second."""
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> str:
        code, out, err = call(*line.split())
        assert code == 0, err
        return out

    run("build world world --size smoke --sound silent --processes 1 -q")
    run("build movie world/films.json -o corpus --cast world/cast.json --split world/splits.json -q")
    looking = "--encoder histogram --rate 0.25 --processes 1 -q"
    run(f"build features corpus --videos world/videos --cast world/cast.json -o features {looking}")
    Path("told").mkdir()
    telling = "--cast world/cast.json -o told/w002.vtt -q --model"
    said = run(f"narrate world/videos/w002.mp4 --features features/w002.npz {telling} first-billed")
    assert "clips told in 2 gaps" in said
    held = read_features(Path("features/w002.npz"))
    assert held.stages["frames"]["rate"] == 0.25, "what was there is not looked for again"
    assert "subtitles" in held.stages
    gaps = read_narrations(Path("corpus/N/test.json")).values()
    for cue in read_narrations(Path("told/w002.vtt")).values():
        assert cue.film == "w002"
        assert cue.segment is not None
        assert any(cue.segment & gap.segment for gap in gaps if gap.segment)
    scoring = "-r corpus/N/test.json --cast world/cast.json --dialogue world/dialogue --join time --protocol paper"
    metrics = "-m role_f1 -m dialogue_overlap -m speech_rate -m first_mention -m identity"
    table = run(f"score narration told/w002.vtt {scoring} {metrics} -o first-billed.json -q")
    assert "2 of 2 scored" in table
    again = run(f"narrate features/w002.npz {telling} whole-cast")
    assert again.startswith("told/w002.vtt: 2 of 2 clips told in 2 gaps")
    run(f"score narration told/w002.vtt {scoring} {metrics} -o whole-cast.json -q")
    shown = "--videos world/videos --dialogue world/dialogue --replicates 10 -q"
    run(f"report first-billed.json whole-cast.json -o page.html {shown}")
    page = Path("page.html").read_text(encoding="utf-8")
    assert '"w002":"world/videos/w002.mp4"' in page
    assert 'id="data-films"' in page
