"""Lines of films as hypothesis draws them: in order of time, in tenths of a second."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from kataribe.core.types import Caption, Segment

WORDS = ("老李回头，", "门开了。", "Maria waits.", "and looks up", "走" * 120 + "。", "雨")


@st.composite
def lines(draw: st.DrawFn, most: int = 12, texts: Sequence[str] = WORDS) -> list[Caption]:
    """Lines of one voice, whose texts are numbered so that each is found again."""
    found, time = [], 0
    for number in range(draw(st.integers(0, most))):
        start = time + draw(st.sampled_from([0, 3, 9, 10, 11, 49, 50, 51, 200]))
        time = start + draw(st.integers(1, 300))
        found.append(Caption(Segment(start / 10, time / 10), f"<{number}>{draw(st.sampled_from(texts))}"))
    return found
