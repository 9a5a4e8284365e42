"""Texts put into classes: the study, what is exported, what is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

krippendorff = pytest.importorskip("krippendorff", reason="krippendorff is not installed")
pytest.importorskip("starlette", reason="the judging app is not installed")

import numpy as np  # noqa: E402

from kataribe.cli.main import _run  # noqa: E402
from kataribe.core.errors import InputError, UsageError  # noqa: E402
from kataribe.people.agreement import agree  # noqa: E402
from kataribe.people.judge.study import read_study  # noqa: E402
from kataribe.people.judge.templates import write_template  # noqa: E402
from kataribe.people.labels import label_agreement  # noqa: E402
from kataribe.people.ratings import Labelled, Ratings, read_ratings  # noqa: E402
from kataribe.people.result import Text  # noqa: E402
from kataribe.people.scores import Scores  # noqa: E402
from tests.people.house import House  # noqa: E402
from tests.people.judging import letters  # noqa: E402


@pytest.fixture
def house(tmp_path: Path) -> Any:
    served = House(read_study(write_template("movie101-clips", tmp_path / "study")))
    yield served
    served.store.close()


def test_labels_go_from_the_app_to_the_count(house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three raters; the third calls whole what the others would merge."""
    for merge in ("merge", "merge", "whole"):
        rater = house.rater()
        assert rater.state["dimensions"][0]["labels"][0] == ["whole", "完整"]
        for number in range(1, rater.total + 1):
            (text,) = letters(rater.task(number))
            given = "whole" if "帆船" in text else "split" if "墨墨" in text else merge
            assert rater.answer(number, {"coherence": [given]}).status_code == 200
    house.store.close()
    output = tmp_path / "labels.csv"
    assert _run(["judge", "export", str(house.study.path), "-o", str(output)]) == 0
    assert "9 labels by 3 raters" in capsys.readouterr().out
    assert output.read_text().splitlines()[0] == "rater,item,system,dimension,label"
    assert _run(["judge", "agreement", str(output)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["whole", "4", "1", "33.3%", "6.1", "to", "79.2"] in rows
    assert ["rater-03", "3", "3", "0.667"] in rows
    for form in ("json", "csv", "markdown"):
        assert _run(["judge", "agreement", str(output), "--format", form]) == 0
        assert "merge" in capsys.readouterr().out


@pytest.mark.parametrize(
    "given",
    [{"coherence": ["good"]}, {"coherence": "whole"}, {"coherence": ["whole", "split"]}, {"coherence": [1]}, {}],
)
def test_what_is_no_label_is_refused(house: House, given: Any) -> None:
    assert house.rater().answer(1, given).status_code == 422


def test_alpha_and_majorities_are_those_of_a_table() -> None:
    rng = np.random.default_rng(3)
    table = rng.choice(["merge", "split", "whole"], p=[0.2, 0.1, 0.7], size=(5, 30))
    table[3, 10:20] = ""
    rows = [
        Labelled(f"r{rater}", str(item), "", "overall", str(label))
        for (rater, item), label in np.ndenumerate(table)
        if label
    ]
    found = label_agreement(Ratings("labels", tuple(rows)))["overall"]
    numbers = np.where(table == "", np.nan, np.vectorize(lambda label: " mswn".find(label[:1]) if label else 0)(table))
    assert found.alpha == pytest.approx(krippendorff.alpha(reliability_data=numbers, level_of_measurement="nominal"))
    counts = {label: (table == label).sum(axis=0) for label in ("merge", "split", "whole")}
    for share in found.labels:
        ahead = np.all([counts[share.label] > other for label, other in counts.items() if label != share.label], axis=0)
        assert (share.units, share.answers) == (int(ahead.sum()), int(counts[share.label].sum()))
        assert share.interval[0] <= share.share <= share.interval[1]
    assert found.undecided == 30 - sum(share.units for share in found.labels)


def test_a_label_nobody_gave_most_often_has_an_interval_too() -> None:
    rows = [Labelled("ann", str(item), "", "overall", "whole") for item in range(299)]
    rows += [Labelled("ann", "299", "", "overall", "split"), Labelled("bob", "299", "", "overall", "merge")]
    found = {share.label: share for share in label_agreement(Ratings("labels", tuple(rows)))["overall"].labels}
    assert found["split"].share == 0
    assert found["split"].interval == pytest.approx((0.0, 0.0126), abs=1e-4)


def test_no_metric_is_read_against_labels() -> None:
    rows = (Labelled("ann", "1", "x", "overall", "whole"), Labelled("ann", "2", "x", "overall", "split"))
    scores = Scores([Text("1", "x"), Text("2", "x")], {"m": np.array([1.0, 2.0])})
    with pytest.raises(UsageError, match="labels have no order"):
        agree(scores, Ratings("labels", rows))


def test_a_column_called_label_beside_another_answer_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("rater,item,value,label\nann,1,4,hard\n")
    assert read_ratings(path).kind == "ratings"
    path.write_text("rater,item,label\nann,1,whole\nann,2, \n")
    assert read_ratings(path).rows == (Labelled("ann", "1", "", "overall", "whole"),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('kind = "labels"', 'kind = "rating"'), 'dimensions.labels: belong to kind = "labels"'),
        (('name = "split"', 'name = "merge"'), "dimensions.labels: two of 'coherence' have the same name"),
        (("text = {", "txt = {"), "txt: there is no such field - did you mean 'text'?"),
        (('context = "context.csv"', 'context = "clips.csv"'), "is not that of a context - id,before,after"),
        (("[systems]", "[checks]\ncount = 1\n[systems]"), "checks: no label is obviously wrong"),
        (('kind = "labels" ', 'kind = "labels"\nequal = false '), 'equal: belongs to kind = "pairs"'),
    ],
)
def test_mistakes_in_the_study_are_named_in_one_line(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    path = write_template("movie101-clips", tmp_path / "study")
    text = path.read_text()
    assert change[0] in text
    path.write_text(text.replace(*change))
    with pytest.raises(InputError) as caught:
        read_study(path)
    assert message in str(caught.value)


def test_answers_belong_to_the_labels_they_were_chosen_from(tmp_path: Path) -> None:
    path = write_template("movie101-clips", tmp_path / "study")
    before = read_study(path).fingerprint()
    path.write_text(path.read_text().replace('name = "merge"', 'name = "join"'))
    assert read_study(path).fingerprint() != before


def test_equal_is_refused_where_one_text_must_be_chosen(tmp_path: Path) -> None:
    house = House(read_study(write_template("soda", tmp_path / "study")))
    try:
        rater = house.rater()
        assert rater.state["equal"] is False
        assert rater.answer(1, {"overall": "equal"}).status_code == 422
        assert rater.answer(1, {"overall": "a"}).status_code == 200
    finally:
        house.store.close()
