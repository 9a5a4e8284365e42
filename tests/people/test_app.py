"""The app over HTTP: blind, bound to one browser, deaf to other sites; what was answered is what comes out."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

starlette = pytest.importorskip("starlette", reason="the judging app is not installed")

from starlette.testclient import TestClient  # noqa: E402

from kataribe.formats.ratings import Rank, Vote  # noqa: E402
from kataribe.people.judge.app import make_app  # noqa: E402
from kataribe.people.judge.collected import progress, ratings  # noqa: E402
from kataribe.people.judge.plan import plan  # noqa: E402
from kataribe.people.judge.security import MAX_BODY  # noqa: E402
from kataribe.people.judge.store import Store  # noqa: E402
from kataribe.people.judge.study import Study  # noqa: E402
from tests.people.judging import ADMIN, HttpRater, letters, made_study  # noqa: E402


class House:
    """A served study."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.store = Store(study.database, study.fingerprint())
        self.client = TestClient(make_app(study, self.store, ADMIN), base_url="http://judge.test")

    def link(self) -> str:
        return f"/r/{self.store.invite()[1]}"

    def rater(self) -> HttpRater:
        return HttpRater(self.client, self.link())

    def admin(self) -> dict[str, str]:
        answer = self.client.get("/admin", params={"token": ADMIN}, follow_redirects=False)
        cookie = answer.headers["set-cookie"].partition(";")[0]
        self.client.cookies.clear()
        return {"cookie": cookie}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    served = House(made_study(tmp_path))
    yield served
    served.store.close()


def served(folder: Path, kind: str, **changes: Any) -> House:
    return House(made_study(folder, kind, **changes))


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


class TestSecurity:
    def test_forged_link_leads_nowhere(self, house: House) -> None:
        for path in ("/r/x", "/r/x/state", "/r/x/tasks/1", "/r/x/media/1", "/r/" + "A" * 32):
            assert house.client.get(path).status_code == 404
        assert house.client.post("/r/x/start").status_code == 404

    def test_opening_a_link_does_not_bind_it(self, house: House) -> None:
        link = house.link()
        for _ in range(3):
            assert "<form" in house.client.get(link).text

    def test_start_pressed_twice_binds_the_same_browser(self, house: House) -> None:
        link = house.link()
        house.client.get(link)  # gives this browser its session
        for _ in range(2):
            assert house.client.post(f"{link}/start", follow_redirects=False).status_code == 303
        assert house.client.get(f"{link}/state").status_code == 200
        house.client.cookies.clear()
        assert house.client.post(f"{link}/start").status_code == 403

    def test_weak_session_of_a_browser_is_replaced(self, house: House) -> None:
        link = house.link()
        answer = house.client.post(f"{link}/start", headers={"cookie": "kataribe_session=x"}, follow_redirects=False)
        assert len(answer.headers["set-cookie"].partition("=")[2].partition(";")[0]) == 32

    def test_second_browser_is_refused_until_the_admin_frees_the_link(self, house: House) -> None:
        rater = house.rater()
        rater.answer(1, {"overall": "a"})
        second = house.client.get(rater.path, headers={"accept": "text/html"})
        assert second.status_code == 403
        assert "already in use in another browser" in second.text
        assert house.client.post(f"{rater.path}/start").status_code == 403
        for what in ("state", "tasks/1", "media/1"):
            assert house.client.get(f"{rater.path}/{what}").status_code == 403
        admin = house.admin()
        form = house.client.get("/admin/data", headers=admin).json()["form"]
        freed = house.client.post("/admin/release/1", headers=admin | {"x-kataribe-form": form})
        assert freed.status_code == 204
        again = HttpRater(house.client, rater.path)
        assert again.state["answered"] == [True, False, False, False]
        assert rater.get("state").status_code == 403, "the first browser is locked out now"

    def test_one_rater_cannot_answer_in_the_name_of_another(self, house: House) -> None:
        one, other = house.rater(), house.rater()
        other.cookie = one.cookie
        assert other.answer(1, {"overall": "a"}).status_code == 403

    @pytest.mark.parametrize(
        "headers",
        [
            {"origin": "https://evil.example"},
            {"origin": "null"},
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
            {"x-kataribe-form": "0" * 64},
            {"x-kataribe-form": ""},
        ],
    )
    def test_post_from_another_site_is_refused(self, headers: dict[str, str], house: House) -> None:
        rater = house.rater()
        assert rater.answer(1, {"overall": "a"}, **headers).status_code == 403
        assert house.store.answers() == []

    def test_link_cannot_be_started_from_another_site(self, house: House) -> None:
        link = house.link()
        assert house.client.post(f"{link}/start", headers={"origin": "https://evil.example"}).status_code == 403
        assert HttpRater(house.client, link).total == 4

    def test_post_of_our_own_page_is_taken(self, house: House) -> None:
        own = {"origin": "http://judge.test", "sec-fetch-site": "same-origin"}
        assert house.rater().answer(1, {"overall": "a"}, **own).status_code == 200

    @pytest.mark.parametrize("announced", [True, False])
    def test_oversized_body_is_refused(self, announced: bool, house: House) -> None:
        rater = house.rater()
        headers = rater.headers | {"x-kataribe-form": rater.state["form"]}
        body = b" " * (MAX_BODY + 1)
        content = body if announced else iter([body[:-1], b"  "])
        assert house.client.post(f"{rater.path}/tasks/1", content=content, headers=headers).status_code == 413

    def test_pages_run_no_script_but_ours(self, house: House) -> None:
        answers = [house.client.get(path) for path in (house.link(), "/r/x", "/static/main.js", "/admin")]
        for answer in answers:
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self';" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "same-origin"
        assert not [name for name in ("<script>", "onclick=", "style=") if name in answers[0].text]

    def test_markup_in_the_study_is_shown_as_text(self, tmp_path: Path) -> None:
        house = served(tmp_path, "pairs", title="<script>alert(1)</script>", instructions="<img src=x onerror=a()>")
        page = house.client.get(house.link()).text
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)" in page
        assert "<img" not in page
        house.store.close()

    @pytest.mark.parametrize(
        "path",
        [
            "/static/",
            "/static/../app.py",
            "/static/%2e%2e/words.toml",
            "/static/..%2fwords.toml",
            "/static/nothing.js",
            "/",
            "/r/",
            "/media/film.webm",
        ],
    )
    def test_nothing_is_listed_and_no_path_leads_out(self, path: str, house: House) -> None:
        assert house.client.get(path).status_code == 404

    def test_session_cookie_is_for_this_link_and_not_for_scripts(self, house: House) -> None:
        link = house.link()
        cookie = house.client.post(f"{link}/start", follow_redirects=False).headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert f"path={link}".lower() in cookie
        assert "secure" not in cookie.replace("httponly", "")

    def test_cookie_is_secure_behind_https(self, house: House) -> None:
        app = make_app(house.study, house.store, ADMIN, "https://judge.example.org")
        client = TestClient(app, base_url="http://127.0.0.1:8000")
        origin = {"origin": "https://judge.example.org"}
        answer = client.post(f"{house.link()}/start", headers=origin, follow_redirects=False)
        assert "; secure" in answer.headers["set-cookie"].lower()

    @pytest.mark.parametrize("path", ["/admin", "/admin/data", "/admin/ratings.csv", "/admin?token=x", "/admin?token="])
    def test_admin_pages_need_the_admin_token(self, path: str, house: House) -> None:
        rater = house.rater()
        assert house.client.get(path, headers=rater.headers).status_code == 403

    @pytest.mark.parametrize("path", ["/admin/invite", "/admin/release/1"])
    def test_admin_posts_need_cookie_and_form_token(self, path: str, house: House) -> None:
        admin = house.admin()
        assert house.client.post(path, headers=admin).status_code == 403
        form = house.client.get("/admin/data", headers=admin).json()["form"]
        assert house.client.post(path, headers={"x-kataribe-form": form}).status_code == 403
        both = admin | {"x-kataribe-form": form}
        assert house.client.post(path, headers=both | {"origin": "https://evil.example"}).status_code == 403
        assert house.client.post(path, headers=both).status_code in (200, 204)

    def test_database_holds_no_link_and_no_session(self, house: House) -> None:
        rater = house.rater()
        content = b"".join(path.read_bytes() for path in house.study.database.parent.glob("answers.sqlite*"))
        assert rater.path.removeprefix("/r/").encode() not in content
        assert rater.cookie.encode() not in content


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
