"""`kataribe judge new | invite | export`: what is printed, written and refused."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from kataribe.cli.main import _run
from kataribe.people.judge.plan import plan
from kataribe.people.judge.store import Rater, Store
from kataribe.people.judge.study import read_study
from kataribe.people.ratings import read_ratings
from tests.people.judging import write_study


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return write_study(tmp_path, "rating", checks={"count": 2})


def fill(study: Path, ratings: dict[str, int]) -> None:
    """Each named rater gives every text, planted or not, the same rating."""
    read = read_study(study)
    store = Store(read.database, read.fingerprint())
    for number, (name, value) in enumerate(ratings.items(), start=1):
        store.invite(name)
        for task in plan(read, number):
            store.save(Rater(number, name, None), task.key, task.item, task.shown, {"overall": [value]}, 2.0).result(30)
    store.close()


def test_new_study_can_be_invited_to_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["judge", "new", "soda", str(tmp_path / "study")]) == 0
    study = capsys.readouterr().out.partition(":")[0]
    assert _run(["judge", "invite", study, "-n", "2", "--url", "https://judge.example.org/"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert re.fullmatch(r"rater-0\d  https://judge\.example\.org/r/[\w-]{32}", line)


def test_renewed_link_replaces_the_old_one(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _run(["judge", "invite", str(study), "--name", "ann"])
    old = capsys.readouterr().out.split("/r/")[1].strip()
    assert _run(["judge", "invite", str(study), "--renew", "ann"]) == 0
    new = capsys.readouterr().out.split("/r/")[1].strip()
    read = read_study(study)
    store = Store(read.database, read.fingerprint())
    assert store.rater_of(old) is None
    found = store.rater_of(new)
    assert found is not None
    assert found.name == "ann"
    store.close()


def test_export_leaves_out_who_failed_the_checks(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(study, {"strict": 1, "kind": 5})
    ratings, checks = study.parent / "ratings.csv", study.parent / "checks.csv"
    assert _run(["judge", "export", str(study), "-o", str(ratings), "--checks", str(checks), "--min-checks", "1"]) == 0
    assert capsys.readouterr().out == f"{ratings}: 8 ratings by 1 raters; 1 raters left out\n"
    assert read_ratings(ratings).raters == ["strict"]
    rows = {row["rater"]: row for row in csv.DictReader(checks.open())}
    assert (rows["strict"]["checks_passed"], rows["strict"]["exported"]) == ("2", "yes")
    assert (rows["kind"]["checks_passed"], rows["kind"]["exported"]) == ("0", "no")
    assert rows["kind"]["median_seconds"] == "2.0"


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "csv.gz"])
def test_export_can_be_read_back(ending: str, study: Path) -> None:
    fill(study, {"ann": 3})
    output = study.parent / f"ratings.{ending}"
    assert _run(["judge", "export", str(study), "-o", str(output)]) == 0
    assert len(read_ratings(output)) == 8


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["new", "sodas", "x"], "no study is called 'sodas' - did you mean 'soda'?"),
        (["export", "STUDY", "-o", "r.csv"], "answers.sqlite: there is no such file"),
        (["invite", "STUDY", "--renew", "bob"], "no rater is called 'bob'"),
        (["serve", "nowhere.toml"], "nowhere.toml: there is no such file"),
    ],
)
def test_mistake_is_one_line_and_exit_code_2(
    arguments: list[str],
    complaint: str,
    study: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(study.parent)
    assert _run(["judge", *(str(study) if word == "STUDY" else word for word in arguments)]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1
    assert not (study.parent / "r.csv").exists()


def test_answers_to_other_texts_are_never_mixed(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(study, {"ann": 3})
    write_study(study.parent, "rating", checks={"count": 2}, seed=99)
    assert _run(["judge", "invite", str(study)]) == 2
    assert "holds 10 answers to an earlier version of this study" in capsys.readouterr().err


def test_short_admin_token_is_refused(
    study: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KATARIBE_JUDGE_ADMIN", "1234")
    assert _run(["judge", "serve", str(study)]) == 2
    assert "KATARIBE_JUDGE_ADMIN is shorter than 16 characters" in capsys.readouterr().err
