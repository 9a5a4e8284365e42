"""Orders are random, differ between raters, and never change for one rater."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from kataribe.people.judge.plan import PLANTED, plan
from tests.people.judging import made_study


@pytest.mark.parametrize("kind", ["pairs", "ranking", "rating"])
def test_rater_sees_everything_once_in_an_own_order_that_stays(kind: str, tmp_path: Path) -> None:
    study = made_study(tmp_path, kind, count=20)
    one, other = plan(study, 1), plan(study, 2)
    assert one == plan(study, 1)
    assert {task.key for task in one} == {task.key for task in other}
    assert [task.key for task in one] != [task.key for task in other]
    assert len(one) == len({task.key for task in one}) == (40 if kind == "rating" else 20)


def test_sides_are_shown_about_equally_often(tmp_path: Path) -> None:
    study = made_study(tmp_path, count=50)
    sides = Counter(task.shown[0] for rater in range(1, 21) for task in plan(study, rater))
    assert sum(sides.values()) == 1000
    assert 440 <= sides["alpha"] <= 560  # four standard deviations of a fair coin


def test_dealt_tasks_are_covered_evenly(tmp_path: Path) -> None:
    study = made_study(tmp_path, "rating", count=15, tasks_per_rater=7)
    counts = Counter(task.key for rater in range(1, 12) for task in plan(study, rater))
    assert len(counts) == 30
    assert max(counts.values()) - min(counts.values()) <= 1


def test_every_rater_gets_every_check_among_the_tasks(tmp_path: Path) -> None:
    study = made_study(tmp_path, count=10, tasks_per_rater=4, checks={"count": 3})
    for rater in range(1, 6):
        tasks = plan(study, rater)
        assert len(tasks) == 7
        assert sum(PLANTED in task.shown for task in tasks) == 3


def test_only_the_named_pairs_are_compared(tmp_path: Path) -> None:
    study = made_study(tmp_path, "pairs", count=5, pairs=[["beta", "alpha"]])
    assert {frozenset(task.shown) for task in plan(study, 1)} == {frozenset({"alpha", "beta"})}


def test_together_rates_all_texts_of_an_item_on_one_page(tmp_path: Path) -> None:
    study = made_study(tmp_path, "rating", count=5, together=True, checks={"count": 1})
    assert [len(task.shown) for task in plan(study, 1)] == [2] * 6


@pytest.mark.parametrize("kind", ["pairs", "ranking", "rating"])
def test_check_shows_as_many_texts_as_any_other_task(kind: str, tmp_path: Path) -> None:
    study = made_study(tmp_path, kind, count=6, checks={"count": 2})
    assert len({len(task.shown) for task in plan(study, 1)}) == 1
