from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kataribe
from kataribe.core.comparable import IncomparableError
from kataribe.core.comparison import compare
from kataribe.core.errors import UsageError
from kataribe.core.result import MetricResult, Result

METRICS = ["rouge_l(tok=none)", "bleu(2, tok=none)"]
WORDS = ["a", "dog", "runs", "fast", "in", "the", "rain", "near", "the", "old", "sea", "wall"]


def scored(kept: int, items: int = 40, metrics: list[str] = METRICS, **options) -> Result:
    """A system that says the first `kept` words of each reference, and one item's words backwards."""
    references = {str(n): [" ".join(WORDS[n % 5 : n % 5 + 7])] for n in range(items)}
    predictions = {id: " ".join(texts[0].split()[: kept - int(id) % 2]) for id, texts in references.items()}
    return kataribe.evaluate("captions", predictions, references, metrics, **options)


def changed_signature(result: Result, old: str, new: str) -> Result:
    metrics = {
        name: replace(metric, signature=metric.signature.replace(old, new)) for name, metric in result.metrics.items()
    }
    return replace(result, metrics=metrics)


def test_a_better_system_is_found_better_on_every_metric() -> None:
    comparison = compare({"long": scored(7), "short": scored(4)}, replicates=500)
    assert [test.metric for test in comparison.tests] == METRICS
    for test in comparison.tests:
        assert test.difference > 0
        assert test.interval[0] > 0
        assert test.permutation <= test.corrected < 0.05
        assert test.outcomes == (40, 0, 0)
        assert comparison.is_significant(test)
        assert comparison.beaten_by("long", test.metric) == ["short"]


def test_scores_survive_the_round_trip_through_a_file() -> None:
    results = {"long": scored(7), "short": scored(4)}
    files = {name: Result.from_json(result.to_json()) for name, result in results.items()}
    assert compare(files, replicates=200) == compare(results, replicates=200)


def test_equal_systems_are_never_significant() -> None:
    comparison = compare({"one": scored(5), "other": scored(5)}, replicates=100)
    assert all(test.corrected == 1.0 and test.outcomes.ties == 40 for test in comparison.tests)


def test_without_baseline_all_pairs_are_tested_with_it_only_those() -> None:
    results = {"a": scored(7), "b": scored(5), "c": scored(3)}
    assert len(compare(results, METRICS[:1], replicates=50).tests) == 3
    pairs = [(test.one, test.other) for test in compare(results, METRICS[:1], baseline="b", replicates=50).tests]
    assert pairs == [("a", "b"), ("c", "b")]


def test_items_are_paired_by_id_whatever_their_order() -> None:
    result = scored(7)
    backwards = {name: reversed_rows(metric) for name, metric in result.metrics.items()}
    comparison = compare({"one": result, "other": replace(result, metrics=backwards)}, replicates=50)
    assert all(test.outcomes.ties == 40 for test in comparison.tests)


def reversed_rows(metric: MetricResult) -> MetricResult:
    return replace(
        metric, ids=metric.ids[::-1], item_values=metric.item_values[::-1], statistics=metric.statistics[::-1]
    )


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (scored(4, items=39), "hash: '.*' in one, '.*' in other"),
        (changed_signature(scored(4), "kataribe:", "kataribe:9."), f"in one, '9.{kataribe.__version__}' in other"),
        (changed_signature(scored(4), "|missing:error", ""), "missing: 'error' in one, absent in other"),
    ],
)
def test_incomparable_results_are_refused_by_the_field_that_differs(other: Result, says: str) -> None:
    with pytest.raises(IncomparableError, match=says):
        compare({"one": scored(4), "other": other})
    forced = compare({"one": scored(4), "other": other}, replicates=20, force=True)
    assert forced.forced
    assert forced.to_dict()["forced"] == list(forced.forced)
    assert {warning.id for warning in forced.forced} == {"incomparable"}


def test_another_protocol_is_named_by_the_option_it_changes() -> None:
    results = {name: scored(4, metrics=["bleu(tok=none)"], protocol=name) for name in ("official", "paper")}
    with pytest.raises(IncomparableError, match="smooth: 'tool' in official, 'none' in paper"):
        compare(results)
    forced = compare(results, force=True, replicates=50)
    assert forced.scores["bleu(tok=none)"] == {name: result["bleu(tok=none)"].value for name, result in results.items()}


def test_another_option_is_named_too() -> None:
    results = {option: scored(4, metrics=[f"bleu(tok=none, smooth={option})"]) for option in ("tool", "none")}
    with pytest.raises(IncomparableError, match="smooth: 'tool' in tool, 'none' in none"):
        compare(results)


def test_other_items_under_the_same_signature_are_noticed() -> None:
    result = scored(4)
    renamed = {name: replace(metric, ids=(*metric.ids[:-1], "stranger")) for name, metric in result.metrics.items()}
    with pytest.raises(IncomparableError, match="not about the same items: '39', 'stranger'"):
        compare({"one": result, "other": replace(result, metrics=renamed)})
    forced = compare({"one": result, "other": replace(result, metrics=renamed)}, force=True, replicates=20)
    assert forced.items == 39


def test_items_that_one_system_left_out_are_noticed() -> None:
    results = {}
    for name, gap in (("one", "3"), ("other", "5")):
        references = {str(n): [" ".join(WORDS[n : n + 4])] for n in range(7)}
        told = {
            video: {"duration": 9, "timestamps": [[0, 9]], "sentences": texts} for video, texts in references.items()
        }
        predicted = {video: story for video, story in told.items() if video != gap}
        results[name] = kataribe.evaluate("stories", predicted, told, ["soda(d)"], missing="drop")
    with pytest.raises(IncomparableError, match="'3', '5' scored only in one of them"):
        compare(results)
    assert compare(results, force=True).items == 5


def test_how_intervals_were_drawn_does_not_matter() -> None:
    results = {"one": scored(7, bootstrap=10, seed=1), "other": scored(4, bootstrap=20, seed=2)}
    assert not compare(results, replicates=20).forced


def test_metrics_that_only_some_results_have_are_left_out_and_said() -> None:
    comparison = compare({"one": scored(7), "other": scored(4, metrics=METRICS[:1])}, replicates=20)
    assert list(comparison.scores) == METRICS[:1]
    assert comparison.warnings == ("not in every result, left out: bleu(2, tok=none)",)
    assert comparison.warnings[0].id == "partial-metrics"


def test_items_in_another_order_are_the_same_items() -> None:
    references = {str(n): [" ".join(WORDS[n % 5 : n % 5 + 7])] for n in range(12)}
    predictions = {id: " ".join(texts[0].split()[: 2 + int(id) % 4]) for id, texts in references.items()}
    backwards = dict(reversed(references.items()))
    results = {
        "one": kataribe.evaluate("captions", predictions, references, METRICS),
        "other": kataribe.evaluate("captions", predictions, backwards, METRICS),
    }
    # What the order does to the fingerprint is the tasks' business.
    hash = results["one"][METRICS[0]].signature.partition("|hash:")[2][:8]
    other_hash = results["other"][METRICS[0]].signature.partition("|hash:")[2][:8]
    results["other"] = changed_signature(results["other"], other_hash, hash)
    assert all(test.outcomes.ties == 12 and test.difference == 0 for test in compare(results, replicates=20).tests)


def with_missing(count: int, policy: str = "zero") -> Result:
    """The signature as it counts what is missing."""
    result = scored(4)
    coverage = replace(result.coverage, missing=count)
    return replace(changed_signature(result, "missing:error", f"missing:{policy}({count})"), coverage=coverage)


def test_missing_predictions_under_the_same_policy_are_compared_and_said() -> None:
    whole = changed_signature(scored(7), "missing:error", "missing:zero")
    comparison = compare({"whole": whole, "gappy": with_missing(6)}, replicates=20)
    (warning,) = comparison.warnings
    assert warning.id == "missing"
    assert warning == "gappy: 6 of 40 references have no prediction (policy: zero)"
    assert not comparison.forced


def test_missing_predictions_under_another_policy_are_refused() -> None:
    whole = changed_signature(scored(7), "missing:error", "missing:zero")
    with pytest.raises(IncomparableError, match="missing: 'zero' in whole, 'drop\\(6\\)' in gappy"):
        compare({"whole": whole, "gappy": with_missing(6, "drop")})


@pytest.mark.parametrize(("items", "smallest"), [(1, 1.0), (3, 0.25)])
def test_one_or_three_items_prove_nothing_and_say_so(items: int, smallest: float) -> None:
    comparison = compare({"long": scored(7, items), "short": scored(3, items)}, METRICS[:1])
    (test,) = comparison.tests
    assert test.permutation >= smallest
    assert np.isnan([*test.interval, test.bootstrap]).all()
    (warning,) = comparison.warnings
    assert warning.id == "few-items"
    assert f"p cannot be below {smallest:.3g}" in warning
    told = comparison.to_dict()["tests"][0]
    assert (told["interval"], told["bootstrap"]) == (None, None)


def test_metric_that_needs_more_items_says_so() -> None:
    four_grams = ["rouge_l(tok=none)", "bleu(tok=none)"]
    comparison = compare({"long": scored(7, 40, four_grams), "short": scored(6, 40, four_grams)}, replicates=50)
    (warning,) = comparison.warnings
    assert warning.id == "few-items"
    assert warning.endswith("bleu(tok=none) (from 100)")


@pytest.mark.data
def test_real_captioners_on_a_whole_test_set_raise_no_alarm(data_folder: Path) -> None:
    told = json.loads((data_folder / "activitynet-captions" / "val_1.json").read_text())
    outputs = {
        "one": json.loads((data_folder / "activitynet-captions" / "model_output_val_1.json").read_text())["results"],
        "other": json.loads(gzip.decompress((data_folder / "bmt" / "bmt_gtprop_val_1.json.gz").read_bytes()))[
            "results"
        ],
    }
    shared = [video for video in told if all(video in output for output in outputs.values())]
    results = {
        name: kataribe.evaluate(
            "stories",
            {video: output[video] for video in shared},
            {video: told[video] for video in shared},
            ["paragraph(rouge_l)", "paragraph(bleu)"],
            bootstrap=50,
        )
        for name, output in outputs.items()
    }
    assert not any(warning.id == "few-items" for result in results.values() for warning in result.warnings)
    # Both were told the segments, which is true and must be said.
    said = [(warning.id, warning.partition(":")[0]) for warning in compare(results, replicates=100).warnings]
    assert said == [("given-segments", "one"), ("given-segments", "other")]


def test_effect_never_contradicts_the_difference() -> None:
    """A corpus score may rise where the mean of its items falls."""
    references = {
        str(n): ["a dog runs fast in the rain near the old sea wall" if n == 0 else "a dog"] for n in range(12)
    }
    long = {id: texts[0] if id == "0" else "a cat" for id, texts in references.items()}
    short = {id: "cat" if id == "0" else "a dog" if int(id) < 7 else "a cat" for id in references}
    results = {
        name: kataribe.evaluate("captions", predicted, references, ["bleu(1, tok=none)"])
        for name, predicted in (("long", long), ("short", short))
    }
    (test,) = compare(results, replicates=100).tests
    mean = float(
        np.mean([results["long"].metrics[test.metric].item_values - results["short"].metrics[test.metric].item_values])
    )
    assert test.difference > 0 > mean
    assert test.effect > 0


@pytest.mark.parametrize("correction", ["bh", "holm"])
def test_undefined_difference_is_left_out_of_the_correction_and_said(correction: str) -> None:
    undefined, defined = METRICS
    results = {"long": scored(7), "short": scored(4)}
    spoilt = results["short"].metrics[undefined]
    broken = replace(spoilt, statistics=np.full_like(np.asarray(spoilt.statistics, dtype=float), np.nan))
    results["short"] = replace(results["short"], metrics={**results["short"].metrics, undefined: broken})
    comparison = compare(results, replicates=100, correction=correction)
    without, kept = comparison.tests
    assert kept.metric == defined
    assert kept.corrected == kept.permutation
    assert np.isnan(without.corrected)
    assert not comparison.is_significant(without)
    (warning,) = comparison.warnings
    assert warning.id == "undefined-test"
    told = comparison.to_dict()["tests"][0]
    assert [told[name] for name in ("difference", "interval", "permutation", "corrected", "effect")] == [None] * 5


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"baseline": "onne"}, "did you mean 'one'"),
        ({"replicates": 0}, "at least 1"),
        ({"correction": "bonferoni"}, "there are: holm, bh, none"),
        ({"alpha": 5}, "not between 0 and 1"),
        ({"metrics": ["meteor"]}, "this result has no 'meteor'"),
    ],
)
def test_bad_calls_are_refused(options: dict, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        compare({"one": scored(4), "other": scored(5)}, **options)


def test_one_result_is_not_enough() -> None:
    with pytest.raises(UsageError, match="give two or more"):
        compare({"one": scored(4)})


def test_statistics_of_another_shape_are_refused() -> None:
    result = scored(4)
    narrow = {
        name: replace(metric, columns=metric.columns[:-1], statistics=np.asarray(metric.statistics)[:, :-1])
        for name, metric in result.metrics.items()
    }
    with pytest.raises(IncomparableError, match="are not those of the others or of this version"):
        compare({"one": result, "other": replace(result, metrics=narrow)})
