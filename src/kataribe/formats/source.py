"""What all readers share: opening files, unpacking gz, decoding text, parsing JSON and tables, checking single values.

Every reader takes a path (or the plain Python value it would have parsed to) and either returns validated data or
raises an `InputError` of one line.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar, cast

from kataribe.core.errors import InputError, Location, shorten, some

# A caption of a film scene has a few hundred characters; far beyond that a file was mistaken for a caption.
MAX_CAPTION_CHARACTERS = 30_000

# The endings of files that are read line by line.
JSON_LINES = (".jsonl", ".ndjson")
TABLES = (".csv", ".tsv")

# JSON can escape halves of surrogate pairs. They can be scored, but no result that holds one can be written.
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_HALF = "contains half of a surrogate pair, which is not a character"
_WHOLE = "write the text as UTF-8"

# The fields in which an object may name its item.
_ID_FIELDS = ("image_id", "video_id", "id", "imgid", "clip_id", "item", "film", "movie_id", "video", "key")

# What may be given in several files: a list of their paths.
Paths = Sequence[str | Path]

_Read = TypeVar("_Read", bound=Collection[Any])
_Value = TypeVar("_Value")

# JSON is parsed whole and takes about five times its size in memory; JSON lines and tables are read line by line.
MAX_JSON_CHARACTERS = 1 << 30


class DuplicateKeys(dict[str, Any]):
    """A JSON object that had the `repeated` keys more than once; the parser must not choose silently."""

    repeated: list[str]


def read_each(source: Any, read: Callable[[Any], _Read]) -> Iterator[tuple[Path | None, _Read]]:
    """What each of several files holds, or the one file or value there is. The same content twice is refused."""
    is_several = isinstance(source, list | tuple) and source and all(isinstance(each, str | Path) for each in source)
    found: dict[Path, _Read] = {}
    for each in source if is_several else [source]:
        path = Path(each) if isinstance(each, str | Path) else None
        content = read(each)
        if path is not None:
            same = next((other for other, known in found.items() if known == content), None)
            if same is not None:
                raise Location(path).error(f"holds the same as {same}", hint="give each file once")
            found[path] = content
        yield path, content


def read_joined(source: Any, read: Callable[[Any], Mapping[str, _Value]]) -> dict[str, _Value]:
    """What one file or several hold by id, where each id belongs to one file."""
    joined: dict[str, _Value] = {}
    for path, content in read_each(source, read):
        twice = next((id for id in content if id in joined), None)
        if twice is not None:
            raise Location(path, twice).error("is in another of the files too", hint="keep it in one of them")
        joined |= content
    return joined


def extension(path: Path) -> str:
    """
    >>> extension(Path("refs.json.gz")), extension(Path("refs.TSV"))
    ('.json', '.tsv')
    """
    names = [suffix.lower() for suffix in path.suffixes]
    if names and names[-1] == ".gz":
        names.pop()
    return names[-1] if names else ""


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """The file as UTF-8 text, unpacked when its content is gz, whatever its name."""
    with open_binary(path) as binary:
        try:
            # utf-8-sig: files from spreadsheets start with a byte order mark.
            with io.TextIOWrapper(binary, encoding="utf-8-sig", newline="") as text:
                yield text
        except UnicodeDecodeError as error:
            raise Location(path).error(f"is not UTF-8 text (byte {error.start})", hint="save it as UTF-8") from None


@contextmanager
def open_binary(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked when its content is gz, whatever its name."""
    location = Location(path)
    try:
        with path.open("rb") as raw:
            packed = raw.peek(2)[:2] == b"\x1f\x8b"  # peek, not seek: a pipe can be read only once
            yield cast(BinaryIO, gzip.GzipFile(fileobj=raw) if packed else raw)
    except FileNotFoundError:
        raise location.error("there is no such file", hint="check the path") from None
    except IsADirectoryError:
        raise location.error("is a folder", hint="name the file in it") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise location.error(f"is a damaged gz file ({error})", hint="pack it again") from None
    except OSError as error:
        raise location.error(f"cannot be read ({error.strerror})", hint="check the path and its rights") from None


def read_json(path: Path) -> Any:
    location = Location(path)
    with open_text(path) as text:
        content = _read_bounded(text, path)
    if not content.strip():
        raise location.error("is empty", hint="did the program that wrote it stop early?")
    try:
        return _parse_whole(content, location)
    except json.JSONDecodeError as error:
        raise location.error(
            f"is not JSON (line {error.lineno}, column {error.colno}: {error.msg})",
            hint="name JSON lines .jsonl and tables .csv or .tsv",
        ) from None
    except RecursionError:
        raise location.error("is nested too deeply to be captions") from None


def _read_bounded(text: TextIO, path: Path) -> str:
    """The size of a packed file is known only after reading it; more than the limit is never held."""
    if path.stat().st_size <= MAX_JSON_CHARACTERS:
        content = text.read(MAX_JSON_CHARACTERS)
        if not text.read(1):
            return content
    raise Location(path).error(
        f"is larger than {MAX_JSON_CHARACTERS >> 20:,} MB, the most that is read as one JSON document",
        hint="write it as JSON lines (.jsonl), which are read line by line",
    )


def parse_json(content: str) -> Any:
    return json.loads(content, object_pairs_hook=_object)


def _parse_whole(content: str, location: Location) -> Any:
    """JSON whose strings are all text, in whatever field: what cannot be written again is refused when it is read."""
    data = parse_json(content)
    if _ESCAPED_SURROGATE.search(content) and (half := _find_half(data, None, None)):
        found = location.at(id=half.id)
        raise (found.within(half.field) if half.field else found).error(_HALF, _WHOLE)
    return data


def _find_half(value: Any, id: str | None, field: str | None) -> Location | None:
    """Id and field of the first string that is not text."""
    if isinstance(value, str):
        return None if has_only_characters(value) else Location(None, id, field)
    if isinstance(value, dict):
        own = next((str(value[name]) for name in _ID_FIELDS if isinstance(value.get(name), str | int)), id)
        for key, entry in value.items():
            if not has_only_characters(key):
                return Location(None, key) if own is None else Location(None, own, repr(key))
            found = _find_half(entry, *((key, None) if own is None else (own, key)))
            if found:
                return found
    if isinstance(value, list):
        return next(filter(None, (_find_half(entry, id, field) for entry in value)), None)
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) == len(pairs):
        return unique
    seen: set[str] = set()
    marked = DuplicateKeys(unique)
    marked.repeated = [key for key, _ in pairs if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
    return marked


def refuse_repeated_keys(value: Mapping[Any, Any], file: str | Path | None) -> None:
    if isinstance(value, DuplicateKeys):
        raise Location(file).error(
            f"has the same id more than once: {some(value.repeated)}", hint="keep one entry for each id"
        )


def entries_by_id(data: Mapping[Any, Any], file: str | Path | None) -> Iterator[tuple[str, Any]]:
    """(id, value) of a JSON object whose keys are ids."""
    refuse_repeated_keys(data, file)
    key_location = Location(file, field="a key")
    for key, value in data.items():
        yield check_id(key, key_location), value


def listed_entries(data: Iterable[Any], file: str | Path | None) -> Iterator[tuple[Location, Any]]:
    """(location, value) for each value of a JSON list."""
    for number, entry in enumerate(data, start=1):
        yield Location(file, field=f"entry {number}"), entry


def read_json_lines(path: Path) -> Iterator[tuple[Location, Any]]:
    """(location, object) for each line that is not blank; the file is never held whole."""
    with open_text(path) as text:
        for number, line in enumerate(text, start=1):
            if line.strip():
                location = Location(path, field=f"line {number}")
                try:
                    yield location, _parse_whole(line, location)
                except (json.JSONDecodeError, RecursionError) as error:
                    what = getattr(error, "msg", "nested too deeply")
                    raise InputError(f"{location} is not JSON ({what})", hint="one JSON object on each line") from None


def read_by_extension(
    path: Path,
    *,
    lines: Callable[[Iterator[tuple[Location, Any]]], _Value],
    table: Callable[[Iterator[tuple[Location, dict[str, str]]]], _Value],
    document: Callable[[Any], _Value],
) -> _Value:
    """JSON lines, a table or a JSON document, each given to the function that understands it."""
    kind = extension(path)
    if kind in JSON_LINES:
        return lines(read_json_lines(path))
    if kind in TABLES:
        return table(read_table(path))
    return document(read_json(path))


def read_rows(path: Path) -> Iterator[tuple[Location, Mapping[str, Any]]]:
    """(location, values by name) for each row of a table or each object of a file of JSON lines."""
    if extension(path) in TABLES:
        yield from read_table(path)
        return
    for location, entry in read_json_lines(path):
        if not isinstance(entry, Mapping):
            raise InputError(f"{location} is not an object", hint="one JSON object on each line")
        yield location, entry


def read_table(path: Path) -> Iterator[tuple[Location, dict[str, str]]]:
    """(location, row by column name) of a CSV or TSV file with a header line."""
    with open_text(path) as text:
        csv.field_size_limit(1 << 30)
        rows = csv.reader(text, delimiter="\t" if extension(path) == ".tsv" else ",", strict=True)
        try:
            header = [name.strip() for name in next(rows, [])]
            if len(set(header)) < len(header):
                raise Location(path).error(f"has two columns of one name: {', '.join(header)}")
            for row in rows:
                if not row:
                    continue
                if len(row) != len(header):
                    raise InputError(
                        f"{path}: line {rows.line_num} has {len(row)} fields, the header has {len(header)}",
                        hint="put fields that contain the separator in double quotes",
                    )
                yield Location(path, field=f"line {rows.line_num}"), dict(zip(header, row, strict=True))
        except csv.Error as error:
            raise InputError(f"{path}: line {rows.line_num} is not a table row ({error})") from None


def first_field(entry: Mapping[str, Any], names: Iterable[str]) -> str | None:
    """The first of several names for one thing that the entry has.

    >>> first_field({"image_id": 7, "caption": "a dog"}, ["text", "caption"])
    'caption'
    """
    return next((name for name in names if name in entry), None)


def check_text(value: Any, location: Location) -> str:
    """A caption, or one line that says why it cannot be one."""
    if value is None:
        raise location.error("is null", hint="give a string; an empty one counts as empty")
    if not isinstance(value, str):
        raise location.error(f"is {_kind(value)} ({shorten(value, 30)}), not a string", hint="quote it")
    if len(value) > MAX_CAPTION_CHARACTERS:
        raise location.error(
            f"has {len(value):,} characters, more than {MAX_CAPTION_CHARACTERS:,}", hint="is this really one caption?"
        )
    if not has_only_characters(value):
        raise location.error(_HALF, hint=_WHOLE)
    return value


def has_only_characters(text: str) -> bool:
    """Whether there is no half of a surrogate pair: JSON can hold those, but no encoder accepts them."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def check_id(value: Any, location: Location) -> str:
    """Ids are compared as text: 42 and "42" are the same picture."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise location.error(f"the id is {_kind(value)}, not a string or a whole number")
    id = str(value)
    if not has_only_characters(id):
        raise Location(location.file, id).error(_HALF, hint=_WHOLE)
    return id


def check_number(value: Any, location: Location, *, hint: str) -> float:
    """A finite number, or a cell of a table that holds one; true and false are none."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{location} is {shorten(repr(value), 30)}, not a number", hint=hint)
    return number


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", bool: "true or false", type(None): "null", str: "a string"}
    return names.get(dict if isinstance(value, dict) else type(value), "a number")
