"""What an encoder is: texts (and, for some, pictures) in, vectors out, and a key that names all that can move them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from kataribe.core.types import Bools, Float32s, Int32s


@dataclass(frozen=True)
class Cut:
    """A text as the model's tokenizer cuts it, specials included; `is_whole` where nothing had to be left out."""

    ids: Int32s
    is_whole: bool


class Tokens(NamedTuple):
    """One encoded text: token ids, which of them are special, and a vector for each."""

    ids: Int32s
    special: Bools
    vectors: Float32s


class Forward(NamedTuple):
    """What a model makes of a batch: the token vectors of each text, and a vector for each whole text.

    Sentence vectors have length 1.
    """

    tokens: list[Float32s]
    sentences: Float32s


class TextEncoder(Protocol):
    """Cuts texts and turns batches of cut texts into vectors.

    `key` names the file that keeps its vectors, `signature` names it in results; both change with the weights,
    and the key with whatever else moves the vectors.
    `parallel` says whether several threads may call `forward`, each on a core of its own.
    """

    @property
    def name(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def signature(self) -> str: ...
    @property
    def longest(self) -> int: ...
    @property
    def special_ids(self) -> frozenset[int]: ...
    @property
    def parallel(self) -> bool: ...
    def cut(self, texts: Sequence[str]) -> list[Cut]: ...
    def forward(self, batch: Sequence[Int32s]) -> Forward: ...


class ImageEncoder(Protocol):
    """Turns pictures into vectors of length 1 in the space of its texts."""

    @property
    def key(self) -> str: ...
    def images(self, files: Sequence[Path]) -> Float32s: ...
