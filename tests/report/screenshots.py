"""Make the screenshots of the documentation again, from our own samples: python -m tests.report.screenshots

python -m tests.report.screenshots WORLD makes the one of a told film, from a folder of `kataribe build world`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import kataribe
from kataribe.captions.files import read_predictions
from kataribe.core.side_by_side import side_by_side
from kataribe.films.casts import read_casts
from kataribe.formats.stories import read_stories
from kataribe.narration.degraded import DegradeOptions, degrade
from kataribe.narration.files import read_narrations
from kataribe.people.agreement import agree
from kataribe.people.ratings import read_ratings
from kataribe.people.result import Agreement
from kataribe.people.scores import of_results, read_scores
from kataribe.report.data import page_data
from kataribe.report.html import render_agreement_page, render_page
from kataribe.report.videos import find_videos
from tests.report.made_up import story_results

SAMPLES = Path(kataribe.__file__).parent / "samples"
IMAGES = Path(__file__).parents[2] / "docs" / "images"
MARGIN = 16
FILM_METRICS = ("role_f1", "cider", "rouge_l", "first_mention", "identity", "repetition")
METRICS = ("soda(c)", "activitynet(2018)", "localisation")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder) / "page.html"
        file.write_text(render_page(page_data(side_by_side(story_results(METRICS)))), encoding="utf-8")
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1400, "height": 800})
        page.goto(file.as_uri())
        shoot(page, "section[aria-labelledby=scores-title]", "report-scores.png")
        page = browser.new_page(viewport={"width": 1400, "height": 800}, color_scheme="dark")
        page.goto(file.as_uri() + "#item=v_harbour")
        page.locator(".story-panel .caption.predicted").nth(1).focus()
        shoot(page, "section.items", "report-story.png")
        file.write_text(render_agreement_page(sample_agreement(), "The sample captions"), encoding="utf-8")
        page = browser.new_page(viewport={"width": 1400, "height": 800})
        page.goto(file.as_uri())
        shoot(page, "main", "agree-page.png")
        browser.close()


def shoot_film(world: Path) -> None:
    """The first test film told three times: with other names, with other words, and as it is."""
    references = world / "G" / "test.json"
    written, casts = read_narrations(references), read_casts(world / "cast.json")
    told = {
        "wrong names": degrade(written.values(), casts, DegradeOptions(names="replace")).lines,
        "wrong words": degrade(written.values(), casts, DegradeOptions(words="nouns,verbs")).lines,
        "reference": tuple(written.values()),
    }
    options = {"cast": casts, "tok": "char", "protocol": "paper", "details": True}
    results = {
        name: kataribe.evaluate("narration", lines, references, FILM_METRICS, **options) for name, lines in told.items()
    }
    rows = ["item,system,rater,dimension,rank"]
    for number, id in enumerate(list(written)[:20]):
        for rater in range(3):  # most of them see the wrong names first
            order = ["reference", "wrong words", "wrong names"]
            order = order[1:2] + order[:1] + order[2:] if (number + rater) % 4 == 0 else order
            rows += [f"{id},{system},{rater},overall,{rank}" for rank, system in enumerate(order, start=1)]
    said = {story.video: story.in_time_order() for story in read_stories(world / "dialogue")}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        ranks, file = Path(folder) / "ranks.csv", Path(folder) / "page.html"
        ranks.write_text("\n".join(rows), encoding="utf-8")
        people = agree(of_results(results), read_ratings([ranks]))
        videos = find_videos(world / "videos", said, file)
        beside = side_by_side(results, replicates=100)
        data = page_data(beside, videos=videos, agreement=people, dialogue=said)
        file.write_text(render_page(data), encoding="utf-8")
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.goto(file.as_uri())
        page.get_by_label("In view").select_option("2")
        page.locator(".caption.told").nth(3).click()
        page.wait_for_timeout(3000)  # until the video shows that moment
        shoot(page, "section.films", "report-film.png")
        browser.close()


def sample_agreement() -> Agreement:
    """The sample captions, cut short and mixed up, beside what people said about them."""
    captions = read_predictions(SAMPLES / "captions_pred.json")
    texts = list(captions.values())
    systems = {
        "whole": captions,
        "short": {id: " ".join(text.split()[:5]) for id, text in captions.items()},
        "wrong": dict(zip(captions, [*texts[1:], texts[0]], strict=True)),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, predictions in systems.items():
            result = kataribe.evaluate("captions", predictions, SAMPLES / "captions_refs.json")
            (Path(folder) / f"{name}.json").write_text(result.to_json(), encoding="utf-8")
        scores = read_scores([Path(folder) / f"{name}.json" for name in systems])
    return agree(scores, read_ratings(SAMPLES / "captions_ratings.csv").without(["dan"]))


def shoot(page: Page, selector: str, name: str) -> None:
    page.evaluate("window.scrollTo(0, 0)")  # a box is measured from the window, a picture of the page from its top
    box = page.locator(selector).bounding_box()
    assert box is not None, f"{selector} is not on the page"
    clip = {"x": box["x"] - MARGIN, "y": box["y"] - MARGIN}
    clip |= {"width": box["width"] + 2 * MARGIN, "height": box["height"] + 2 * MARGIN}
    page.screenshot(path=IMAGES / name, clip=clip, full_page=True)


if __name__ == "__main__":
    if sys.argv[1:]:
        shoot_film(Path(sys.argv[1]))
    else:
        main()
