"""The agreement page in a real browser: it opens from a file, asks nothing of the network, shows what was found."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kataribe.people.agreement import agree
from kataribe.people.examples import Shown, explain
from kataribe.people.fitting import fit_mixture
from kataribe.people.mixture import find_mixture, find_parts
from kataribe.people.options import AgreementOptions
from kataribe.people.ratings import Rating, Ratings, Vote
from kataribe.people.result import Agreement, Text
from kataribe.people.scores import Scores
from kataribe.report.html import render_agreement_page
from kataribe.report.thumbnails import thumbnails

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here to open the page (apt-get install chromium)")

NASTY = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def found() -> Agreement:
    rng = np.random.default_rng(0)
    quality = rng.normal(size=(120, 3)) + np.array([0.0, 0.5, 1.0])
    texts = [Text(str(item), system) for item in range(120) for system in ("x", "y", NASTY)]
    scores = Scores(texts, {"good": quality.ravel(), NASTY: rng.normal(size=360)}, {"good": "good|v:1"})
    rows = [
        Rating(rater, text.item, text.system, dimension, float(np.round(sign * q + rng.normal())))
        for rater in ("ann", "bob")
        for dimension, sign in (("content", 1), ("style", -1))
        for text, q in zip(texts, quality.ravel(), strict=True)
    ]
    return agree(scores, Ratings("ratings", tuple(rows)), options=AgreementOptions(bootstrap=50))


@pytest.fixture
def page(browser: Any, found: Agreement, tmp_path: Path) -> Iterator[Any]:
    with opened(browser, render_agreement_page(found), tmp_path / "page.html") as page:
        yield page


@pytest.fixture
def examples_page(browser: Any, found: Agreement, tmp_path: Path) -> Iterator[Any]:
    """With two texts of best and of worst agreement for each metric; the texts of one system have a picture."""
    image = pytest.importorskip("PIL.Image", reason="needs kataribe[models]")
    image.new("RGB", (1000, 500), "teal").save(tmp_path / "sea.png")
    texts = found.dimensions["content"].judged
    shown = {text: Shown(f"{text.item} {NASTY}", (NASTY, "two"), "sea.png") for text in texts}
    explained = explain(found, shown, 2)
    small = thumbnails(dict.fromkeys(texts, tmp_path / "sea.png"))
    with opened(browser, render_agreement_page(explained, pictures=small.images), tmp_path / "page.html") as page:
        yield page


@contextmanager
def opened(browser: Any, content: str, file: Path) -> Iterator[Any]:
    """Afterwards nothing may have been asked of a network or complained about."""
    file.write_text(content, encoding="utf-8")
    trouble: list[str] = []
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", lambda request: request.url.startswith(("file:", "data:")) or trouble.append(request.url))
    page.goto(file.as_uri())
    yield page
    context.close()
    assert trouble == []


def test_standings_show_value_interval_letters_and_people(page: Any, found: Agreement) -> None:
    standing = found.dimensions["content"].metrics["good"]
    first = page.locator("#agreement-standings tbody tr").first
    low, high = standing.intervals["tau_c"]
    assert f"{100 * standing.values['tau_c']:.2f}" in first.inner_text()
    assert f"{100 * low:.2f} – {100 * high:.2f}" in first.inner_text()
    assert first.locator("sup").inner_text() == "b"
    assert page.locator("#agreement-standings tbody tr").last.inner_text().startswith("people")


def test_another_dimension_and_measure_redraw_everything(page: Any, found: Agreement) -> None:
    page.select_option("#agreement-dimension", label="style")
    page.select_option("#agreement-measure", label="spearman")
    value = found.dimensions["style"].metrics["good"].values["spearman"]
    assert value < 0
    assert f"{100 * value:.2f}" in page.locator("#agreement-standings tbody tr").first.inner_text()
    assert f"spearman {100 * value:.2f}" in page.locator("#agreement-scatter figcaption").first.inner_text()


def test_the_heat_map_has_a_cell_for_each_metric_and_dimension(page: Any, found: Agreement) -> None:
    cells = page.locator(".heat tbody tr").first.locator("td")
    assert cells.all_inner_texts() == [
        f"{100 * dimension.metrics['good'].values['tau_c']:.1f}" for dimension in found.dimensions.values()
    ]
    assert cells.nth(1).get_attribute("class") == "hn"


def test_systems_stand_in_the_order_of_people(page: Any) -> None:
    assert page.locator("#agreement-systems table").last.locator("tbody th").all_inner_texts() == [NASTY, "y", "x"]


def test_metrics_have_their_number_of_distinct_values(page: Any, found: Agreement) -> None:
    distinct = found.dimensions["content"].distinct
    cells = page.locator("#agreement-standings tbody tr td:last-child").all_inner_texts()
    assert cells == [str(distinct[name]) for name in ("good", NASTY, "people")]
    assert page.locator("#agreement-examples-part").is_hidden()


def test_examples_show_picture_texts_rating_and_prediction(examples_page: Any) -> None:
    assert examples_page.locator("#agreement-examples-part").is_visible()
    assert examples_page.locator("#agreement-examples details").count() == 2
    cards = examples_page.locator("#agreement-examples details").first.locator(".example")
    assert cards.count() == 4
    card = cards.first
    assert card.locator("blockquote").inner_text().endswith(NASTY)
    assert card.locator("li").all_inner_texts() == [NASTY, "two"]
    assert "prediction" in card.inner_text()
    assert any(word in card.inner_text() for word in ("top ", "bottom "))
    size = card.locator("img").evaluate("image => [image.complete, image.naturalWidth, image.naturalHeight]")
    assert size == [True, 320, 160]
    examples_page.set_viewport_size({"width": 400, "height": 900})
    assert examples_page.evaluate("document.documentElement.scrollWidth") <= 400


def test_what_strangers_wrote_is_shown_as_text(page: Any) -> None:
    assert page.locator("img").count() == 0
    assert NASTY in page.locator("#agreement-standings").inner_text()


@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_is_wider_than_the_window(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("#theme")
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


LONG = "suisei(/data/models/runs/2026-11-17/japanese-captions/seed-3-of-5/checkpoint)"


@pytest.fixture(scope="module")
def fitted() -> Agreement:
    """Votes and the weights of a mixture; one metric is called after a path, one part of a name is markup."""
    rng = np.random.default_rng(1)
    texts = [Text(str(item), system) for item in range(20) for system in ("x", NASTY)]
    parts = {part: rng.random(len(texts)) for part in ("EMScore", "BERTScore", "RoleF1")}
    quality = parts["EMScore"] + parts["RoleF1"] + 0.2 * rng.normal(size=len(texts))
    scores = Scores(texts, {**parts, LONG: quality})
    votes = tuple(
        Vote("ann", str(item), "overall", "x", NASTY, "a" if quality[2 * item] > quality[2 * item + 1] else "b")
        for item in range(20)
    )
    ratings = Ratings("votes", votes)
    options = AgreementOptions(bootstrap=40)
    found = find_parts(find_mixture("mnscore"), scores, None)
    return replace(agree(scores, ratings, options=options), fit=fit_mixture(found, ratings, options))


@pytest.mark.parametrize("width", [1400, 400])
def test_long_names_leave_the_numbers_in_sight(browser: Any, fitted: Agreement, tmp_path: Path, width: int) -> None:
    with opened(browser, render_agreement_page(fitted), tmp_path / "page.html") as page:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        row = page.locator("#agreement-standings tbody tr").nth(3)
        assert LONG in row.inner_text()
        card = page.locator("#agreement-standings .card").first.bounding_box()
        value = row.locator("td").first.bounding_box()
        assert value["x"] + value["width"] <= card["x"] + card["width"]


def test_a_label_of_an_axis_is_never_longer_than_the_axis(browser: Any, fitted: Agreement, tmp_path: Path) -> None:
    with opened(browser, render_agreement_page(fitted), tmp_path / "page.html") as page:
        chart = page.locator("#agreement-scatter svg").nth(3)
        label = chart.locator("text.label").last
        shown = label.evaluate("node => node.firstChild.data")
        assert shown.startswith("suisei(/")
        assert shown.endswith("point)")
        assert "\u2026" in shown
        assert label.locator("title").text_content() == LONG
        inside = label.evaluate(
            "node => { const [a, b] = [node, node.ownerSVGElement].map(one => one.getBoundingClientRect());"
            " return a.top >= b.top && a.bottom <= b.bottom }"
        )
        assert inside
        first = page.locator("#agreement-scatter svg").first.locator("text.label").last
        assert first.text_content() == "EMScore"


def test_fitted_weights_stand_on_the_page(browser: Any, fitted: Agreement, tmp_path: Path) -> None:
    assert fitted.fit is not None
    weights = fitted.fit.dimensions["overall"]
    with opened(browser, render_agreement_page(fitted), tmp_path / "page.html") as page:
        part = page.locator("#agreement-fit-part")
        assert part.is_visible()
        assert part.locator("h3").inner_text() == "Weights of mnscore"
        assert part.locator("code").inner_text() == f'-m "{weights.spec}"'
        table = part.locator("table").first.locator("tbody tr").all_inner_texts()
        assert [row.split("\t")[:3] for row in table] == [
            [name, f"{published:.3f}", f"{weights.weights[name]:.3f}"]
            for name, published in (("EMScore", 1 / 6), ("BERTScore", 4 / 6), ("RoleF1", 1 / 6))
        ]
        assert part.locator("svg .dot.hollow").count() == 3
        assert fitted.fit.signature in page.locator("#agreement-details details").last.text_content()


def test_a_page_without_a_fit_says_nothing_of_weights(page: Any) -> None:
    assert page.locator("#agreement-fit-part").is_hidden()


def test_what_people_prefer_stands_on_the_page(browser: Any, fitted: Agreement, tmp_path: Path) -> None:
    (preference,) = fitted.dimensions["overall"].preferences
    with opened(browser, render_agreement_page(fitted), tmp_path / "page.html") as page:
        first = page.locator("#agreement-details tbody tr").first
        assert first.locator("th").inner_text() == f"{preference.one}, {preference.other}: majority of an item"
        one, other, _ = preference.items
        assert first.locator("td").all_inner_texts()[:2] == [f"{5 * one}.0% ({one})", f"{5 * other}.0% ({other})"]
