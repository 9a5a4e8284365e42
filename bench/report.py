"""What a room of the bench returns, and how it is written down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"


@dataclass(frozen=True)
class Options:
    """How thorough to be: our figures are the best of `repeats`; `fraction` shrinks the data to try things out.

    `originals` is the part of the data that an original runs on where it would take very long; its time is scaled.
    """

    repeats: int = 3
    fraction: float = 1.0
    originals: float = 0.1


@dataclass(frozen=True)
class Row:
    """One measurement of ours beside the original's. Without a number, `original` may say why there is none."""

    what: str
    ours: float
    original: float | str | None
    unit: str
    higher_is_better: bool = True
    agreement: str = ""

    @property
    def ratio(self) -> str:
        if not isinstance(self.original, int | float) or not self.original or not self.ours:
            return ""
        ratio = self.ours / self.original if self.higher_is_better else self.original / self.ours
        return f"{ratio:,.0f}×" if ratio >= 10 else f"{ratio:,.2f}×"

    def cells(self) -> list[str]:
        original = self.original if isinstance(self.original, str) else show(self.original, self.unit)
        return [self.what, show(self.ours, self.unit), original, self.ratio, self.agreement]


@dataclass(frozen=True)
class Section:
    """The table of one room, with what must be known to read it."""

    title: str
    rows: Sequence[Row]
    notes: Sequence[str] = field(default_factory=list)

    def markdown(self, machine: Sequence[str]) -> str:
        header = ["measured", "kataribe", "original", "ratio", "agreement"]
        lines = [header, ["---", "---:", "---:", "---:", "---"], *(row.cells() for row in self.rows)]
        table = ["| " + " | ".join(cells) + " |" for cells in lines]
        notes = [f"- {note}" for note in (*machine, *self.notes)]
        return "\n".join([f"### {self.title}", "", *table, "", *notes])


@dataclass(frozen=True)
class Results:
    """Tables of an experiment, each with a title and a header, and what must be known to read them."""

    tables: Sequence[tuple[str, Sequence[Sequence[str]]]]
    notes: Sequence[str] = field(default_factory=list)

    def markdown(self, machine: Sequence[str]) -> str:
        lines: list[str] = []
        for title, (header, *rows) in self.tables:
            dashes = ["---", *["---:"] * (len(header) - 1)]
            lines += [f"#### {title}", "", *(f"| {' | '.join(row)} |" for row in (header, dashes, *rows)), ""]
        return "\n".join([*lines, *(f"- {line}" for line in (*machine, *self.notes))])


def show(value: float | None, unit: str) -> str:
    """
    >>> show(740123.4, "pairs/s"), show(0.0123, "s"), show(70_600_000, "B"), show(None, "s")
    ('740,000 pairs/s', '12.3 ms', '70.6 MB', '')
    """
    if value is None:
        return ""
    if unit == "s":
        return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.3g} ms"
    if unit == "B":
        return f"{value / 1e6:,.1f} MB"
    digits = max(0, len(str(int(value))) - 3)
    return f"{round(value, -digits):,.0f} {unit}"


def write_section(page: Path, room: str, text: str) -> None:
    """Put the table between the room's markers; everything else on the page stays as it is."""
    begin, end = f"<!-- bench:{room}:begin -->", f"<!-- bench:{room}:end -->"
    content = page.read_text(encoding="utf-8")
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(content):
        raise SystemExit(f"{page.name} has no place for this table: add the lines {begin} and {end}")
    page.write_text(pattern.sub(lambda _: f"{begin}\n\n{text}\n\n{end}", content), encoding="utf-8")
