"""The bench's own arithmetic and bookkeeping; its figures are nobody's to assert."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.data import _made_up
from bench.narration_study import variants
from bench.report import Row, Section, show, write_section
from kataribe.core.types import Cast, Narration, Role
from kataribe.narration.names import Names


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (740123.4, "pairs/s", "740,000 pairs/s"),
        (0.0123, "s", "12.3 ms"),
        (13.661, "s", "13.66 s"),
        (70_600_000, "B", "70.6 MB"),
        (None, "s", ""),
    ],
)
def test_figures_are_shown_with_three_digits(value: float | None, unit: str, shown: str) -> None:
    assert show(value, unit) == shown


def test_ratio_says_how_many_times_better_we_are() -> None:
    assert Row("rate", 600.0, 3.0, "pairs/s").ratio == "200×"
    assert Row("time", 2.0, 5.0, "s", higher_is_better=False).ratio == "2.50×"


def test_absent_original_leaves_its_reason_and_no_ratio() -> None:
    assert Row("rate", 600.0, "Java is not installed", "pairs/s").cells()[2:4] == ["Java is not installed", ""]


def test_table_replaces_only_what_stands_between_its_markers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- bench:captions:begin -->\nold\n<!-- bench:captions:end -->\nafter\n")
    text = Section("Captions", [Row("rate", 600.0, 3.0, "pairs/s")], ["a \\note"]).markdown(["a machine"])
    write_section(page, "captions", text)
    write_section(page, "captions", text)
    content = page.read_text()
    assert content.startswith("before\n<!-- bench:captions:begin -->\n\n### Captions\n")
    assert content.endswith("- a \\note\n\n<!-- bench:captions:end -->\nafter\n")
    assert content.count("| rate | 600 pairs/s | 3 pairs/s | 200× |") == 1
    assert "old" not in content


def test_page_without_markers_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing here\n")
    with pytest.raises(SystemExit, match="bench:stories:begin"):
        write_section(page, "stories", "table")


def test_made_up_captions_are_the_same_every_time() -> None:
    made = _made_up(50, 2)
    assert made == _made_up(50, 2)
    assert made.pairs == 100


def test_spoilt_narrations_differ_only_where_they_should() -> None:
    pytest.importorskip("jieba")
    cast = Cast("f", (Role("老李"), Role("小天")))
    lines = ["老李端来食物倒入小猫的饭盆里，小天看着小猫。", "小天走进厨房，老李关掉电视机。"]
    written = {str(n): Narration(str(n), "f", None, line) for n, line in enumerate(lines)}
    made = {name: [line.text for line in told] for name, told in variants(written, {"f": cast}, seed=0).items()}
    assert made["itself"] == lines
    swapped = ["小天端来食物倒入小猫的饭盆里，老李看着小猫。", "老李走进厨房，小天关掉电视机。"]
    assert made["names replaced"] == swapped  # of a cast of two there is only one other
    names = Names.of_cast(cast)
    assert [names.in_text(line) for line in made["words replaced"]] == [names.in_text(line) for line in lines]
    assert made["words replaced"] != lines
    assert [names.in_text(line) for line in made["names removed"]] == [frozenset(), frozenset()]
    assert variants(written, {"f": cast}, seed=0) == variants(written, {"f": cast}, seed=0)
