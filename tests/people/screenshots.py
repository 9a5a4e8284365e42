"""Make the screenshots of docs/judge.md again, from our own sample studies: python -m tests.people.screenshots"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.people.test_pages import House, at, template

IMAGES = Path(__file__).parents[2] / "docs" / "images"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        shoot(browser, "movie101", Path(folder), "25134" * 2 + "2", "judge-ranking.png", width=1280, height=980)
        shoot(browser, "movie101-clips", Path(folder), "2", "judge-labels.png", width=1280, height=640)
        shoot(browser, "soda", Path(folder), "b", "judge-phone.png", width=400, height=860, scheme="dark")
        browser.close()


def shoot(
    browser: Any, name: str, folder: Path, keys: str, image: str, *, width: int, height: int, scheme: str = "light"
) -> None:
    house = House(template(name, folder))
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(house.link() + "?lang=en")
    page.locator("form button").click()
    at(page, 1)
    page.locator("video").evaluate("node => { node.currentTime += 5.2 }")
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_selector("text=0:05 / 0:12")
    page.wait_for_timeout(500)
    page.evaluate("window.scrollTo(0, 0)" if scheme == "light" else "window.scrollTo(0, 1e6)")
    page.screenshot(path=IMAGES / image)
    page.close()
    house.close()
    house.store.close()


if __name__ == "__main__":
    main()
