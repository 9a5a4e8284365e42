"""The app over HTTP: blind, in the rater's language; what was answered is what comes out."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

starlette = pytest.importorskip("starlette", reason="the judging app is not installed")


from kataribe.people.judge.collected import progress, ratings  # noqa: E402
from kataribe.people.judge.plan import plan  # noqa: E402
from kataribe.people.ratings import Rank, Vote  # noqa: E402
from tests.people.house import House, served  # noqa: E402
from tests.people.judging import letters  # noqa: E402


def test_votes_come_out_as_they_went_in(tmp_path: Path) -> None:
    """A rater who always takes alpha's text, wherever it stands."""
    house = served(tmp_path, "pairs", count=12)
    rater = house.rater()
    for number in range(1, rater.total + 1):
        task = rater.task(number)
        choice = "a" if "text of a" in letters(task)[0] else "b"
        assert rater.answer(number, {"overall": choice}).json() == {"saved": True}
    rows = ratings(house.study, house.store.answers()).rows
    assert len(rows) == 12
    for row in rows:
        assert isinstance(row, Vote)
        assert {row.system_a, row.system_b} == {"alpha", "beta"}
        assert (row.system_a if row.choice == "a" else row.system_b) == "alpha"
    assert {row.system_a for row in rows} == {"alpha", "beta"}, "sides are exported as they were shown"
    house.store.close()


def test_places_become_ranks_of_the_systems_behind_the_letters(tmp_path: Path) -> None:
    house = served(tmp_path, "ranking", count=3, dimensions=["accuracy", "language"])
    rater = house.rater()
    for number in range(1, 4):
        order = ["text of a" in text for text in letters(rater.task(number))]
        places = [3 if is_alpha else 1 for is_alpha in order]  # the other two share the first place
        assert rater.answer(number, {"accuracy": places, "language": [1, 2, 3]}).status_code == 200
    rows = [row for row in ratings(house.study, house.store.answers()).rows if row.dimension == "accuracy"]
    assert {(row.system, row.rank) for row in rows if isinstance(row, Rank)} == {
        ("alpha", 3),
        ("beta", 1),
        ("gamma", 1),
    }
    house.store.close()


def test_answer_can_be_changed_and_the_last_one_counts(house: House) -> None:
    rater = house.rater()
    rater.answer(1, {"overall": "a"})
    rater.answer(1, {"overall": "equal"})
    assert rater.task(1)["given"] == {"overall": "equal"}
    assert [row.choice for row in ratings(house.study, house.store.answers()).rows if isinstance(row, Vote)] == [
        "equal"
    ]


def test_what_was_answered_is_there_after_a_restart(house: House) -> None:
    rater = house.rater()
    rater.answer(1, {"overall": "b"})
    before = [letters(rater.task(number)) for number in range(1, 5)]
    again = House(house.study)
    rater.client = again.client
    assert rater.get("state").json()["answered"] == [True, False, False, False]
    assert [letters(rater.task(number)) for number in range(1, 5)] == before
    again.store.close()


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("pairs", {}),
        ("pairs", {"overall": "c"}),
        ("pairs", {"overall": ["a"]}),
        ("pairs", {"overall": "a", "more": "a"}),
        ("pairs", None),
        ("rating", {"overall": [0]}),
        ("rating", {"overall": [6]}),
        ("rating", {"overall": [2.5]}),
        ("rating", {"overall": [True]}),
        ("rating", {"overall": [1, 2]}),
        ("rating", {"overall": "5"}),
        ("ranking", {"overall": [1, 2]}),
        ("ranking", {"overall": [1, 2, 4]}),
    ],
)
def test_impossible_answer_is_refused_and_not_stored(kind: str, given: Any, tmp_path: Path) -> None:
    house = served(tmp_path, kind)
    assert house.rater().answer(1, given).status_code == 422
    assert house.store.answers() == []
    house.store.close()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff\xfe"])
def test_body_that_is_no_answer_is_refused(body: bytes, house: House) -> None:
    rater = house.rater()
    headers = rater.headers | {"x-kataribe-form": rater.state["form"]}
    assert house.client.post(f"{rater.path}/tasks/1", content=body, headers=headers).status_code == 422


def test_rater_never_hears_a_name_of_a_system_an_item_or_another_rater(tmp_path: Path) -> None:
    house = served(tmp_path, "pairs", checks={"count": 1})
    other, rater = house.rater(), house.rater()
    other.answer(1, {"overall": "a"})
    heard = rater.get("state").text + house.client.get(rater.path, headers=rater.headers).text
    heard += "".join(rater.get(f"tasks/{number}").text for number in range(1, rater.total + 1))
    for secret in ("alpha", "beta", "planted", "item0", "rater-01", "rater-02"):
        assert secret not in heard
    house.store.close()


@pytest.mark.parametrize("kind", ["pairs", "rating", "ranking"])
def test_checks_are_counted_and_never_exported_as_ratings(kind: str, tmp_path: Path) -> None:
    write_wrong(tmp_path)
    house = served(tmp_path, kind, checks={"file": "wrong.json"})
    for attentive in (True, False):
        rater = house.rater()
        for number in range(1, rater.total + 1):
            texts = letters(rater.task(number))
            planted = texts.index("wrong!") if "wrong!" in texts else None
            rater.answer(number, {"overall": reply(kind, len(texts), planted, attentive)})
    reports = progress(house.study, house.store.raters(), house.store.answers())
    assert [(report.passed, report.checked) for report in reports] == [(1, 1), (0, 1)]
    exported = ratings(house.study, house.store.answers())
    assert "(planted)" not in str(exported.rows)
    assert len(exported.raters) == 2
    house.store.close()


def write_wrong(folder: Path) -> None:
    (folder / "wrong.json").write_text(json.dumps({"item2": "wrong!"}))


def reply(kind: str, texts: int, planted: int | None, attentive: bool) -> Any:
    if planted is None:
        return {"pairs": "equal", "rating": [3] * texts, "ranking": [1] * texts}[kind]
    if kind == "pairs":
        return "ab"[1 - planted if attentive else planted]
    if kind == "rating":
        return [1 if attentive else 4]
    return [(texts if attentive else 1) if place == planted else 2 for place in range(texts)]


def test_admin_sees_progress_checks_coverage_and_agreement(tmp_path: Path) -> None:
    write_wrong(tmp_path)
    house = served(tmp_path, "rating", checks={"file": "wrong.json"})
    for _ in range(2):
        rater = house.rater()
        for number in range(1, rater.total + 1):
            text = letters(rater.task(number))[0]
            rater.answer(number, {"overall": [1 if text == "wrong!" else 5 if "text of a" in text else 2]})
    data = house.client.get("/admin/data", headers=house.admin()).json()
    assert [(rater["name"], rater["answered"], rater["passed"]) for rater in data["raters"]] == [
        ("rater-01", 9, 1),
        ("rater-02", 9, 1),
    ]
    assert data["coverage"] == [[2, 8]]
    assert data["agreement"] == [{"dimension": "overall", "alpha": 1.0, "units": 8}]
    exported = house.client.get("/admin/ratings.csv", headers=house.admin()).text
    assert exported.startswith("rater,item,system,dimension,value\nrater-01,")
    assert len(exported.splitlines()) == 1 + 16
    house.store.close()


def test_media_is_served_in_ranges_and_by_task_only(tmp_path: Path) -> None:
    content = bytes(range(256)) * 40
    (tmp_path / "media").mkdir()
    for number in range(4):
        (tmp_path / "media" / f"item{number}.webm").write_bytes(bytes([number]) + content)
    house = served(tmp_path, "pairs", media="media")
    rater = house.rater()
    for number, task in enumerate(plan(house.study, 1), start=1):
        whole = rater.get(f"media/{number}")
        assert whole.headers["content-type"] == "video/webm"
        assert whole.content == bytes([int(task.item[-1])]) + content
        part = rater.get(f"media/{number}", range="bytes=10-19")
        assert part.status_code == 206
        assert part.content == whole.content[10:20]
        assert part.headers["content-range"] == f"bytes 10-19/{len(whole.content)}"
    assert rater.get("media/5").status_code == 404
    house.store.close()


@pytest.mark.parametrize(
    ("accepted", "chosen", "shown"),
    [("ja,en;q=0.5", "", "開始"), ("zh-CN", "", "开始"), ("fr", "", "Start"), ("ja", "?lang=zh", "开始")],
)
def test_interface_speaks_the_raters_language(accepted: str, chosen: str, shown: str, house: House) -> None:
    page = house.client.get(house.link() + chosen, headers={"accept-language": accepted}).text
    assert f">{shown}</button>" in page


def test_study_language_beats_the_browser_and_the_switch_beats_both(tmp_path: Path) -> None:
    house = served(tmp_path, "pairs", language="ja")
    link = house.link()
    assert "開始" in house.client.get(link, headers={"accept-language": "zh"}).text
    assert "Start" in house.client.get(link + "?lang=en").text
    assert "Start" in house.client.get(link).text, "the switch is remembered"
    house.store.close()


def test_every_language_has_every_text() -> None:
    content = files("kataribe.people.judge").joinpath("page", "words.toml").read_text(encoding="utf-8")
    english, *others = tomllib.loads(content).values()
    for other in others:
        assert list(other) == list(english)
        assert all(other[key].count("{") == text.count("{") for key, text in english.items())
