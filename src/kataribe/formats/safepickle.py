"""Pickles as data: containers, numbers, strings and numpy arrays of plain numbers. Nothing in a file is ever run.

A pickle is a program for a small stack machine, and Python's own machine calls whatever the program names. This one
knows only the instructions that plain data needs, builds the values itself and calls nothing. A name in the file is a
word to compare with the few that numpy writes (`formats.pickled_numpy`), never a thing to import.

What a file may ask for is bounded by what it holds: lengths are checked against the bytes that are there, whole numbers
have at most 64 bits, and a value that contains itself, is nested deeply or repeats a part of itself over and over is
refused.
"""

from __future__ import annotations

import codecs
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kataribe.core.errors import InputError, shorten
from kataribe.formats.pickled_numpy import CALLS, Forbidden, Name, NotPlain, Unfinished

MAX_BYTES = 1 << 30
_MAX_DEPTH = 100
_MAX_NUMBER_CHARACTERS = 40
# A part that occurs many times is stored once. Written out, the whole may have so many elements and characters, or
# so many times the bytes of the file.
_MAX_WRITTEN_OUT = 100_000_000
_MAX_TIMES = 20


def read_pickle(path: Path) -> Any:
    """The plain data in a pickle file."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise InputError("there is no such file", file=path, hint="check the path") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path, hint="check the path") from None
    if len(content) > MAX_BYTES:
        hint = "write it as JSON lines (.jsonl), which are read line by line"
        raise InputError(
            f"is larger than {MAX_BYTES >> 20:,} MB, the most that a pickle may have", file=path, hint=hint
        )
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
        value = _Machine(content).run()
        _check_plain(value, max(_MAX_WRITTEN_OUT, _MAX_TIMES * len(content)))
        return value
    except Forbidden as error:
        raise InputError(
            f"the pickle wants to run {shorten(error)}; only plain data is read",
            file=path,
            hint="if you trust it, save it again as JSON",
        ) from None
    except NotPlain as error:
        raise InputError(f"is not a pickle of plain data ({error})", file=path, hint="save it as JSON") from None


class _Machine:
    """Runs the instructions of one pickle. Every failure is a `NotPlain` or a `Forbidden`."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0
        self._stack: list[Any] = []
        self._below: list[list[Any]] = []  # the stacks under each mark
        self._memo: dict[int, Any] = {}
        self._stopped = False

    def run(self) -> Any:
        content, size = self._content, len(self._content)
        while not self._stopped:
            if self._at == size:
                raise NotPlain("it is cut off")
            code = content[self._at]
            self._at += 1
            instruction = _INSTRUCTIONS.get(code)
            if instruction is None:
                raise NotPlain(_instruction_name(code))
            instruction(self)
        if self._below or len(self._stack) != 1:
            raise NotPlain("it does not end with one value")
        return self._stack[0]

    # Reading the file.

    def _take(self, size: int) -> bytes:
        if size > len(self._content) - self._at:
            raise NotPlain("it is cut off")
        self._at += size
        return self._content[self._at - size : self._at]

    def _number(self, layout: struct.Struct) -> Any:
        return layout.unpack(self._take(layout.size))[0]

    def _counted(self, size: struct.Struct) -> bytes:
        length = self._number(size)
        if length < 0:
            raise NotPlain("a length is negative")
        return self._take(length)

    def _line(self) -> bytes:
        end = self._content.find(b"\n", self._at)
        if end < 0:
            raise NotPlain("it is cut off")
        return self._take(end + 1 - self._at)[:-1]

    # The stack and the memo.

    def push(self, value: Any) -> None:
        self._stack.append(value)

    def _pop(self) -> Any:
        if not self._stack:
            raise NotPlain("a value is missing")
        return self._stack.pop()

    def _top(self, kind: type) -> Any:
        if not self._stack or not isinstance(self._stack[-1], kind):
            raise NotPlain("an instruction finds another value than it needs")
        return self._stack[-1]

    def mark(self) -> None:
        self._below.append(self._stack)
        self._stack = []

    def _pop_to_mark(self) -> list[Any]:
        if not self._below:
            raise NotPlain("a mark is missing")
        values, self._stack = self._stack, self._below.pop()
        return values

    def _remember(self, key: int) -> None:
        value = self._top(object)
        self._memo[key] = value
        if isinstance(value, Unfinished):
            value.memo_keys.append(key)

    def _recall(self, key: int) -> None:
        if key not in self._memo:
            raise NotPlain("it refers to a value that is not there")
        self.push(self._memo[key])

    # The instructions.

    def stop(self) -> None:
        self._stopped = True

    def protocol(self) -> None:
        if self._number(_U1) > pickle.HIGHEST_PROTOCOL:
            raise NotPlain("of a newer kind than this Python knows")

    def frame(self) -> None:
        self._number(_U8)

    def integer_line(self) -> None:
        line = self._line()
        self.push({b"00": False, b"01": True}[line] if line in (b"00", b"01") else _whole_number(line))

    def long_line(self) -> None:
        self.push(_whole_number(self._line().removesuffix(b"L")))

    def float_line(self) -> None:
        self.push(_parsed(float, self._line()))

    def long_bytes(self, size: struct.Struct) -> None:
        digits = self._counted(size)
        if len(digits) > _MAX_NUMBER_CHARACTERS:
            raise NotPlain("a number is too long")
        self.push(_bounded(int.from_bytes(digits, "little", signed=True)))

    def string_line(self) -> None:
        line = self._line().strip()
        if len(line) < 2 or line[:1] not in (b"'", b'"') or line[-1:] != line[:1]:
            raise NotPlain("a string has no quotes")
        try:
            self.push(codecs.escape_decode(line[1:-1])[0].decode("latin1"))
        except ValueError:
            raise NotPlain("a string cannot be decoded") from None

    def unicode_line(self) -> None:
        self._push_text(self._line(), "raw-unicode-escape", "strict")

    def string(self, size: struct.Struct) -> None:
        self._push_text(self._counted(size), "latin1", "strict")  # Python 2 did not say which

    def text(self, size: struct.Struct) -> None:
        self._push_text(self._counted(size), "utf-8", "surrogatepass")

    def _push_text(self, data: bytes, encoding: str, errors: str) -> None:
        try:
            self.push(str(data, encoding, errors))
        except UnicodeDecodeError:
            raise NotPlain("a string cannot be decoded") from None

    def byte_string(self, size: struct.Struct) -> None:
        self.push(self._counted(size))

    def append(self) -> None:
        value = self._pop()
        self._top(list).append(value)

    def appends(self) -> None:
        values = self._pop_to_mark()
        self._top(list).extend(values)

    def set_item(self) -> None:
        value, key = self._pop(), self._pop()
        _fill(self._top(dict), [key, value])

    def set_items(self) -> None:
        values = self._pop_to_mark()
        _fill(self._top(dict), values)

    def list_of_marked(self) -> None:
        self.push(self._pop_to_mark())

    def dict_of_marked(self) -> None:
        made: dict[Any, Any] = {}
        _fill(made, self._pop_to_mark())
        self.push(made)

    def tuple_of_marked(self) -> None:
        self.push(tuple(self._pop_to_mark()))

    def tuple_of(self, size: int) -> None:
        values = [self._pop() for _ in range(size)]
        self.push(tuple(reversed(values)))

    def remember_line(self) -> None:
        self._remember(_whole_number(self._line()))

    def remember(self, kind: struct.Struct) -> None:
        self._remember(self._number(kind))

    def remember_next(self) -> None:
        self._remember(len(self._memo))

    def recall_line(self) -> None:
        self._recall(_whole_number(self._line()))

    def recall(self, kind: struct.Struct) -> None:
        self._recall(self._number(kind))

    def name_lines(self) -> None:
        module, name = (self._line().decode("utf-8", "replace") for _ in range(2))
        self.push(Name.known(module, name))

    def name_on_stack(self) -> None:
        name, module = self._pop(), self._pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise NotPlain("a name is no string")
        self.push(Name.known(module, name))

    def call(self) -> None:
        """What a call of one of the known names would give; the name itself is never called."""
        arguments = self._pop()
        name = self._pop()
        if not isinstance(name, Name) or not isinstance(arguments, tuple):
            raise NotPlain("it calls a value")
        if len(arguments) not in name.argument_counts:
            raise NotPlain(f"{name} has {len(arguments)} arguments")
        self.push(CALLS[name](*arguments))

    def finish(self) -> None:
        """Numpy writes an array and a dtype in two steps: what they are, and what is in them."""
        state = self._pop()
        unfinished = self._top(Unfinished)
        self._stack[-1] = value = unfinished.finish(state)
        for key in unfinished.memo_keys:
            self._memo[key] = value


def _parsed(kind: type[int] | type[float], line: bytes) -> Any:
    if len(line) > _MAX_NUMBER_CHARACTERS:
        raise NotPlain("a number is too long")
    try:
        return kind(line.decode("ascii"))
    except ValueError:
        raise NotPlain("a number is none") from None


def _whole_number(line: bytes) -> int:
    return _bounded(_parsed(int, line))


def _bounded(number: int) -> int:
    if number.bit_length() > 64:
        raise NotPlain("a whole number has more than 64 bits")
    return number


def _fill(target: dict[Any, Any], keys_and_values: list[Any]) -> None:
    keys, values = keys_and_values[::2], keys_and_values[1::2]
    if len(keys) != len(values):
        raise NotPlain("a key has no value")
    for key in keys:
        if not isinstance(key, str | int | float | bytes | None):
            raise NotPlain("a key is neither a string nor a number")
    target.update(zip(keys, values, strict=True))


def _instruction_name(code: int) -> str:
    known = [name for name, value in vars(pickle).items() if name.isupper() and value == bytes([code])]
    return f"it needs the instruction {known[0]}" if known else "it has an unknown instruction"


class _Extent(NamedTuple):
    """Of a value that is written out: elements and characters in it, and containers inside each other."""

    size: int
    depth: int


_OPEN = _Extent(0, 0)


def _check_plain(value: Any, most: int) -> None:
    """Refuse what is left over of numpy's two steps, what contains itself, and what is too large written out."""
    if _extent(value, _MAX_DEPTH, {}).size > most:
        raise NotPlain("a part of it is repeated too often")


def _extent(value: Any, deepest: int, known: dict[int, _Extent]) -> _Extent:
    if isinstance(value, str | bytes):
        return _Extent(1 + len(value), 0)
    if isinstance(value, np.ndarray):
        return _Extent(1 + value.size, 0)
    if isinstance(value, Name | Unfinished | np.dtype):
        raise NotPlain("a part of it is no value")
    if not isinstance(value, list | tuple | dict):
        return _Extent(1, 0)
    extent = known.get(id(value))
    if extent is _OPEN:
        raise NotPlain("it contains itself")
    if extent is None and deepest > 0:
        known[id(value)] = _OPEN
        parts = [*value.keys(), *value.values()] if isinstance(value, dict) else value
        inside = [_extent(part, deepest - 1, known) for part in parts]
        extent = _Extent(1 + sum(part.size for part in inside), 1 + max((part.depth for part in inside), default=0))
        known[id(value)] = extent
    if extent is None or extent.depth > deepest:
        raise NotPlain(f"it is nested more than {_MAX_DEPTH} deep")
    return extent


_U1, _U2, _U4, _U8 = (struct.Struct(f"<{code}") for code in "BHIQ")
_I4 = struct.Struct("<i")
_F8 = struct.Struct(">d")


def _push(make: Callable[[], Any]) -> Callable[[_Machine], None]:
    return lambda machine: machine.push(make())


def _push_number(layout: struct.Struct) -> Callable[[_Machine], None]:
    return lambda machine: machine.push(machine._number(layout))


_NAMED: dict[bytes, Callable[[_Machine], None]] = {
    pickle.PROTO: _Machine.protocol,
    pickle.FRAME: _Machine.frame,
    pickle.STOP: _Machine.stop,
    pickle.MARK: _Machine.mark,
    pickle.NONE: _push(lambda: None),
    pickle.NEWTRUE: _push(lambda: True),
    pickle.NEWFALSE: _push(lambda: False),
    pickle.INT: _Machine.integer_line,
    pickle.LONG: _Machine.long_line,
    pickle.FLOAT: _Machine.float_line,
    pickle.BININT: _push_number(_I4),
    pickle.BININT1: _push_number(_U1),
    pickle.BININT2: _push_number(_U2),
    pickle.BINFLOAT: _push_number(_F8),
    pickle.LONG1: lambda machine: machine.long_bytes(_U1),
    pickle.LONG4: lambda machine: machine.long_bytes(_I4),
    pickle.STRING: _Machine.string_line,
    pickle.UNICODE: _Machine.unicode_line,
    pickle.BINSTRING: lambda machine: machine.string(_I4),
    pickle.SHORT_BINSTRING: lambda machine: machine.string(_U1),
    pickle.BINUNICODE: lambda machine: machine.text(_U4),
    pickle.SHORT_BINUNICODE: lambda machine: machine.text(_U1),
    pickle.BINUNICODE8: lambda machine: machine.text(_U8),
    pickle.BINBYTES: lambda machine: machine.byte_string(_U4),
    pickle.SHORT_BINBYTES: lambda machine: machine.byte_string(_U1),
    pickle.BINBYTES8: lambda machine: machine.byte_string(_U8),
    pickle.BYTEARRAY8: lambda machine: machine.byte_string(_U8),
    pickle.EMPTY_LIST: _push(list),
    pickle.EMPTY_DICT: _push(dict),
    pickle.EMPTY_TUPLE: _push(tuple),
    pickle.LIST: _Machine.list_of_marked,
    pickle.DICT: _Machine.dict_of_marked,
    pickle.TUPLE: _Machine.tuple_of_marked,
    pickle.TUPLE1: lambda machine: machine.tuple_of(1),
    pickle.TUPLE2: lambda machine: machine.tuple_of(2),
    pickle.TUPLE3: lambda machine: machine.tuple_of(3),
    pickle.APPEND: _Machine.append,
    pickle.APPENDS: _Machine.appends,
    pickle.SETITEM: _Machine.set_item,
    pickle.SETITEMS: _Machine.set_items,
    pickle.PUT: _Machine.remember_line,
    pickle.BINPUT: lambda machine: machine.remember(_U1),
    pickle.LONG_BINPUT: lambda machine: machine.remember(_U4),
    pickle.MEMOIZE: _Machine.remember_next,
    pickle.GET: _Machine.recall_line,
    pickle.BINGET: lambda machine: machine.recall(_U1),
    pickle.LONG_BINGET: lambda machine: machine.recall(_U4),
    pickle.GLOBAL: _Machine.name_lines,
    pickle.STACK_GLOBAL: _Machine.name_on_stack,
    pickle.REDUCE: _Machine.call,
    pickle.BUILD: _Machine.finish,
}
_INSTRUCTIONS = {name[0]: instruction for name, instruction in _NAMED.items()}
