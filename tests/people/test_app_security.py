"""The app over HTTP: what strangers, raters and other sites cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest

starlette = pytest.importorskip("starlette", reason="the judging app is not installed")

from starlette.testclient import TestClient  # noqa: E402

from kataribe.people.judge.app import make_app  # noqa: E402
from kataribe.people.judge.security import MAX_BODY  # noqa: E402
from tests.people.house import House, served  # noqa: E402
from tests.people.judging import ADMIN, HttpRater  # noqa: E402


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
