"""The forms in which captions come with what people said about them, entry by entry.

    by picture     {"picture": {"human_judgement": [{"caption": ..., "rating": 3}, ...], "ground_truth": [...]}}
    entries        JSON (a list) or JSON lines, an object for each rated caption
    table          CSV or TSV, a row for each rated caption
    annotations    ExpertAnnotations.txt or CrowdFlowerAnnotations.txt of Flickr8k: see `flickr8k.py`

Entries and tables name their columns alike; the first of each group of names that is there counts:

    item           item, image_id, video_id, imgid; without one the picture's name; without that id, key, name
    picture        image, img, file_name, image_path, picture; else image_id or imgid
    caption        caption, candidate, cand, mt, prediction, hypothesis, text
    references     references, refs, reference, ref, ground_truth, each also numbered (reference_1, reference_2, ...)
    rating         rating, human_score, human, score, each also in the plural or numbered (rating_1, rating_2, ...)
    rater          rater, worker, worker_id

Two captions in one entry (candidate_a and candidate_b) with a choice between them are a pair: see `_pair`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kataribe.core.errors import InputError, Location, shorten, some
from kataribe.formats.source import (
    check_id,
    check_text,
    entries_by_id,
    extension,
    first_field,
    listed_entries,
    read_by_extension,
)
from kataribe.people.cells import listed_texts
from kataribe.people.flickr8k import FlickrTexts, read_annotations
from kataribe.people.ratings import CHOICES, OVERALL, Choice
from kataribe.text.sameness import plain

ITEM_FIELDS = ("item", "image_id", "video_id", "imgid")
PICTURE_FIELDS = ("image", "img", "file_name", "image_path", "picture")
ROW_FIELDS = ("id", "key", "name")
PICTURE_IDS = ("image_id", "imgid")
CAPTION_FIELDS = ("caption", "candidate", "cand", "mt", "prediction", "hypothesis", "text")
LISTS_OF_REFERENCES = ("references", "refs")
REFERENCE_FIELDS = (*LISTS_OF_REFERENCES, "reference", "ref", "ground_truth")
RATING_FIELDS = ("rating", "ratings", "human_score", "human_scores", "human", "score", "scores")
RATER_FIELDS = ("rater", "worker", "worker_id")
# What a column of this name says is one person's; of the other names, nobody says whose it is.
_ONE_RATER = ("rating", "ratings")

_PAIR_STEMS = ("candidate", "caption", "cand", "mt")
_PAIR_ENDINGS = (("_a", "_b"), ("_1", "_2"), ("a", "b"), ("1", "2"))


class Rated(NamedTuple):
    """One caption. `raters` are the names behind `ratings`, where they are known; `references` where there are any."""

    item: str
    caption: str
    references: list[str] | None
    ratings: list[float]
    raters: list[str] | None = None
    picture: str | None = None


class Pair(NamedTuple):
    """Two captions of one item and which of them people chose; of one person where `rater` is known."""

    item: str
    captions: tuple[str, str]
    references: list[str] | None
    choices: list[Choice]
    rater: str | None
    category: str
    picture: str | None


def read_entries(path: Path, captions: FlickrTexts | None) -> Iterator[Rated | Pair]:
    """Every entry of a file; `captions` are the texts that Flickr8k's annotations name."""
    if extension(path) == ".txt":
        for row in read_annotations(path, captions):
            yield Rated(row.picture, row.caption, None, row.ratings, picture=row.picture)
        return
    yield from read_by_extension(
        path,
        lines=lambda entries: _of_objects(entries),
        table=lambda rows: (_entry(row, location, is_table=True) for location, row in rows),
        document=lambda data: _of_document(data, path),
    )


def _of_document(data: Any, path: Path) -> Iterator[Rated | Pair]:
    if isinstance(data, Mapping):
        return _by_picture(data, path)
    if isinstance(data, list):
        return _of_objects(listed_entries(data, path))
    raise Location(path).error("is neither an object nor a list of rated captions")


def _by_picture(data: Mapping[Any, Any], path: Path) -> Iterator[Rated]:
    for picture, entry in entries_by_id(data, path):
        location = Location(path, picture)
        if not isinstance(entry, Mapping) or "human_judgement" not in entry or "ground_truth" not in entry:
            raise location.error(
                "has no human_judgement and ground_truth",
                hint="scores of a metric need <human RATINGS> beside them",
                options=["human"],
            )
        references = _texts(_listed(entry["ground_truth"]), location.at(field="references"))
        judgements = entry["human_judgement"]
        if not isinstance(judgements, list) or not all(isinstance(judgement, Mapping) for judgement in judgements):
            raise location.at(field="human_judgement").error("is not a list of objects")
        for number, judgement in enumerate(judgements, start=1):
            caption = check_text(judgement.get("caption"), location.at(field="caption"))
            where = Location(path, field=f"{picture}, judgement {number}")
            file = _picture(judgement, where) or picture
            yield Rated(picture, caption, references, _ratings(judgement.get("rating"), where), picture=file)


def _of_objects(entries: Iterable[tuple[Location, Any]]) -> Iterator[Rated | Pair]:
    for location, entry in entries:
        if not isinstance(entry, Mapping):
            raise InputError(f"{location} is not an object")
        yield _entry(entry, location, is_table=False)


def _entry(entry: Mapping[str, Any], location: Location, *, is_table: bool) -> Rated | Pair:
    """One object or one row."""
    item, picture = _identity(entry, location)
    references = _references(entry, Location(location.file, item), is_table=is_table)
    named = _pair_fields(entry)
    if named is not None:
        return _pair(entry, location, item, picture, references, named)
    caption_field = _field(entry, CAPTION_FIELDS, location, "the caption")
    caption = check_text(entry[caption_field], Location(location.file, item, caption_field))
    columns = _columns(entry, RATING_FIELDS)
    if not columns:
        raise _lacks(entry, location, "the rating", "ratings (rating_1, ...)", RATING_FIELDS, is_table=is_table)
    is_numbered = columns != [_stem(columns[0])]
    if is_numbered or (is_table and columns[0] in _ONE_RATER and first_field(entry, RATER_FIELDS) is None):
        return Rated(
            item, caption, references, [_rating(entry[column], location) for column in columns], columns, picture
        )
    ratings = _ratings(entry[columns[0]], location)
    rater = _rater(entry, location)
    return Rated(item, caption, references, ratings, None if rater is None else [rater] * len(ratings), picture)


def _identity(entry: Mapping[str, Any], location: Location) -> tuple[str, str | None]:
    """The item of an entry and the name of its picture."""
    picture = _picture(entry, location)
    field = first_field(entry, ITEM_FIELDS)
    if field is None and picture is not None:
        return picture, picture
    if field is None:
        field = _field(entry, (*ITEM_FIELDS, *ROW_FIELDS), location, "the item")
    item = check_id(entry[field], location)
    return item, picture or (item if field in PICTURE_IDS else None)


def _picture(entry: Mapping[str, Any], location: Location) -> str | None:
    field = first_field(entry, PICTURE_FIELDS)
    if field is None or entry[field] is None or entry[field] == "":
        return None
    if not isinstance(entry[field], str | int):
        raise location.error(f"{field} is not the name of a file", hint="write the picture's file name")
    return check_id(entry[field], location)


def _references(entry: Mapping[str, Any], item_location: Location, *, is_table: bool) -> list[str] | None:
    """Nothing where no column is for references; then a file of references must have them."""
    columns = [name for name in entry if _stem(name) in REFERENCE_FIELDS]
    if not columns:
        return None
    location = item_location.at(field="references")
    found: list[Any] = []
    for column in columns:
        if not is_table:
            found += _listed(entry[column])
        elif column.lower() in LISTS_OF_REFERENCES and entry[column]:
            found += listed_texts(entry[column], location)
        elif entry[column]:  # an unused cell of a wide table is no reference
            found.append(entry[column])
    return _texts(found, location)


def _pair_fields(entry: Mapping[str, Any]) -> tuple[str, str, str, str] | None:
    """The two fields of a pair's captions, and how the fields of their votes end."""
    for stem in _PAIR_STEMS:
        for one, other in _PAIR_ENDINGS:
            if f"{stem}{one}" in entry and f"{stem}{other}" in entry:
                return f"{stem}{one}", f"{stem}{other}", one, other
    return None


def _pair(
    entry: Mapping[str, Any],
    location: Location,
    item: str,
    picture: str | None,
    references: list[str] | None,
    named: tuple[str, str, str, str],
) -> Pair:
    """candidate_a, candidate_b (also caption, cand, mt; _1 and _2) with one of

    choice             a, b or equal: one person's; who it was may stand in `rater`
    votes_a, votes_b   how many chose each, and perhaps votes_equal
    votes              a list of choices, in JSON

    and perhaps a category, such as HC, HI, HM and MM of Pascal-50S.
    """
    one, other = (check_text(entry[field], Location(location.file, item, field)) for field in named[:2])
    if plain(one) == plain(other):
        raise Location(location.file, item).error(f"compares {shorten(one)!r} with itself")
    counts = [f"votes{named[2]}", f"votes{named[3]}"]
    if "choice" in entry:
        choices = [] if entry["choice"] in (None, "") else [_choice(entry["choice"], location)]
    elif all(field in entry for field in counts):
        numbers = [_count(entry.get(field, 0), location.within(field)) for field in (*counts, "votes_equal")]
        choices = [choice for choice, number in zip(CHOICES, numbers, strict=True) for _ in range(number)]
    elif isinstance(entry.get("votes"), list):
        choices = [_choice(vote, location) for vote in entry["votes"]]
    else:
        raise InputError(
            f"{location} has two captions and no choice between them (it has {some(entry, 6)})",
            hint="name it choice (a, b or equal), or votes_a and votes_b",
        )
    rater = _rater(entry, location) if "choice" in entry else None
    category = str(entry.get("category") or OVERALL)
    return Pair(item, (one, other), references, choices, rater, category, picture)


def _choice(value: Any, location: Location) -> Choice:
    choice = next((choice for choice in CHOICES if str(value).strip().lower() == choice), None)
    if choice is None:
        raise location.error(f"the choice is {shorten(repr(value), 30)}", hint="it is a, b or equal")
    return choice


def _count(value: Any, location: Location) -> int:
    number = _rating(value, location)
    if math.isnan(number):
        return 0
    if number < 0 or number != int(number) or number > 1_000_000:
        raise location.error(f"is {number:g}", hint="a number of votes is 0, 1, 2, ...")
    return int(number)


def _rater(entry: Mapping[str, Any], location: Location) -> str | None:
    field = first_field(entry, RATER_FIELDS)
    return None if field is None else check_id(entry[field], location)


def _columns(entry: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """The fields of the first name that is there: the numbered ones of it, or else the one."""
    for name in names:
        same = [column for column in entry if _stem(column) == name]
        if same:
            return [column for column in same if column.lower() != name] or same
    return []


def _stem(column: str) -> str:
    return column.lower().rstrip("0123456789").rstrip("_")


def _field(entry: Mapping[str, Any], names: Sequence[str], location: Location, what: str) -> str:
    found = first_field(entry, names)
    if found is None:
        raise _lacks(entry, location, what, what, names, is_table=False)
    return found


def _lacks(
    entry: Mapping[str, Any], location: Location, what: str, columns: str, names: Sequence[str], *, is_table: bool
) -> InputError:
    hint = f"name it {' or '.join(names[:3])}"
    if is_table:
        header = ", ".join(map(shorten, entry))
        return Location(location.file).error(f"the header ({header}) has no column for {columns}", hint=hint)
    return InputError(f"{location} has no field for {what} (it has {some(entry, 6) or 'none at all'})", hint=hint)


def _texts(values: Sequence[Any], location: Location) -> list[str]:
    texts = [check_text(text, location) for text in values]
    if not any(text.strip() for text in texts):
        raise location.error("has no reference" if not texts else "holds nothing but empty references")
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
