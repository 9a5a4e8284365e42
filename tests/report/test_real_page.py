"""The page at full size: a real captioner against a perturbed copy of itself, all of ActivityNet Captions' val."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

import kataribe
from kataribe.core.side_by_side import side_by_side
from kataribe.report.data import page_data
from kataribe.report.html import render_page

CHROMIUM = shutil.which("chromium")
LARGEST_BYTES, SLOWEST_SECONDS = 15_000_000, 2.0


def perturbed(submission: dict) -> dict:
    """The same captions, some dropped, some moved, some taken from elsewhere."""
    rng = random.Random(7)
    texts = [caption["sentence"] for story in submission["results"].values() for caption in story]
    changed = {}
    for video, story in submission["results"].items():
        kept = [caption for caption in story if rng.random() > 0.12] or story
        changed[video] = [
            {
                "sentence": rng.choice(texts) if rng.random() < 0.15 else caption["sentence"],
                "timestamp": moved(*caption["timestamp"], rng),
            }
            for caption in kept
        ]
    return submission | {"results": changed}


def moved(start: float, end: float, rng: random.Random) -> list[float]:
    length = end - start
    start = max(0.0, start + rng.uniform(-0.25, 0.25) * length)
    return [start, max(start + 0.1, end + rng.uniform(-0.25, 0.25) * length)]


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here to open the page (apt-get install chromium)")
def test_all_of_val_is_small_enough_and_opens_fast_enough(data_folder: Path, tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    folder = data_folder / "activitynet-captions"
    submission = json.loads((folder / "model_output_val_1.json").read_text())
    (tmp_path / "perturbed.json").write_text(json.dumps(perturbed(submission)))
    results = {
        name: kataribe.evaluate(
            "stories", file, [folder / "val_1.json", folder / "val_2.json"], bootstrap=1000, anchors=True, details=True
        )
        for name, file in (("model", folder / "model_output_val_1.json"), ("perturbed", tmp_path / "perturbed.json"))
    }
    data = page_data(side_by_side(results))
    assert all(test["significant"] and test["difference"] > 0 for test in data.core["comparison"]["tests"])
    file = tmp_path / "page.html"
    file.write_text(render_page(data), encoding="utf-8")
    assert file.stat().st_size < LARGEST_BYTES
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(file.as_uri())
        assert page.locator("#found").inner_text() == "4,917 items"
        took = page.evaluate("performance.timing.loadEventEnd - performance.timing.navigationStart") / 1000
        browser.close()
    assert took < SLOWEST_SECONDS
