"""Mistakes that people make with story files: each is said beside the score, and nothing is said of clean files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.core.types import Caption, Segment, Story
from kataribe.report.comparison import render_comparison

References = dict[str, dict[str, Any]]
LINES = ("a man runs", "a dog jumps", "it rains", "people clap", "the end")


def references() -> References:
    """Four videos of 100 seconds and two captions each."""
    return {
        f"v{k}": {
            "duration": 100.0,
            "timestamps": [[0.0, 40.0 + k], [41.0 + k, 99.0]],
            "sentences": [LINES[k], LINES[k + 1]],
        }
        for k in range(4)
    }


def submission() -> dict[str, list[dict[str, Any]]]:
    """Another one's captions on segments of its own."""
    return {
        f"v{k}": [
            {"sentence": LINES[k], "timestamp": [2.0, 35.0]},
            {"sentence": "somebody walks", "timestamp": [36.0, 95.0]},
        ]
        for k in range(4)
    }


def warned(
    predictions: Any, *told: Any, metrics: tuple[str, ...] = ("localisation",), **options: Any
) -> dict[str, str]:
    result = kataribe.evaluate("stories", predictions, list(told), metrics=list(metrics), **options)
    return {warning.id: str(warning) for warning in result.warnings}


def scaled(factor: float) -> dict[str, list[dict[str, Any]]]:
    return {
        video: [{**caption, "timestamp": [factor * time for time in caption["timestamp"]]} for caption in captions]
        for video, captions in submission().items()
    }


def test_nothing_is_said_of_clean_files():
    assert warned({"results": submission()}, references()) == {}
    assert warned(submission(), references(), metrics=("soda(c)", "activitynet(2018)")) == {}


@pytest.mark.parametrize(("factor", "unit"), [(1000, "milliseconds"), (25, "frames"), (60, "frames")])
def test_predicted_times_in_another_unit(factor, unit):
    said = warned(scaled(factor), references())
    assert f"are they {unit}, not seconds?" in said["time-unit"]


@pytest.mark.parametrize("with_duration", [True, False])
def test_reference_times_in_another_unit(with_duration):
    told = {
        video: {
            "timestamps": [[1000 * start, 1000 * end] for start, end in story["timestamps"]],
            "sentences": story["sentences"],
        }
        | ({"duration": 100_000} if with_duration else {})
        for video, story in references().items()
    }
    said = warned(submission(), told)
    assert "reference times reach about 1,0" in said["time-unit"]
    assert "milliseconds" in said["time-unit"]


def test_predicted_times_in_minutes():
    said = warned(scaled(1 / 60), references())
    assert "is either in minutes, frames or milliseconds?" in said["time-unit"]


@pytest.mark.parametrize(
    ("duration", "part"),
    [
        (100_000.0, "are they milliseconds, not seconds?"),
        (3000.0, "are they frames, not seconds?"),
        (100 / 60, "reach about 59 times as far as its durations"),
    ],
)
def test_durations_in_another_unit(duration, part):
    told = {video: {**story, "duration": duration} for video, story in references().items()}
    said = warned(submission(), told)
    assert part in said["duration-unit"]
    # Times are compared with times then, not with durations.
    assert "time-unit" not in said


def test_fractions_given_as_times():
    said = warned(scaled(1 / 95), references())
    assert "all predicted times are between 0 and 1" in said["fractions-as-times"]
    told = {
        video: {**story, "timestamps": [[start / 100, end / 100] for start, end in story["timestamps"]]}
        for video, story in references().items()
    }
    said = warned(submission(), told)
    assert "all times in the references are between 0 and 1" in said["fractions-as-times"]


def test_captions_early_in_one_long_video_are_no_matter_of_units():
    told = {"v": {"duration": 7200.0, "timestamps": [[0, 2]], "sentences": ["a man runs"]}}
    assert warned({"v": [{"sentence": "a man", "timestamp": [0.5, 0.9]}]}, told) == {}


def test_predictions_and_references_that_changed_places():
    said = warned(references(), {"version": "1", "results": submission()})
    assert "were the files swapped?" in said["swapped-files"]
    # One annotator's file against another's is a usual thing to do.
    other = {video: {**story, "timestamps": [[1, 50], [50, 98]]} for video, story in references().items()}
    assert "swapped-files" not in warned(references(), other)


def test_segments_that_are_an_annotators_own(tmp_path: Path):
    given = {
        video: [{"sentence": "somebody walks", "timestamp": [start + 0.001, end]} for start, end in story["timestamps"]]
        for video, story in references().items()
    }
    path = tmp_path / "first.json"
    path.write_text(json.dumps(references()))
    said = warned(given, path)
    assert "8 of 8 predicted segments are the references' own" in said["given-segments"]
    assert "first.json" in said["given-segments"]
    # That is what this score is for; beside others it has to be said.
    assert "given-segments" not in warned(given, path, metrics=("segments(rouge_l)",))
    assert "given-segments" in warned(given, path, metrics=("segments(rouge_l)", "localisation"))
    half = {video: [captions[0], *submission()[video]] for video, captions in given.items()}
    assert "given-segments" not in warned(half, path)


def test_a_comparison_says_which_system_was_told_the_segments_or_is_the_references():
    def scored(predictions: Any) -> kataribe.Result:
        return kataribe.evaluate("stories", predictions, [references()], metrics=["soda(d)"])

    given = {
        video: [{"sentence": "somebody walks", "timestamp": segment} for segment in story["timestamps"]]
        for video, story in references().items()
    }
    systems = {"finder": scored(submission()), "told": scored(given), "people": scored(references())}
    compared = kataribe.compare(systems, replicates=10)
    said = {warning.id: str(warning) for warning in compared.warnings}
    assert said["given-segments"].startswith("told: 8 of 8 predicted segments are the references' own")
    assert said["references-as-predictions"].startswith("people: 8 of 8 predicted captions are references")
    for format in ("table", "markdown", "latex", "csv", "json"):
        assert "told: 8 of 8 predicted segments are the references" in render_comparison(compared, format)
        assert "people: 8 of 8 predicted captions are references" in render_comparison(compared, format)


@pytest.mark.parametrize("digits", [0, 1])
@pytest.mark.parametrize("cut", [round, lambda time, digits: int(time * 10**digits) / 10**digits])
def test_an_annotators_segments_are_known_when_they_were_rounded_or_cut_off(digits, cut):
    told = {
        f"v{k}": {"timestamps": [[0.27, 40.36 + k], [41.0 + k, 98.68]], "sentences": [LINES[k], LINES[k + 1]]}
        for k in range(4)
    }
    given = {
        video: [
            {"sentence": "somebody walks", "timestamp": [cut(time, digits) for time in segment]}
            for segment in story["timestamps"]
        ]
        for video, story in told.items()
    }
    assert "8 of 8 predicted segments are the references' own" in warned(given, told)["given-segments"]
    # Segments that are told to the hundredth are not the same when they differ by some tenths.
    precise = {video: [{**one, "timestamp": [t + 0.13 for t in one["timestamp"]]} for one in captions]
               for video, captions in given.items()}  # fmt: skip
    assert "given-segments" not in warned(precise, told)


def test_references_given_as_predictions():
    other = {video: {**story, "timestamps": [[1, 50], [50, 98]]} for video, story in references().items()}
    said = warned(references(), references())
    assert "8 of 8 predicted captions are references" in said["references-as-predictions"]
    assert "given-segments" not in said
    assert "references-as-predictions" in warned(references(), other, references())
    assert "references-as-predictions" not in warned(references(), other)


def test_odd_texts_on_either_side():
    predicted = submission()
    predicted["v0"][0]["sentence"], predicted["v1"][0]["sentence"] = "nan", "a man </s>"
    predicted["v2"][0]["sentence"], predicted["v3"][0]["sentence"] = "...", ""
    told = references()
    told["v3"]["sentences"][1] = " "
    said = warned(predicted, told)
    assert set(said) == {"missing-values", "model-marks", "wordless-texts", "empty-captions", "empty-references"}
    assert "1 predicted captions have no text: 'v3'" in said["empty-captions"]


def in_language(text: str) -> list[Story]:
    return [Story(f"v{k}", 10.0, (Caption(Segment(0, 9), text),)) for k in range(3)]


@pytest.mark.parametrize(
    ("text", "tok"),
    [("老李回头看了一眼。", "meteor(zh)"), ("少女がボールを蹴る。", "meteor(ja)"), ("เด็กวิ่ง", "meteor(tok=char)")],
)
def test_text_without_spaces_is_said_with_what_to_use_instead(text, tok):
    told = in_language(text)
    said = warned(told, told, metrics=("soda(c)", "activitynet(2018)", "paragraph(bleu)"))
    assert f"use soda(c, text={tok}) for soda(c), paragraph(bleu(tok=" in said["unspaced-text"]
    assert "activitynet(2018) can read English only" in said["unspaced-text"]
    assert "not-ascii" not in said
    assert warned(told, told, metrics=("soda(c, text=rouge_l(tok=char))", "localisation")) == {}
    # What the warning says is true: the metric it names scores such text.
    if tok == "meteor(tok=char)":
        result = kataribe.evaluate("stories", told, told, metrics=[f"soda(c, text={tok})"])
        assert next(iter(result)).value == pytest.approx(1)


def test_letters_outside_ascii_that_count_as_blanks_are_said():
    told = in_language("Мужчина бежит по улице")
    said = warned(told, told, metrics=("soda(c)", "activitynet(2018)"))
    assert (
        "1 of 1 texts have characters outside ASCII, which count as blanks in soda(c), activitynet(2018)"
        in (said["not-ascii"])
    )
    assert "not-ascii" not in warned(told, told, metrics=("soda(c)",), protocol="paper")
    assert "not-ascii" not in warned(told, told, metrics=("soda(c, chars=all)", "soda(d)"))


@pytest.mark.data
def test_clean_real_data_raises_no_false_alarm(data_folder):
    """What is true of these files is said: two annotators, a captioner that was told the first one's segments."""
    folder = data_folder / "activitynet-captions"
    first, second, model = (folder / f"{name}.json" for name in ("val_1", "val_2", "model_output_val_1"))
    metrics = ("soda(d)", "activitynet(2018)")
    assert set(warned(second, first, metrics=metrics)) == {"missing", "late-segments"}
    assert set(warned(first, second, metrics=metrics)) == {"extra", "late-segments"}
    said = warned(model, first, second, metrics=metrics)
    assert set(said) == {"missing", "late-segments", "given-segments"}
    assert "15,921 of 15,921 predicted segments" in said["given-segments"]
    rounded = {
        video: {**story, "timestamps": [[round(time) for time in segment] for segment in story["timestamps"]]}
        for video, story in json.loads(second.read_text()).items()
    }
    assert "given-segments" not in warned(rounded, first, metrics=("soda(d)",))
    assert "val_1.json" in said["given-segments"]
