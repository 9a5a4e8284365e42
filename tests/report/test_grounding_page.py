"""Grounding on the page: films with their queries, an opened query, and a video that jumps to a span."""

from __future__ import annotations

import shutil
import wave
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.core.result import Result
from kataribe.core.side_by_side import side_by_side
from kataribe.report.data import page_data
from kataribe.report.html import render_page
from kataribe.report.videos import find_videos
from tests.report import made_up

SAMPLES = Path(kataribe.__file__).parent / "samples"


@pytest.fixture(scope="module")
def result() -> Result:
    files = SAMPLES / "grounding_pred.json", SAMPLES / "grounding_refs.json"
    return kataribe.evaluate("grounding", *files, ["moment_recall(1)", "moment_iou"], details=True)


def packed(result: Result) -> dict[str, Any]:
    content: dict[str, Any] = page_data(side_by_side({"ours": result}, replicates=0)).views["grounding"]
    return content


def test_queries_come_with_their_film_and_what_people_marked(result: Result) -> None:
    content = packed(result)
    assert content["videos"] == ["harbour", "winter-train"]
    video, text, extent, truth = content["queries"][0]
    assert (video, extent, len(truth)) == (0, [0.0, 200.0], 3)
    assert text.startswith("At dawn")
    moments, anchor, curve, answer = content["systems"][0][0]
    assert len(moments) == 5
    assert all(len(moment) == 4 for moment in moments)
    assert anchor is not None
    assert len(curve) == 41
    assert answer is None
    assert set(content["films"][0]) == {"moment_recall(1)", "moment_iou"}


def test_a_video_may_be_named_after_the_film_of_a_query(result: Result, tmp_path: Path) -> None:
    (tmp_path / "harbour.mp4").write_bytes(b"")
    assert result.groups is not None
    ids = result["moment_iou"].ids
    found = find_videos(tmp_path, ids, tmp_path / "page.html", result.groups.of)
    assert set(found) == {id for id in ids if id.startswith("harbour")}
    assert set(found.values()) == {"harbour.mp4"}


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no Chromium here to open the page")
def test_the_page_opens_a_query_and_the_video_jumps_to_its_span(browser: Any, tmp_path: Path) -> None:
    queries = [
        {"id": "a", "video": "film", "query": made_up.HOSTILE[0], "duration": 60, "windows": [[10, 20]]},
        {"id": "b", "video": "film", "query": "A dog runs.", "duration": 60, "windows": [[30, 34]]},
    ]
    predictions = {
        "a": {"windows": [[12, 19, 0.9], [50, 55, 0.1]], "anchor": [0, 20]}
        | {"curve": {"times": [0, 30, 60], "scores": [0.1, 0.9, 0.2]}},
        "b": made_up.HOSTILE[1] + " from 31 to 35 s",
    }
    result = kataribe.evaluate("grounding", predictions, queries, ["moment_iou"], details=True)
    with wave.open(str(tmp_path / "sound.wav"), "wb") as sound:  # a browser takes a sound for a video without pictures
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(bytes([128]) * 8000 * 60)
    (tmp_path / "sound.wav").rename(tmp_path / "film.webm")
    file = tmp_path / "page.html"
    assert result.groups is not None
    found = find_videos(tmp_path, ["a", "b"], file, result.groups.of)
    file.write_text(
        render_page(page_data(side_by_side({"ours": result}, replicates=0), videos=found)), encoding="utf-8"
    )
    trouble: list[str] = []
    for width in (1400, 400):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.goto(file.as_uri())
        page.locator(".query").first.click()
        assert page.locator("#item h3").inner_text() == "a"
        assert page.locator("#item .caption.anchor").count() == 1
        assert page.locator("#item .score-curve").count() == 1
        page.locator("#item .caption.predicted").first.click()
        page.wait_for_function("document.querySelector('video').currentTime >= 12", timeout=20_000)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("window.hacked") is None
        page.locator(".query").nth(1).click()
        assert "read in:" in page.locator("#item").inner_text()
        page.close()
    assert trouble == []
