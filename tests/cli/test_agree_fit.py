"""`kataribe agree --fit mnscore` in every format, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.people.test_fitting import write_case


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("table", "weights of mnscore, overall: 480 preferences on 12 items, held out in 10 folds"),
        ("markdown", "| part | published | weight | 95% interval | accuracy alone |"),
        ("latex", r"\par weights of mnscore, overall: 480 preferences"),
        ("csv", "overall,fit,held out,accuracy,0."),
    ],
)
def test_the_fit_is_shown_in_every_format(call, tmp_path: Path, format: str, expected: str) -> None:
    scores, ranks = write_case(tmp_path)
    flags = ("--human", ranks, "--fit", "mnscore", "--bootstrap", "50", "--format", format)
    code, out, err = call("agree", scores, *flags)
    assert (code, err) == (0, "")
    assert expected in out
    assert "fit|mixture:mnscore|human:rankings|" in out


def test_the_json_holds_weights_intervals_and_the_metric_to_use(call, tmp_path: Path) -> None:
    scores, ranks = write_case(tmp_path)
    target = tmp_path / "answer.json"
    code, *_ = call("agree", scores, "--human", ranks, "--fit", "mnscore", "--bootstrap", "50", "-o", str(target), "-q")
    assert code == 0
    fit = json.loads(target.read_text())["fit"]
    found = fit["dimensions"]["overall"]
    assert fit["published"] == {"EMScore": 1.0, "BERTScore": 4.0, "RoleF1": 1.0}
    low, high = found["weights"]["BERTScore"]["interval"]
    assert low <= found["weights"]["BERTScore"]["value"] <= high
    assert found["metric"] == "mnscore(weights=" + "+".join(f"{w['value']:g}" for w in found["weights"].values()) + ")"
    assert set(found["accuracy"]) == {"held_out", "published", "difference", "EMScore", "BERTScore", "RoleF1"}


def test_without_people_or_parts_there_is_one_line(call, tmp_path: Path) -> None:
    scores, ranks = write_case(tmp_path)
    assert call("agree", scores, "--fit", "mnscore")[2] == (
        "kataribe: --fit needs scores and --human RATINGS - score several systems with -m mnscore -o\n"
    )
    code, out, err = call("agree", scores, "--human", ranks, "--fit", "mnscore", "-m", "EMScore")
    assert (code, out) == (2, "")
    assert "no score is called BERTScore" in err
    assert call("agree", scores, "--human", ranks, "--fit", "suisei")[2].startswith(
        "kataribe: --fit: no mixture is called"
    )
