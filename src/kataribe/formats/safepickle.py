"""Pickles as data: a file may hold containers, numbers, strings and numpy arrays, and may run nothing.

A pickle is a program. This reader runs only the few constructors that plain data needs; whatever else a file asks
for is named in an `InputError` and not called.
"""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError, shorten

# numpy's home for these moved from numpy.core to numpy._core; files of both ages are around.
_NUMPY = (("multiarray", "_reconstruct"), ("multiarray", "scalar"), ("numeric", "_frombuffer"))
_ALLOWED = {
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    *((f"numpy.{core}.{module}", name) for core in ("core", "_core") for module, name in _NUMPY),
    *(("builtins", name) for name in ("set", "frozenset", "bytearray", "complex")),
    ("collections", "OrderedDict"),
    ("_codecs", "encode"),  # how Python 2 protocols spell bytes
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise _Forbidden(f"{module}.{name}")
        if module.startswith("numpy.core."):
            module = module.replace("numpy.core.", "numpy._core.")
        return super().find_class(module, name)


class _Forbidden(Exception):
    pass


def read_pickle(path: Path) -> Any:
    """The plain data in a pickle file."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError("there is no such file", file=path, hint="check the path") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path, hint="check the path") from None
    return parse_pickle(content, path)


def parse_pickle(content: bytes, path: Path | None = None) -> Any:
    """
    >>> parse_pickle(pickle.dumps({"a": [1.5]}))
    {'a': [1.5]}
    >>> parse_pickle(pickle.dumps(print))
    Traceback (most recent call last):
    kataribe.core.errors.InputError: the pickle wants to run builtins.print; only plain data is read - ...
    """
    try:
        return _Unpickler(io.BytesIO(content), encoding="latin1").load()
    except _Forbidden as error:
        raise InputError(
            f"the pickle wants to run {shorten(error)}; only plain data is read",
            file=path,
            hint="if you trust it, save it again as JSON",
        ) from None
    except MemoryError:
        raise
    except Exception as error:  # a damaged pickle can fail in any way an opcode can
        raise InputError(f"is not a pickle of plain data ({type(error).__name__})", file=path) from None
