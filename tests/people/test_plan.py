"""Orders are random, differ between raters, and never change for one rater."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.people.judge.plan import PLANTED, plan, questions, tasks_each
from kataribe.people.judge.settings import StudySettings
from kataribe.people.judge.study import Item, Study
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


@given(items=st.integers(1, 12), share=st.integers(1, 30), raters=st.integers(1, 15), seed=st.integers(0, 99))
def test_dealt_tasks_are_covered_evenly(items: int, share: int, raters: int, seed: int) -> None:
    study = imagined_study(items, tasks_per_rater=share, seed=seed)
    plans = [plan(study, rater) for rater in range(1, raters + 1)]
    dealt = Counter(dict.fromkeys(questions(study), 0))
    dealt.update(task.key for tasks in plans for task in tasks)
    assert len(dealt) == 2 * items
    assert max(dealt.values()) - min(dealt.values()) <= 1
    assert {len(tasks) for tasks in plans} == {tasks_each(study)} == {min(share, 2 * items)}


def imagined_study(items: int, **settings: Any) -> Study:
    """A rating of two systems that never was a file."""
    written = {"title": "", "kind": "rating", "texts": "captions", "systems": {"a": "", "b": ""}}
    read = msgspec.convert(written | {"dimensions": [{"name": "overall"}]} | settings, StudySettings)
    ids = [f"item{number}" for number in range(items)]
    return Study(Path("STUDY.toml"), read, {id: Item(id, {"a": "", "b": ""}, (), None, None) for id in ids}, {})


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
