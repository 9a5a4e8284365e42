"""The audit on a small corpus: complete, deterministic, drawn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kataribe.audit import boundaries
from kataribe.audit.boundaries import BoundaryAuditOptions
from kataribe.cli.main import main
from kataribe.core.errors import UsageError
from kataribe.report import boundary_audit


def audit(references, systems=None, **options):
    return boundaries.audit(references, systems, BoundaryAuditOptions(**options))


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
    assert [(player.name, player.count) for player in result.players] == [
        ("human", None),
        ("mine", None),
        *(("uniform", count) for count in (1, 2, 3)),
        *(("random", count) for count in (1, 2, 3)),
    ]
    human, mine, *blind = result.players
    assert human.measures["chance_f1"] == 1
    assert mine.measures["f1_max"] == 1
    for player in blind:
        assert player.measures.keys() == human.measures.keys()
        assert player.measures["chance_f1"] <= 1e-9
        assert all(np.isfinite(list(player.measures.values())))


def test_an_audit_depends_on_its_seed_alone(truth: dict) -> None:
    first, again, other = (audit(truth, most=2, trials=4, seed=seed).to_dict() for seed in (1, 1, 2))
    assert first == again
    assert first["readings"] != other["readings"]


def test_prevalence_and_the_bias_of_every_player_are_histograms(truth: dict) -> None:
    mine = {id: [2.0, 5.0] for id in truth}
    answer = audit(truth, {"mine": mine, "uniform": mine}, most=2, trials=4).to_dict()
    histograms = answer["histograms"]
    assert list(histograms["bias"]) == ["human", "mine", "uniform (system)", "uniform 2", "random 2"]
    assert len(histograms["edges"]) == 21
    for counts in (histograms["prevalence"], *histograms["bias"].values()):
        assert (len(counts), sum(counts)) == (20, len(truth))
    reading = next(reading for reading in answer["readings"] if reading["player"] == "mine")
    assert np.mean(answer["bias"]["mine"]) == pytest.approx(reading["bias"], abs=1e-4)
    assert histograms["bias"]["mine"][4] == len(truth), "two windows of a tenth, with both ends"


def test_random_is_drawn_as_often_as_the_audit_says(truth: dict) -> None:
    assert audit(truth, most=1).to_dict()["trials"] == {"counts": 20, "rankings": 1, "chance": 5}
    paper = audit(truth, most=1, protocol="paper")
    assert paper.to_dict()["trials"] == {"counts": 100, "rankings": 100, "chance": 25}
    assert "protocol paper" in boundary_audit.table(paper)
    assert "100 draws of random (average precision 100, chance_f1 25)" in boundary_audit.table(paper)
    few = audit(truth, most=1, protocol="paper", trials=3)
    assert few.trials.rankings == 3
    assert few.of("random")[0].measures["frame_ap"] != paper.of("random")[0].measures["frame_ap"]


def test_the_paper_is_strict_at_the_edge_of_the_tolerance() -> None:
    truth = {id: {"duration": 10.0, "fps": 10.0, "annotators": [[2.0], [2.0]]} for id in ("a", "b")}
    edge = {"a": [2.5], "b": [2.5]}
    for protocol, value in (("official", 1.0), ("paper", 0.0)):
        result = audit(truth, {"edge": edge}, most=1, trials=2, protocol=protocol)
        assert result.of("edge")[0].measures["f1_max"] == value


def test_an_audit_says_what_score_says(truth: dict, tmp_path: Path, capsys) -> None:
    part = {id: [2.0, 50.0] for id in list(truth)[3:]} | {"stranger": [1.0]}
    for name, content in (("truth", truth), ("part", part)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    call = ["audit", "boundaries", str(tmp_path / "part.json"), "-r", str(tmp_path / "truth.json"), "--most", "1"]
    with pytest.raises(SystemExit) as left:
        main([*call, "--trials", "1", "-o", str(tmp_path / "audit.json"), "--silence", "extra"])
    assert not left.value.code
    err = capsys.readouterr().err
    assert (
        "part: 3 of 40 videos have no prediction, their boundaries count as misses: 'v0', 'v1', 'v2' [missing]" in err
    )
    assert "[outside-video]" in err
    assert "[extra]" not in err
    written = json.loads((tmp_path / "audit.json").read_text())["warnings"]
    assert [warning["id"] for warning in written] == ["missing", "extra", "outside-video"]
    (tmp_path / "other.json").write_text(json.dumps({"nobody": [1.0]}))
    with pytest.raises(SystemExit) as left:
        main(["audit", "boundaries", str(tmp_path / "other.json"), "-r", str(tmp_path / "truth.json")])
    assert left.value.code == 2
    assert "no prediction has the id of a reference" in capsys.readouterr().err


def test_frame_numbers_can_be_audited(truth: dict) -> None:
    seconds = {id: [2.0, 5.0] for id in truth}
    frames = {id: [20, 50] for id in truth}
    one, other = (
        audit(truth, {"mine": times}, most=1, trials=1, unit=unit).of("mine")
        for times, unit in ((seconds, "seconds"), (frames, "frames"))
    )
    assert one == other


def test_two_systems_of_one_name_are_refused(truth: dict, tmp_path: Path, capsys) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    with pytest.raises(SystemExit) as left:
        main(
            [
                "audit",
                "boundaries",
                *(str(tmp_path / folder / "p.json") for folder in ("one", "two")),
                "-r",
                "truth.json",
            ]
        )
    assert left.value.code == 2
    assert "are both called p" in capsys.readouterr().err


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
        for name in ("f1_by_count", "pr_curves", "chance_by_count", "prevalence_bias")
        for kind in ("png", "svg")
    }
    for path in tmp_path.glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG")


def test_bad_options_are_refused(truth: dict, tmp_path: Path, capsys) -> None:
    with pytest.raises(UsageError, match="not a tolerance"):
        audit(truth, tolerance="wide")
    with pytest.raises(UsageError, match="most=0: must be at least 1"):
        audit(truth, most=0)
    with pytest.raises(SystemExit) as left:
        main(["audit", "boundaries", "-r", str(tmp_path / "none.json"), "--plots", str(tmp_path / "nowhere")])
    assert left.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
