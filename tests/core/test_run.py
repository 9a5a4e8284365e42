"""The run on a metric small enough to check by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kataribe
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.options import RunOptions
from kataribe.core.ragged import Rows, pick
from kataribe.core.result import Result
from kataribe.core.run import run
from kataribe.core.types import Array, Coverage, Floats
from kataribe.engines.local import LocalEngine


@dataclass(frozen=True)
class Numbers:
    values: list[float]
    visits: list[int] = field(default_factory=list)

    @property
    def ids(self) -> list[str]:
        return [f"n{place}" for place in range(len(self.values))]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Rows) -> Numbers:
        return Numbers(list(pick(self.values, rows)), self.visits)


@dataclass(frozen=True)
class Greatest:
    value: float

    def __add__(self, other: Greatest) -> Greatest:
        return max(self, other, key=lambda each: each.value)


@dataclass(frozen=True)
class Mean(Metric):
    name: ClassVar[str] = "mean"
    task: ClassVar[str] = "numbers"
    title: ClassVar[str] = "Mean"
    columns: ClassVar[tuple[str, ...]] = ("items", "sum")

    shift: float = option(0.0, "added to every number", positional=True)

    def scan_references(self, items: Numbers) -> Greatest:
        return Greatest(max(items.values, default=0.0))

    def conclude(self, references: Greatest | None, predictions: None) -> float:
        return references.value if references else 0.0

    def stats(self, items: Numbers, context: float) -> Array:
        items.visits.append(len(items))
        return np.array([[1.0, value + self.shift] for value in items.values]).reshape(-1, 2)

    def measure(self, totals: Floats) -> Measured:
        with np.errstate(invalid="ignore"):
            return Measured(totals[..., 1] / totals[..., 0], {"items": totals[..., 0]})

    def signature(self, facts: float) -> dict[str, str]:
        return {"shift": str(self.shift), "max": str(facts)}

    def details(self, items: Numbers, context: float) -> list[Any]:
        return [{"value": value} for value in items.values]


def score(values: list[float], **options: Any) -> Result:
    metrics = {"mean": Mean(), "mean(1.0)": Mean(1.0)}
    coverage = Coverage(references=len(values), predicted=len(values), scored=len(values))
    return run(
        "numbers", metrics, Numbers(values), coverage=coverage, fields={"data": "all"}, options=RunOptions(**options)
    )


def test_a_run_scores_every_metric_on_every_item() -> None:
    result = score([1.0, 2.0, 6.0])
    assert result.metrics["mean"].value == 3.0
    assert result.metrics["mean(1.0)"].value == 4.0
    assert result.metrics["mean"].items["n2"].value == 6.0
    assert result.metrics["mean"].parts == {"items": 3.0}


def test_the_signature_names_the_metrics_choices_the_data_and_the_version() -> None:
    signature = score([1.0, 5.0], bootstrap=10, seed=7).metrics["mean(1.0)"].signature
    choices = "shift:1.0|max:5.0|data:all|bootstrap:10|interval:studentised|seed:7"
    assert signature == f"mean|{choices}|kataribe:{kataribe.__version__}"


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=2000), st.integers(1, 3))
def test_shards_and_threads_do_not_change_the_score(values: list[float], threads: int) -> None:
    sharded = score(values, engine=LocalEngine(threads)).metrics["mean"]
    assert sharded.value == pytest.approx(np.mean(values), abs=1e-6)
    assert sharded.item_values.tolist() == values


def test_bootstrap_never_scores_an_item_twice() -> None:
    items = Numbers([1.0, 2.0, 3.0])
    run("numbers", {"mean": Mean()}, items, coverage=Coverage(3, 3, 3), fields={}, options=RunOptions(bootstrap=500))
    assert items.visits == [3]


def test_the_interval_holds_the_score_and_depends_on_the_seed_alone() -> None:
    values = np.random.default_rng(3).normal(10, 2, 400).tolist()
    first, again, other = (score(values, bootstrap=300, seed=seed).metrics["mean"] for seed in (1, 1, 2))
    assert first.interval == again.interval != other.interval
    assert first.interval is not None
    low, high = first.interval
    assert low < first.value < high
    assert high - low == pytest.approx(2 * 1.96 * 2 / 20, rel=0.2)


def test_interval_stays_within_the_bounds_of_its_metric() -> None:
    """Captions of which most are right: a fraction cannot be more than 1, CIDEr can."""
    references = {str(n): [f"a dog runs fast in the rain {n}"] for n in range(12)}
    predictions = {id: "a dog" if id == "0" else texts[0] for id, texts in references.items()}
    result = kataribe.evaluate("captions", predictions, references, ["rouge_l", "cider"], bootstrap=200)
    for metric, (low, high) in (("rouge_l", (0, 1)), ("cider", (0, np.inf))):
        interval = result[metric].interval
        assert interval is not None
        assert low <= interval[0] < result[metric].value < interval[1] <= high
    assert result["cider"].value > 1


def test_too_few_items_have_no_interval_and_say_so() -> None:
    result = score([1.0, 2.0, 6.0, 4.0], bootstrap=50)
    assert result.metrics["mean"].interval is None
    (warning,) = result.warnings
    assert (warning.id, str(warning)) == ("few-items", "4 items: too few for a 95% interval, which takes 5")


def test_few_items_have_an_interval_with_a_warning() -> None:
    result = score([1.0, 2.0, 6.0, 4.0, 3.0], bootstrap=50)
    assert result.metrics["mean"].interval is not None
    assert [warning.id for warning in result.warnings] == ["few-items"]
    assert "mean (from 10), mean(1.0) (from 10)" in result.warnings[0]


def test_nothing_is_said_of_few_items_where_no_interval_is_asked_for_or_items_are_enough() -> None:
    assert not score([1.0, 2.0]).warnings
    assert not score([float(n) for n in range(10)], bootstrap=50).warnings


def test_no_items_is_no_crash() -> None:
    assert np.isnan(score([], bootstrap=5).metrics["mean"].value)


def test_a_negative_bootstrap_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="cannot be negative"):
        score([1.0], bootstrap=-1)


def test_progress_is_reported_up_to_the_last_item() -> None:
    heard: list[tuple[str, int, int]] = []
    score([1.0] * 1000, progress=lambda *event: heard.append(event))
    assert ("mean", 1000, 1000) in heard


def test_a_result_survives_its_json_with_details() -> None:
    result = score([1.0, 2.0, 6.0], bootstrap=20, details=True)
    again = Result.from_json(result.to_json())
    assert again.to_json() == result.to_json()
    assert again.metrics["mean"].details == [{"value": 1.0}, {"value": 2.0}, {"value": 6.0}]
    np.testing.assert_array_equal(again.metrics["mean"].statistics, result.metrics["mean"].statistics)
