"""What people said about texts: ratings, rankings, votes or labels, in CSV, TSV or JSON lines, gz of any.

    ratings    rater,item,system,dimension,value
    rankings   rater,item,system,dimension,rank                   1 is best, equal ranks are ties
    votes      rater,item,dimension,system_a,system_b,choice      a, b or equal
    labels     rater,item,system,dimension,label                  one of a few classes without an order

The columns tell the kind. `dimension` may be absent (there is one then, "overall"), and of ratings and labels also
`system` (each item has one text then). A question without an answer is an empty cell, a null or no row at all. Columns
of other names (a time stamp, a comment) are not read. Nobody may answer the same question twice.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from kataribe.core.errors import InputError, Location, UsageError, nearest, shorten
from kataribe.formats.output import write_whole
from kataribe.formats.source import JSON_LINES, TABLES, check_id, check_number, extension, read_rows

OVERALL = "overall"

Kind = Literal["ratings", "rankings", "votes", "labels"]
Choice = Literal["a", "b", "equal"]
CHOICES: tuple[Choice, ...] = ("a", "b", "equal")


class Rating(NamedTuple):
    rater: str
    item: str
    system: str
    dimension: str
    value: float


class Rank(NamedTuple):
    rater: str
    item: str
    system: str
    dimension: str
    rank: float


class Vote(NamedTuple):
    rater: str
    item: str
    dimension: str
    system_a: str
    system_b: str
    choice: Choice


class Labelled(NamedTuple):
    rater: str
    item: str
    system: str
    dimension: str
    label: str


Judgement = Rating | Rank | Vote | Labelled

_ROWS: dict[Kind, type[Judgement]] = {"ratings": Rating, "rankings": Rank, "votes": Vote, "labels": Labelled}
_ANSWERS: dict[Kind, str] = {"ratings": "value", "rankings": "rank", "votes": "choice", "labels": "label"}


@dataclass(frozen=True)
class Ratings:
    """All judgements of one kind, in the file's order.

    >>> ratings = Ratings("ratings", (Rating("ann", "1", "base", "overall", 4.0),))
    >>> ratings.raters, ratings.dimensions, len(ratings)
    (['ann'], ['overall'], 1)
    """

    kind: Kind
    rows: tuple[Judgement, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def raters(self) -> list[str]:
        return list(dict.fromkeys(row.rater for row in self.rows))

    @property
    def items(self) -> list[str]:
        return list(dict.fromkeys(row.item for row in self.rows))

    @property
    def dimensions(self) -> list[str]:
        return list(dict.fromkeys(row.dimension for row in self.rows))

    @property
    def systems(self) -> list[str]:
        both = (row[3:5] if isinstance(row, Vote) else (row.system,) for row in self.rows)
        return list(dict.fromkeys(system for systems in both for system in systems))

    def of(self, dimension: str) -> Ratings:
        """The judgements of one dimension."""
        return Ratings(self.kind, tuple(row for row in self.rows if row.dimension == dimension))

    def without(self, raters: Collection[str]) -> Ratings:
        """The judgements of all others."""
        unknown = [rater for rater in raters if rater not in self.raters]
        if unknown:
            raise UsageError(f"no rater is called {shorten(unknown[0])!r}", hint=nearest(unknown[0], self.raters))
        rows = tuple(row for row in self.rows if row.rater not in raters)
        if not rows:
            raise UsageError("no rater is left", hint="leave fewer of them out")
        return Ratings(self.kind, rows)


def read_ratings(paths: str | Path | Sequence[str | Path]) -> Ratings:
    """Read and check whole files; every mistake names its line. Several files are joined: they hold one kind."""
    files = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    kinds: dict[Kind, Path] = {}
    rows: list[Judgement] = []
    asked: dict[tuple[str, ...], str] = {}
    for path in files:
        kind, found = _read_file(path, asked, with_file=len(files) > 1)
        kinds.setdefault(kind, path)
        if len(kinds) > 1:
            first, other = next(iter(kinds.items()))
            raise Location(path).error(f"holds {kind}, {other} holds {first}", hint="give files of one kind")
        rows += found
    return Ratings(next(iter(kinds)), tuple(rows))


def _read_file(path: Path, asked: dict[tuple[str, ...], str], *, with_file: bool) -> tuple[Kind, list[Judgement]]:
    """One file's judgements; `asked` are the questions answered so far and where."""
    kind: Kind | None = None
    rows: list[Judgement] = []
    if extension(path) not in (*TABLES, *JSON_LINES):
        raise Location(path).error("is neither .csv, .tsv nor .jsonl", hint="name it by its form")
    for location, entry in read_rows(path):
        kind = kind or _kind_of(entry, path)
        row = _row(kind, entry, location)
        if row is None:
            continue
        question = _question(row)
        if question in asked:
            raise InputError(
                f"{location} answers again what {asked[question]} answers ({_said(row)})",
                hint="keep one of the two",
            )
        asked[question] = f"{path} {location.field}" if with_file else f"{location.field}"
        rows.append(row)
    if kind is None or not rows:
        raise Location(path).error("holds no judgements", hint="did the program that wrote it stop early?")
    return kind, rows


def write_ratings(path: str | Path, ratings: Ratings) -> None:
    """Write what `read_ratings` reads; the ending says how: .csv, .tsv or .jsonl, and .gz after any of them."""
    path = Path(path)
    content = format_ratings(ratings, extension(path)).encode()
    # A packed file carries no time stamp, so that equal judgements give equal files.
    write_whole(path, gzip.compress(content, mtime=0) if path.suffix.lower() == ".gz" else content)


def format_ratings(ratings: Ratings, kind: str = ".csv") -> str:
    """The content of a file.

    >>> print(format_ratings(Ratings("votes", (Vote("ann", "1", "overall", "base", "large", "equal"),))), end="")
    rater,item,dimension,system_a,system_b,choice
    ann,1,overall,base,large,equal
    """
    if kind not in (".csv", ".tsv", ".jsonl"):
        raise UsageError(f"ratings are written as .csv, .tsv or .jsonl, not {kind or 'without ending'}")
    if kind == ".jsonl":
        return "".join(msgspec.json.encode(row._asdict()).decode() + "\n" for row in ratings.rows)
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t" if kind == ".tsv" else ",", lineterminator="\n")
    writer.writerow(_ROWS[ratings.kind]._fields)
    writer.writerows(map(_cells, ratings.rows))
    return out.getvalue()


def _cells(row: Judgement) -> list[str]:
    return [f"{cell:g}" if isinstance(cell, float) and float(f"{cell:g}") == cell else str(cell) for cell in row]


def _kind_of(entry: Mapping[str, Any], path: Path) -> Kind:
    found: list[Kind] = [kind for kind, answer in _ANSWERS.items() if answer in entry]
    # Beside another answer, a column of this name may hold anything.
    found = [kind for kind in found if kind != "labels"] or found
    if len(found) != 1:
        what = " and ".join(_ANSWERS[kind] for kind in found) if found else "none of value, rank, choice and label"
        raise Location(path).error(
            f"has {what} among its columns ({', '.join(map(shorten, entry))})",
            hint="ratings have value, rankings have rank, votes have choice, labels have label",
        )
    return found[0]


def _row(kind: Kind, entry: Mapping[str, Any], location: Location) -> Judgement | None:
    """The judgement in one entry; nothing where the answer is missing."""
    optional = {"dimension": OVERALL} | ({"system": ""} if kind in ("ratings", "labels") else {})
    cells: list[Any] = []
    for field in _ROWS[kind]._fields:
        if field not in entry and field not in optional:
            needed = ", ".join(name for name in _ROWS[kind]._fields if name not in optional)
            raise InputError(f"{location} has no {field} ({kind} need {needed})")
        value = entry.get(field)
        if field == _ANSWERS[kind]:
            if value is None or (isinstance(value, str) and not value.strip()):
                return None
            cells.append(_ANSWER_CHECKS[kind](value, location))
        elif field in optional and (value is None or value == ""):
            cells.append(optional[field])
        else:
            cells.append(_name(value, location, field))
    row: Judgement = _ROWS[kind](*cells)
    if isinstance(row, Vote) and row.system_a == row.system_b:
        raise InputError(f"{location} compares {shorten(row.system_a)!r} with itself")
    return row


def _name(value: Any, location: Location, field: str) -> str:
    name = check_id(value, location.at(field=f"{location.field}: {field}")).strip()
    if not name:
        raise location.error(f"{field} is empty")
    return name


def _number(value: Any, location: Location, field: str) -> float:
    hint = "leave the cell empty where there is no answer"
    return check_number(value, location.at(field=f"{location.field}: {field}"), hint=hint)


def _rating(value: Any, location: Location) -> float:
    return _number(value, location, "value")


def _rank(value: Any, location: Location) -> float:
    rank = _number(value, location, "rank")
    if rank < 1:
        raise location.error(f"rank is {rank:g}", hint="1 is the best rank")
    return rank


def _choice(value: Any, location: Location) -> str:
    choice = str(value).strip().lower()
    if choice not in CHOICES:
        raise location.error(f"choice is {shorten(value, 30)!r}", hint="it is a, b or equal")
    return choice


def _label(value: Any, location: Location) -> str:
    return _name(value, location, "label")


_ANSWER_CHECKS: dict[Kind, Callable[[Any, Location], Any]] = {
    "ratings": _rating,
    "rankings": _rank,
    "votes": _choice,
    "labels": _label,
}


def _question(row: Judgement) -> tuple[str, ...]:
    """What may be answered once: a vote for a over b is one about b and a too."""
    if isinstance(row, Vote):
        return row.rater, row.item, row.dimension, *sorted((row.system_a, row.system_b))
    return tuple(row[:4])


def _said(row: Judgement) -> str:
    named: Iterable[tuple[str, Any]] = row._asdict().items()
    return ", ".join(f"{name} {shorten(cell, 30)!r}" for name, cell in named if isinstance(cell, str) and cell)
