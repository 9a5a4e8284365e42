"""The page in a real browser: it opens from a file, asks nothing of the network, and does what it promises."""

from __future__ import annotations

import shutil
import wave
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.captions.result import ScoredCaption
from kataribe.core.caution import Caution
from kataribe.core.result import Result
from kataribe.core.side_by_side import side_by_side
from kataribe.core.types import Curve
from kataribe.people.agreement import agree
from kataribe.people.options import AgreementOptions
from kataribe.people.ratings import Rating, Ratings
from kataribe.people.result import Agreement
from kataribe.people.scores import of_results
from kataribe.report.data import page_data
from kataribe.report.html import render_page
from kataribe.report.videos import find_videos
from tests.report import made_up

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here to open the page (apt-get install chromium)")

Open = Callable[..., Any]


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Opens a page of results; afterwards nothing may have been asked of a network or complained about."""
    trouble: list[str] = []
    contexts = []

    def open_(
        results: dict[str, Result],
        address: str = "",
        title: str = "",
        videos: Path | None = None,
        agreement: Agreement | None = None,
        **options: Any,
    ) -> Any:
        file = tmp_path / "page.html"
        found = find_videos(videos, made_up.SCENES, file) if videos else None
        data = page_data(side_by_side(results, replicates=100), title=title, videos=found, agreement=agreement)
        file.write_text(render_page(data), encoding="utf-8")
        context = browser.new_context(**({"viewport": {"width": 1400, "height": 900}} | options))
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: request.url.startswith("file:") or trouble.append(request.url))
        page.goto(file.as_uri() + address)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert trouble == []


@pytest.fixture(scope="module")
def stories() -> dict[str, Result]:
    return made_up.story_results()


@pytest.fixture(scope="module")
def captions() -> dict[str, Result]:
    return {"whole": made_up.many_captions(6000, worse=False), "short": made_up.many_captions(6000, worse=True)}


def shown_ids(page: Any) -> list[str]:
    return page.locator(".grid-body [role=row] .first").all_inner_texts()


def test_the_leaderboard_shows_scores_intervals_anchors_and_signatures(open_page: Open, stories) -> None:
    page = open_page(stories)
    card = page.locator(".card").first
    value = stories["careful"][made_up.STORY_METRICS[0]].value
    assert f"{100 * value:.2f}" in card.inner_text()
    assert {"null", "human"} <= set(card.locator("svg text").all_text_contents())
    assert card.locator("svg .bar").count() == 2
    anchors = stories["careful"][made_up.STORY_METRICS[0]].anchors
    assert card.locator("svg .hollow").count() == 2
    assert f"{100 * anchors.system:.2f}" in card.inner_text()
    assert f"null and human: against {anchors.against}." in card.inner_text()
    card.get_by_text("Signature").click()
    assert stories["careful"][made_up.STORY_METRICS[0]].signature in card.inner_text()


def test_rows_out_of_sight_do_not_exist(open_page: Open, captions) -> None:
    page = open_page(captions)
    assert page.locator("#found").inner_text() == "6,000 items"
    assert page.locator(".grid-body [role=row]").count() < 60
    page.locator("#grid").evaluate("grid => { grid.scrollTop = grid.scrollHeight; }")
    page.locator(".grid-body", has_text="clip-05999").wait_for()


def test_search_finds_words_of_captions_and_references(open_page: Open, captions) -> None:
    page = open_page(captions)
    page.locator("#search").fill("boat SINGS sea")
    page.locator("#found", has_text=" of 6,000 items").wait_for()
    texts = {id: entry.references[0] for id, entry in captions["whole"].scored(ScoredCaption).items()}
    expected = [id for id, text in texts.items() if all(word in text for word in ("boat", "sings", "sea"))]
    assert page.locator("#found").inner_text() == f"{len(expected)} of 6,000 items"
    assert set(shown_ids(page)) <= set(expected)


def test_columns_sort_both_ways_and_by_difference(open_page: Open, captions) -> None:
    page = open_page(captions)
    page.get_by_role("button", name="id", exact=True).click()
    assert shown_ids(page)[0] == "clip-00000"
    page.get_by_role("button", name="id").first.click()
    assert shown_ids(page)[0] == "clip-05999"
    page.get_by_role("button", name="difference").click()
    whole, short = (captions[name][made_up.TEXT].item_values for name in ("whole", "short"))
    greatest = f"+{100 * (whole - short).max():.2f}"
    assert page.locator(".grid-body [role=row]").first.inner_text().split()[-1] == greatest
    assert page.locator("[role=columnheader][aria-sort=descending]").inner_text().startswith("difference")


def test_a_caption_opens_with_its_references_and_matched_words(open_page: Open) -> None:
    result = kataribe.evaluate(
        "captions",
        {"1": "a dog running", "2": "rain"},
        {"1": ["two cats sleep", "a dog runs fast"], "2": ["rain falls"]},
        ["meteor(en, tok=none)"],
        details=True,
    )
    page = open_page({"only": result})
    page.locator(".grid-body [role=row]", has_text="1").first.click()
    item = page.locator("#item")
    assert item.locator("blockquote").inner_text() == "a dog running"
    assert item.locator(".references li").count() == 2
    assert "matched by only" in item.locator(".references li").nth(1).inner_text()
    assert item.locator("mark.stage-exact").all_inner_texts() == ["a", "dog", "a", "dog"]
    assert item.locator("mark.stage-stem").all_inner_texts() == ["running", "runs"]


def test_a_caption_opens_with_the_tuples_that_were_matched(open_page: Open) -> None:
    pytest.importorskip("ginza")
    pair = {"1": "犬が公園を走る"}, {"1": ["白い犬が公園を走っている"]}
    result = kataribe.evaluate("captions", *pair, metrics=["jaspice"], details=True)
    page = open_page({"system": result}, "#item=1")
    scene = page.locator(".scene")
    assert "jaspice(ginza): 3 of 3 tuples are in the references" in scene.inner_text()
    assert scene.locator("p").nth(1).locator("mark").all_inner_texts() == ["犬", "公園", "犬-走る-公園"]
    assert scene.locator("p").nth(3).locator(".lone").all_inner_texts() == ["犬-白い"]


def test_a_story_opens_with_tracks_arcs_and_lonely_captions(open_page: Open, stories) -> None:
    page = open_page(stories, "#item=v_harbour")
    panels = page.locator(".story-panel")
    assert panels.count() == 2
    (reading,) = stories["careful"][made_up.STORY_METRICS[0]].details[0]
    careful = panels.first
    assert careful.locator(".arc").count() == len(reading.pairs)
    assert careful.locator(".caption.predicted").count() == 3
    assert careful.locator(".caption.alone").count() == len(reading.unmatched_references) + len(
        reading.unmatched_predictions
    )
    pair = reading.pairs[0]
    careful.locator(f'.caption[data-key="p{pair.prediction}"]').hover()
    details = careful.locator(".details").inner_text()
    for number in (pair.iou, pair.text, pair.product):
        assert f"{100 * number:.2f}" in details
    assert careful.locator(".details mark").count() > 0


def test_thresholds_of_one_metric_are_readings_to_choose_from(open_page: Open, stories) -> None:
    page = open_page(stories, "#item=v_kitchen")
    name = str(list(stories["careful"].metrics)[1])
    page.locator("#measure").select_option(label=name)
    options = page.locator(".story-panel").first.locator("option").all_inner_texts()
    assert [option.split(",")[0] for option in options] == ["tIoU 0.3", "tIoU 0.5", "tIoU 0.7", "tIoU 0.9"]
    before = page.locator(".story-panel").first.locator(".arc").count()
    page.locator(".story-panel").first.locator("select").select_option(label=options[-1])
    assert page.locator(".story-panel").first.locator(".arc").count() < before


def test_the_keyboard_reaches_everything(open_page: Open, stories) -> None:
    page = open_page(stories)
    page.locator("#search").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator("#item h3").inner_text() == "v_kitchen"
    page.locator(".caption[tabindex='0']").first.focus()
    page.keyboard.press("ArrowRight")
    focused = "document.activeElement.getAttribute('data-key')"
    assert page.evaluate(focused) == "r0.1"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused).startswith("p")
    page.keyboard.press("ArrowUp")
    assert page.evaluate(focused).startswith("r")
    page.get_by_role("button", name="Next item").click()
    assert page.locator("#item h3").inner_text() == "v_snowman"


def test_the_address_reopens_the_view(open_page: Open, stories, tmp_path: Path) -> None:
    page = open_page(stories)
    page.locator("#measure").select_option(label="localisation")
    page.locator("#search").fill("snow")
    page.locator("#found", has_text="1 of").wait_for()
    page.locator(".grid-body [role=row]").first.click()
    address = page.evaluate("location.hash")
    again = open_page(stories, address)
    assert again.locator("#item h3").inner_text() == "v_snowman"
    assert again.locator("#search").input_value() == "snow"
    assert again.locator("#measure option:checked").inner_text() == "localisation"
    again.go_back()
    assert page.go_back() is None
    assert page.locator("#item h3").count() == 0


def test_an_address_that_points_nowhere_opens_the_plain_page(open_page: Open, stories) -> None:
    page = open_page(stories, "#item=nothing&measure=99&one=-3&other=x&sort=%3Cb%3E")
    assert page.locator("#found").inner_text() == "8 items"


def test_dark_follows_the_reader_and_the_button(open_page: Open, stories) -> None:
    page = open_page(stories, color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    page.locator("#theme").click()
    assert page.locator("#theme").inner_text() == "Theme: light"
    assert page.evaluate(background) != dark
    page.locator("#theme").click()
    assert page.evaluate(background) == dark


@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_sticks_out_sideways(open_page: Open, stories, width: int) -> None:
    page = open_page(stories, "#item=v_harbour", viewport={"width": width, "height": 800})
    page.locator(".story").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("kind", ["captions", "stories"])
def test_hostile_text_is_shown_and_never_run(open_page: Open, kind: str) -> None:
    result = made_up.hostile_caption_result() if kind == "captions" else made_up.hostile_story_result()
    result = replace(result, warnings=tuple(Caution("hostile", text) for text in made_up.HOSTILE))
    names = made_up.HOSTILE[:2]
    page = open_page(dict.fromkeys(names, result), title=made_up.HOSTILE[0])
    for row in range(len(made_up.HOSTILE)):
        page.locator(".grid-body [role=row]").nth(row).click()
        assert page.locator("#item h3").text_content() == made_up.HOSTILE[row]
        assert made_up.HOSTILE[row] in page.locator("#item").text_content()
        for caption in page.locator(".story-panel .caption").all():
            caption.focus()
    assert page.locator("h1").text_content() == made_up.HOSTILE[0]
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 3


def test_a_click_on_a_caption_plays_the_video_from_there(open_page: Open, stories, tmp_path: Path) -> None:
    with wave.open(str(tmp_path / "sound.wav"), "wb") as sound:  # a browser takes a sound for a video without pictures
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(bytes([128]) * 8000 * 60)
    (tmp_path / "sound.wav").rename(tmp_path / "v_harbour.webm")
    page = open_page(stories, "#item=v_harbour", videos=tmp_path)
    page.locator(".story-panel .caption[data-key=p1]").first.click()
    for _ in range(100):
        if page.evaluate("document.querySelector('video').currentTime > 22"):
            break
        page.wait_for_timeout(100)
    else:
        pytest.fail("the video does not play from second 22")
    assert page.evaluate("document.querySelector('video').paused") is False
    page.get_by_role("button", name="Next item").click()
    assert page.locator("video").count() == 0


def test_copies_are_tables(open_page: Open, stories) -> None:
    page = open_page(stories, permissions=["clipboard-read", "clipboard-write"])
    page.locator("#copy-latex").click()
    page.locator("#toast.shown", has_text="LaTeX copied").wait_for()
    assert "\\textbf{" in page.evaluate("navigator.clipboard.readText()")
    page.locator("#copy-items-csv").click()
    page.locator("#toast.shown", has_text="CSV copied").wait_for()
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[0] == "id,careful,careless,difference,reference captions,duration (s)"
    assert len(lines) == 9


def test_curves_have_charts(open_page: Open, stories) -> None:
    curve = Curve("duplicated captions", "copies", {"soda(c)": ((1, 0.06), (2, 0.04), (3, 0.02))})
    page = open_page({"careful": replace(stories["careful"], curves=(curve,))})
    figure = page.locator("#sections figure")
    assert "duplicated captions" in figure.inner_text()
    assert figure.locator("circle").count() == 3


def test_incomparable_results_are_shown_but_not_tested(open_page: Open, stories) -> None:
    other = made_up.story_results(("soda(c, paper, text=rouge_l(tok=none))",))["careless"]
    page = open_page({"careful": stories["careful"], "other": other})
    assert "not comparable" in page.locator(".notice").inner_text()
    assert page.get_by_text("Significance").count() == 0


def test_a_narration_opens_with_the_roles_that_were_named(open_page: Open) -> None:
    page = open_page({"system": made_up.narration("Anna"), "people": made_up.narration()}, "#item=harbour_0-4")
    rows = page.locator("#item table", has_text="invented").locator("tbody tr")
    assert rows.all_inner_texts() == ["asystem\tAnna\tTom\t–", "bpeople\tAnna, Tom\t–\t–"]
    assert "gap (s)" in page.locator(".grid-head").inner_text()


@pytest.fixture(scope="module")
def judged(stories: dict[str, Result]) -> Agreement:
    """Two people who like the careful stories; they disagree about one."""
    rows = [
        Rating(rater, id, system, dimension, float(liked - (rater == "bob" and id == "v_kite")))
        for rater in ("ann", "bob")
        for dimension in ("content", "style")
        for system, liked in (("careful", 4), ("careless", 2))
        for id in made_up.SCENES
    ]
    return agree(of_results(stories), Ratings("ratings", tuple(rows)), options=AgreementOptions(bootstrap=50))


def test_agreement_with_people_is_a_section_of_the_page(open_page: Open, stories, judged: Agreement) -> None:
    page = open_page(stories, agreement=judged)
    metric = judged.metrics[0]
    page.select_option("#agreement-dimension", label="style")
    page.select_option("#agreement-measure", label="spearman")
    value = judged.dimensions["style"].metrics[metric].values["spearman"]
    assert f"{100 * value:.2f}" in page.locator("#agreement-standings tbody tr").first.inner_text()
    assert f"spearman {100 * value:.2f}" in page.locator("#agreement-scatter figcaption").first.inner_text()
    assert page.locator(".heat tbody tr").count() == len(judged.metrics) + 1  # and people
    # The measure of the figures above is another choice.
    assert page.locator("#measure").input_value() == "0"


def test_a_judged_text_opens_its_item(open_page: Open, stories, judged: Agreement) -> None:
    page = open_page(stories, agreement=judged)
    chart = page.locator("#agreement-scatter svg").first
    dots = chart.locator("path.dots").get_attribute("d")
    x, y = (float(number) for number in dots.removeprefix("M").split("h0")[0].split())
    box = chart.bounding_box()
    chart.click(position={"x": x * box["width"] / 460, "y": y * box["height"] / 240})
    assert page.evaluate("location.hash").removeprefix("#item=") in made_up.SCENES


@pytest.mark.parametrize("width", [400, 1400])
def test_the_section_does_not_stick_out_sideways(open_page: Open, stories, judged: Agreement, width: int) -> None:
    page = open_page(stories, agreement=judged, viewport={"width": width, "height": 900}, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_page_without_ratings_has_no_such_section(open_page: Open, stories) -> None:
    page = open_page(stories)
    assert page.locator("#agreement-title, #data-agreement").count() == 0
    assert "showAgreement(data" not in page.content()
