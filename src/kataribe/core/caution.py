"""What a reader of a score should know: one line, with a short id by which it can be found, tested and silenced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Caution(str):
    """A warning is its text and carries its id; docs/warnings.md lists every id.

    >>> caution = Caution("missing", "2 of 5 videos have no prediction")
    >>> caution.id, str(caution)
    ('missing', '2 of 5 videos have no prediction')
    """

    __slots__ = ("id",)
    id: str

    def __new__(cls, id: str, text: str) -> Caution:
        caution = super().__new__(cls, text)
        caution.id = id
        return caution

    def __reduce__(self) -> tuple[type[Caution], tuple[str, str]]:
        return Caution, (self.id, str(self))

    def to_dict(self) -> dict[str, str]:
        return {"id": self.id, "text": str(self)}


def distinct(cautions: Iterable[Caution]) -> tuple[Caution, ...]:
    """Each once, in the order in which they were first said."""
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
