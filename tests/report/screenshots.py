"""Make the screenshots of docs/report.md again, from our own sample stories: python -m tests.report.screenshots"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from kataribe.report.data import page_data
from kataribe.report.html import render_page
from tests.report.made_up import story_results

IMAGES = Path(__file__).parents[2] / "docs" / "images"
MARGIN = 16
METRICS = ("soda(c)", "activitynet(2018)", "localisation")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder) / "page.html"
        file.write_text(render_page(page_data(story_results(METRICS))), encoding="utf-8")
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1400, "height": 800})
        page.goto(file.as_uri())
        shoot(page, "section[aria-labelledby=scores-title]", "report-scores.png")
        page = browser.new_page(viewport={"width": 1400, "height": 800}, color_scheme="dark")
        page.goto(file.as_uri() + "#item=v_harbour")
        page.locator(".story-panel .caption.predicted").nth(1).focus()
        shoot(page, "section.items", "report-story.png")
        browser.close()


def shoot(page: Page, selector: str, name: str) -> None:
    page.evaluate("window.scrollTo(0, 0)")  # a box is measured from the window, a picture of the page from its top
    box = page.locator(selector).bounding_box()
    assert box is not None, f"{selector} is not on the page"
    clip = {"x": box["x"] - MARGIN, "y": box["y"] - MARGIN}
    clip |= {"width": box["width"] + 2 * MARGIN, "height": box["height"] + 2 * MARGIN}
    page.screenshot(path=IMAGES / name, clip=clip, full_page=True)


if __name__ == "__main__":
    main()
