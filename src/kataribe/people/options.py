"""What `agree` can be asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kataribe.core.errors import UsageError, nearest, shorten
from kataribe.core.options import Options, RunOptions, option, same_as
from kataribe.stats.choices import MEASURES, Correction, Measure, Ties

Against = Literal["each", "mean"]


@dataclass(frozen=True)
class AgreementOptions(Options):
    """What was asked for, so that the same call gives the same answer.

    `by` is the measure that is tested between metrics; by default tau_c of ratings, accuracy of rankings and votes.
    """

    by: Measure | None = option(
        None, "Test by pearson, spearman, tau_b, tau_c or accuracy; default: tau_c of ratings, else accuracy."
    )
    against: Against = option("each", "each: every judgement is a row; mean: every text is.")
    per_item: bool = option(False, "Correlate within each item, then average; rankings and votes always.")
    ties: Ties = option(
        "half",
        "A pair that a metric ties counts half, wrong or not: drop; exact: also pairs that people tie count, and a tie "
        "must be met by a tie.",
    )
    overall: bool = option(False, "Also read the mean over several dimensions, as a dimension of its own: overall.")
    bootstrap: int = option(
        1000,
        "Draws of items, swaps of metrics; 0: no intervals, no tests.",
        minimum=0,
        hint="1000 is usual, 0: no intervals",
    )
    seed: int = same_as(RunOptions, "seed")
    correction: Correction = option("holm", "For many tests: holm, bh or none.", noun="correction")
    alpha: float = option(0.05, "The level of significance.")

    def __post_init__(self) -> None:
        if self.by is not None and self.by not in MEASURES:
            problem = f"<by {shorten(self.by)}>: there is no such measure"
            raise UsageError(problem, hint=nearest(self.by, MEASURES), options=["by"])
        super().__post_init__()
        if not 0 < self.alpha < 1:
            problem = f"<alpha {self.alpha}>: is not between 0 and 1"
            raise UsageError(problem, hint="0.05 is usual", options=["alpha"])
