"""Told films on the page: tracks on the film's axis, names right or wrong, what people made of each narrator."""

from __future__ import annotations

import shutil
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.core.result import Result
from kataribe.core.side_by_side import side_by_side
from kataribe.core.types import Caption, Segment
from kataribe.people.agreement import agree
from kataribe.people.options import AgreementOptions
from kataribe.people.ratings import read_ratings
from kataribe.people.result import Agreement
from kataribe.people.scores import of_results
from kataribe.report.data import page_data
from kataribe.report.html import render_page
from kataribe.report.videos import find_videos
from tests.report.made_up import HOSTILE

METRICS = ("role_f1", "rouge_l", "repetition")
CAST = {"harbour": ["Ines", {"name": "Captain Reyes", "aliases": ["Reyes"]}], "train": ["李白"]}
WRITTEN = [
    ("harbour", 2, 6, "Ines waits."),
    ("harbour", 10, 18, "𠮷 Reyes waves to Ines."),  # a letter that JavaScript counts as two
    ("harbour", 30, 34, "Snow falls."),
    ("train", 5, 9, "李白笑了。"),
]
TOLD = {
    "close": ["Ines waits.", "𠮷 Ines waves to Reyes.", "Snow falls.", "李白走了。"],
    "wrong": ["Reyes waits.", "Somebody waves.", "Reyes falls.", "走了。"],
}
SAID = {"harbour": [Caption(Segment(7, 9), "Who is there?")]}


def lines(texts: list[str], shift: float = 0.0) -> list[dict[str, Any]]:
    return [
        {"id": f"{film}{start}", "film": film, "start": start + shift, "end": end, "text": text}
        for (film, start, end, _), text in zip(WRITTEN, texts, strict=True)
    ]


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    return {name: told(texts) for name, texts in TOLD.items()}


def told(texts: list[str], cast: Any = CAST) -> Result:
    options = {"cast": cast, "protocol": "paper", "tok": "char", "details": True}
    return kataribe.evaluate("narration", lines(texts, 0.5), lines([line[3] for line in WRITTEN]), METRICS, **options)


@pytest.fixture(scope="module")
def rankings(results: dict[str, Result], tmp_path_factory: pytest.TempPathFactory) -> Agreement:
    """Everybody prefers the close one, but for one person and one clip."""
    rows = ["item,system,rater,dimension,rank"]
    for item in ("harbour2", "harbour10", "train5"):
        for rater in "abcd":
            order = ("wrong", "close") if (item, rater) == ("harbour10", "d") else ("close", "wrong")
            for dimension in ("accuracy", "Overall"):
                rows += [f"{item},{system},{rater},{dimension},{rank}" for rank, system in enumerate(order, 1)]
    file = tmp_path_factory.mktemp("people") / "ranks.csv"
    file.write_text("\n".join(rows), encoding="utf-8")
    return agree(of_results(results), read_ratings([file]), options=AgreementOptions(bootstrap=10))


def test_a_films_clips_are_in_the_order_of_time_and_know_when_they_are_told(results) -> None:
    content = page_data(side_by_side(results, replicates=10), dialogue=SAID).views["films"]
    assert [(film["name"], film["places"]) for film in content["films"]] == [("harbour", [0, 1, 2]), ("train", [3])]
    assert (content["times"][1], content["systems"][0]["times"][1]) == ([10, 18], [10.5, 18])
    assert content["dialogue"] == {"harbour": [[7, 9, "Who is there?"]]}
    said, written, lost = content["systems"][1]["names"][0]
    assert (said, written, lost) == ([[0, 5, 0]], [[0, 4, 0]], ["Ines"])


def test_people_are_the_mean_rank_and_pairs_that_metrics_put_in_their_order(results, rankings) -> None:
    people = page_data(side_by_side(results, replicates=10), agreement=rankings).views["films"]["people"]
    assert [dimension["name"] for dimension in people] == ["Overall", "accuracy"]
    overall = people[0]
    assert overall["label"] == "mean rank"
    assert overall["clips"]["harbour10"]["people"] == {"close": 1.25, "wrong": 1.75}
    assert overall["systems"] == {"close": 1.08, "wrong": 1.92}
    pairs = [overall["clips"][item]["pairs"]["role_f1"] for item in overall["clips"]]
    assert pairs == [[1, 1], [1, 1], [1, 1]]
    assert overall["clips"]["harbour2"]["pairs"]["repetition"] == [0, 1], "a tie is no order"


def test_results_without_times_or_films_have_no_such_section() -> None:
    bare = kataribe.evaluate("narration", {"1": "a"}, {"1": "a"}, ["rouge_l"], details=True)
    assert "films" not in page_data(side_by_side({"only": bare})).views


pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
needs_browser = pytest.mark.skipif(
    shutil.which("chromium") is None, reason="no Chromium here (apt-get install chromium)"
)

Open = Callable[..., Any]


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Open]:
    trouble: list[str] = []
    contexts = []

    def open_(results: dict[str, Result], width: int = 1400, videos: bool = False, **more: Any) -> Any:
        file = tmp_path / "page.html"
        if videos:
            silence(tmp_path / "harbour.webm", 40)
        found = find_videos(tmp_path, ["harbour", "train"], file) if videos else None
        data = page_data(side_by_side(results, replicates=10), videos=found, **more)
        file.write_text(render_page(data), encoding="utf-8")
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}))
        page = contexts[-1].new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.goto(file.as_uri())
        page.locator(".film-tracks").wait_for()
        return page

    yield open_
    for context in contexts:
        context.close()
    assert trouble == []


def silence(file: Path, seconds: int) -> None:
    """A browser takes a sound for a video without pictures."""
    with wave.open(str(file.with_suffix(".wav")), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(bytes([128]) * 8000 * seconds)
    file.with_suffix(".wav").rename(file)


@needs_browser
def test_tracks_names_and_scores_of_a_film(open_page: Open, results, rankings) -> None:
    page = open_page(results, agreement=rankings, dialogue=SAID)
    section = page.locator("section.films")
    assert section.locator(".track-name").all_inner_texts() == ["dialogue", "reference", "aclose", "bwrong"]
    assert section.locator(".caption.told").count() == 6
    assert section.locator(".caption.told.tone-wrong").count() == 2
    assert section.locator(".caption.told.tone-lost").count() == 1
    section.locator(".caption.told").nth(1).click()
    clip = section.locator(".film-clip")
    assert clip.locator("mark.tone-right").all_inner_texts() == ["Ines✓", "Reyes✓"]
    assert "○ not named: Captain Reyes, Ines" in clip.inner_text()
    assert clip.locator("tr.people").inner_text().split("\t")[:3] == ["pairs as people have them", "", "1 of 1"]
    assert clip.locator("tbody tr").nth(1).locator("td").last.inner_text() == "1.25"
    assert "agrees with people (accuracy)" in section.inner_text()
    section.get_by_label("Film", exact=True).select_option("1")
    assert clip.locator("mark").all_inner_texts() == ["李白✓"]
    section.get_by_text("The whole film as a table").click()
    assert "李白笑了。" in section.locator("details").inner_text()


@needs_browser
def test_a_click_and_the_keyboard_go_along_the_film(open_page: Open, results) -> None:
    page = open_page(results, videos=True, dialogue=SAID)
    page.wait_for_function("document.querySelector('.films video').readyState > 0")
    page.locator(".caption.reference").nth(1).click()
    assert page.evaluate("document.querySelector('.films video').currentTime") == 10
    assert page.locator(".film-clip h3").inner_text() == "0:10.0–0:18.0"
    page.locator(".caption.reference").nth(1).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("close 0:30.5")
    assert page.locator(".film-clip h3").inner_text() == "0:30.0–0:34.0"
    modes = "[...document.querySelector('.films video').textTracks].map((track) => [track.label, track.mode])"
    assert page.evaluate(modes) == [
        ["dialogue", "hidden"],
        ["reference", "hidden"],
        ["close", "showing"],
        ["wrong", "hidden"],
    ]
    page.get_by_label("In view").select_option("2")
    assert page.locator(".film-tracks").evaluate("tracks => tracks.scrollWidth >= tracks.parentElement.clientWidth")


@needs_browser
def test_the_axis_follows_the_clip_that_is_shown(open_page: Open) -> None:
    """A film of an hour, of which five minutes are in view."""
    written = [{"film": "f", "start": 600 * n, "end": 600 * n + 5, "text": f"Line {n}."} for n in range(7)]
    result = kataribe.evaluate("narration", written, written, ["rouge_l"], details=True)
    page = open_page({"only": result})
    assert page.get_by_label("In view").input_value() == "1"
    for _ in range(3):
        page.get_by_label("Next clip").click()
    box, scroller = (page.locator(name).bounding_box() for name in (".caption.reference.chosen", ".film-scroll"))
    assert scroller["x"] <= box["x"] <= scroller["x"] + scroller["width"]
    assert page.locator(".film-clip").inner_text().startswith("30:00.0")


@needs_browser
def test_hostile_names_are_shown_and_never_run(open_page: Open) -> None:
    cast = {"harbour": HOSTILE, "train": HOSTILE}
    result = told(HOSTILE[:4], cast)
    page = open_page(
        {HOSTILE[0]: result, HOSTILE[1]: result}, 400, True, dialogue={"harbour": [Caption(Segment(7, 9), HOSTILE[1])]}
    )
    for place in range(page.locator(".caption").count()):
        page.locator(".caption").nth(place).dispatch_event("click")
    assert HOSTILE[2] in page.locator(".film-clip").text_content()
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0


@needs_browser
@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_sticks_out_sideways(open_page: Open, results, rankings, width: int) -> None:
    page = open_page(results, width, agreement=rankings, dialogue=SAID)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
