"""The audit on a small corpus: complete, deterministic, drawn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kataribe.audit.boundaries import audit
from kataribe.cli.main import main
from kataribe.core.errors import UsageError


@pytest.fixture(scope="module")
def truth() -> dict:
    rng = np.random.default_rng(4)
    corpus = {}
    for number in range(40):
        scene = np.sort(rng.uniform(0.5, 9.5, rng.integers(2, 7)))
        raters = [np.clip(scene + rng.normal(0, 0.1, len(scene)), 0, 10).tolist() for _ in range(3)]
        corpus[f"v{number}"] = {"duration": 10.0, "fps": 10.0, "annotators": raters}
    return corpus


def test_every_measure_is_read_for_every_player_and_count(truth: dict) -> None:
    perfect = {id: video["annotators"][0] for id, video in truth.items()}
    result = audit(truth, {"mine": perfect}, most=3, trials=4)
    assert [(reading.player, reading.count) for reading in result.readings] == [
        ("human", None),
        ("mine", None),
        *(("uniform", count) for count in (1, 2, 3)),
        *(("random", count) for count in (1, 2, 3)),
    ]
    human, mine, *blind = result.readings
    assert human.measures["chance_f1"] == 1
    assert mine.measures["f1_max"] == 1
    for reading in blind:
        assert reading.measures.keys() == human.measures.keys()
        assert reading.measures["chance_f1"] <= 1e-9
        assert all(np.isfinite(list(reading.measures.values())))


def test_an_audit_depends_on_its_seed_alone(truth: dict) -> None:
    first, again, other = (audit(truth, most=2, trials=4, seed=seed).to_dict() for seed in (1, 1, 2))
    assert first == again
    assert first["readings"] != other["readings"]


def test_the_command_writes_table_json_and_pictures(truth: dict, tmp_path: Path, capsys) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    call = ["audit", "boundaries", "-r", str(tmp_path / "truth.json"), "--most", "2", "--trials", "2"]
    with pytest.raises(SystemExit) as left:
        main([*call, "--plots", str(tmp_path), "-o", str(tmp_path / "audit.json"), "-q"])
    assert not left.value.code
    assert capsys.readouterr().out.startswith("player ")
    assert len(json.loads((tmp_path / "audit.json").read_text())["readings"]) == 5
    assert {path.name for path in tmp_path.glob("*.[ps][nv]g")} == {
        f"{name}.{kind}"
        for name in ("f1_by_count", "pr_curves", "chance_by_count", "prevalence")
        for kind in ("png", "svg")
    }
    for path in tmp_path.glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG")


def test_bad_options_are_refused(truth: dict, tmp_path: Path, capsys) -> None:
    with pytest.raises(UsageError, match="not a tolerance"):
        audit(truth, tolerance="wide")
    with pytest.raises(UsageError, match="at least one"):
        audit(truth, most=0)
    with pytest.raises(SystemExit) as left:
        main(["audit", "boundaries", "-r", str(tmp_path / "none.json"), "--plots", str(tmp_path / "nowhere")])
    assert left.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
