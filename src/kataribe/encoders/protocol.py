"""What an encoder is: texts (and, for some, pictures) in, vectors out, and a key that names all that can move them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from kataribe.core.types import Bools, Float32s, Floats, Int32s
from kataribe.media.video import Pixels, Size


@dataclass(frozen=True)
class TokenizedText:
    """A text as the model's tokenizer splits it, specials included; `is_whole` where nothing had to be left out."""

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
    def tokenize(self, texts: Sequence[str]) -> list[TokenizedText]: ...
    def forward(self, batch: Sequence[Int32s]) -> Forward: ...


class PictureEncoder(Protocol):
    """Turns pixels into vectors. `key` and `signature` are as those of a text encoder.

    `size` is the width and height in which it wants pictures; None if it takes any and resizes them itself.
    """

    @property
    def name(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def signature(self) -> str: ...
    @property
    def size(self) -> Size | None: ...
    def pixels(self, pictures: Sequence[Pixels]) -> Float32s | Floats:
        """A vector for each picture of (height, width, 3), in the precision in which the encoder makes them."""


class SharedEncoder(TextEncoder, PictureEncoder, Protocol):
    """Texts and pictures in one space. `end_id` is the token that ends every text, where there is one."""

    @property
    def end_id(self) -> int | None: ...
