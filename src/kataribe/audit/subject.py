"""A submission made ready to be attacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kataribe.audit import oracle
from kataribe.core.caution import Caution
from kataribe.core.types import Floats, Int64s
from kataribe.formats.storytable import StoryTable
from kataribe.stories.join import join


@dataclass(frozen=True, eq=False)
class Subject:
    """A submission ready to be attacked: the videos that have references, in their order, with durations.

    `warnings` are about what does not join. There are none where only some videos are attacked: they would be about
    the others.
    """

    table: StoryTable
    references: Sequence[StoryTable]
    reference_counts: Int64s
    warnings: Sequence[Caution]

    @classmethod
    def prepare(
        cls, submission: StoryTable, references: Sequence[StoryTable], videos: int | None, seed: int
    ) -> Subject:
        names = list(dict.fromkeys(name for table in references for name in table.videos))
        if videos is not None and videos < len(names):
            chosen = np.random.default_rng(seed).permutation(len(names))[:videos]
            names = [names[row] for row in sorted(chosen.tolist())]
        references = [table.only(names) for table in references]
        items, _, warnings = join(submission, references, None, seed)
        table = submission.only(items.ids)
        count_of = dict(zip(items.ids, items.references.counts.tolist(), strict=True))
        counts = np.array([count_of[video] for video in table.videos])
        ready = replace(table, durations=_durations([*references, table], table.videos))
        return cls(ready, references, counts, warnings if videos is None else [])

    @property
    def videos(self) -> int:
        return len({video for table in self.references for video in table.videos})

    @property
    def notes(self) -> list[str]:
        """What no attack changes: videos without predicted captions."""
        missing, empty = self.videos - len(self.table), int(np.count_nonzero(self.table.captions.counts == 0))
        counted = {"have no prediction": missing, "are predicted to have no caption": empty}
        return [f"{n:,} of {self.videos:,} videos {what}, before and after" for what, n in counted.items() if n]

    @cached_property
    def oracle(self) -> oracle.Oracle:
        return oracle.ask(self.table, self.references)

    def counts(self, ratio: float) -> Int64s:
        """So many captions for each reference; a video that has any keeps at least one."""
        return np.asarray(np.maximum(1, np.floor(ratio * self.reference_counts + 0.5)), dtype=np.int64)


def _durations(tables: Sequence[StoryTable], videos: Sequence[str]) -> Floats:
    """From the first file that has it; else the last end of any caption."""
    known: dict[str, float] = {}
    last: dict[str, float] = dict.fromkeys(videos, 0.0)
    for table in tables:
        segments = table.captions.segments
        for video, duration, times in zip(table.videos, table.durations.tolist(), segments, strict=True):
            if np.isfinite(duration):
                known.setdefault(video, duration)
            if video in last:
                ends = times[:, 1]
                last[video] = max(last[video], ends[np.isfinite(ends)].max(initial=0.0))
    # No caption fits into a video of length 0; a millisecond keeps the arithmetic finite.
    return np.array([max(known.get(video, last[video]), 1e-3) for video in videos])
