"""The boundaries task beside the published evaluation loop, and the speed of detection with its breakdown."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from bench.process import best_of, in_child
from bench.report import Options, Row, Section

FRAMES = 900
WIDTH, HEIGHT = 640, 360

Truth = Mapping[str, tuple[float, Sequence[Sequence[float]]]]
Predictions = Mapping[str, Sequence[float]]


def measure(options: Options) -> Section:
    where, truth, predictions = _corpus(options.fraction)
    ours = in_child(_ours, truth, predictions, options.repeats)
    theirs, score = in_child(_published_loop, truth, predictions, options.repeats)
    speed = in_child(_detection, options.repeats)
    videos = len(truth)
    agreement = f"F1 {ours['score']:.6f} and {score:.6f}"
    rows = [
        Row("F1 (max), one system", videos / ours["system"], videos / theirs, "videos/s", agreement=agreement),
        Row("the same with people, Uniform and 20 Randoms", videos / ours["panel"], videos / theirs, "videos/s"),
        Row("chance-corrected F1, 19 reassignments", videos / ours["chance"], None, "videos/s"),
        *(Row(f"detect: {what}", FRAMES / seconds, None, "frames/s") for what, seconds in speed.items()),
    ]
    notes = [
        f"Scoring: {where} ({videos:,} videos, {sum(len(lists) for _, lists in truth.values()):,} annotations), "
        "Uniform with nine boundaries; one thread, files already read.",
        "The published loop is re-created from its description: for each annotator a table of distances, each true "
        "boundary takes the nearest prediction that is left, the best annotator counts.",
        f"Detection: a generated clip of {FRAMES} frames, {WIDTH} x {HEIGHT}, MPEG-4; frames of the clip, of which PA "
        "looks at every third.",
    ]
    return Section("Boundaries", rows, notes)


def _corpus(fraction: float) -> tuple[str, Truth, Predictions]:
    """Kinetics-GEBD minval where it is at hand, else a made-up corpus of the same shape."""
    folder = Path(os.environ.get("KATARIBE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    files = sorted((folder / "kinetics-gebd").glob("*.pkl"))
    if files:
        from kataribe.boundaries.files import read_truth

        read = read_truth(files[0])
        truth = {
            id: (video.duration, [annotator.times for annotator in video.annotators]) for id, video in read.items()
        }
        where = "Kinetics-GEBD minval"
    else:
        rng = np.random.default_rng(0)
        truth = {
            f"v{number}": (10.0, [np.sort(rng.uniform(0, 10, rng.integers(1, 9))).tolist() for _ in range(5)])
            for number in range(2000)
        }
        where = "a made-up corpus"
    kept = dict(list(truth.items())[: max(2, round(len(truth) * fraction))])
    return where, kept, {id: [duration * n / 10 for n in range(1, 10)] for id, (duration, _) in kept.items()}


def _ours(truth: Truth, predictions: Predictions, repeats: int) -> dict[str, float]:
    from kataribe.boundaries.chance import ChanceF1
    from kataribe.boundaries.f1 import BoundaryF1
    from kataribe.boundaries.files import read_predictions, read_truth
    from kataribe.boundaries.join import join
    from kataribe.boundaries.players import once

    annotated = read_truth({id: {"duration": length, "annotators": marks} for id, (length, marks) in truth.items()})
    videos, _, _, _ = join(read_predictions(dict(predictions)), annotated, "zero", "seconds", 0.0)
    metric, chance = BoundaryF1(), ChanceF1()
    system, _ = best_of(repeats * 3, lambda: metric.score_of(once(videos.predictions), videos))
    panel, _ = best_of(repeats, lambda: metric.reduce(metric.stats(videos, None)))
    corrected, _ = best_of(repeats, lambda: chance.reduce(chance.rows(videos)))
    score = metric.score_of(once(videos.predictions), videos).value
    return {"system": system, "panel": panel, "chance": corrected, "score": score}


def _published_loop(truth: Truth, predictions: Predictions, repeats: int) -> tuple[float, float]:
    def work() -> float:
        hits = predicted = true = 0
        for id, (duration, annotators) in truth.items():
            found = predictions[id]
            best = (-1.0, 0, 0)
            for marks in annotators:
                distances = np.zeros((len(marks), len(found)))
                for row, mark in enumerate(marks):
                    distances[row] = np.abs(np.asarray(found) - mark)
                matched = 0
                for row in range(len(marks)):
                    nearest = int(np.argmin(distances[row]))
                    if distances[row, nearest] <= 0.05 * duration:
                        matched += 1
                        distances[:, nearest] = np.inf
                recall, precision = matched / len(marks) if marks else 1.0, matched / len(found)
                score = 2 * recall * precision / (recall + precision) if matched else 0.0
                if score > best[0]:
                    best = (score, matched, len(marks))
            hits, predicted, true = hits + best[1], predicted + len(found), true + best[2]
        return 2 * hits / (predicted + true)

    return best_of(repeats, work)


def _detection(repeats: int) -> dict[str, float]:
    """Seconds for the clip: decoding alone, then each detector whole, and PA's parts by difference."""
    from kataribe.boundaries.detectors.cut import HardCuts
    from kataribe.boundaries.detectors.detector import detect
    from kataribe.boundaries.detectors.pa import Predictability, changes
    from kataribe.boundaries.detectors.window import Sampler
    from kataribe.encoders.histogram import HistogramEncoder
    from kataribe.media.video import pictures

    with tempfile.TemporaryDirectory() as folder:
        clip = _clip(Path(folder) / "clip.mp4")
        encoder = HistogramEncoder()
        decode, _ = best_of(repeats, lambda: sum(1 for _ in pictures(clip)))
        cut, _ = best_of(repeats, lambda: detect(clip, [HardCuts()]))
        pa, _ = best_of(repeats, lambda: detect(clip, [Predictability(Sampler(encoder))]))
    pixels = np.zeros((64, 64, 3), dtype=np.uint8)
    start = time.perf_counter()
    for _ in range(FRAMES // 3):
        encoder.pixels([pixels])
    features = time.perf_counter() - start
    curve = np.random.default_rng(0).random(FRAMES // 3)
    filtering, _ = best_of(repeats, lambda: changes(curve))
    return {
        "cut, whole": cut,
        "pa with histograms, whole": pa,
        "decoding alone": decode,
        "features of every third frame alone": features,
        "filter and maxima alone": filtering,
    }


def _clip(path: Path) -> Path:
    import av

    rng = np.random.default_rng(0)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=30)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.codec_context.time_base = Fraction(1, 30)
        for number in range(FRAMES):
            if number % 150 == 0:
                blocks = rng.integers(0, 256, (HEIGHT // 40, WIDTH // 40, 3))
                scene = np.kron(blocks, np.ones((40, 40, 1))).astype(np.uint8)
            frame = av.VideoFrame.from_ndarray(np.roll(scene, number, axis=1), format="rgb24")
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path
