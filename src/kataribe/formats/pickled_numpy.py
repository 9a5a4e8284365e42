"""What numpy writes into pickles, built here from checked parts: scalars and arrays of plain numbers and of strings.

Numpy's own constructors believe what a file tells them: a forged dtype can make them take raw bytes for the addresses
of objects. Here a dtype is one of a short list of words, checked before numpy sees it, and the bytes of an array must
be as many as its shape needs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from kataribe.core.errors import shorten

_PLAIN = re.compile(r"b1|[iu][1248]|f[248]|U[1-9][0-9]{0,4}", re.ASCII)
_MAX_AXES = 32
_LAST_CHARACTER = 0x10FFFF


class NotPlain(Exception):
    """Why a file is not a pickle of plain data."""


class Forbidden(Exception):
    """What a pickle wants to run."""


class Name(Enum):
    """The names that plain data needs. They are compared, never imported."""

    RECONSTRUCT = "_reconstruct"
    SCALAR = "scalar"
    FROM_BUFFER = "_frombuffer"
    NDARRAY = "ndarray"
    DTYPE = "dtype"
    ENCODE = "_codecs.encode"
    BYTES = "bytes"
    ORDERED_DICT = "OrderedDict"

    def __str__(self) -> str:
        return self.value

    @property
    def argument_counts(self) -> tuple[int, ...]:
        return _ARGUMENTS.get(self, ())

    @staticmethod
    def known(module: str, name: str) -> Name:
        found = _NAMES.get((module, name))
        if found is None:
            raise Forbidden("".join(c if c.isprintable() else "?" for c in f"{module}.{name}"))
        return found


# Numpy's home for these moved from numpy.core to numpy._core; files of both ages are around.
_NAMES = {
    **{
        (f"numpy.{core}.{module}", name.value): name
        for core in ("core", "_core")
        for module, name in (
            ("multiarray", Name.RECONSTRUCT),
            ("multiarray", Name.SCALAR),
            ("numeric", Name.FROM_BUFFER),
        )
    },
    ("numpy", "ndarray"): Name.NDARRAY,
    ("numpy", "dtype"): Name.DTYPE,
    ("_codecs", "encode"): Name.ENCODE,  # how protocols of Python 2 write bytes
    ("builtins", "bytes"): Name.BYTES,
    ("__builtin__", "bytes"): Name.BYTES,
    ("collections", "OrderedDict"): Name.ORDERED_DICT,
}
_ARGUMENTS = {
    Name.RECONSTRUCT: (3,),
    Name.SCALAR: (2,),
    Name.FROM_BUFFER: (4, 5),
    Name.DTYPE: (3,),
    Name.ENCODE: (2,),
    Name.BYTES: (0,),
    Name.ORDERED_DICT: (0,),
}


class Unfinished:
    """The first of numpy's two steps; `memo_keys` are the numbers under which the pickle refers to it again."""

    def __init__(self, finish: Callable[[Any], Any]) -> None:
        self.finish = finish
        self.memo_keys: list[int] = []


def _dtype(word: Any, align: Any, copy: Any) -> Unfinished:
    """Of the two flags, which do not matter here, numpy writes False and True."""
    if not isinstance(word, str) or not _PLAIN.fullmatch(word):
        shown = f" {shorten(word, 20)!r}" if isinstance(word, str) else ""
        raise NotPlain(f"it holds values of numpy's dtype{shown}, not plain numbers")

    def finish(state: Any) -> np.dtype[Any]:
        # (3, byte order, None, None, None, size, alignment, flags); the size of strings is in the word already.
        is_plain = isinstance(state, tuple) and len(state) == 8 and all(part is None for part in state[2:5])
        if not is_plain or not isinstance(state[1], str) or state[1] not in ("<", ">", "|", "="):
            raise NotPlain("it holds values of a forged numpy dtype, not plain numbers")
        return np.dtype(word).newbyteorder("=" if state[1] == "|" else state[1])  # type: ignore[arg-type]

    return Unfinished(finish)


def _reconstruct(kind: Any, shape: Any, code: Any) -> Unfinished:
    """An empty array that is filled in the second step."""
    if kind is not Name.NDARRAY:
        raise NotPlain("it holds a kind of array of its own")

    def finish(state: Any) -> Any:
        if not isinstance(state, tuple) or len(state) != 5:
            raise NotPlain("an array is not as numpy writes it")
        _, real_shape, dtype, is_fortran, data = state
        if not isinstance(is_fortran, bool | int):
            raise NotPlain("an array is not as numpy writes it")
        return _array(data, dtype, real_shape, "F" if is_fortran else "C")

    return Unfinished(finish)


def _from_buffer(data: Any, dtype: Any, shape: Any, order: Any, axes: Any = None) -> Any:
    if not isinstance(order, str) or order not in ("C", "F", "K"):
        raise NotPlain("an array is not as numpy writes it")
    if order != "K":
        return _array(data, dtype, shape, order)
    array = _array(data, dtype, shape, "C")
    if not isinstance(axes, tuple) or not all(type(axis) is int for axis in axes):
        raise NotPlain("an array is not as numpy writes it")
    if sorted(axes) != list(range(array.ndim)):
        raise NotPlain("an array is not as numpy writes it")
    return array.transpose(axes)


def _array(data: Any, dtype: Any, shape: Any, order: str) -> Any:
    """An array of its own, or its only element if it has no axes."""
    if not isinstance(dtype, np.dtype) or not isinstance(shape, tuple) or len(shape) > _MAX_AXES:
        raise NotPlain("an array is not as numpy writes it")
    if not all(type(length) is int and 0 <= length <= 1 << 40 for length in shape):
        raise NotPlain("an array has an impossible shape")
    values = _values(data, dtype)
    # Of an array without elements the other axes can claim any length.
    if math.prod(shape) != len(values) or math.prod(length or 1 for length in shape) > max(len(values), 1 << 20):
        raise NotPlain("an array has another size than its shape says")
    array = values.reshape(shape, order=order)
    return array if shape else array[()]


def _scalar(dtype: Any, data: Any) -> Any:
    if not isinstance(dtype, np.dtype):
        raise NotPlain("a number is not as numpy writes it")
    values = _values(data, dtype)
    if len(values) != 1:
        raise NotPlain("a number is not as numpy writes it")
    return values[0]


def _values(data: Any, dtype: np.dtype[Any]) -> Any:
    """The numbers in some bytes, in memory of their own."""
    if isinstance(data, str):  # how Python 2 had bytes
        data = _encode(data, "latin1")
    if not isinstance(data, bytes) or len(data) % dtype.itemsize != 0:
        raise NotPlain("the bytes of an array are not as many as its dtype needs")
    if dtype.kind == "b":
        return np.frombuffer(data, np.uint8) != 0
    if dtype.kind == "U":
        characters = np.frombuffer(data, np.dtype(np.uint32).newbyteorder(dtype.byteorder))
        if characters.size and characters.max() > _LAST_CHARACTER:
            raise NotPlain("a string has characters that do not exist")
    return np.frombuffer(data, dtype).copy()


def _encode(text: Any, encoding: Any) -> bytes:
    if not isinstance(text, str) or not isinstance(encoding, str) or encoding not in ("latin1", "latin-1"):
        raise NotPlain("bytes are not as Python writes them")
    try:
        return text.encode("latin1")
    except UnicodeEncodeError:
        raise NotPlain("bytes are not as Python writes them") from None


CALLS: dict[Name, Callable[..., Any]] = {
    Name.RECONSTRUCT: _reconstruct,
    Name.SCALAR: _scalar,
    Name.FROM_BUFFER: _from_buffer,
    Name.DTYPE: _dtype,
    Name.ENCODE: _encode,
    Name.BYTES: lambda: b"",
    Name.ORDERED_DICT: dict,
}
