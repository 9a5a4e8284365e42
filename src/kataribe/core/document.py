"""What a result shows of an item: the texts or times that were scored, and what a metric aligned.

A document is a small frozen value of a kind. A room keeps its kinds in its `result.py`; its task and its metrics write
them, and a view that knows the kind draws them. In a file a document is a JSON object that names its kind:

    {"document": "word-alignment", "reference": 0, "candidate_tokens": [...], ...}

Files of versions 0.1 and 0.2 name no kind: there the fields tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from kataribe.core.errors import InputError

TAG_FIELD = "document"


class Document(msgspec.Struct, frozen=True, tag_field=TAG_FIELD):
    """Base of every kind. A kind is `class Roles(Document, frozen=True, tag="roles")` with its fields."""


D = TypeVar("D", bound=Document)


def read_documents(entries: Mapping[str, Any], kind: type[D], *, file: str | None, field: str) -> dict[str, list[D]]:
    """The documents of each id, where they are of this kind; nothing where they are of another.

    An entry is a document or a list of documents. A file that was edited by hand may hold anything, and is refused.

    >>> class Length(Document, frozen=True, tag="length"):
    ...     words: int
    >>> read_documents({"a": {"document": "length", "words": 3}}, Length, file=None, field="details")
    {'a': [Length(words=3)]}
    >>> read_documents({"a": {"document": "colour", "name": "red"}}, Length, file=None, field="details")
    {}
    """
    if not any_of_kind(entries.values(), kind):
        return {}
    listed = {id: entry if isinstance(entry, list) else [entry] for id, entry in entries.items()}
    try:
        return {id: [_converted(entry, kind) for entry in listing] for id, listing in listed.items()}
    except msgspec.ValidationError as error:
        hint = "score it again with <details>"
        raise InputError(f"cannot be shown ({error})", file=file, field=field, hint=hint, options=["details"]) from None


def any_of_kind(entries: Iterable[Any], kind: type[Document]) -> bool:
    """Whether there are documents of this kind, as a metric made them or as a file has them."""
    firsts = (entry[0] if isinstance(entry, list) and entry else entry for entry in entries)
    return any(_is_of_kind(entry, kind) for entry in firsts)


def _is_of_kind(entry: Any, kind: type[Document]) -> bool:
    if not isinstance(entry, Mapping):
        return isinstance(entry, kind)
    if TAG_FIELD in entry:
        return bool(entry[TAG_FIELD] == kind.__struct_config__.tag)
    return all(field.name in entry for field in msgspec.structs.fields(kind) if field.required)


def _converted(entry: Any, kind: type[D]) -> D:
    return entry if isinstance(entry, kind) else msgspec.convert(entry, kind)
