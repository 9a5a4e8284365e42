"""Annotators that come in several files are one ground truth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kataribe
from kataribe.boundaries.several_truths import read_truths
from kataribe.cli.main import main
from kataribe.core.errors import InputError, UsageError

ANN = {"a": {"duration": 10.0, "fps": 10.0, "annotators": [[2.0, 5.0]]}, "b": {"duration": 8.0, "annotators": [[4.0]]}}
BEN = {"a": {"duration": 10.01, "annotators": [[2.2], []]}, "c": {"duration": 6.0, "annotators": [[3.0]]}}
PREDICTED = {"a": [2.2], "b": [4.0], "c": [3.0]}


def signature(references) -> str:
    return kataribe.evaluate("boundaries", PREDICTED, references, ["boundary_f1"])["boundary_f1"].signature


def test_the_same_video_has_more_annotators_and_other_videos_are_added() -> None:
    truth, said = read_truths([ANN, BEN])
    assert list(truth) == ["a", "b", "c"]
    assert [annotator.times for annotator in truth["a"].annotators] == [(2.0, 5.0), (2.2,), ()]
    assert (truth["a"].duration, truth["a"].fps, truth["a"].frames) == (10.0, 10.0, 100)
    assert said == []


def test_files_and_dictionaries_and_one_file_of_all_give_the_same(tmp_path: Path) -> None:
    paths = [tmp_path / "ann.json", tmp_path / "ben.json"]
    for path, content in zip(paths, (ANN, BEN), strict=True):
        path.write_text(json.dumps(content))
    whole = {**ANN, **BEN, "a": {**ANN["a"], "annotators": [[2.0, 5.0], [2.2], []]}}
    assert signature(paths) == signature([ANN, BEN]) == signature(whole) != signature([BEN, ANN])
    entries = [{"id": id, **video} for id, video in whole.items()]
    assert signature(entries) == signature(whole), "a list of videos is one ground truth"


def test_the_command_joins_files(tmp_path: Path, capsys) -> None:
    for name, content in (("ann", ANN), ("ben", BEN), ("pred", PREDICTED)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    files = ["-r", str(tmp_path / "ann.json"), "-r", str(tmp_path / "ben.json")]
    for call in (["score", "boundaries", str(tmp_path / "pred.json"), *files, "-m", "boundary_f1", "-f", "json"],):
        with pytest.raises(SystemExit) as left:
            main(call)
        assert not left.value.code
        answer = json.loads(capsys.readouterr().out)
        assert answer["coverage"]["references"] == 3
        assert answer["metrics"]["boundary_f1"]["value"] == 1


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ({"a": {**BEN["a"], "duration": 12.0}}, "duration: ground truth 2 says 12, an earlier file 10"),
        ({"a": {**BEN["a"], "fps": 30.0}}, "fps: ground truth 2 says 30, an earlier file 10"),
        (ANN, "have the same annotators"),
        (dict(reversed(ANN.items())), "have the same annotators"),
        ({"a": {**ANN["a"], "annotators": [[9.0], [5.0, 2.0]]}}, "have the same annotators"),
    ],
)
def test_what_contradicts_or_repeats_another_file_is_refused_in_one_line(other: dict, says: str) -> None:
    with pytest.raises(InputError) as error:
        read_truths([ANN, other])
    assert says in str(error.value)


def test_the_same_file_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ann.json").write_text(json.dumps(ANN))
    with pytest.raises(InputError, match="same annotators"):
        read_truths([tmp_path / "ann.json", tmp_path / "ann.json"])
    with pytest.raises(UsageError, match="no ground truth"):
        read_truths([])


def test_stored_consistency_holds_for_its_own_annotators_only() -> None:
    """With more annotators it must be computed again, which is said; parts of one data set keep theirs."""
    stored, more = ({"a": {**table["a"], "f1_consis": [0.1] * len(table["a"]["annotators"])}} for table in (ANN, BEN))
    result = kataribe.evaluate("boundaries", {"a": [2.2]}, [stored, more], ["boundary_f1"])
    assert [warning.id for warning in result.warnings] == ["consistency-recomputed"]
    assert "|consistency:recomputed|filter:none|" in result["boundary_f1"].signature
    parts = [{"a": {**ANN["a"], "f1_consis": [0.9]}}, {"c": {**BEN["c"], "f1_consis": [0.8]}}]
    assert read_truths(parts)[1] == []
    assert "|consistency:stored|" in signature(parts)
