"""What a reader of a score should know: one line, with a short id by which it can be found, tested and silenced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from kataribe.core.errors import WriteOption, as_keyword, write_options


class Caution(str):
    """A warning is its text and carries its id; docs/warnings.md lists every id.

    >>> caution = Caution("missing", "2 of 5 videos have no prediction")
    >>> caution.id, str(caution)
    ('missing', '2 of 5 videos have no prediction')

    `options` are the options that the text speaks of, marked as in a KataribeError. Python's way of writing them is
    the text; the command line writes them in its own way where it prints the warning.

    >>> caution = Caution("frame-column", "are they frames? <unit frames>", options=["unit"])
    >>> str(caution), caution.line(lambda option, value: f"--{option} {value}")
    ('are they frames? unit="frames"', 'are they frames? --unit frames')
    """

    __slots__ = ("_marked", "_options", "id")
    id: str
    _marked: str
    _options: tuple[str, ...]

    def __new__(cls, id: str, text: str, options: Sequence[str] = ()) -> Caution:
        caution = super().__new__(cls, write_options(text, options, as_keyword))
        caution.id, caution._marked, caution._options = id, text, tuple(options)
        return caution

    def __reduce__(self) -> tuple[type[Caution], tuple[str, str, tuple[str, ...]]]:
        return Caution, (self.id, self._marked, self._options)

    def line(self, write_option: WriteOption) -> str:
        """The text with its options written this way."""
        return write_options(self._marked, self._options, write_option)

    def about(self, name: str) -> Caution:
        """The same warning where several systems are shown: it starts with the name of the one it is about.

        >>> Caution("missing", "2 of 5 videos have no prediction").about("ours")
        'ours: 2 of 5 videos have no prediction'
        """
        return Caution(self.id, f"{name}: {self._marked}", self._options)

    def to_dict(self) -> dict[str, str]:
        return {"id": self.id, "text": str(self)}


def distinct(cautions: Iterable[Caution]) -> tuple[Caution, ...]:
    """Each once, in the order in which they first came."""
    return tuple(dict.fromkeys(cautions))


_remarks: ContextVar[list[Caution] | None] = ContextVar("kataribe_remarks", default=None)


@contextmanager
def remarking() -> Iterator[list[Caution]]:
    """Collects what is remarked inside: what happened on the way (a damaged cache, say), not what the data says.

    >>> with remarking() as remarks:
    ...     remark(Caution("no-cache", "nothing is kept"))
    >>> remarks[0].id
    'no-cache'
    """
    remarks: list[Caution] = []
    token = _remarks.set(remarks)
    try:
        yield remarks
    finally:
        _remarks.reset(token)


def remark(*cautions: Caution) -> None:
    """Give a remark to the surrounding collector; without one it is lost."""
    remarks = _remarks.get()
    if remarks is not None:
        remarks += [caution for caution in cautions if caution not in remarks]
