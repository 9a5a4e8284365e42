"""The bench's own arithmetic and bookkeeping; its figures are nobody's to assert."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from bench.data import _made_up
from bench.intervals import simulate
from bench.narration_study import variants
from bench.populations import BOUNDARIES, CAPTIONS, LEFT_OUT, NARRATION, STORIES, Scored, sources
from bench.report import Row, Section, show, write_section
from bench.suisei_choice import COSINE, Figures, Table, choose, drawn_around, figures_of, split_folds
from kataribe.core import registry
from kataribe.core.metric import Measured, Metric
from kataribe.core.types import Cast, Narration, Role
from kataribe.films.names import Names
from tests.captions.suisei.made import rated


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (740123.4, "pairs/s", "740,000 pairs/s"),
        (0.0123, "s", "12.3 ms"),
        (13.661, "s", "13.66 s"),
        (70_600_000, "B", "70.6 MB"),
        (None, "s", ""),
    ],
)
def test_figures_are_shown_with_three_digits(value: float | None, unit: str, shown: str) -> None:
    assert show(value, unit) == shown


def test_ratio_says_how_many_times_better_we_are() -> None:
    assert Row("rate", 600.0, 3.0, "pairs/s").ratio == "200×"
    assert Row("time", 2.0, 5.0, "s", higher_is_better=False).ratio == "2.50×"


def test_absent_original_leaves_its_reason_and_no_ratio() -> None:
    assert Row("rate", 600.0, "Java is not installed", "pairs/s").cells()[2:4] == ["Java is not installed", ""]


def test_table_replaces_only_what_stands_between_its_markers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- bench:captions:begin -->\nold\n<!-- bench:captions:end -->\nafter\n")
    text = Section("Captions", [Row("rate", 600.0, 3.0, "pairs/s")], ["a \\note"]).markdown(["a machine"])
    write_section(page, "captions", text)
    write_section(page, "captions", text)
    content = page.read_text()
    assert content.startswith("before\n<!-- bench:captions:begin -->\n\n### Captions\n")
    assert content.endswith("- a \\note\n\n<!-- bench:captions:end -->\nafter\n")
    assert content.count("| rate | 600 pairs/s | 3 pairs/s | 200× |") == 1
    assert "old" not in content


def test_page_without_markers_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing here\n")
    with pytest.raises(SystemExit, match="bench:stories:begin"):
        write_section(page, "stories", "table")


def test_made_up_captions_are_the_same_every_time() -> None:
    made = _made_up(50, 2)
    assert made == _made_up(50, 2)
    assert made.pairs == 100


def test_spoilt_narrations_differ_only_where_they_should() -> None:
    pytest.importorskip("jieba")
    cast = Cast("f", (Role("老李"), Role("小天")))
    lines = ["老李端来食物倒入小猫的饭盆里，小天看着小猫。", "小天走进厨房，老李关掉电视机。"]
    written = {str(n): Narration(str(n), "f", None, line) for n, line in enumerate(lines)}
    made = {name: [line.text for line in told] for name, told in variants(written, {"f": cast}, seed=0).items()}
    assert made["itself"] == lines
    swapped = ["小天端来食物倒入小猫的饭盆里，老李看着小猫。", "老李走进厨房，小天关掉电视机。"]
    assert made["names replaced"] == swapped  # of a cast of two there is only one other
    names = Names.of_cast(cast)
    assert [names.in_text(line) for line in made["words replaced"]] == [names.in_text(line) for line in lines]
    assert made["words replaced"] != lines
    assert [names.in_text(line) for line in made["names removed"]] == [frozenset(), frozenset()]
    assert variants(written, {"f": cast}, seed=0) == variants(written, {"f": cast}, seed=0)


def counted_means(rng: np.random.Generator, items: int = 2000) -> Scored:
    """A population of which everything is known: the metric is a mean of skewed numbers."""
    values = rng.exponential(1.0, (2, items))
    one, other = (np.column_stack([np.ones(items), column]) for column in values)
    return Scored("mean", Mean(), one, other)


@dataclass(frozen=True)
class Mean(Metric):
    name: ClassVar[str] = "mean"
    task: ClassVar[str] = "numbers"
    title: ClassVar[str] = "Mean"
    columns: ClassVar[tuple[str, ...]] = ("items", "sum")
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def stats(self, items: Any, context: Any) -> np.ndarray:
        raise NotImplementedError

    def measure(self, totals: np.ndarray) -> Measured:
        return Measured(totals[..., 1] / totals[..., 0], {})


def test_simulated_intervals_and_tests_of_a_mean_keep_their_promises() -> None:
    population = counted_means(np.random.default_rng(3))
    rates = simulate(population, 25, 200)
    assert 0.90 <= rates.score <= 0.99
    assert 0.90 <= rates.difference <= 0.99
    assert 0.01 <= rates.rejected <= 0.10
    assert rates == simulate(population, 25, 200)


def test_swapped_systems_change_places_item_by_item() -> None:
    population = counted_means(np.random.default_rng(3), items=4)
    pair = population.sample(np.arange(4), np.array([1, 0, 1, 0]))
    once = np.ones((1, 4))
    expected = np.where([1, 0, 1, 0], population.other[:, 1], population.one[:, 1]).mean()
    assert pair.one(once)[0] == pytest.approx(expected)
    assert pair.both(np.array([[1, 1, 1, 1, 0, 0, 0, 0]]))[0] == pytest.approx(expected)


def test_every_registered_metric_is_simulated_or_left_out_for_a_reason() -> None:
    simulated = {spec.partition("(")[0] for spec in (*CAPTIONS, *STORIES, *BOUNDARIES, *NARRATION)}
    assert simulated | set(LEFT_OUT) == set(registry.names())
    assert not simulated & set(LEFT_OUT)


def test_populations_are_made_up_where_there_are_no_data_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.populations._folder", lambda: None)
    monkeypatch.setattr("bench.populations.MOST_ITEMS", 50)
    found = sources()
    assert list(found) == ["captions", "stories", "boundaries", "narration", "agree"]
    captions = found["captions"].populations()
    assert [population.name for population in captions] == list(CAPTIONS)
    assert {len(population) for population in captions} == {50}
    assert "made up" in found["stories"].description
    assert "made-up" in found["boundaries"].description


# The choice of SuiSei's default head.


def test_choice_is_the_best_of_those_that_are_nowhere_below_the_cosine() -> None:
    figures = {
        COSINE: Figures((80.0, 50.0, 85.0, 38.0, 54.0, 46.0)),
        "high but once below": Figures((79.9, 60.0, 95.0, 48.0, 64.0, 56.0)),
        "better": Figures((80.0, 51.0, 86.0, 39.0, 55.0, 47.0)),
        "a little better": Figures((80.0, 50.0, 85.0, 38.0, 54.0, 46.1)),
    }
    assert choose(figures) == "better"
    assert choose({COSINE: figures[COSINE], "high but once below": figures["high but once below"]}) == COSINE
    shown = Table(figures, []).markdown([])
    assert "| **better** | 59.67 | 80.00 | 51.00 |" in shown
    assert shown.count("| no |") == 1


def test_what_is_scored_in_a_fold_is_drawn_from_the_fold_alone() -> None:
    examples = rated(60, references=4).examples
    folds = list(split_folds(examples))
    assert sorted(row for inside, _ in folds for row in inside.tolist()) == list(range(60))
    for fold, (inside, outside) in enumerate(folds):
        scored = drawn_around(examples[inside], fold)
        count = len(inside)
        assert len(scored.examples) == count * (1 + 2 + 2 + 3 + 1)
        others = examples[outside]
        elsewhere = {*others.candidates, *(text for texts in others.references for text in texts)}
        assert not elsewhere & {
            *scored.examples.candidates,
            *(t for texts in scored.examples.references for t in texts),
        }
        kinds = scored.kinds
        assert (scored.examples.ratings[kinds == "left-out references"] == 1).all()
        assert not scored.examples.ratings[[" of other pictures" in kind or "near" in kind for kind in kinds]].any()


def test_figures_of_a_perfect_metric_are_those_of_no_other_set() -> None:
    scored = [drawn_around(rated(40, references=4).examples, 0)]
    perfect = figures_of([scored[0].examples.ratings], scored).values
    np.testing.assert_allclose(perfect[::2], 100)
    style = np.isin(scored[0].kinds, ["rated captions", "swapped machine captions"]).astype(float)
    with np.errstate(invalid="ignore"):
        told = figures_of([style], scored).values
    assert not any(value > 0 for value in told), "whoever tells people from machines gains nothing"
