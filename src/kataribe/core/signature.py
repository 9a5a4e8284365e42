"""Signatures like those of sacreBLEU: every choice that can change the number, in one short line.

    meteor|v:1.5|lang:en|tok:ptb|missing:error|data:17000/17000|hash:3f9a0c2b|kataribe:0.4.0

Two results may be compared when their signatures agree; `differences` says where they do not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping


def format_signature(name: str, fields: Mapping[str, str]) -> str:
    """
    >>> format_signature("bleu", {"n": "4", "tok": "ptb"})
    'bleu|n:4|tok:ptb'
    """
    return "|".join([name, *(f"{key}:{_escape(value)}" for key, value in fields.items())])


def parse_signature(text: str) -> tuple[str, dict[str, str]]:
    """
    >>> parse_signature("bleu|n:4|tok:ptb")
    ('bleu', {'n': '4', 'tok': 'ptb'})
    """
    name, *pairs = text.split("|")
    return name, {key: value for key, _, value in (pair.partition(":") for pair in pairs)}


def with_field(signature: str, key: str, value: str) -> str:
    """A signature with one more field, before the version that closes it.

    >>> with_field("bleu|n:4|kataribe:0.4.0", "seed", "0")
    'bleu|n:4|seed:0|kataribe:0.4.0'
    """
    choices, _, version = signature.rpartition("|")
    return f"{choices}|{key}:{_escape(value)}|{version}"


def differences(one: str, other: str) -> dict[str, tuple[str | None, str | None]]:
    """The fields in which two signatures differ.

    >>> differences("bleu|n:4|tok:ptb", "bleu|n:4|tok:zh")
    {'tok': ('ptb', 'zh')}
    """
    (name, fields), (other_name, other_fields) = parse_signature(one), parse_signature(other)
    differing = {"metric": (name, other_name)} if name != other_name else {}
    return differing | {
        key: (fields.get(key), other_fields.get(key))
        for key in {**fields, **other_fields}
        if fields.get(key) != other_fields.get(key)
    }


def fingerprint(texts: Iterable[str]) -> str:
    """Eight hexadecimal digits that differ between sequences of texts.

    >>> fingerprint(["a", "bc"]) == fingerprint(["ab", "c"])
    False
    """
    digest = hashlib.blake2b(digest_size=4)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def fingerprint_by_id(items: Iterable[tuple[str, ...]]) -> str:
    """The fingerprint of entries that each start with their id; their order does not matter.

    >>> fingerprint_by_id([("1", "a dog"), ("2", "a cat")]) == fingerprint_by_id([("2", "a cat"), ("1", "a dog")])
    True
    """
    # The length of each entry is hashed too, so that moving a character to the next entry changes the result.
    return fingerprint(text for entry in sorted(items) for text in (str(len(entry)), *entry))


def _escape(value: str) -> str:
    """A bar or a line break in a file name must not end the field."""
    return value.replace("|", "/").replace("\n", " ")
