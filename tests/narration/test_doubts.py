"""Times that are not seconds change what is spoken when; real films raise no alarm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.core.result import Result

SAMPLES = Path(__file__).parents[2] / "src" / "kataribe" / "samples"
TOLD, WRITTEN = (
    {str(row): line for row, line in enumerate(json.loads((SAMPLES / f"narration_{name}.json").read_text("utf-8")))}
    for name in ("pred", "refs")
)
DIALOGUE: dict[str, list[dict[str, Any]]] = {
    "harbour": [{"sentence": "Cast off!", "timestamp": [20, 24]}, {"sentence": "Now.", "timestamp": [140, 143]}],
    "winter-train": [{"sentence": "Tickets.", "timestamp": [8, 12]}, {"sentence": "Thanks.", "timestamp": [150, 153]}],
}
TIMED = ("speech_rate", "dialogue_overlap")


def times(lines: dict[str, Any], by: float) -> dict[str, Any]:
    return {id: line | {"start": by * line["start"], "end": by * line["end"]} for id, line in lines.items()}


def heard(by: float) -> dict[str, Any]:
    return {
        film: [line | {"timestamp": [by * time for time in line["timestamp"]]} for line in lines]
        for film, lines in DIALOGUE.items()
    }


def time_warnings(result: Result) -> list[str]:
    return [str(warning) for warning in result.warnings if warning.id == "time-unit"]


def evaluate(told=TOLD, written=WRITTEN, metrics=TIMED, by: float = 1.0) -> list[str]:
    return time_warnings(kataribe.evaluate("narration", told, written, list(metrics), dialogue=heard(by)))


def test_times_in_seconds_raise_no_alarm() -> None:
    assert evaluate() == []


@pytest.mark.parametrize(
    ("by", "said"),
    [
        (1000, "gaps have about 142 seconds for each letter of their reference lines: are their times milliseconds,"),
        (50, "gaps have about 7 seconds for each letter of their reference lines: are their times milliseconds or"),
        (1 / 60, "reference lines would have to be spoken at about 422 letters a second: are their times in seconds?"),
    ],
)
def test_gaps_in_another_unit_make_impossible_speech(by: float, said: str) -> None:
    (warning,) = evaluate(times(TOLD, by), times(WRITTEN, by), by=by)
    assert warning.startswith(said)


def test_dialogue_in_another_unit_than_the_lines() -> None:
    (late,) = evaluate(by=1000)
    assert late.startswith("times of the dialogue reach about 1,")
    (early,) = evaluate(by=1 / 1000)
    assert early.startswith("times of the references reach about ")


def test_predictions_in_another_unit_than_the_references() -> None:
    (warning,) = evaluate(times(TOLD, 1000))
    assert warning == (
        "times of the predictions reach about 1,000 times as far as those of the references: "
        "are they milliseconds, not seconds?"
    )


def test_times_are_judged_only_where_a_metric_looks_at_them() -> None:
    assert evaluate(times(TOLD, 1000), times(WRITTEN, 1000), ["rouge_l"]) == []


def test_two_lines_prove_nothing() -> None:
    def two(lines: dict[str, Any]) -> dict[str, Any]:
        return times({id: lines[id] for id in ("0", "1")}, 1000)

    assert evaluate(two(TOLD), two(WRITTEN)) == []


@pytest.mark.data
@pytest.mark.parametrize("part", ["N", "G"])
def test_no_false_alarm_on_movie101(data_folder: Path, part: str) -> None:
    lines = data_folder / "movie101" / part / "val.json"
    assert time_warnings(kataribe.evaluate("narration", lines, lines, ["speech_rate"])) == []
