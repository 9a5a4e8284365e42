"""The names of what can be chosen here. They stand apart because whoever only lists them need not load the statistics.

accuracy, beside the correlations, is the share of pairs of texts that a metric orders as people do. A pair that the
metric ties counts half, as wrong, or not at all (drop); pairs that people tie are left out. With exact every pair
counts, and a tie is right where the other side ties too.
"""

from __future__ import annotations

from typing import Literal

Statistic = Literal["pearson", "spearman", "tau_b", "tau_c"]
STATISTICS: tuple[Statistic, ...] = ("pearson", "spearman", "tau_b", "tau_c")
Measure = Literal["pearson", "spearman", "tau_b", "tau_c", "accuracy"]
MEASURES: tuple[Measure, ...] = (*STATISTICS, "accuracy")
Ties = Literal["half", "wrong", "drop", "exact"]
TIES: tuple[Ties, ...] = ("half", "wrong", "drop", "exact")
Correction = Literal["holm", "bh", "none"]
