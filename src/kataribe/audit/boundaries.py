"""Can a boundary metric be gamed by somebody who never looks at the video?

Random and Uniform place M = 1, 2, ... boundaries in every video; every measure is computed for each M, beside people
and whatever systems are given. Histograms show how much of each video lies near a true boundary (prevalence) and near
those of each player (bias). After

Yukutake, T., Mizufune, K., Matsubayashi, T. 動画境界検出タスクにおける評価方法の検証 (in Japanese), its figures 3, 5
and 7 and its table 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from kataribe.audit.result import PLAYERS, BoundaryAudit, PrecisionRecall, ScoredPlayer, Trials
from kataribe.boundaries.boundary_ap import BoundaryAP
from kataribe.boundaries.chance import ChanceF1
from kataribe.boundaries.deviation import BoundaryDeviation
from kataribe.boundaries.f1 import BoundaryF1
from kataribe.boundaries.files import Source, Unit, read_predictions
from kataribe.boundaries.frame_ap import FrameAP
from kataribe.boundaries.informedness import Informedness
from kataribe.boundaries.items import Videos, need_frames
from kataribe.boundaries.join import annotated_videos, doubts_about_references, join
from kataribe.boundaries.kappa import BoundaryKappa
from kataribe.boundaries.pk import Pk
from kataribe.boundaries.players import PAPER_TRIALS, Entries, human, once, random_entries, uniform_lists
from kataribe.boundaries.ranking import RankedMetric, average_precision, precision_recall
from kataribe.boundaries.several_truths import read_truths
from kataribe.boundaries.task import BoundaryOptions
from kataribe.boundaries.tolerance import Tolerance
from kataribe.boundaries.window_diff import WindowDiff
from kataribe.core.errors import UsageError
from kataribe.core.metric import Metric
from kataribe.core.options import Options, Protocol, RunOptions, option, same_as
from kataribe.core.progress import report
from kataribe.core.types import Floats
from kataribe.engines.local import LocalEngine

# The PR curves that are kept: as many as a picture can show.
_CURVES = (1, 3, 5, 9, 15)
# The blind players whose bias is shown place as many as do best under F1.
_SHOWN_COUNT = 9

M = TypeVar("M", bound=Metric)


@dataclass(frozen=True)
class BoundaryAuditOptions(Options):
    most: int = option(15, "The largest number of boundaries per video.", minimum=1)
    protocol: Protocol = same_as(
        BoundaryOptions,
        "protocol",
        help="official: as the published tool matches; paper: strict tolerance, 100 draws of Random.",
    )
    trials: int | None = option(None, "Draws of Random; default: 20, paper: 100.", minimum=1)
    tolerance: str = option("0.05", "0.05 of the duration, or 0.5s.")
    unit: Unit = same_as(BoundaryOptions, "unit")
    min_consistency: float = same_as(BoundaryOptions, "min_consistency")
    seed: int = same_as(RunOptions, "seed")


def audit(
    references: Source | Sequence[Source],
    systems: Mapping[str, Source] | None = None,
    options: BoundaryAuditOptions | None = None,
) -> BoundaryAudit:
    """Every measure of people, systems, and the blind players with 1 to `most` boundaries."""
    options = options or BoundaryAuditOptions()
    most, min_consistency = options.most, options.min_consistency
    truth, warnings = read_truths(references)
    warnings += doubts_about_references(truth, min_consistency)
    videos = replace(annotated_videos(truth, min_consistency), seed=options.seed)
    need_frames("the audit", videos.without_fps)
    panel = _Panel(videos, options.tolerance, options.protocol, _trials(options.protocol, options.trials))
    players = [ScoredPlayer("human", None, panel.measure(human(videos)))]
    curves = [panel.curve("human", None, human(videos))]
    bias = {"human": panel.bias(human(videos))}
    for given, predictions in (systems or {}).items():
        name = f"{given} (system)" if given in PLAYERS else given
        predicted, _, _, doubts = join(read_predictions(predictions), truth, "zero", options.unit, min_consistency)
        warnings += [caution.about(name) for caution in doubts if caution not in warnings]
        players.append(ScoredPlayer(name, None, panel.measure_system(predicted)))
        curves.append(panel.curve(name, None, once(predicted.predictions), predicted))
        bias[name] = panel.bias(once(predicted.predictions))
    for done, guess in enumerate(LocalEngine().map(panel.guess, range(1, most + 1)), start=1):
        report("guessing", done, most)
        players += guess.players
        curves += guess.curves
    counts = np.full(len(videos), min(most, _SHOWN_COUNT))
    bias[f"uniform {counts[0]}"] = panel.bias(once(uniform_lists(videos.durations, counts)))
    bias[f"random {counts[0]}"] = panel.bias(random_entries(videos, counts, 1))
    players.sort(key=lambda player: (player.name == "random") * 2 + (player.name == "uniform"))
    return BoundaryAudit(
        videos=len(videos),
        tolerance=options.tolerance,
        protocol=options.protocol,
        trials=panel.trials,
        seed=options.seed,
        prevalence=panel.prevalence(),
        bias=bias,
        players=players,
        curves=curves,
        warnings=warnings,
    )


def _trials(protocol: str, trials: int | None) -> Trials:
    """The paper draws all of its measures equally often. Otherwise rankings, which hardly vary, are drawn once.

    >>> _trials("official", None), _trials("paper", None)
    (Trials(counts=20, rankings=1, chance=5), Trials(counts=100, rankings=100, chance=25))
    """
    usual = PAPER_TRIALS if protocol == "paper" else 20
    draws = usual if trials is None else trials
    return Trials(draws, draws if protocol == "paper" else 1, max(1, draws // 4))


@dataclass(frozen=True)
class _Guess:
    """What both blind players do with one number of boundaries."""

    players: Sequence[ScoredPlayer]
    curves: Sequence[PrecisionRecall]


def _preset(metric: type[M], protocol: str, **options: Any) -> M:
    """The metric as the protocol has it."""
    return metric(**{**metric.protocols.get(protocol, {}), **options})


class _Panel:
    """All measures, on one set of videos."""

    def __init__(self, videos: Videos, tolerance: str, protocol: str, trials: Trials) -> None:
        try:
            width = Tolerance(tolerance)
        except ValueError:
            problem = f"<tolerance>: {tolerance!r} is not a tolerance"
            raise UsageError(problem, hint="write 0.05 or 0.5s", options=["tolerance"]) from None
        self.videos = videos
        self.trials = trials
        self.f1 = {
            annotator: _preset(BoundaryF1, protocol, annotator=annotator, tolerance=width)
            for annotator in ("max", "confident")
        }
        self.windows = Informedness("confident", width)
        self.chance = _preset(ChanceF1, protocol, annotator="max", tolerance=width)
        self.chance.facts(videos)  # refuses a corpus that says nothing about chance or people
        self.person = self.chance.lift(human(videos), videos)
        self.ranked: dict[str, RankedMetric] = {
            "frame_ap": _preset(FrameAP, protocol, annotator="confident", tolerance=width),
            "boundary_ap": _preset(BoundaryAP, protocol, annotator="mean", tolerance=width),
        }
        self.kappa = _preset(BoundaryKappa, protocol, annotator="mean", tolerance=width)
        self.errors = {"pk": Pk(), "window_diff": WindowDiff(), "boundary_deviation": BoundaryDeviation("max")}

    def guess(self, count: int) -> _Guess:
        counts = np.full(len(self.videos), count)
        uniform = once(uniform_lists(self.videos.durations, counts))
        trials = self.trials.counts
        drawn = random_entries(self.videos, counts, trials)
        draws = [drawn.keep(np.arange(trial, len(drawn), trials)) for trial in range(trials)]
        players = [
            ScoredPlayer("uniform", count, self.measure(uniform)),
            ScoredPlayer("random", count, self.measure_draws(drawn, draws)),
        ]
        if count not in _CURVES:
            return _Guess(players, ())
        return _Guess(players, [self.curve("uniform", count, uniform), self.curve("random", count, draws[0])])

    def measure(self, entries: Entries) -> dict[str, float]:
        return {**self._counted(entries), **self._ranked(entries), "chance_f1": self._chance(entries)}

    def measure_system(self, predicted: Videos) -> dict[str, float]:
        """With the confidences and curves that a system has and the other players lack."""
        entries = once(predicted.predictions)
        ranked = {name: metric.score_of(entries, predicted, "system").value for name, metric in self.ranked.items()}
        return {**self._counted(entries), **ranked, "chance_f1": self._chance(entries)}

    def measure_draws(self, drawn: Entries, draws: Sequence[Entries]) -> dict[str, float]:
        """Counts of all draws together; rankings, and values that each have their own null, draw by draw."""
        ranked = [self._ranked(draw) for draw in draws[: self.trials.rankings]]
        means = {name: float(np.mean([values[name] for values in ranked])) for name in ranked[0]}
        chance = float(np.mean([self._chance(draw) for draw in draws[: self.trials.chance]]))
        return {**self._counted(drawn), **means, "chance_f1": chance}

    def _counted(self, entries: Entries) -> dict[str, float]:
        measures: dict[str, float] = {}
        for annotator, metric in self.f1.items():
            score = metric.score_of(entries, self.videos)
            measures |= {f"f1_{annotator}": score.value}
            measures |= {f"{name}_{annotator}": part for name, part in score.parts.items()}
        measures["boundary_kappa"] = self.kappa.score_of(entries, self.videos).value
        windows = self.windows.score_of(entries, self.videos)
        measures |= {"informedness": windows.value}
        measures |= {name: windows.parts[name] for name in ("markedness", "bias", "prevalence")}
        return measures | {name: metric.score_of(entries, self.videos).value for name, metric in self.errors.items()}

    def _ranked(self, entries: Entries) -> dict[str, float]:
        """Pooled average precision. `score_of` would rank every video for itself, too, which costs the most."""
        values = {}
        for name, metric in self.ranked.items():
            at_each = [metric.instances("anyone", entries, self.videos, at) for at in metric.tolerance.distances]
            values[name] = float(np.mean([average_precision(i.score, i.correct, i.positives.sum()) for i in at_each]))
        return values

    def _chance(self, entries: Entries) -> float:
        """Undefined where people know no more of these videos than chance does."""
        return self.chance.lift(entries, self.videos) / self.person if self.person > 0 else float("nan")

    def curve(
        self, player: str, count: int | None, entries: Entries, predicted: Videos | None = None
    ) -> PrecisionRecall:
        metric = self.ranked["frame_ap"]
        who = "system" if predicted else "anyone"
        instances = metric.instances(who, entries, predicted or self.videos, metric.tolerance.distances[0])
        recall, precision = precision_recall(instances)
        return PrecisionRecall(player, count, recall.round(5).tolist(), precision.round(5).tolist())

    def prevalence(self) -> list[float]:
        """Of each video, the share of frames near a true boundary."""
        counts = self._frame_counts(once(self.videos.predictions))
        near = self.windows.column(counts, "true")
        shares: list[float] = (near / self.windows.column(counts, "frames")).round(5).tolist()
        return shares

    def bias(self, entries: Entries) -> list[float]:
        """Of each video, the share of frames near one of the entry's boundaries; the mean of several entries."""
        counts = self._frame_counts(entries)
        counts = counts[self.windows.column(counts, "frames") > 0]
        near = self.windows.column(counts, "predicted")
        shares: list[float] = (near / self.windows.column(counts, "frames")).round(5).tolist()
        return shares

    def _frame_counts(self, entries: Entries) -> Floats:
        """A row of the window metric's counts for each video, at its single tolerance."""
        return self.windows.corpus_rows(entries, self.videos)[:, 1:]
