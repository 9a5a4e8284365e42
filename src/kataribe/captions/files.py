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

from kataribe.core.errors import InputError, some
from kataribe.formats.source import (
    Paths,
    check_id,
    check_text,
    extension,
    read_each,
    read_json,
    read_json_lines,
    read_table,
    refuse_repeated_keys,
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
        texts = _texts(value, path, id, field)
        if id in captions or len(texts) != 1:
            count = len(texts) + (id in captions)
            raise InputError(
                f"has {count} predicted captions" if count else "has no predicted caption",
                file=path,
                id=id,
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
        spelled = {id: {" ".join(text.split()) for text in texts} for id, texts in one.items()}
        for other, its in known.items():
            _refuse_contained(path, spelled, other, its)
            repeated |= dict.fromkeys(id for id, texts in spelled.items() if texts & its.get(id, set()))
        known[path] = spelled
    return JoinedReferences(captions, list(repeated))


def _refuse_contained(path: Path, texts: dict[str, set[str]], other: Path, its: dict[str, set[str]]) -> None:
    for inner, small, outer, large in ((path, texts, other, its), (other, its, path, texts)):
        if all(spelled <= large.get(id, set()) for id, spelled in small.items()):
            raise InputError(f"all its references are in {outer} too", file=inner, hint="give each reference once")


def _read_references(source: Source) -> dict[str, list[str]]:
    path, entries = _entries(source)
    captions: dict[str, list[str]] = {}
    for id, field, value in entries:
        captions.setdefault(id, []).extend(_texts(value, path, id, field))
    _refuse_nothing(captions, path)
    bare = [id for id, texts in captions.items() if not texts]
    if bare:
        raise InputError(f"no reference caption for {some(bare)}", file=path, hint="give at least one or remove the id")
    return captions


def _entries(source: Source) -> tuple[Path | None, Iterator[Entry]]:
    if not isinstance(source, str | Path):
        return None, _from_json(source, None)
    path = Path(source)
    kind = extension(path)
    if kind in (".jsonl", ".ndjson"):
        return path, _from_objects(read_json_lines(path), path)
    if kind in (".csv", ".tsv"):
        return path, _from_rows(read_table(path), path)
    return path, _from_json(read_json(path), path)


def _from_json(data: Any, path: Path | None) -> Iterator[Entry]:
    if isinstance(data, Mapping) and "annotations" in data and isinstance(data["annotations"], list):
        data = data["annotations"]
    if isinstance(data, Mapping):
        refuse_repeated_keys(data, path)  # type: ignore[arg-type]
        for id, value in data.items():
            yield check_id(id, file=path, place="a key"), "caption", value
    elif isinstance(data, list):
        yield from _from_objects(((f"entry {row}", entry) for row, entry in enumerate(data, start=1)), path)
    else:
        raise InputError(
            f"holds a single {type(data).__name__}, not captions",
            file=path,
            hint='write {"id": "caption"} or COCO\'s [{"image_id": ..., "caption": ...}]',
        )


def _from_objects(entries: Iterable[tuple[str, Any]], path: Path | None) -> Iterator[Entry]:
    for place, entry in entries:
        if not isinstance(entry, Mapping):
            raise InputError(
                f"{place} is not an object",
                file=path,
                hint='write {"image_id": ..., "caption": ...} for each caption',
            )
        id_field, text_field = _field(entry, ID_FIELDS), _field(entry, TEXT_FIELDS)
        if id_field is None or text_field is None:
            lacks = "an id" if id_field is None else "a caption"
            names = ID_FIELDS if id_field is None else TEXT_FIELDS
            raise InputError(
                f"{place} has no field for {lacks} (it has {some(entry) or 'none at all'})",
                file=path,
                hint=f"name it {' or '.join(names[:3])}",
            )
        yield check_id(entry[id_field], file=path, place=place), text_field, entry[text_field]


def _from_rows(rows: Iterable[tuple[str, dict[str, str]]], path: Path) -> Iterator[Entry]:
    """A table may spread references over columns: caption_1, caption_2, ... or reference1, reference2, ..."""
    for place, row in rows:
        id_field = _field(row, ID_FIELDS)
        text_fields = [name for name in row if name.lower().rstrip("0123456789").rstrip("_") in TEXT_FIELDS]
        if id_field is None or not text_fields:
            raise InputError(
                f"the header ({', '.join(row)}) has no column for {'an id' if id_field is None else 'a caption'}",
                file=path,
                hint="name the columns id and caption",
            )
        id = check_id(row[id_field], file=path, place=place)
        if len(text_fields) == 1:
            yield id, text_fields[0], row[text_fields[0]]
        else:  # an unused cell of a wide table is not an empty caption
            yield id, "captions", [row[name] for name in text_fields if row[name]]


def _field(entry: Mapping[str, Any], names: Iterable[str]) -> str | None:
    return next((name for name in names if name in entry), None)


def _texts(value: Any, path: Path | None, id: str, field: str) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    texts = [entry["caption"] if isinstance(entry, Mapping) and "caption" in entry else entry for entry in values]
    return [check_text(text, file=path, id=id, field=field) for text in texts]


def _refuse_nothing(captions: Mapping[str, Any], path: Path | None) -> None:
    if not captions:
        raise InputError("holds no captions", file=path, hint="did the program that wrote it stop early?")
