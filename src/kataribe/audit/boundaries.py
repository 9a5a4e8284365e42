"""Can a boundary metric be gamed by somebody who never looks at the video?

Random and Uniform place M = 1, 2, ... boundaries in every video; every measure is read for each M, beside people and
whatever systems are given. After

Yukutake, T., Mizufune, K., Matsubayashi, T. 動画境界検出タスクにおける評価方法の検証 (in Japanese), its figures 3, 5
and 7 and its table 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import kataribe
from kataribe.boundaries.boundary_ap import BoundaryAP
from kataribe.boundaries.chance import ChanceF1
from kataribe.boundaries.deviation import BoundaryDeviation
from kataribe.boundaries.f1 import BoundaryF1
from kataribe.boundaries.frame_ap import FrameAP
from kataribe.boundaries.informedness import Informedness
from kataribe.boundaries.items import Videos
from kataribe.boundaries.join import annotated_videos, join
from kataribe.boundaries.pk import Pk
from kataribe.boundaries.players import Entries, human, once, random_entries, uniform_lists
from kataribe.boundaries.ranking import precision_recall
from kataribe.boundaries.tolerance import Tolerance
from kataribe.boundaries.window_diff import WindowDiff
from kataribe.core.errors import UsageError
from kataribe.core.progress import report
from kataribe.formats.boundaries import Source, read_predictions, read_truth

# A pooled ranking of a whole corpus hardly varies between draws, and costs the most.
_DRAWS_OF_RANKINGS = 1
# The PR curves that are kept: as many as a picture can show.
_CURVES = (1, 3, 5, 9, 15)


@dataclass(frozen=True)
class Reading:
    """Every measure of one player; `count` is its number of boundaries in each video, None where it varies."""

    player: str
    count: int | None
    measures: Mapping[str, float]


@dataclass(frozen=True)
class Curve:
    """Precision against recall of frames."""

    player: str
    count: int | None
    recall: Sequence[float]
    precision: Sequence[float]


@dataclass(frozen=True)
class BoundaryAudit:
    videos: int
    tolerance: str
    trials: int
    seed: int
    prevalence: Sequence[float]
    readings: Sequence[Reading]
    curves: Sequence[Curve]

    def of(self, player: str) -> list[Reading]:
        return [reading for reading in self.readings if reading.player == player]

    @property
    def systems(self) -> list[str]:
        known = ("human", "uniform", "random")
        return [reading.player for reading in self.readings if reading.player not in known]

    def to_dict(self) -> dict[str, Any]:
        return {
            "kataribe": kataribe.__version__,
            "audit": "boundaries",
            "videos": self.videos,
            "tolerance": self.tolerance,
            "trials": self.trials,
            "seed": self.seed,
            "readings": [
                {"player": reading.player, "count": reading.count, **reading.measures} for reading in self.readings
            ],
            "curves": [vars(curve) for curve in self.curves],
            "prevalence": list(self.prevalence),
        }


def audit(
    references: Source,
    systems: Mapping[str, Source] | None = None,
    *,
    most: int = 15,
    trials: int = 20,
    tolerance: str = "0.05",
    min_consistency: float = 0.3,
    seed: int = 0,
) -> BoundaryAudit:
    """Read every measure for people, systems, and the blind players with 1 to `most` boundaries."""
    if most < 1 or trials < 1 or seed < 0:
        raise UsageError("an audit needs at least one boundary, one draw and a seed that is not negative")
    truth = read_truth(references)
    videos = replace(annotated_videos(truth, min_consistency), seed=seed)
    videos.need_frames("the audit")
    panel = _Panel(videos, tolerance)
    readings, curves = [Reading("human", None, panel.read(human(videos)))], [panel.curve("human", None, human(videos))]
    for name, predictions in (systems or {}).items():
        predicted, _, _, _ = join(read_predictions(predictions), truth, "zero", "seconds", min_consistency)
        readings.append(Reading(name, None, panel.read_system(predicted)))
        curves.append(panel.curve(name, None, once(predicted.predictions), predicted))
    for count in range(1, most + 1):
        report("guessing", count - 1, most)
        counts = np.full(len(videos), count)
        uniform = once(uniform_lists(videos.durations, counts))
        drawn = random_entries(videos, counts, trials)
        draws = [drawn.keep(np.arange(trial, len(drawn), trials)) for trial in range(trials)]
        readings.append(Reading("uniform", count, panel.read(uniform)))
        readings.append(Reading("random", count, panel.read_draws(drawn, draws)))
        if count in _CURVES:
            curves += [panel.curve("uniform", count, uniform), panel.curve("random", count, draws[0])]
    report("guessing", most, most)
    readings.sort(key=lambda reading: (reading.player == "random") * 2 + (reading.player == "uniform"))
    return BoundaryAudit(len(videos), tolerance, trials, seed, panel.prevalence(), readings, curves)


class _Panel:
    """All measures, on one set of videos."""

    def __init__(self, videos: Videos, tolerance: str) -> None:
        try:
            width = Tolerance(tolerance)
        except ValueError:
            raise UsageError(f"{tolerance!r} is not a tolerance", hint="write 0.05 or 0.5s") from None
        self.videos = videos
        self.f1 = {"max": BoundaryF1("max", width), "confident": BoundaryF1("confident", width)}
        self.windows = Informedness("confident", width)
        self.chance = ChanceF1("max", width)
        self.chance.check(videos)
        self.person = self.chance.lift(human(videos), videos)
        self.ranked = {"frame_ap": FrameAP("confident", width), "boundary_ap": BoundaryAP("mean", width)}
        self.errors = {"pk": Pk(), "window_diff": WindowDiff(), "boundary_deviation": BoundaryDeviation("max")}

    def read(self, entries: Entries) -> dict[str, float]:
        return {**self._counted(entries), **self._ranked(entries), "chance_f1": self._chance(entries)}

    def read_system(self, predicted: Videos) -> dict[str, float]:
        """With the confidences and curves that a system has and the other players lack."""
        entries = once(predicted.predictions)
        ranked = {name: metric.score_of(entries, predicted, "system").value for name, metric in self.ranked.items()}
        return {**self._counted(entries), **ranked, "chance_f1": self._chance(entries)}

    def read_draws(self, drawn: Entries, draws: Sequence[Entries]) -> dict[str, float]:
        """Counts of all draws together; chance-corrected values draw by draw, since each has its own null."""
        some = draws[: max(1, len(draws) // 4)]
        ranked = [self._ranked(draw) for draw in draws[:_DRAWS_OF_RANKINGS]]
        means = {name: float(np.mean([values[name] for values in ranked])) for name in ranked[0]}
        return {**self._counted(drawn), **means, "chance_f1": float(np.mean([self._chance(draw) for draw in some]))}

    def _counted(self, entries: Entries) -> dict[str, float]:
        measures: dict[str, float] = {}
        for annotator, metric in self.f1.items():
            score = metric.score_of(entries, self.videos)
            measures |= {f"f1_{annotator}": score.value}
            measures |= {f"{name}_{annotator}": part for name, part in score.parts.items()}
        windows = self.windows.score_of(entries, self.videos)
        measures |= {"informedness": windows.value}
        measures |= {name: windows.parts[name] for name in ("markedness", "bias", "prevalence")}
        return measures | {name: metric.score_of(entries, self.videos).value for name, metric in self.errors.items()}

    def _ranked(self, entries: Entries) -> dict[str, float]:
        return {name: metric.score_of(entries, self.videos).value for name, metric in self.ranked.items()}

    def _chance(self, entries: Entries) -> float:
        return self.chance.lift(entries, self.videos) / self.person

    def curve(self, player: str, count: int | None, entries: Entries, predicted: Videos | None = None) -> Curve:
        metric = self.ranked["frame_ap"]
        who = "system" if predicted else "anyone"
        instances = metric.instances(who, entries, predicted or self.videos, metric.tolerance.distances[0])
        recall, precision = precision_recall(instances)
        return Curve(player, count, recall.round(5).tolist(), precision.round(5).tolist())

    def prevalence(self) -> list[float]:
        """Of each video, for the histogram."""
        rows = self.windows.rows(once(self.videos.predictions), self.videos)
        shares: list[float] = (rows[:, 3] / rows[:, 4]).round(5).tolist()
        return shares
