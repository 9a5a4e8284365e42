"""What a result of narrations has to show: the lines with their film and gap, and the roles that were named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from kataribe.captions.result import ScoredCaption
from kataribe.core.document import Document


class ScoredNarration(ScoredCaption, frozen=True, tag="narration"):
    """A line and its references. `segment` is the gap in the dialogue and `spoken` when the line is told, if known."""

    film: str | None
    segment: tuple[float, float] | None
    spoken: tuple[float, float] | None = None

    @property
    def gap(self) -> float | None:
        """How many seconds there were to tell it."""
        return self.segment[1] - self.segment[0] if self.segment else None


class NamedRoles(Document, frozen=True, kw_only=True, tag="named-roles"):
    """The roles that both sides name, those that only the reference and those that only the prediction names.

    `said` and `written` are where the prediction and the reference say names, from a letter to a letter, and whether
    the other side names the same role.
    """

    said: tuple[tuple[int, int, bool], ...] = ()
    written: tuple[tuple[int, int, bool], ...] = ()
    found: list[str]
    lost: list[str]
    invented: list[str]


@dataclass(frozen=True)
class NarratorRow:
    """What a narrator scores on clips that it has not learned from: the mean over its seeds.

    An interval says where the mean would lie with other clips; `by_seed` are the values of single seeds.
    """

    name: str
    kind: Literal["trivial", "trained"]
    values: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    by_seed: Mapping[str, Sequence[float]] = field(default_factory=dict)
    epochs: Sequence[int] = ()


@dataclass(frozen=True)
class NarratorTable:
    """Narrators beside each other; `metrics` are the columns, with the signature of each."""

    data: Mapping[str, int]
    rows: Sequence[NarratorRow]
    metrics: Mapping[str, str]
    settings: Mapping[str, Any]
    bootstrap: int
    left_out: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {"task": "narrators", **asdict(self)}
