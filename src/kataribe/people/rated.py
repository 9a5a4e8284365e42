"""Data sets that hold captions, their references and what people said about them, all in one file.

    by picture     {"picture": {"human_judgement": [{"caption": ..., "rating": 3}, ...], "ground_truth": [...]}}
    entries        [{"imgid": ..., "mt": "the caption", "refs": [...], "score": 0.75}, ...], also as JSON lines
    table          CSV or TSV: an item column, caption, reference columns (reference_1, ...), rating columns (rating, or
                   rating_1, rating_2, ... of several raters)

Every caption is a text of its own: there are no systems. A caption of a picture that appears again with the same
references was rated by one more person. A rating that is missing (null, NaN, an empty cell) is left out.

Columns of a table are raters. In the other forms nobody says who gave a rating, and their order means nothing, or
worse: Flickr8k-Expert lists the three ratings of every caption in ascending order, so that its first "rater" would be
the strictest of three each time. Ratings of a caption are therefore dealt out at random to rater 1, rater 2, ...
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from kataribe.captions.files import ID_FIELDS
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, Location, shorten, some
from kataribe.formats.source import (
    check_id,
    check_text,
    entries_by_id,
    first_field,
    listed_entries,
    read_by_extension,
)
from kataribe.people.ratings import OVERALL, Rating, Ratings
from kataribe.people.result import Text

ITEM_FIELDS = ("item", *ID_FIELDS)
CAPTION_FIELDS = ("caption", "candidate", "mt", "prediction", "hypothesis", "text")
REFERENCE_FIELDS = ("references", "refs", "reference", "ref", "ground_truth")
RATING_FIELDS = ("rating", "ratings", "score", "scores", "human_score")


@dataclass
class RatedCaptions:
    """Captions and references by text; the system of a text is its own name, ITEM#NUMBER."""

    captions: dict[Text, str] = field(default_factory=dict)
    references: dict[Text, list[str]] = field(default_factory=dict)
    ratings: Ratings = field(default_factory=lambda: Ratings("ratings", ()))
    warnings: list[Caution] = field(default_factory=list)


class _Entry(NamedTuple):
    """`raters` are the names behind `ratings`, where they are known."""

    item: str
    caption: str
    references: list[str]
    ratings: list[float]
    raters: list[str] | None = None


def read_rated(path: str | Path) -> RatedCaptions:
    path = Path(path)
    found = RatedCaptions()
    texts: dict[tuple[str, str, tuple[str, ...]], Text] = {}
    counts: Counter[str] = Counter()
    anonymous: dict[Text, list[float]] = {}
    rows: list[Rating] = []
    copies = 0
    for entry in _entries(path):
        key = (entry.item, entry.caption, tuple(entry.references))
        if key not in texts:
            counts[entry.item] += 1
            text = texts[key] = Text(entry.item, f"{entry.item}#{counts[entry.item]}")
            found.captions[text], found.references[text] = entry.caption, entry.references
            copies += _plain(entry.caption) in map(_plain, entry.references)
        elif entry.raters is not None:
            raise Location(path, entry.item).error(f"rates {shorten(entry.caption)!r} in two lines")
        text = texts[key]
        if entry.raters is None:
            anonymous.setdefault(text, []).extend(entry.ratings)
        else:
            rows += [Rating(rater, *text, OVERALL, r) for rater, r in zip(entry.raters, entry.ratings, strict=True)]
    rows += _dealt_out(anonymous)
    given = tuple(row for row in rows if not math.isnan(row.value))
    if not given:
        raise InputError("holds no rated captions", file=path, hint="an entry needs a caption, references and a rating")
    if len(given) < len(rows):
        found.warnings.append(
            Caution("missing-ratings", f"{len(rows) - len(given):,} ratings are missing and left out")
        )
    if copies:
        flattered = f"{copies:,} captions are among their own references, which flatters metrics that compare with them"
        found.warnings.append(Caution("copied-references", flattered))
    found.ratings = Ratings("ratings", given)
    return found


def _dealt_out(anonymous: Mapping[Text, list[float]]) -> Iterator[Rating]:
    rng = random.Random(0)
    for text, ratings in anonymous.items():
        for number, rating in enumerate(rng.sample(ratings, len(ratings)), start=1):
            yield Rating(f"rater {number}", *text, OVERALL, rating)


def _plain(text: str) -> str:
    return " ".join(text.split()).lower()


def _entries(path: Path) -> Iterator[_Entry]:
    return read_by_extension(
        path,
        lines=_of_objects,
        table=lambda rows: (_of_row(row, location) for location, row in rows),
        document=lambda data: _of_document(data, path),
    )


def _of_document(data: Any, path: Path) -> Iterator[_Entry]:
    if isinstance(data, Mapping):
        return _by_picture(data, path)
    if isinstance(data, list):
        return _of_objects(listed_entries(data, path))
    raise Location(path).error("is neither an object nor a list of rated captions")


def _by_picture(data: Mapping[Any, Any], path: Path) -> Iterator[_Entry]:
    for picture, entry in entries_by_id(data, path):
        location = Location(path, picture)
        if not isinstance(entry, Mapping) or "human_judgement" not in entry or "ground_truth" not in entry:
            raise location.error(
                "has no human_judgement and ground_truth",
                hint="scores of a metric need <human RATINGS> beside them",
                options=["human"],
            )
        references = _references(entry["ground_truth"], location)
        judgements = entry["human_judgement"]
        if not isinstance(judgements, list) or not all(isinstance(judgement, Mapping) for judgement in judgements):
            raise location.at(field="human_judgement").error("is not a list of objects")
        for number, judgement in enumerate(judgements, start=1):
            caption = check_text(judgement.get("caption"), location.at(field="caption"))
            judgement_location = Location(path, field=f"{picture}, judgement {number}")
            yield _Entry(picture, caption, references, _ratings(judgement.get("rating"), judgement_location))


def _of_objects(entries: Iterable[tuple[Location, Any]]) -> Iterator[_Entry]:
    for location, entry in entries:
        if not isinstance(entry, Mapping):
            raise InputError(f"{location} is not an object")
        item_field = _field(entry, ITEM_FIELDS, location, "the item")
        item = check_id(entry[item_field], location)
        caption_field = _field(entry, CAPTION_FIELDS, location, "the caption")
        reference_field = _field(entry, REFERENCE_FIELDS, location, "references")
        rating_field = _field(entry, RATING_FIELDS, location, "the rating")
        yield _Entry(
            item,
            check_text(entry[caption_field], Location(location.file, item, caption_field)),
            _references(entry[reference_field], Location(location.file, item)),
            _ratings(entry[rating_field], location),
        )


def _of_row(row: Mapping[str, str], location: Location) -> _Entry:
    references = [column for column in row if _stem(column) in REFERENCE_FIELDS]
    ratings = [column for column in row if _stem(column) in RATING_FIELDS]
    item_field = _field(row, ITEM_FIELDS, location, "the item")
    caption_field = _field(row, CAPTION_FIELDS, location, "the caption")
    for columns, what in ((references, "references (reference_1, ...)"), (ratings, "ratings (rating_1, ...)")):
        if not columns:
            header = ", ".join(map(shorten, row))
            raise Location(location.file).error(f"the header ({header}) has no column for {what}")
    item = check_id(row[item_field], location)
    return _Entry(
        item,
        check_text(row[caption_field], Location(location.file, item, caption_field)),
        _references([row[column] for column in references if row[column]], Location(location.file, item)),
        [_rating(row[column], location) for column in ratings],
        ratings,
    )


def _stem(column: str) -> str:
    return column.lower().rstrip("0123456789").rstrip("_")


def _field(entry: Mapping[str, Any], names: Sequence[str], location: Location, what: str) -> str:
    found = first_field(entry, names)
    if found is None:
        raise InputError(
            f"{location} has no field for {what} (it has {some(entry, 6) or 'none at all'})",
            hint=f"name it {' or '.join(names[:3])}",
        )
    return found


def _references(value: Any, item_location: Location) -> list[str]:
    location = item_location.at(field="references")
    texts = [check_text(text, location) for text in _listed(value)]
    if not texts:
        raise location.error("has no reference")
    return texts


def _ratings(value: Any, location: Location) -> list[float]:
    return [_rating(rating, location) for rating in _listed(value)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _rating(value: Any, location: Location) -> float:
    if value is None or value == "":
        return math.nan
    try:
        rating = math.inf if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        rating = math.inf
    if math.isinf(rating):
        raise location.error(f"the rating is {shorten(repr(value), 30)}, not a number")
    return rating
