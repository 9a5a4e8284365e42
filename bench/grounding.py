"""The grounding task beside the benchmark's own definition, re-created as plain loops over queries."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bench.process import best_of, in_child, peak_memory
from bench.report import Options, Row, Section

QUERIES = 10_000
WINDOWS = 10
IOUS = [round(0.5 + 0.05 * step, 2) for step in range(10)]


class Corpus(NamedTuple):
    """Of each query the true windows, and the predicted ones with their scores."""

    truth: dict[str, list[list[float]]]
    predicted: dict[str, list[list[float]]]


def measure(options: Options) -> Section:
    count = max(100, round(QUERIES * options.fraction))
    ours = in_child(_ours, count, options.repeats)
    recall, first = in_child(_loop_recall, count, options.repeats)
    average, second = in_child(_loop_average_precision, count, options.repeats)
    loops = recall + average
    agreement = f"R@1 {ours['R@1']:.6f} and {first:.6f}, mAP {ours['mAP']:.6f} and {second:.6f}"
    rows = [
        Row("R@1 at ten IoUs", count / ours["recall"], count / recall, "queries/s"),
        Row("mAP at ten IoUs", count / ours["average"], count / average, "queries/s"),
        Row("both", count / (ours["recall"] + ours["average"]), count / loops, "queries/s", agreement=agreement),
        Row("both, with the floors beside them", count / ours["floors"], count / loops, "queries/s"),
        Row("R@1, R@5, R@10, mean IoU and mAP, all floors, from files", count / ours["files"], None, "queries/s"),
        Row("the same, peak memory of the process", ours["memory"], None, "MB"),
    ]
    notes = [
        f"{count:,} made-up queries of 150 seconds with one to three true windows, {WINDOWS} predicted ones each; one "
        "thread. Files are read before the clock starts, except where the row says so.",
        "The original is re-created from its description, one query after another: IoU of every pair of windows, for "
        "each IoU to reach a greedy assignment in the order of scores, interpolated average precision.",
    ]
    return Section("Grounding", rows, notes)


def corpus(count: int) -> Corpus:
    rng = np.random.default_rng(0)
    truth, predicted = {}, {}
    for number in range(count):
        starts = rng.integers(0, 60, rng.integers(1, 4)) * 2
        truth[str(number)] = [[float(start), float(start + 2 * rng.integers(1, 16))] for start in starts]
        aims = [truth[str(number)][rng.integers(len(starts))] for _ in range(WINDOWS)]
        ends = np.sort(np.clip(np.array(aims) + rng.normal(0, 8, (WINDOWS, 2)), 0, 150), axis=1).round(2)
        scores = np.sort(rng.random(WINDOWS))[::-1].round(4)
        predicted[str(number)] = [[s, e, c] for (s, e), c in zip(ends.tolist(), scores.tolist(), strict=True)]
    return Corpus(truth, predicted)


def _ours(count: int, repeats: int) -> dict[str, float]:
    import kataribe
    from kataribe.grounding.average_precision import MomentMAP
    from kataribe.grounding.join import join
    from kataribe.grounding.panel import SYSTEM
    from kataribe.grounding.predictions import read_predictions
    from kataribe.grounding.recall import MomentRecall
    from kataribe.grounding.several_people import read_references

    made = corpus(count)
    references = [
        {"id": id, "video": f"v{int(id) // 4}", "query": "q", "duration": 150, "windows": windows}
        for id, windows in made.truth.items()
    ]
    queries = join(read_predictions(made.predicted), read_references(references, {}), "zero")[0]
    recall, average = MomentRecall(iou=tuple(IOUS)), MomentMAP(keep=10)
    found: dict[str, float] = {}
    found["recall"], rows = best_of(repeats * 3, lambda: recall.rows_of(SYSTEM, queries, None))
    found["R@1"] = float(rows[:, 1:].mean())
    found["average"], rows = best_of(repeats * 3, lambda: average.rows_of(SYSTEM, queries, None))
    found["mAP"] = float(rows[:, 1:].mean())
    found["floors"], _ = best_of(repeats, lambda: [metric.stats(queries, None) for metric in (recall, average)])
    found["files"], _ = best_of(
        repeats, lambda: kataribe.evaluate("grounding", made.predicted, references, threads=1).table()
    )
    found["memory"] = (peak_memory() or 0) / 1e6
    return found


def _iou(one: Any, other: Any) -> float:
    shared = max(0.0, min(one[1], other[1]) - max(one[0], other[0]))
    union = max(one[1], other[1]) - min(one[0], other[0])
    return shared / union if union else 0.0


def _loop_recall(count: int, repeats: int) -> tuple[float, float]:
    truth, predicted = corpus(count)

    def work() -> float:
        best = []
        for id, windows in truth.items():
            first = predicted[id][0]
            best.append(max(_iou(first, window) for window in windows))
        return float(np.mean([np.mean([overlap >= at for overlap in best]) for at in IOUS]))

    return best_of(repeats, work)


def _loop_average_precision(count: int, repeats: int) -> tuple[float, float]:
    truth, predicted = corpus(count)

    def work() -> float:
        return float(np.mean([_average_precisions(truth[id], predicted[id][:WINDOWS]) for id in truth]))

    return best_of(repeats, work)


def _average_precisions(windows: list[list[float]], offered: list[list[float]]) -> np.ndarray:
    """At each IoU; the arrays and loops are those of the ActivityNet detection scorer that the benchmark took over."""
    ranked = sorted(offered, key=lambda window: -window[2])
    right, wrong = np.zeros((len(IOUS), len(ranked))), np.zeros((len(IOUS), len(ranked)))
    taken = -np.ones((len(IOUS), len(windows)))
    for place, window in enumerate(ranked):
        overlaps = np.array([_iou(window, true) for true in windows])
        order = overlaps.argsort()[::-1]
        for row, at in enumerate(IOUS):
            for true in order:
                if overlaps[true] < at:
                    wrong[row, place] = 1
                    break
                if taken[row, true] >= 0:
                    continue
                right[row, place], taken[row, true] = 1, place
                break
            if not right[row, place] and not wrong[row, place]:
                wrong[row, place] = 1
    hits, misses = np.cumsum(right, axis=1), np.cumsum(wrong, axis=1)
    return np.array(
        [_interpolated(hits[row] / (hits[row] + misses[row]), hits[row] / len(windows)) for row in range(len(IOUS))]
    )


def _interpolated(precision: np.ndarray, recall: np.ndarray) -> float:
    precision = np.hstack([[0], precision, [0]])
    recall = np.hstack([[0], recall, [1]])
    for place in range(len(precision) - 1)[::-1]:
        precision[place] = max(precision[place], precision[place + 1])
    steps = np.where(recall[1:] != recall[:-1])[0] + 1
    return float(np.sum((recall[steps] - recall[steps - 1]) * precision[steps]))
