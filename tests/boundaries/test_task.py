"""From files to scores: joins, units, policies and what the command prints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import kataribe
from kataribe.cli.main import main
from kataribe.core.errors import InputError, JoinError
from kataribe.core.result import Result

TRUTH = {
    "a": {"duration": 10.0, "fps": 10.0, "annotators": [[2.0, 5.0], [2.1, 5.2], [5.1]]},
    "b": {"duration": 20.0, "fps": 10.0, "annotators": [[4.0], [4.5, 15.0]]},
}
PREDICTED = {"a": [2.0, 5.0], "b": [4.2]}


def f1(predictions, truth=TRUTH, **options):
    return kataribe.evaluate("boundaries", predictions, truth, ["boundary_f1"], **options)


def test_seconds_and_frames_agree() -> None:
    frames = {id: [round(time * 10) for time in times] for id, times in PREDICTED.items()}
    assert f1(frames, unit="frames")["boundary_f1"].value == f1(PREDICTED)["boundary_f1"].value == 1


def test_missing_videos_count_as_misses_unless_dropped() -> None:
    part = {"a": [2.0, 5.0]}
    assert f1(part)["boundary_f1"].value == pytest.approx(4 / 5)
    assert "their boundaries count as misses" in f1(part).warnings[0]
    assert f1(part, missing="drop")["boundary_f1"].value == 1
    assert "|missing:drop(1)|data:1/2|" in f1(part, missing="drop")["boundary_f1"].signature
    assert "|missing:zero(1)|data:2/2|" in f1(part)["boundary_f1"].signature
    assert "|missing:zero|" in f1(PREDICTED)["boundary_f1"].signature
    with pytest.raises(JoinError, match="no prediction for 1 of 2"):
        f1(part, missing="error")


def test_inconsistent_videos_are_skipped_as_published() -> None:
    truth = {
        id: entry | {"f1_consis": [value] * len(entry["annotators"])}
        for (id, entry), value in zip(TRUTH.items(), (0.9, 0.2), strict=True)
    }
    result = f1(PREDICTED, truth)
    assert result.coverage.scored == 1
    assert "agree less than 0.3" in result.warnings[0]
    assert f1({"a": PREDICTED["a"]}, truth).coverage.missing == 0, "nobody misses a prediction for a skipped video"
    assert f1(PREDICTED, truth, min_consistency=0).coverage.scored == 2


@pytest.mark.parametrize(
    ("prediction", "says"),
    [
        ({"boundaries": [2.0], "fps": 30}, "the prediction says 30, the ground truth 10"),
        ({"boundaries": [2.0], "duration": 15}, "the prediction says 15 s, the ground truth 10 s"),
        ({"boundaries": [2.0], "duration": 10_000}, "is it in milliseconds?"),
        ({"boundaries": [2.0], "duration": 100}, "is it in frames?"),
        ({"probabilities": [0.5] * 7}, "there are 7 for a video of 100 frames"),
    ],
)
def test_what_does_not_fit_the_video_is_one_line(prediction, says: str) -> None:
    with pytest.raises(InputError) as error:
        f1({"a": prediction, "b": [1.0]})
    assert says in str(error.value)


def test_frames_without_fps_have_no_time() -> None:
    truth = {"a": {"duration": 10.0, "annotators": [[2.0]]}}
    with pytest.raises(InputError, match="fps: is missing"):
        f1({"a": [20]}, truth, unit="frames")
    with pytest.raises(InputError, match="counts frames"):
        kataribe.evaluate("boundaries", {"a": [2.0]}, truth, ["frame_ap"])


def test_probabilities_become_boundaries_at_the_centres_of_their_runs() -> None:
    curve = np.zeros(100)
    curve[19:22], curve[50] = 0.9, 0.6
    other = np.zeros(200)
    other[42] = 1
    assert f1({"a": {"probabilities": curve}, "b": {"probabilities": other}})["boundary_f1"].value == 1


def test_a_video_without_probabilities_among_others_is_silent() -> None:
    curve = np.zeros(100)
    curve[20] = 1
    result = kataribe.evaluate("boundaries", {"a": {"probabilities": curve}}, TRUTH, ["boundary_f1", "frame_ap"])
    assert result.coverage.missing == 1
    assert 0 < result["frame_ap"].value < 1


def test_the_usual_set_leaves_out_what_the_truth_cannot_serve_and_says_so() -> None:
    truth = {id: {"duration": entry["duration"], "annotators": entry["annotators"][:1]} for id, entry in TRUTH.items()}
    result = kataribe.evaluate("boundaries", PREDICTED, truth)
    assert list(result.metrics) == ["boundary_f1", "boundary_f1(confident)", "boundary_kappa", "boundary_ap"]
    assert [warning.split()[0] for warning in result.warnings] == ["chance_f1", "frame_ap", "informedness"]
    assert np.isnan(result["boundary_f1"].parts["human"])
    assert "human" in result.table()
    assert "nan" not in result.table()
    again = Result.from_json(result.to_json())
    assert np.isnan(again["boundary_f1"].parts["human"])


def test_the_seed_moves_the_floor_and_nothing_else() -> None:
    first, again, other = (f1(PREDICTED, seed=seed)["boundary_f1"] for seed in (1, 1, 2))
    assert first.parts == again.parts
    assert first.parts["random"] != other.parts["random"]
    assert first.parts["uniform"] == other.parts["uniform"]
    assert "|floorseed:2|" in other.signature


def test_the_paper_is_strict_at_the_edge_and_draws_random_a_hundred_times() -> None:
    metrics = ["boundary_f1", "informedness", "pk", "boundary_deviation"]
    edge = {"a": [2.5, 5.5], "b": [3.0]}
    truth = {id: video | {"annotators": video["annotators"][:1] * 2} for id, video in TRUTH.items()}
    official, paper = (
        kataribe.evaluate("boundaries", edge, truth, metrics, protocol=name) for name in ("official", "paper")
    )
    assert (official["boundary_f1"].value, paper["boundary_f1"].value) == (1, 0)
    assert "|match:optimal|avg:micro|edge:open|trials:100|" in paper["boundary_f1"].signature
    for metric in metrics:
        assert "|trials:20|" in official[metric].signature
        assert "|trials:100|" in paper[metric].signature
    chance = kataribe.evaluate("boundaries", edge, truth, ["chance_f1"], protocol="paper")["chance_f1"]
    assert "|match:optimal|edge:open|" in chance.signature


@pytest.mark.parametrize("metric", ["boundary_deviation", "pk", "window_diff"])
def test_errors_are_zero_for_a_perfect_prediction_and_grow(metric: str) -> None:
    truth = {"a": {"duration": 10.0, "fps": 10.0, "annotators": [[2.0, 5.0]]}}
    values = [
        kataribe.evaluate("boundaries", {"a": times}, truth, [metric])[metric].value
        for times in ([2.0, 5.0], [2.5, 5.5], [3.5, 9.0])
    ]
    assert values[0] == 0
    assert values == sorted(values)


def test_pk_and_window_diff_by_hand() -> None:
    """Eight frames, a boundary before frame 4 against none: k = 2, so that two probes of six are wrong."""
    truth = {"a": {"duration": 8.0, "fps": 1.0, "annotators": [[4.0]]}}
    for metric in ("pk", "window_diff"):
        assert kataribe.evaluate("boundaries", {"a": []}, truth, [metric])[metric].value == pytest.approx(2 / 6)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "pred.json").write_text(json.dumps(PREDICTED))
    (tmp_path / "truth.json").write_text(json.dumps(TRUTH))
    return str(tmp_path / "pred.json"), str(tmp_path / "truth.json")


def test_the_command_prints_people_and_floors_beside_every_score(files, capsys, tmp_path: Path) -> None:
    predicted, truth = files
    target = tmp_path / "result.json"
    with pytest.raises(SystemExit) as left:
        main(
            ["score", "boundaries", predicted, "-r", truth, "-f", "json", "--bootstrap", "20", "-o", str(target), "-q"]
        )
    answer = json.loads(capsys.readouterr().out)
    assert not left.value.code
    for name in ("boundary_f1", "boundary_f1(confident)", "boundary_ap", "frame_ap", "informedness"):
        assert {"human", "uniform", "random"} <= set(answer["metrics"][name]["parts"])
    assert answer["metrics"]["chance_f1"]["parts"].keys() == {"system", "null", "human", "human_null"}
    assert Result.from_json(target.read_text())["boundary_f1"].items["a"].value == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--unit", "minutes"], "no unit is called 'minutes'"),
        (["--missing", "ignore"], "no policy is called 'ignore'"),
        (["-m", "rouge_l"], "rouge_l does not score boundaries but captions"),
        (["-m", "boundary_f2"], "did you mean 'boundary_f1'?"),
    ],
)
def test_bad_calls_cost_one_line(files, capsys, arguments: list[str], says: str) -> None:
    predicted, truth = files
    with pytest.raises(SystemExit) as left:
        main(["score", "boundaries", predicted, "-r", truth, *arguments])
    out, err = capsys.readouterr()
    assert (left.value.code, out, err.count("\n")) == (2, "", 1)
    assert says in err


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("p.json", "", "is empty"),
        ("p.jsonl", "", "holds no predictions"),
        ("p.csv", "", "holds no predictions"),
        ("p.csv", "id,time\n", "holds no predictions"),
        ("p.csv", "video,start\na,1\n", "has no column for a time"),
        ("p.json", '{"nobody": [1.0]}', "no prediction has the id of a reference"),
        ("p.json", '{"a": [NaN]}', "id 'a': boundaries: holds nan"),
        ("p.csv", "id,time\na,nan\n", "id 'a': line 2: time: holds nan"),
        ("p.json", '{"a": [[1, 2, 3]]}', "not [time, score]"),
        ("p.json", '{"a": "1.0 2.0"}', "is not a list"),
        ("p.json", '[1.0, 2.0]', "is not an object with an id"),
        ("p.json", '{"a": [1.0', "is not JSON"),
        ("p.npz", "PK", "is not an npz file"),
        ("p.pkl", "x", "pickle"),
    ],
)  # fmt: skip
def test_a_bad_file_costs_one_line_and_no_score(
    files, tmp_path: Path, capsys, name: str, content: str, says: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(SystemExit) as left:
        main(["score", "boundaries", str(tmp_path / name), "-r", files[1]])
    out, err = capsys.readouterr()
    assert (left.value.code, out, err.count("\n")) == (2, "", 1), err
    assert says in err


def test_a_thousand_boundaries_in_any_order_and_ids_of_any_alphabet_are_scored(tmp_path: Path) -> None:
    truth = {id: TRUTH["a"] | {"duration": 10.0} for id in ("動画 1", "été|a\n", "🎬")}
    many = [float(time) for time in np.linspace(10, 0, 1000)]
    (tmp_path / "p.json").write_text(json.dumps(dict.fromkeys(truth, many), ensure_ascii=False), encoding="utf-8")
    metrics = ["boundary_f1", "boundary_ap", "frame_ap", "informedness", "pk", "chance_f1"]
    result = kataribe.evaluate("boundaries", tmp_path / "p.json", truth, metrics, details=True)
    assert result.coverage.scored == 3
    assert result["boundary_f1"].parts["recall"] == 1
    assert set(result["boundary_f1"].items) == set(truth)
    assert Result.from_json(result.to_json())["boundary_f1"].value == result["boundary_f1"].value
    assert f1(dict.fromkeys(truth, many[::-1]), truth)["boundary_f1"].value == result["boundary_f1"].value
