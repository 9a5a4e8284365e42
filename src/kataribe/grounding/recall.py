"""R@n, IoU@m: the share of queries with one of the first n spans at an IoU of at least m with a true one.

    R@n, IoU@m = 1 / |Q| * sum over queries q of [max over i <= n, true spans t of IoU(p_i, t) >= m]

The value is the mean over the IoUs to reach; each of them is a part, `@0.5`.

Gao, J., Sun, C., Yang, Z., Nevatia, R. (2017). TALL: temporal activity localization via language query. ICCV.

Protocols:
    clean         IoU in seconds, at least m, nothing suppressed; any of several true spans will do
    2dtan         IoU greater than m; spans overlapping an earlier one by more than `suppress` are dropped first
                  (0.5; the published figures of Charades-STA take 0.45, those of TACoS 0.4)
    ianet         inclusive IoU (+1) of at least m; suppression, in plain seconds, at m - 0.05, so that each m has its
                  own list; spans are cut at the ends of the video; of equal scores the later comes first
    movie101      Movie101's copy of it, which keeps 7 spans: R@10 is not defined there
    qvhighlights  in the order of the file, whatever the scores

Quirks: a strict > and a >= differ only where IoU is exactly m, which whole seconds make common. IoU + 1 was meant for
numbers of frames; with seconds it lifts every short span. By `length`, true spans outside the range are removed, and
queries without any left are not counted.

Zhang, S., Peng, H., Fu, J., Luo, J. (2020). Learning 2D temporal adjacent networks for moment localization with natural
language. AAAI. Liu, D., Qu, X., Zhou, P. (2021). Progressively guide to attend: an iterative alignment framework for
temporal sentence grounding. EMNLP.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe.core.errors import UsageError
from kataribe.core.metric import Protocols, option
from kataribe.core.types import Floats
from kataribe.grounding.entries import Entries
from kataribe.grounding.items import Queries
from kataribe.grounding.moments import MomentMetric
from kataribe.grounding.overlap import first_unsuppressed, iou, padded
from kataribe.grounding.panel import check_positive, check_thresholds, count_option, presets

# A suppression that follows the IoU to reach, as `suppress` names it.
_FOLLOWING = "m-0.05"
_BELOW = 0.05

_IANET = {"overlap": "inclusive", "suppress": _FOLLOWING, "clamp": True, "order": "later"}


@dataclass(frozen=True)
class MomentRecall(MomentMetric):
    name: ClassVar[str] = "moment_recall"
    title: ClassVar[str] = "R@n, IoU@m: a true span among the first n"
    protocols: ClassVar[Protocols] = presets(
        tan={"edge": "more", "suppress": "0.5"},
        ianet=_IANET,
        movie101={**_IANET, "keep": 7},
        qvhighlights={"order": "file"},
    )

    n: int = count_option(1, "how many spans may be tried")
    iou: tuple[float, ...] = option((0.1, 0.3, 0.5, 0.7), "the IoUs to reach")
    edge: Literal["least", "more"] = option("least", "an IoU of at least m, or of more than m")
    suppress: str = option("none", "drop spans that overlap an earlier one by more: 0.5, m-0.05 or none")
    clamp: bool = option(False, "cut spans at the ends of the video")
    keep: int = option(0, "spans that the scorer keeps; 0: all")

    def __post_init__(self) -> None:
        check_positive(self, n=self.n, trials=self.trials)
        check_thresholds(self, self.iou)
        if self.suppress not in ("none", _FOLLOWING) and not _is_share(self.suppress):
            raise UsageError(f"{self.name}(suppress={self.suppress}): write none, {_FOLLOWING} or an IoU such as 0.5")
        if self.keep and self.n > self.keep:
            raise UsageError(
                f"{self.name}({self.n}): R@{self.n} is not defined where the scorer keeps {self.keep} spans",
                hint=f"take n up to {self.keep}, or another protocol",
            )

    @property
    def thresholds(self) -> tuple[str, ...]:
        return tuple(f"@{at:g}" for at in self.iou)

    @property
    def shown(self) -> tuple[str, ...]:
        return self.thresholds

    @property
    def guesses(self) -> int:
        return self.n

    def fitted(self, items: Queries) -> Floats:
        """For all thresholds together; `rows_of` fits each threshold on its own where there are several."""
        assert items.train is not None
        return items.train.for_recall(self.iou, self.n, is_strict=self.edge == "more")

    def rows_of(self, player: str, items: Queries, context: Any) -> Floats:
        """The best blind guess is another one at every IoU to reach."""
        if player != "fixed" or len(self.iou) == 1:
            return super().rows_of(player, items, context)
        each = [replace(self, iou=(at,)).rows_of(player, items, context) for at in self.iou]
        return np.column_stack([each[0][:, 0], *(rows[:, 1] for rows in each)])

    def quality(self, entries: Entries, items: Queries) -> Floats:
        table = padded(entries.spans, self.n if self.suppress == "none" else None)
        if self.clamp:
            # Where the ends of the video are not known, nothing is cut.
            ends = np.where(items.is_cut[:, None], items.extents, [-np.inf, np.inf])
            extents = ends[entries.query][:, None]
            table = np.stack(
                [np.maximum(table[..., 0], extents[..., 0]), np.minimum(table[..., 1], extents[..., 1])], axis=-1
            )
        truth = padded(entries.truth)
        if self.suppress != _FOLLOWING:
            best = self._best(table, truth, None if self.suppress == "none" else float(self.suppress))
            return np.column_stack([self._reaches(best, at) for at in self.iou])
        return np.column_stack([self._reaches(self._best(table, truth, at - _BELOW), at) for at in self.iou])

    def _best(self, table: Floats, truth: Floats, suppress: float | None) -> Floats:
        """The highest IoU of any of the spans that are tried."""
        kept = table[:, : self.n] if suppress is None else first_unsuppressed(table, suppress, self.n)
        return np.asarray(iou(kept[:, :, None], truth[:, None], self.overlap).max(axis=(1, 2)))

    def _reaches(self, best: Floats, at: float) -> Floats:
        return np.asarray(best > at if self.edge == "more" else best >= at, dtype=np.float64)

    def choices(self) -> dict[str, str]:
        return {
            "n": str(self.n),
            "iou": "+".join(f"{at:g}" for at in self.iou),
            "edge": self.edge,
            "suppress": self.suppress,
            "clamp": "yes" if self.clamp else "no",
            "keep": str(self.keep or "all"),
        }


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False
