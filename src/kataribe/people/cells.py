"""Lists that were written into a cell of a table: as JSON, as Python prints them, or with bars between the texts."""

from __future__ import annotations

import ast
import io
import json
import tokenize
from typing import Any

from kataribe.core.errors import Location

_HINT = 'write ["one", "two"], or columns reference_1, reference_2, ...'


def listed_texts(cell: str, location: Location) -> list[Any]:
    """The texts of a cell; one that is no list is one text, or several with bars between them.

    >>> where = Location("ratings.csv", field="line 2")
    >>> listed_texts('["a dog", "it\\'s a dog"]', where) == listed_texts("['a dog', \\"it's a dog\\"]", where)
    True
    >>> listed_texts("['a dog' 'two dogs']", where)  # numpy prints no commas
    ['a dog', 'two dogs']
    >>> listed_texts("a dog, running", where), listed_texts("a dog|two dogs", where)
    (['a dog, running'], ['a dog', 'two dogs'])
    """
    text = cell.strip()
    if text.startswith("[") and text.endswith("]"):
        return _parsed(text, location)
    return [part.strip() for part in text.split("|")] if "|" in text else [text]


def _parsed(text: str, location: Location) -> list[Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = _literal(text, location)
    if not isinstance(found, list):
        raise location.error("is not a list of texts", hint=_HINT)
    return found


def _literal(text: str, location: Location) -> list[Any]:
    """What Python would read as a literal, and nothing that it would run.

    Python joins two strings that stand side by side without a comma, so each is read alone.
    """
    try:
        found = ast.literal_eval(text)
        strings = [
            token.string
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type == tokenize.STRING
        ]
        texts = [ast.literal_eval(string) for string in strings]
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError, tokenize.TokenError):
        raise location.error("starts like a list and cannot be read as one", hint=_HINT) from None
    is_texts = isinstance(found, list) and all(isinstance(entry, str) for entry in found)
    if not is_texts or "".join(found) != "".join(texts):
        raise location.error("is not a list of texts", hint=_HINT)
    return texts
