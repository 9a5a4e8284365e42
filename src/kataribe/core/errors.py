"""Mistakes of the user: each error is one line that says what is wrong, where, and what to do next.

The command line prints it and ends with exit code 2; any other exception is a failure of this program.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

# How an option is written, given its name and perhaps a value: Python and the command line differ.
WriteOption = Callable[[str, str], str]


def as_keyword(option: str, value: str) -> str:
    """An option as Python has it. Numbers, and capitals that stand for the user's own value, need no quotes.

    >>> as_keyword("missing", ""), as_keyword("missing", "zero")
    ('missing', 'missing="zero"')
    >>> as_keyword("seed", "-1"), as_keyword("images", "FOLDER")
    ('seed=-1', 'images=FOLDER')
    """
    if not value:
        return option
    is_bare = re.fullmatch(r"-?[\d.]+|[A-Z]+", value) is not None
    return f"{option}={value}" if is_bare else f'{option}="{value}"'


def write_options(text: str, options: Sequence[str], write_option: WriteOption) -> str:
    """A text in which options are marked as <NAME> or <NAME VALUE>, with these `options` written this way.

    >>> write_options("<missing zero> scores them 0", ["missing"], as_keyword)
    'missing="zero" scores them 0'
    """
    if not options:
        return text
    marks = rf"<({'|'.join(map(re.escape, options))})(?: ([^<>]+))?>"
    return re.sub(marks, lambda mark: write_option(mark[1], mark[2] or ""), text)


class KataribeError(Exception):
    """A mistake in the input or the call.

    >>> print(KataribeError("no metric is called 'meteo'", hint="did you mean 'meteor'?"))
    no metric is called 'meteo' - did you mean 'meteor'?

    `options` are the options that the text speaks of, as <NAME> or <NAME VALUE>. Python and the command line write
    them differently, each as its users would:

    >>> error = KataribeError("2 lines are missing", hint="<missing zero> scores them 0", options=["missing"])
    >>> print(error)
    2 lines are missing - missing="zero" scores them 0
    >>> error.line(lambda option, value: f"--{option} {value}")
    '2 lines are missing - --missing zero scores them 0'
    """

    def __init__(self, message: str, *, hint: str = "", options: Sequence[str] = ()) -> None:
        super().__init__(message)
        self._options = options
        self._line = f"{message} - {hint}" if hint else message
        self.message = write_options(message, options, as_keyword)
        self.hint = write_options(hint, options, as_keyword)

    def __str__(self) -> str:
        return self.line(as_keyword)

    def line(self, write_option: WriteOption) -> str:
        """The whole error, with its options written this way."""
        return " ".join(write_options(self._line, self._options, write_option).split())


class InputError(KataribeError):
    """A file, or one entry of it, is not what it should be.

    >>> print(InputError("is null", file="pred.json", id="42", field="caption", hint="give a string"))
    pred.json: id '42': caption: is null - give a string
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | Path | None = None,
        id: str | None = None,
        field: str | None = None,
        hint: str = "",
        options: Sequence[str] = (),
    ) -> None:
        location = str(Location(file, id, field))
        super().__init__(f"{location}: {message}" if location else message, hint=hint, options=options)


class Location(NamedTuple):
    """Where in the input something is wrong: the file, the id of the entry, and the row or the field.

    Any of them may be unknown: data that was given in memory has no file.

    >>> line = Location("pred.csv", field="line 3")
    >>> print(line.at(id="42").within("start").error("is empty", hint="give seconds"))
    pred.csv: id '42': line 3, start: is empty - give seconds
    >>> print(InputError(f"{line} has 3 fields"))
    pred.csv: line 3 has 3 fields
    """

    file: str | Path | None = None
    id: str | None = None
    field: str | None = None

    def __str__(self) -> str:
        id = f"id {shorten(self.id)!r}" if self.id is not None else ""
        return ": ".join(filter(None, [str(self.file or ""), id, self.field]))

    def at(self, *, id: str | None = None, field: str | None = None) -> Location:
        """The same with another id or another field."""
        return Location(self.file, self.id if id is None else id, self.field if field is None else field)

    def within(self, name: str) -> Location:
        """A named part of the row or field."""
        return self.at(field=f"{self.field}, {name}" if self.field else name)

    def error(self, message: str, hint: str = "", options: Sequence[str] = ()) -> InputError:
        return InputError(message, file=self.file, id=self.id, field=self.field, hint=hint, options=options)


class JoinError(InputError):
    """Predictions and references do not belong together."""


class UsageError(KataribeError):
    """The call itself is wrong: an unknown name, an option that does not exist, a value out of range."""


class ResourceError(KataribeError):
    """A data file that a metric needs is missing, damaged or cannot be built."""


class OutputError(KataribeError):
    """The answer cannot be written where it was asked for."""


def shorten(text: object, width: int = 60) -> str:
    """At most `width` characters of a text from outside, for use inside a message."""
    line = str(text)
    return line if len(line) <= width else line[: width - 3] + "..."


def some(names: Iterable[object], at_most: int = 3) -> str:
    """The first few of many names.

    >>> some(["a", "b", "c", "d", "e"])
    "'a', 'b', 'c' and 2 more"
    """
    listed = [repr(shorten(name)) for name in names]
    rest = len(listed) - at_most
    return ", ".join(listed[:at_most]) + (f" and {rest:,} more" if rest > 0 else "")


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things; `many` where an s is not enough.

    >>> counted(1, "prediction"), counted(1200, "prediction"), counted(2, "prediction is", "predictions are")
    ('1 prediction', '1,200 predictions', '2 predictions are')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint towards what was probably meant.

    >>> nearest("meteo", ["bleu", "meteor"])
    "did you mean 'meteor'?"
    """
    known = sorted(known)
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
