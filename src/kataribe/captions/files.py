"""Captions in and out of files: `{id: [texts]}` from every form the field uses, gz of any.

    COCO results        [{"image_id": 1, "caption": "a dog"}, ...]
    COCO annotations    {"images": [...], "annotations": [{"image_id": 1, "id": 7, "caption": "a dog"}, ...]}
    plain JSON          {"1": "a dog"}  or  {"1": ["a dog", "one dog"]}  or  {"1": [{"caption": "a dog"}]}
    JSON lines          {"id": 1, "caption": "a dog"}  or  {"id": 1, "captions": ["a dog", "one dog"]}
    CSV, TSV            a header with an id column and one or more caption columns; rows of one id are collected

Order within an id is the file's order; ids are compared as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kataribe.core.errors import InputError, Location, some
from kataribe.formats.source import (
    Paths,
    check_id,
    check_text,
    entries_by_id,
    first_field,
    listed_entries,
    read_by_extension,
    read_each,
)

ID_FIELDS = ("image_id", "video_id", "id", "imgid", "key", "name")
TEXT_FIELDS = (
    "caption",
    "captions",
    "text",
    "texts",
    "sentence",
    "sentences",
    "reference",
    "references",
    "candidate",
    "prediction",
    "hypothesis",
)

# (id, the field it was found in, the text or texts)
Entry = tuple[str, str, Any]
Source = str | Path | Mapping[Any, Any] | list[Any]


def read_predictions(source: Source) -> dict[str, str]:
    """One caption for each id."""
    path, entries = _entries(source)
    captions: dict[str, str] = {}
    for id, field, value in entries:
        texts = _texts(value, Location(path, id, field))
        if id in captions or len(texts) != 1:
            count = len(texts) + (id in captions)
            raise Location(path, id).error(
                f"has {count} predicted captions" if count else "has no predicted caption",
                hint="give exactly one; an empty string says that there is none",
            )
        captions[id] = texts[0]
    _refuse_nothing(captions, path)
    return captions


class JoinedReferences(NamedTuple):
    """The references of all files, and the ids to which several files give the same text."""

    captions: dict[str, list[str]]
    repeated: list[str]


def read_references(source: Source | Paths) -> dict[str, list[str]]:
    """One caption or several for each id; of several files, those of all."""
    return join_references(source).captions


def join_references(source: Source | Paths) -> JoinedReferences:
    """The references of one file or several. A file that adds nothing to another was given by mistake."""
    captions: dict[str, list[str]] = {}
    repeated: dict[str, None] = {}
    known: dict[Path, dict[str, set[str]]] = {}
    for path, one in read_each(source, _read_references):
        for id, texts in one.items():
            captions.setdefault(id, []).extend(texts)
        if path is None:
            continue
        references = {id: {" ".join(text.split()) for text in texts} for id, texts in one.items()}
        for other_path, others in known.items():
            _refuse_contained(path, references, other_path, others)
            repeated |= dict.fromkeys(id for id, texts in references.items() if texts & others.get(id, set()))
        known[path] = references
    return JoinedReferences(captions, list(repeated))


def _refuse_contained(
    path: Path, references: dict[str, set[str]], other_path: Path, others: dict[str, set[str]]
) -> None:
    one, other = (path, references), (other_path, others)
    for (inner, small), (outer, large) in ((one, other), (other, one)):
        if all(texts <= large.get(id, set()) for id, texts in small.items()):
            raise Location(inner).error(f"all its references are in {outer} too", hint="give each reference once")


def _read_references(source: Source) -> dict[str, list[str]]:
    path, entries = _entries(source)
    captions: dict[str, list[str]] = {}
    for id, field, value in entries:
        captions.setdefault(id, []).extend(_texts(value, Location(path, id, field)))
    _refuse_nothing(captions, path)
    bare = [id for id, texts in captions.items() if not texts]
    if bare:
        raise Location(path).error(f"no reference caption for {some(bare)}", hint="give at least one or remove the id")
    return captions


def _entries(source: Source) -> tuple[Path | None, Iterator[Entry]]:
    if not isinstance(source, str | Path):
        return None, _from_json(source, None)
    path = Path(source)
    return path, read_by_extension(
        path, lines=_from_objects, table=_from_rows, document=lambda data: _from_json(data, path)
    )


def _from_json(data: Any, path: Path | None) -> Iterator[Entry]:
    if isinstance(data, Mapping) and "annotations" in data and isinstance(data["annotations"], list):
        data = data["annotations"]
    if isinstance(data, Mapping):
        for id, value in entries_by_id(data, path):
            yield id, "caption", value
    elif isinstance(data, list):
        yield from _from_objects(listed_entries(data, path))
    else:
        raise Location(path).error(
            f"holds a single {type(data).__name__}, not captions",
            hint='write {"id": "caption"} or COCO\'s [{"image_id": ..., "caption": ...}]',
        )


def _from_objects(entries: Iterable[tuple[Location, Any]]) -> Iterator[Entry]:
    for location, entry in entries:
        if not isinstance(entry, Mapping):
            raise InputError(
                f"{location} is not an object", hint='write {"image_id": ..., "caption": ...} for each caption'
            )
        id_field, text_field = first_field(entry, ID_FIELDS), first_field(entry, TEXT_FIELDS)
        if id_field is None or text_field is None:
            lacks = "an id" if id_field is None else "a caption"
            names = ID_FIELDS if id_field is None else TEXT_FIELDS
            raise InputError(
                f"{location} has no field for {lacks} (it has {some(entry) or 'none at all'})",
                hint=f"name it {' or '.join(names[:3])}",
            )
        yield check_id(entry[id_field], location), text_field, entry[text_field]


def _from_rows(rows: Iterable[tuple[Location, dict[str, str]]]) -> Iterator[Entry]:
    """A table may spread references over columns: caption_1, caption_2, ... or reference1, reference2, ..."""
    for location, row in rows:
        id_field = first_field(row, ID_FIELDS)
        text_fields = [name for name in row if name.lower().rstrip("0123456789").rstrip("_") in TEXT_FIELDS]
        if id_field is None or not text_fields:
            raise Location(location.file).error(
                f"the header ({', '.join(row)}) has no column for {'an id' if id_field is None else 'a caption'}",
                hint="name the columns id and caption",
            )
        id = check_id(row[id_field], location)
        if len(text_fields) == 1:
            yield id, text_fields[0], row[text_fields[0]]
        else:  # an unused cell of a wide table is not an empty caption
            yield id, "captions", [row[name] for name in text_fields if row[name]]


def _texts(value: Any, location: Location) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    texts = [entry["caption"] if isinstance(entry, Mapping) and "caption" in entry else entry for entry in values]
    return [check_text(text, location) for text in texts]


def _refuse_nothing(captions: Mapping[str, Any], path: Path | None) -> None:
    if not captions:
        raise Location(path).error("holds no captions", hint="did the program that wrote it stop early?")
