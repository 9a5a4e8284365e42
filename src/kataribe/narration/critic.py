"""CRITIC: are the people of a line those of its reference, by name or by any word that stands for them?

    a film's cast, named in one sentence, and all its lines are read as one text by a coreference function
    an identity  = a cluster of mentions in which exactly one role of the cast is named
    line         = identities of the prediction and of the reference, intersection over union
    CRITIC       = mean over the lines whose reference has an identity

Han, T., Bain, M., Nagrani, A., Varol, G., Xie, W., Zisserman, A. (2024). AutoAD III: the prequel - back to the pixels.
CVPR. (Co-Referencing In Text for Identifying Characters.)

Quirks. Coreference needs a model, and none comes with this package: `critic(module:function)` names a Python function
of yours. It is given a text and returns its clusters, each a list of (start, end) positions in the text. It is imported
when lines are scored, never when a result is read. A mention names a role if it is exactly the role's name (with
aliases=true, or an alias); one that lies in the cast's sentence or across two lines is of no line. Films without a cast
have no identities. A prediction that names nobody scores 0 where its reference names somebody. The published script
uses F-Coref and overwrites the text that it reads names from after the first cluster with one; this is not repeated.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError, shorten
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.signature import fingerprint
from kataribe.core.types import Array, Cast, Floats
from kataribe.narration.cast_scan import CastScan, fingerprint_of_casts, scan_casts
from kataribe.narration.items import Narrations
from kataribe.text.scripts import is_mostly_unspaced

# A text -> clusters of mentions, each from its start to its end.
Coreference = Callable[[str], Iterable[Iterable[tuple[int, int]]]]

_NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_HINT = "critic(module:function) names a function that takes a text and returns clusters of (start, end)"


class _Facts(NamedTuple):
    """The casts, and what identifies the function."""

    casts: CastScan
    coreference: str


@dataclass(frozen=True)
class Critic(Metric):
    name: ClassVar[str] = "critic"
    task: ClassVar[str] = "narration"
    title: ClassVar[str] = "CRITIC"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = ("lines", "iou", "hits", "named", "in_reference")
    group_by: ClassVar[str | None] = "films"

    coreference: str = option("", "module:function, a coreference function of yours", positional=True)
    aliases: bool = option(False, "whether an alias names its role")

    def __post_init__(self) -> None:
        if self.coreference and not _NAME.fullmatch(self.coreference):
            raise UsageError(f"critic: {shorten(self.coreference)!r} does not name a function", hint=_HINT)

    def scan_references(self, items: Narrations) -> CastScan:
        return scan_casts(items)

    def conclude(self, references: CastScan | None, predictions: None) -> _Facts:
        scanned = references or CastScan()
        scanned.refuse_unusable(self.name)
        return _Facts(scanned, identify(self.coreference))

    def prepare(self, items: Narrations, facts: _Facts) -> list[tuple[frozenset[str], frozenset[str]]]:
        """The identities of each prediction and of its reference."""
        find = load_coreference(self.coreference)
        found = [(frozenset[str](), frozenset[str]())] * len(items)
        for film, rows in items.by_film.items():
            if film not in items.casts:
                continue
            names = role_names(items.casts[film], self.aliases)
            sides = [
                identities(
                    [texts[row] for row in rows.tolist()], names, items.casts[film], find, f"{self}: film {film!r}"
                )
                for texts in (items.candidates, items.written)
            ]
            for row, said, written in zip(rows.tolist(), *sides, strict=True):
                found[row] = (said, written)
        return found

    def stats(self, items: Narrations, context: list[tuple[frozenset[str], frozenset[str]]]) -> Array:
        rows = [_row(said, written) for said, written in context]
        return np.array(rows, dtype=np.float64).reshape(len(items), len(self.columns))

    def measure(self, totals: Floats) -> Measured:
        lines, iou, hits, named, there = (totals[..., column] for column in range(5))
        with np.errstate(invalid="ignore", divide="ignore"):  # a line that names nobody has no score: 0/0
            return Measured(np.asarray(iou / lines), {"precision": hits / named, "recall": hits / there})

    def signature(self, facts: _Facts) -> dict[str, str]:
        return {
            "coref": facts.coreference,
            "cast": f"own-{fingerprint_of_casts(facts.casts)}",
            "aliases": "yes" if self.aliases else "no",
        }

    def warnings(self, facts: _Facts) -> Sequence[Caution]:
        return facts.casts.left_out_of(self.name)


def _row(said: frozenset[str], written: frozenset[str]) -> list[float]:
    """A line counts if its reference has an identity."""
    if not written:
        return [0.0] * 5
    hits = len(said & written)
    return [1.0, hits / len(said | written), hits, len(said), len(written)]


def role_names(cast: Cast, aliases: bool) -> dict[str, str]:
    """The roles by their names."""
    return {name: role.name for role in cast.roles for name in (role.names if aliases else (role.name,))}


def identities(
    lines: Sequence[str], names: Mapping[str, str], cast: Cast, find: Coreference, where: str
) -> list[frozenset[str]]:
    """Who is in each line, by name or otherwise.

    >>> from kataribe.core.types import Role
    >>> cast = Cast("f", (Role("Anna"), Role("Tom")))
    >>> def find(text):  # Anna's name, and the pronoun in the second line
    ...     return [[(0, 4), (14, 18), (26, 29)]]
    >>> identities(["Anna waits.", "She runs."], {"Anna": "Anna", "Tom": "Tom"}, cast, find, "example")
    [frozenset({'Anna'}), frozenset({'Anna'})]
    """
    is_unspaced = is_mostly_unspaced(cast.names)
    introduced = _introduction(cast.names, is_unspaced)
    gap = "" if is_unspaced else " "
    starts, text = [], introduced
    for line in lines:
        text += gap
        starts.append(len(text))
        text += line
    found: list[set[str]] = [set() for _ in lines]
    for cluster in _clusters(find, text, where):
        roles = {names[text[start:end]] for start, end in cluster if text[start:end] in names}
        if len(roles) != 1:
            continue
        for start, end in cluster:
            row = bisect_right(starts, start) - 1
            if row >= 0 and end <= starts[row] + len(lines[row]):
                found[row] |= roles
    return [frozenset(each) for each in found]


def _introduction(names: Sequence[str], is_unspaced: bool) -> str:
    """
    >>> _introduction(["Anna", "Tom", "Eve"], False), _introduction(["老李"], True)
    ('Anna, Tom and Eve.', '老李。')
    """
    comma, last, stop = ("、", "和", "。") if is_unspaced else (", ", " and ", ".")
    *first, end = names
    return (comma.join(first) + last if first else "") + end + stop


def _clusters(find: Coreference, text: str, where: str) -> list[list[tuple[int, int]]]:
    """What the user's function says, checked: it is not our code."""
    try:
        found = [[(int(start), int(end)) for start, end in cluster] for cluster in find(text)]
    except Exception as error:
        said = " ".join(str(error).split())
        raise UsageError(
            f"{where}: the coreference function failed ({type(error).__name__}: {shorten(said, 90)})"
        ) from None
    outside = [(start, end) for cluster in found for start, end in cluster if not 0 <= start < end <= len(text)]
    if outside:
        raise UsageError(f"{where}: a mention is at {outside[0]}, in a text of {len(text):,} characters", hint=_HINT)
    return found


def load_coreference(name: str) -> Coreference:
    """The function of a name, imported now."""
    if not name:
        raise UsageError("critic needs a coreference function", hint=_HINT)
    module, _, function = name.partition(":")
    try:
        found: Any = getattr(import_module(module), function)
    except ModuleNotFoundError as error:
        hint = "is its folder in PYTHONPATH?" if error.name == module.partition(".")[0] else f"install {error.name}"
        raise UsageError(f"critic: there is no module {error.name}", hint=hint) from None
    except AttributeError:
        raise UsageError(f"critic: the module {module} has no function {function}", hint=_HINT) from None
    except Exception as error:
        said = shorten(" ".join(str(error).split()), 90)
        raise UsageError(f"critic: the module {module} cannot be imported ({type(error).__name__}: {said})") from None
    if not callable(found):
        raise UsageError(f"critic: {name} is not a function", hint=_HINT)
    coreference: Coreference = found
    return coreference


def identify(name: str) -> str:
    """The function's name, and what tells one version of it from another: its `signature`, or its module's source."""
    function = load_coreference(name)
    said = getattr(function, "signature", None)
    if isinstance(said, str):
        return f"{name}-{said}"
    source = getattr(import_module(name.partition(":")[0]), "__file__", None)
    return f"{name}-{fingerprint([Path(source).read_bytes().hex()])}" if source else name
