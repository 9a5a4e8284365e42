"""The names of what can be chosen here. They stand apart because whoever only lists them need not load the statistics.

accuracy, beside the correlations, is the share of pairs of texts that a metric orders as people do.
"""

from __future__ import annotations

from typing import Literal

Statistic = Literal["pearson", "spearman", "tau_b", "tau_c"]
STATISTICS: tuple[Statistic, ...] = ("pearson", "spearman", "tau_b", "tau_c")
Measure = Literal["pearson", "spearman", "tau_b", "tau_c", "accuracy"]
MEASURES: tuple[Measure, ...] = (*STATISTICS, "accuracy")
Ties = Literal["half", "wrong", "drop"]
TIES: tuple[Ties, ...] = ("half", "wrong", "drop")
Correction = Literal["holm", "bh", "none"]
