"""Reading what strangers send: one place that opens files, unpacks gz, decodes text and parses JSON.

Every reader in this room takes a path (or the plain Python value it would have parsed to) and either returns
validated data or raises an `InputError` of one line.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from kataribe.core.errors import InputError, shorten, some

# A caption of a film scene has a few hundred characters; far beyond that a file was mistaken for a caption.
MAX_CAPTION_CHARACTERS = 30_000

# JSON is parsed whole and takes about five times its size in memory; JSON lines and tables are read line by line.
MAX_JSON_CHARACTERS = 1 << 30


class DuplicateKeys(dict[str, Any]):
    """A JSON object in which `repeated` keys stood more than once; the parser must not choose silently."""

    repeated: list[str]


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
    """The file as UTF-8 text, unpacked when it is gz (told by content, not by name)."""
    try:
        with path.open("rb") as raw:
            packed = raw.peek(2)[:2] == b"\x1f\x8b"  # peek, not seek: a pipe can be read only once
            binary = gzip.GzipFile(fileobj=raw) if packed else raw
            # utf-8-sig: files from spreadsheets start with a byte order mark.
            with io.TextIOWrapper(binary, encoding="utf-8-sig", newline="") as text:
                yield text
    except FileNotFoundError:
        raise InputError("there is no such file", file=path, hint="check the path") from None
    except IsADirectoryError:
        raise InputError("is a folder", file=path, hint="name the file in it") from None
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})", file=path, hint="save it as UTF-8") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"is a damaged gz file ({error})", file=path, hint="pack it again") from None
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror})", file=path, hint="check the path and its rights"
        ) from None


def read_json(path: Path) -> Any:
    with open_text(path) as text:
        content = _read_bounded(text, path)
    if not content.strip():
        raise InputError("is empty", file=path, hint="did the program that wrote it stop early?")
    try:
        return parse_json(content)
    except json.JSONDecodeError as error:
        raise InputError(
            f"is not JSON (line {error.lineno}, column {error.colno}: {error.msg})",
            file=path,
            hint="name JSON lines .jsonl and tables .csv or .tsv",
        ) from None
    except RecursionError:
        raise InputError("is nested too deeply to be captions", file=path) from None


def _read_bounded(text: TextIO, path: Path) -> str:
    """A packed file tells its size only by being read; more than the limit is never held."""
    if path.stat().st_size <= MAX_JSON_CHARACTERS:
        content = text.read(MAX_JSON_CHARACTERS)
        if not text.read(1):
            return content
    raise InputError(
        f"is larger than {MAX_JSON_CHARACTERS >> 20:,} MB, the most that is read as one JSON document",
        file=path,
        hint="write it as JSON lines (.jsonl), which are read line by line",
    )


def parse_json(content: str) -> Any:
    return json.loads(content, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) == len(pairs):
        return unique
    seen: set[str] = set()
    marked = DuplicateKeys(unique)
    marked.repeated = [key for key, _ in pairs if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
    return marked


def refuse_repeated_keys(value: dict[str, Any], path: str | Path | None) -> None:
    if isinstance(value, DuplicateKeys):
        raise InputError(
            f"has the same id more than once: {some(value.repeated)}",
            file=path,
            hint="keep one entry for each id",
        )


def read_json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """(place, object) for each line that is not blank; the file is never held whole."""
    with open_text(path) as text:
        for number, line in enumerate(text, start=1):
            if line.strip():
                try:
                    yield f"line {number}", parse_json(line)
                except (json.JSONDecodeError, RecursionError) as error:
                    what = getattr(error, "msg", "nested too deeply")
                    raise InputError(
                        f"line {number} is not JSON ({what})", file=path, hint="one JSON object on each line"
                    ) from None


def read_table(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """(place, row by column name) of a CSV or TSV file with a header line."""
    with open_text(path) as text:
        csv.field_size_limit(1 << 30)
        rows = csv.reader(text, delimiter="\t" if extension(path) == ".tsv" else ",", strict=True)
        try:
            header = [name.strip() for name in next(rows, [])]
            if len(set(header)) < len(header):
                raise InputError(f"has two columns of one name: {', '.join(header)}", file=path)
            for row in rows:
                if not row:
                    continue
                if len(row) != len(header):
                    raise InputError(
                        f"line {rows.line_num} has {len(row)} fields, the header has {len(header)}",
                        file=path,
                        hint="put fields that contain the separator in double quotes",
                    )
                yield f"line {rows.line_num}", dict(zip(header, row, strict=True))
        except csv.Error as error:
            raise InputError(f"line {rows.line_num} is not a table row ({error})", file=path) from None


def check_text(value: Any, *, file: str | Path | None, id: str, field: str) -> str:
    """A caption, or one line that says why it cannot be one."""
    if value is None:
        raise InputError("is null", file=file, id=id, field=field, hint="give a string; an empty one counts as empty")
    if not isinstance(value, str):
        raise InputError(
            f"is {_kind(value)} ({shorten(value, 30)}), not a string",
            file=file,
            id=id,
            field=field,
            hint="quote it",
        )
    if len(value) > MAX_CAPTION_CHARACTERS:
        raise InputError(
            f"has {len(value):,} characters, more than {MAX_CAPTION_CHARACTERS:,}",
            file=file,
            id=id,
            field=field,
            hint="is this really one caption?",
        )
    if not has_only_characters(value):
        raise InputError(
            "contains half of a surrogate pair, which is not a character", file=file, id=id, field=field,
            hint="write the file as UTF-8",
        )  # fmt: skip
    return value


def has_only_characters(text: str) -> bool:
    """JSON can smuggle in halves of surrogate pairs, which no encoder accepts."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def check_id(value: Any, *, file: str | Path | None, place: str) -> str:
    """Ids are compared as text: 42 and "42" are the same picture."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"{place}: the id is {_kind(value)}, not a string or a whole number", file=file)
    id = str(value)
    if not has_only_characters(id):
        raise InputError(
            f"{place}: {shorten(ascii(id))} contains half of a surrogate pair, which is not a character",
            file=file,
            hint="write the file as UTF-8",
        )
    return id


def check_number(value: Any, *, file: str | Path | None, place: str, hint: str) -> float:
    """A finite number, or a cell of a table that holds one; true and false are none."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{place} is {shorten(repr(value), 30)}, not a number", file=file, hint=hint)
    return number


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", bool: "true or false", type(None): "null", str: "a string"}
    return names.get(dict if isinstance(value, dict) else type(value), "a number")
