"""Document frequencies of n-grams: counted from references, or kept in a file so that small test sets compare."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from kataribe import _native
from kataribe.captions.items import TokenizedCaptions
from kataribe.core.errors import InputError
from kataribe.core.signature import fingerprint
from kataribe.core.types import Floats
from kataribe.formats.output import write_whole
from kataribe.formats.source import open_text


class IdfTable(msgspec.Struct, frozen=True):
    """In how many of `documents` items each n-gram stood, as cut by the tokenizer `tok`."""

    tok: str
    documents: int
    frequencies: dict[str, int]

    @property
    def signature(self) -> str:
        counted = sorted(f"{ngram} {count}" for ngram, count in self.frequencies.items())
        return f"{self.documents}-{fingerprint(counted)}"

    def look_up(self, ngrams: Sequence[str]) -> Floats:
        return np.array([self.frequencies.get(ngram, 0) for ngram in ngrams], dtype=np.float64)


def count_documents(captions: TokenizedCaptions) -> Floats:
    """For each n-gram of the captions, in how many items' references it stands."""
    return _native.document_frequencies(captions.sentences.ngrams, (captions.references, captions.bounds))


def read_idf(path: Path) -> IdfTable:
    with open_text(path) as text:
        content = text.read()
    try:
        return msgspec.json.decode(content, type=IdfTable)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise InputError(
            f"is not an idf table ({error})",
            file=path,
            hint="make one with `kataribe resources idf REFS -o TABLE`",
        ) from None


def write_idf(table: IdfTable, path: Path) -> None:
    data = msgspec.json.encode(table)
    write_whole(path, gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
