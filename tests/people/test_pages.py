"""The raters' pages in a real browser: by mouse, by keyboard alone, on a phone, through reloads and a lost server."""

from __future__ import annotations

import json
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
uvicorn = pytest.importorskip("uvicorn", reason="the judging app is not installed")

from kataribe.people.judge.app import make_app  # noqa: E402
from kataribe.people.judge.collected import ratings  # noqa: E402
from kataribe.people.judge.store import Store  # noqa: E402
from kataribe.people.judge.study import Study, read_study  # noqa: E402
from kataribe.people.judge.templates import write_template  # noqa: E402
from tests.people.judging import ADMIN, made_study  # noqa: E402

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here to judge in (apt-get install chromium)")

LANGUAGES = {"en": "Thank you!", "ja": "ありがとうございました", "zh": "谢谢！"}


class House:
    """A study served by a thread; it can go away and come back at the same address."""

    def __init__(self, study: Study) -> None:
        self.study, self.store = study, Store(study.database, study.fingerprint())
        self.port = 0
        self.open()

    def open(self) -> None:
        listener = socket.create_server(("127.0.0.1", self.port), reuse_port=False)
        self.port = listener.getsockname()[1]
        config = uvicorn.Config(make_app(self.study, self.store, ADMIN), log_level="error", lifespan="off")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listener]}, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.should_exit = self.server.force_exit = True
        self.thread.join(20)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def link(self) -> str:
        return f"{self.address}/r/{self.store.invite()[1]}"

    def given(self) -> list[Any]:
        return [row[-1] for row in ratings(self.study, self.store.answers()).rows]


@pytest.fixture
def serve() -> Iterator[Callable[[Study], House]]:
    houses: list[House] = []

    def open_house(study: Study) -> House:
        houses.append(House(study))
        return houses[-1]

    yield open_house
    for house in houses:
        house.close()
        house.store.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens an address; afterwards no page may have complained or asked anything of another host."""
    trouble: list[str] = []
    contexts = []

    def open_(address: str, **options: Any) -> Any:
        context = browser.new_context(**({"viewport": {"width": 1400, "height": 900}, "locale": "en"} | options))
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("console", lambda message: "Failed to load resource" in message.text or trouble.append(message.text))
        page.on("request", lambda request: request.url.startswith("http://127.0.0.1:") or trouble.append(request.url))
        page.goto(address)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert trouble == []


def at(page: Any, number: int) -> None:
    """The page has come to a task and shows it."""
    page.wait_for_url(f"**#{number}")
    page.wait_for_selector("#task:not([aria-busy])")


def template(name: str, folder: Path) -> Study:
    return read_study(write_template(name, folder / name))


def test_pairs_by_mouse_to_the_end(serve: Any, visit: Any, tmp_path: Path) -> None:
    house = serve(template("soda", tmp_path))
    page = visit(house.link())
    page.get_by_role("button", name="Start").click()
    for number in range(1, 5):
        at(page, number)
        page.get_by_role("radio", name="A is better").click()
        page.get_by_role("button", name="Next").click()
    at(page, 5)
    assert page.get_by_role("heading", name="Thank you!").is_visible()
    assert house.given() == ["a"] * 3


@pytest.mark.parametrize("kind", ["soda", "movie101", "movie101-clips", "shichimi"])
def test_every_kind_by_keyboard_alone(kind: str, serve: Any, visit: Any, tmp_path: Path) -> None:
    study = template(kind, tmp_path)
    house = serve(study)
    page = visit(house.link() + "?lang=en")
    page.wait_for_selector("form button:focus")
    page.keyboard.press("Enter")
    at(page, 1)
    total = len(page.request.get(page.url.partition("?")[0].partition("#")[0] + "/state").json()["answered"])
    for number in range(1, total + 1):
        at(page, number)
        texts = page.locator(".text").count()
        for dimension in range(len(study.settings.dimensions)):
            keys = {"soda": "b", "shichimi": "4", "movie101-clips": "2", "movie101": "12345"[:texts]}
            for key in keys[kind]:
                page.keyboard.press(key)
            del dimension
        assert page.evaluate("document.activeElement.matches(':focus-visible')")
        page.keyboard.press("Enter")
    at(page, total + 1)
    assert page.get_by_role("heading", name="Thank you!").is_visible()
    values = house.given()
    places = {1.0, 2.0, 3.0, 4.0, 5.0}
    assert set(values) == {"soda": {"b"}, "shichimi": {4.0}, "movie101": places, "movie101-clips": {"merge"}}[kind]
    assert len(values) == {"soda": 3, "shichimi": 8, "movie101": 45, "movie101-clips": 3}[kind]


def test_letters_are_ranked_by_dragging_and_by_two_taps(serve: Any, visit: Any, tmp_path: Path) -> None:
    house = serve(made_study(tmp_path, "ranking", count=1))
    page = visit(house.link())
    page.get_by_role("button", name="Start").click()
    at(page, 1)
    board = page.locator(".board")
    board.get_by_role("button", name="A: ").drag_to(board.locator(".slot").nth(2))
    board.get_by_role("button", name="B: ").drag_to(board.locator(".slot").nth(0))
    board.get_by_role("button", name="C: ").click()
    board.locator(".slot").nth(0).click(position={"x": 8, "y": 60})
    assert [slot.locator(".chip").all_inner_texts() for slot in board.locator(".slot").all()] == [["B", "C"], [], ["A"]]
    page.get_by_role("button", name="Next").click()
    at(page, 2)
    (answer,) = house.store.answers()
    assert answer.given == {"overall": [3, 1, 1]}


def test_letters_are_placed_by_finger(serve: Any, visit: Any, tmp_path: Path) -> None:
    house = serve(made_study(tmp_path, "ranking", count=1))
    page = visit(house.link(), viewport={"width": 400, "height": 800}, has_touch=True, is_mobile=True)
    page.get_by_role("button", name="Start").tap()
    at(page, 1)
    for letter, place in (("A", 1), ("B", 0), ("C", 2)):
        page.get_by_role("button", name=f"{letter}: ").tap()
        page.locator(".slot").nth(place).tap()
    page.get_by_role("button", name="Next").tap()
    at(page, 2)
    (answer,) = house.store.answers()
    assert answer.given == {"overall": [2, 1, 3]}


def test_empty_texts_are_said_to_be_empty(serve: Any, visit: Any, tmp_path: Path) -> None:
    study = write_template("soda", tmp_path / "soda")
    silent = {"version": "", "results": {"harbour": [], "kite": [], "cat": []}}
    (study.parent / "lstm.json").write_text(json.dumps(silent))
    house = serve(read_study(study))
    page = visit(house.link())
    page.get_by_role("button", name="Start").click()
    for number in range(1, 5):  # all but the check have a silent side
        at(page, number)
        is_check = page.locator(".caption").filter(has_text="(no text)").count() == 0
        assert is_check or page.locator(".axis").count() == 1
        page.keyboard.press("a")
        page.keyboard.press("Enter")
    at(page, 5)


def test_where_one_text_must_be_chosen_nothing_is_equal(serve: Any, visit: Any, tmp_path: Path) -> None:
    house = serve(template("soda-order", tmp_path))
    page = visit(house.link())
    page.get_by_role("button", name="Start").click()
    at(page, 1)
    assert page.get_by_role("radio").count() == 2
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    assert page.get_by_role("status").inner_text() == "Answer every question first."
    page.keyboard.press("?")
    assert "A better, B better" in page.locator("#help").inner_text()
    assert "E" not in page.locator("#help kbd").all_inner_texts()


def test_context_stands_around_the_text(serve: Any, visit: Any, tmp_path: Path) -> None:
    """A clip at the beginning of its film has nothing before it; markup around a text is text."""
    path = write_template("movie101-clips", tmp_path / "clips")
    evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    (path.parent / "context.csv").write_text("id,before,after\nkite,," + '"' + evil.replace('"', '""') + '"\n')
    text = path.read_text().replace('context = "context.csv"', 'context = "context.csv"\nitems = ["kite"]')
    path.write_text(
        text.replace('text = { zh = "完整", en = "whole", ja = "完結している" }', f"text = {json.dumps(evil)}")
    )
    house = serve(read_study(path))
    page = visit(house.link() + "?lang=en")
    page.get_by_role("button", name="Start").click()
    at(page, 1)
    assert page.locator(".around").count() == 1
    assert page.locator(".around").inner_text() == f"After this\n{evil}"
    assert page.locator(".option").first.inner_text() == evil
    assert page.locator(".around img, .option img, #task script").count() == 0
    assert page.title() == "Is it one paragraph?"


def test_arrows_move_a_letter_only_when_it_has_the_focus(serve: Any, visit: Any, tmp_path: Path) -> None:
    house = serve(made_study(tmp_path, "ranking", count=1))
    page = visit(house.link())
    page.get_by_role("button", name="Start").click()
    at(page, 1)
    page.keyboard.press("ArrowDown")
    assert page.locator(".tray .chip").count() == 3, "the page was scrolled, nothing was ranked"
    page.get_by_role("button", name="B: ").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    assert page.locator(".slot").nth(1).locator(".chip").all_inner_texts() == ["B"]
    assert page.get_by_role("status").inner_text() == "B: place 2"
    page.keyboard.press("0")
    assert page.locator(".tray .chip").count() == 3


def test_reload_in_the_middle_loses_nothing(serve: Any, visit: Any, tmp_path: Path) -> None:
    house = serve(made_study(tmp_path, "rating", dimensions=["one", "two"]))
    page = visit(house.link())
    page.get_by_role("button", name="Start").click()
    at(page, 1)
    page.keyboard.press("2")
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    at(page, 2)
    page.keyboard.press("3")  # only one of the two dimensions
    shown = page.locator(".caption").inner_text()
    page.reload()
    at(page, 2)
    assert page.locator(".caption").inner_text() == shown
    assert page.locator("input:checked").evaluate_all("nodes => nodes.map(node => node.value)") == ["3"]
    page.keyboard.press("Backspace")
    at(page, 1)
    assert page.locator("input:checked").evaluate_all("nodes => nodes.map(node => node.value)") == ["2", "5"]


def test_all_texts_of_an_item_are_rated_on_one_page(serve: Any, visit: Any, tmp_path: Path) -> None:
    house = serve(made_study(tmp_path, "rating", count=1, together=True, scale=7, dimensions=["one", "two"]))
    page = visit(house.link())
    page.get_by_role("button", name="Start").click()
    at(page, 1)
    for key in "1726":  # the two dimensions of text A, then those of text B
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    at(page, 2)
    (answer,) = house.store.answers()
    assert answer.given == {"one": [1, 2], "two": [7, 6]}


def test_answer_can_be_taken_back_and_changed(serve: Any, visit: Any, tmp_path: Path) -> None:
    house = serve(made_study(tmp_path))
    page = visit(house.link())
    page.get_by_role("button", name="Start").click()
    for number, key in ((1, "a"), (2, "b")):
        at(page, number)
        page.keyboard.press(key)
        page.keyboard.press("Enter")
    at(page, 3)
    page.get_by_role("button", name="Back").click()
    at(page, 2)
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    at(page, 3)
    assert sorted(house.given()) == ["a", "equal"]


def test_open_question_is_not_skipped(serve: Any, visit: Any, tmp_path: Path) -> None:
    house = serve(made_study(tmp_path))
    page = visit(house.link())
    page.get_by_role("button", name="Start").click()
    at(page, 1)
    page.keyboard.press("Enter")
    assert page.get_by_role("status").inner_text() == "Answer every question first."
    page.goto(page.url.partition("#")[0] + "#4")
    page.reload()
    at(page, 1)
    assert house.given() == []


def test_answer_waits_for_a_server_that_is_away(serve: Any, visit: Any, tmp_path: Path) -> None:
    house = serve(made_study(tmp_path))
    page = visit(house.link())
    page.get_by_role("button", name="Start").click()
    at(page, 1)
    house.close()
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    page.get_by_text("Not saved yet").wait_for()
    assert house.given() == []
    house.open()
    at(page, 2)
    assert house.given() == ["b"]


def test_second_browser_is_told_why_it_may_not(serve: Any, visit: Any, tmp_path: Path) -> None:
    house = serve(made_study(tmp_path))
    link = house.link()
    visit(link).get_by_role("button", name="Start").click()
    time.sleep(0.2)
    second = visit(link + "?lang=ja", locale="ja")
    assert "別のブラウザで使用中" in second.inner_text("main")


def test_markup_in_captions_is_text(serve: Any, visit: Any, tmp_path: Path) -> None:
    made_study(tmp_path, "pairs", count=1)
    evil = '<img src=x onerror="document.title=1"><script>document.title=2</script><b>bold</b>'
    for name in ("alpha", "beta"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"item0": evil}))
    house = serve(read_study(tmp_path / "STUDY.toml"))
    page = visit(house.link())
    page.get_by_role("button", name="Start").click()
    at(page, 1)
    assert page.locator(".caption").first.inner_text() == evil
    assert page.locator(".caption *").count() == 0
    assert page.title() == "A study"


def test_clip_plays_only_its_part_of_the_film(serve: Any, visit: Any, tmp_path: Path) -> None:
    study = template("soda", tmp_path)
    house = serve(study)
    page = visit(house.link())
    page.get_by_role("button", name="Start").click()
    at(page, 1)
    start = page.request.get(page.url.partition("#")[0] + "/tasks/1").json()["media"]["start"]
    video = page.locator("video")
    page.wait_for_selector("text=0:00 / 0:12")
    video.evaluate("(node, to) => { node.currentTime = to }", start + 11.5)
    page.wait_for_selector("text=0:12 / 0:12")
    page.keyboard.press("p")
    deadline = time.monotonic() + 20
    while video.evaluate("node => node.currentTime") < start + 12 and time.monotonic() < deadline:
        time.sleep(0.1)
    page.wait_for_selector(".player button[aria-label='Play or pause']")
    assert start + 11.9 <= video.evaluate("node => node.currentTime") <= start + 12.6
    page.get_by_role("button", name="0:0").first.click()
    assert video.evaluate("node => node.currentTime") < start + 12


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["soda", "movie101", "movie101-clips", "shichimi"])
def test_nothing_is_cut_off_on_a_phone(kind: str, language: str, serve: Any, visit: Any, tmp_path: Path) -> None:
    house = serve(template(kind, tmp_path))
    page = visit(house.link() + f"?lang={language}", viewport={"width": 400, "height": 800}, color_scheme="dark")
    for _ in range(2):  # the welcome, then the first task
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        assert page.evaluate("document.documentElement.lang") == language
        if page.locator("form button").count():
            page.locator("form button").click()
            at(page, 1)
    small = page.locator("#task button:visible, #task label:visible, .bar button:visible").evaluate_all(
        "nodes => nodes.filter(n => !n.matches('.time') && n.getBoundingClientRect().height < 36).length"
    )
    assert small == 0, "every target is large enough for a finger"


def test_admin_page_follows_the_study(serve: Any, visit: Any, tmp_path: Path) -> None:
    house = serve(made_study(tmp_path))
    link = house.link()
    admin = visit(f"{house.address}/admin?token={ADMIN}")
    assert "token" not in admin.url
    admin.get_by_text("0 / 4").wait_for()
    page = visit(link)
    page.get_by_role("button", name="Start").click()
    at(page, 1)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    admin.get_by_text("1 / 4").wait_for()
    admin.get_by_role("button", name="Invite a rater").click()
    second = visit(admin.locator("#notice code").inner_text())
    second.get_by_role("button", name="Start").click()
    at(second, 1)
    admin.on("dialog", lambda dialog: dialog.accept())
    admin.get_by_role("button", name="Free the link").first.click()
    admin.get_by_role("row", name="rater-01").get_by_text("not opened yet").wait_for()
    page.reload()
    page.get_by_role("button", name="Start").click()
    at(page, 2)
