"""What a result of narrations has to show: the lines with their film and gap, and the roles that were named."""

from __future__ import annotations

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
