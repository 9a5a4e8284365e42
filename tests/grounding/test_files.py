"""Every form in which queries and predictions come, and what is wrong with those that cannot be read."""

from __future__ import annotations

import gzip
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.cli.main import main
from kataribe.core.errors import KataribeError
from kataribe.core.types import Segment
from kataribe.grounding.files import read_lengths, read_queries
from kataribe.grounding.predictions import read_predictions
from kataribe.grounding.several_people import read_references


def write(path: Path, content: Any) -> Path:
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def test_activitynet_captions(tmp_path: Path) -> None:
    entry = {"duration": 55.15, "timestamps": [[0.28, 55.15], [13.79, 54.32]], "sentences": [" A man. ", "He lifts."]}
    queries = read_queries(write(tmp_path / "val.json", {"v_x": entry}))
    assert list(queries) == ["v_x_0", "v_x_1"]
    assert queries["v_x_0"].query.text == "A man."
    assert (queries["v_x_1"].query.duration, queries["v_x_1"].people) == (55.15, ((Segment(13.79, 54.32),),))


def test_tacos_counts_frames(tmp_path: Path) -> None:
    entry = {"timestamps": [[50, 100]], "sentences": ["She cuts."], "fps": 25, "num_frames": 1000}
    queries = read_queries(write(tmp_path / "tacos.json", {"s13.avi": entry}))
    assert (queries["s13.avi_0"].query.duration, queries["s13.avi_0"].people) == (40.0, ((Segment(2.0, 4.0),),))


def test_charades_takes_lengths_from_a_table(tmp_path: Path) -> None:
    path = write(tmp_path / "test.txt.gz", "3MSZA 24.3 30.4##person turn a light on.\n3MSZA 0.0 5.0##he sits.\n")
    lengths = read_lengths(write(tmp_path / "lengths.csv", "id,subject,length\n3MSZA,X,31.0\n"))
    references = read_references(path, lengths)
    assert list(references.queries) == ["3MSZA_0", "3MSZA_1"]
    assert references.extents["3MSZA_1"] == Segment(0.0, 31.0)
    assert not references.warnings


def test_movie101_clips_have_windows_and_shots_are_to_be_retrieved(tmp_path: Path) -> None:
    clip = {"movie_id": "7042", "start_time": 51, "end_time": 57, "content": "他跑。", "window": [20, 220]}
    references = read_references(write(tmp_path / "LTG.json", [clip, clip]), {})
    assert list(references.queries) == ["7042_51-57", "7042_51-57_2"]
    assert references.extents["7042_51-57"] == Segment(20, 220)
    shot = {"video_id": 3, "video": "7042_46_66", "caption": ["他跑。"]}
    (query,) = read_queries(write(tmp_path / "GSR.json", [shot])).values()
    assert (query.query.id, query.query.video, query.shots) == ("3", "7042", ("7042_46_66",))
    assert query.people == ((Segment(46, 66),),)


def test_people_in_percent_are_joined_by_video_and_sentence(tmp_path: Path) -> None:
    one = {"v_a0": {"duration": 50, "timestamps": [[5, 10]], "sentences": ["They run. "]}}
    rows = "HITId,video_id,description,start,end\nH1,a0, they run.,10,20\nHITId,video_id,description,start,end\n"
    more = write(tmp_path / "more.csv", rows + "H1,a0, they run.,40,100\n")
    references = read_references([write(tmp_path / "val.json", one), more], {})
    assert references.queries["v_a0_0"].people == ((Segment(5, 10),), (Segment(5, 10),), (Segment(20, 50),))
    alone = read_references(more, {})
    assert alone.extents["H1"] == Segment(0, 100)
    assert [warning.id for warning in alone.warnings] == ["in-percent"]
    assert read_references(more, {"a0.mp4": 50.0}).queries["H1"].people[1] == (Segment(20, 50),)


def test_tables_and_objects_say_the_same(tmp_path: Path) -> None:
    rows = [f"1,v,He runs.,60,{row}" for row in ("A,1,2", "A,5,6", "B,1,3")]
    table = "\n".join(["id,video,query,duration,person,start,end", *rows, ""])
    entry = {"id": 1, "video": "v", "query": "He runs.", "duration": 60, "people": [[[1, 2], [5, 6]], [[1, 3]]]}
    expected = read_queries([entry])
    assert read_queries(write(tmp_path / "refs.csv", table)) == expected
    assert read_queries(write(tmp_path / "refs.jsonl", json.dumps(entry) + "\n")) == expected
    assert read_queries({"1": {key: value for key, value in entry.items() if key != "id"}}) == expected


def test_predictions_in_every_form_say_the_same(tmp_path: Path) -> None:
    expected = read_predictions({"1": [[1, 2, 0.5], [3, 4, 0.25]]})
    spans, scores = [[1, 2], [3, 4]], [0.5, 0.25]
    assert read_predictions({"1": {"predicted_times": spans, "scores": scores}}) == expected
    assert read_predictions([{"qid": 1, "pred_relevant_windows": [[1, 2, 0.5], [3, 4, 0.25]]}]) == expected
    listed = [{"start": 1, "end": 2, "score": 0.5}, {"start": 3, "end": 4, "score": 0.25}]
    assert read_predictions([{"id": "1", "moments": listed}]) == expected
    table = write(tmp_path / "pred.tsv", "id\tstart\tend\tscore\n1\t1\t2\t0.5\n1\t3\t4\t0.25\n")
    assert read_predictions(table) == expected
    assert read_predictions({"1": [1, 2]})["1"].moments[0].segment == Segment(1, 2)


def test_predictions_without_ids_are_found_by_video_and_sentence() -> None:
    references = {"v_a": {"duration": 50, "timestamps": [[5, 10], [7, 9]], "sentences": ["They run.", "He sits."]}}
    predictions = [{"vid": "a.mp4", "query": " he SITS.", "windows": [[7, 9]]}]
    result = kataribe.evaluate("grounding", predictions, references, ["moment_iou"])
    assert result["moment_iou"].items["v_a_1"].value == 1
    assert result.coverage.missing == 1


GOOD = {"id": "q", "video": "v", "query": "He runs.", "duration": 60, "windows": [[10, 20]]}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({**GOOD, "query": "  "}, "id 'q': query: is empty: there is nothing to look for"),
        ({**GOOD, "windows": [[20, 10]]}, "id 'q': windows: 20 to 10 is reversed"),
        ({**GOOD, "windows": [[10, 10]]}, "id 'q': windows: 10 to 10 has no length"),
        ({**GOOD, "windows": [[10, float("nan")]]}, "id 'q': windows: is nan, not a time"),
        ({**GOOD, "windows": [[70, 80]]}, "id 'q': windows: 70 to 80 s lies outside its video, 0 to 60"),
        ({**GOOD, "windows": []}, "id 'q': windows: has no span"),
        ({**GOOD, "windows": [[1, 2, 3]]}, "not [start, end]"),
        ({**GOOD, "duration": 0}, "id 'q': duration: is 0"),
        ({key: value for key, value in GOOD.items() if key != "video"}, "has no video"),
        ({key: value for key, value in GOOD.items() if key != "windows"}, "id 'q': windows: is missing"),
        ({**GOOD, "saliency_scores": [[1, 2]], "relevant_clip_ids": [99]}, "99 is none of the 30 clips"),
    ],
)
def test_references_that_cannot_be_read_are_refused_in_one_line(
    entry: Any, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refs = write(tmp_path / "refs.jsonl", json.dumps(entry))
    refuse(write(tmp_path / "pred.json", {"q": [[10, 20]]}), refs, said, capsys)


@pytest.mark.parametrize(
    ("prediction", "said"),
    [
        ({"q": [[20, 10]]}, "id 'q': windows: 20 to 10 is reversed"),
        ({"q": [[float("nan"), 10]]}, "id 'q': windows: is nan, not a time"),
        ({"q": [[10, 20, float("inf")]]}, "id 'q': windows, score: is inf"),
        ({"q": [[600, 700]]}, "id 'q': windows: 600 to 700 s lies outside its video (0 to 60 s)"),
        ({"q": [["a", "b"]]}, "id 'q': windows: is 'a', not a number"),
        ({"q": {"windows": [[1, 2]], "scores": [1, 2]}}, "has 2 scores for 1 moments"),
        ({"q": {"anchor": [1, 2]}}, "id 'q': windows: is missing"),
        ({"q": "Sorry."}, "holds 1 answers, and none names a moment"),
        ({"x": [[1, 2]]}, "no prediction has the id of a reference"),
        ([{"id": "q", "windows": [[1, 2]]}] * 2, "id 'q': is there twice"),
        ({"q": {"shots": ["a", "a"]}}, "has 'a' twice"),
        ({"q": {"windows": [[1, 2]], "curve": {"times": [1], "scores": []}}}, "has 0 scores for 1 times"),
        ({}, "holds no prediction"),
    ],
)
def test_predictions_that_cannot_be_read_are_refused_in_one_line(
    prediction: Any, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refuse(write(tmp_path / "pred.json", prediction), write(tmp_path / "refs.jsonl", json.dumps(GOOD)), said, capsys)


def test_duplicate_references_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refs = write(tmp_path / "refs.jsonl", "\n".join([json.dumps(GOOD)] * 2))
    refuse(write(tmp_path / "pred.json", {"q": [[10, 20]]}), refs, "id 'q': is there twice", capsys)


def refuse(pred: Path, refs: Path, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["score", "grounding", str(pred), "-r", str(refs), "-q"])
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_true_span_that_ends_behind_its_video_is_cut_and_told() -> None:
    references = read_references([{**GOOD, "windows": [[50, 70]]}], {})
    assert references.queries["q"].people == ((Segment(50, 60),),)
    assert [warning.id for warning in references.warnings] == ["truth-cut"]


def test_two_files_that_disagree_about_a_length_are_refused(tmp_path: Path) -> None:
    files = [
        write(tmp_path / "a.jsonl", json.dumps(GOOD)),
        write(tmp_path / "b.jsonl", json.dumps({**GOOD, "duration": 90})),
    ]
    with pytest.raises(KataribeError, match="is 90, in an earlier file 60"):
        read_references(files, {})


def test_where_the_length_is_not_known_a_film_may_go_on() -> None:
    """A clip of Movie101 has no length of its film, and a window is only a part of it: search may find other parts."""
    clip = {"movie_id": "7042", "start_time": 51, "end_time": 57, "content": "He runs."}
    for entry in (clip, {**clip, "window": [20, 220]}):
        result = kataribe.evaluate("grounding", {"7042_51-57": [[900, 905], [51, 57]]}, [entry], ["moment_recall(5)"])
        assert result["moment_recall(5)"].parts["@0.7"] == 1
        assert "over-the-ends" not in {warning.id for warning in result.warnings}
    # Nor is a span cut at an end that is only guessed.
    cut = kataribe.evaluate("grounding", {"7042_51-57": [[51, 90]]}, [clip], ["moment_recall(1)"], protocol="ianet")
    assert cut["moment_recall(1)"].parts["@0.3"] == 0


NAMES = ("id", "qid", "video", "film", "query", "duration", "windows", "people", "window", "shots", "start", "end")
MORE = ("saliency_scores", "relevant_clip_ids", "answer", "scores", "anchor", "curve", "timestamps", "sentences", "fps")
plain = st.none() | st.booleans() | st.integers(-3, 99) | st.floats() | st.text(max_size=6)
anything = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES + MORE), inner, max_size=6),
    max_leaves=24,
)


@settings(max_examples=300)
@given(anything)
def test_whatever_a_file_holds_is_read_or_refused(data: Any) -> None:
    for read in (read_queries, read_predictions, lambda given: read_references(given, {})):
        with suppress(KataribeError):
            read(data)
