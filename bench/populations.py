"""Populations of items for simulations: every metric's statistics of two systems on the same items.

A simulation draws items with replacement and reduces their statistics again, so each metric is computed once for each
population. Real outputs of real systems are used where the data sets are at hand, else items made up here.
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

import kataribe
from bench.data import ROOT, _made_up
from kataribe.boundaries import task as boundaries
from kataribe.boundaries.ranking import RankedMetric
from kataribe.core import registry
from kataribe.core.metric import Metric
from kataribe.core.types import Floats
from kataribe.stats import correlation
from kataribe.stats.bootstrap import Bounds
from kataribe.stats.choices import STATISTICS, Statistic
from kataribe.stats.paired import Valued

# Enough that a draw of a thousand items is not the population itself, few enough to be scored in seconds.
MOST_ITEMS = 4_000

CAPTIONS = ("bleu", "meteor", "rouge_l", "cider", "div", "ppl")
STORIES = (
    "soda(a)",
    "soda(b)",
    "soda(c)",
    "soda(d)",
    "activitynet(2018)",
    "localisation",
    "paragraph(meteor)",
    "segments(meteor)",
)
BOUNDARIES = (*boundaries.DEFAULT_METRICS, "boundary_deviation", "pk", "window_diff")
NARRATION = ("role_f1", "speech_rate", "dialogue_overlap", "repetition")

# Metrics that are not simulated, and why.
LEFT_OUT = {
    "action_score": "needs a tagger; a mean over items, as rouge_l is",
    "bertscore": "needs a language model",
    "clipscore": "needs pictures and a model",
    "comet": "needs a trained model",
    "critic": "needs a coreference function, which reads whole films",
    "emscore": "needs pictures and a model",
    "first_mention": "reads whole films, whose lines are not drawn one by one",
    "highlight_hit": "whole videos are drawn; a mean over items, as rouge_l is",
    "highlight_map": "whole videos are drawn; a mean over items, as rouge_l is",
    "identity": "reads whole films, whose lines are not drawn one by one",
    "jaspice": "needs a Japanese parser; a ratio of sums, as role_f1 is",
    "mnscore": "needs a language model",
    "moment_iou": "whole videos are drawn; a mean over items, as rouge_l is",
    "moment_map": "whole videos are drawn; a mean over items, as rouge_l is",
    "moment_recall": "whole videos are drawn; a mean over items, as rouge_l is",
    "recall_at": "is read within films, whose lines are not drawn one by one",
    "refclipscore": "needs pictures and a model",
    "sentence_cosine": "needs a language model; a mean over items, as rouge_l is",
    "shot_recall": "whole videos are drawn; a mean over films",
    "suisei": "needs a trained model; a mean over items, as rouge_l is",
}

Items = Mapping[str, Any]
Rows = npt.NDArray[np.int64]


class Pair(NamedTuple):
    """Two systems on the same items as functions of weights; `both` has the second one's items after the first's."""

    one: Valued
    other: Valued
    both: Valued


class Population(Protocol):
    """Items with the numbers of two systems, to draw samples from."""

    @property
    def name(self) -> str: ...
    @property
    def bounds(self) -> Bounds: ...
    def __len__(self) -> int: ...
    def sample(self, rows: Rows, swapped: Rows | None = None) -> Pair:
        """The systems on these items; where `swapped` is 1 the two change places, so that neither is better."""


@dataclass(frozen=True)
class Scored:
    """Row i of both tables is a metric's statistics of the same item."""

    name: str
    metric: Metric
    one: Floats
    other: Floats

    @property
    def bounds(self) -> Bounds:
        return self.metric.bounds

    def __len__(self) -> int:
        return len(self.one)

    def sample(self, rows: Rows, swapped: Rows | None = None) -> Pair:
        one, other = self.one[rows], self.other[rows]
        if swapped is not None:
            change = swapped[:, None] == 1
            one, other = np.where(change, other, one), np.where(change, one, other)
        # A pooled ranking is made anew of the sample; the metric's own value would keep the population's.
        value = self.metric.from_groups if isinstance(self.metric, RankedMetric) else self.metric.replicates
        tables = (one, other, np.concatenate([one, other]))
        return Pair(*(partial(value, table) for table in tables))


@dataclass(frozen=True)
class Judged:
    """Two metrics' scores of texts and what a person said of each."""

    name: Statistic
    one: Floats
    other: Floats
    people: Floats
    bounds: Bounds = (-1.0, 1.0)

    def __len__(self) -> int:
        return len(self.people)

    def sample(self, rows: Rows, swapped: Rows | None = None) -> Pair:
        one, other, people = self.one[rows], self.other[rows], self.people[rows]
        if swapped is not None:
            one, other = np.where(swapped == 1, other, one), np.where(swapped == 1, one, other)
        read = [correlation.Rows(scores, people) for scores in (one, other)]
        both = read[0].beside(read[1], by_rank=self.name != "pearson")
        return Pair(*(of.statistic(self.name) for of in (*read, both)))


@dataclass(frozen=True)
class Source:
    """What the items of one task are, and the populations of its metrics."""

    description: str
    populations: Callable[[], Sequence[Population]]


def sources() -> dict[str, Source]:
    """By task, in the order of the table."""
    return {
        "captions": _captions(),
        "stories": _stories(),
        "boundaries": _boundaries(),
        "narration": _narration(),
        "agree": _agree(),
    }


def _scored(
    task: str, systems: Sequence[Items], references: Any, metrics: Sequence[str], **options: Any
) -> list[Scored]:
    """Items that a metric cannot score for one of the systems are left out of its population."""
    one, other = (kataribe.evaluate(task, system, references, list(metrics), **options) for system in systems)
    populations = []
    for result, beside in zip(one, other, strict=True):
        if result.ids != beside.ids:
            raise ValueError(f"{result.metric}: the two systems were not scored on the same items")
        known = np.isfinite(result.item_values) & np.isfinite(beside.item_values)
        rows = (np.asarray(table, dtype=np.float64)[known] for table in (result.statistics, beside.statistics))
        populations.append(Scored(result.metric, registry.parse(result.spec), *rows))
    return populations


@cache
def _folder() -> Path | None:
    folders = [os.environ.get("KATARIBE_DATA"), ROOT.parent / "shared" / "data"]
    return next((Path(folder) for folder in folders if folder and Path(folder).is_dir()), None)


def _data(*names: str) -> list[Path] | None:
    """Files of the data sets; nothing unless all are there."""
    folder = _folder()
    paths = [folder / name for name in names] if folder else []
    return paths if paths and all(path.is_file() for path in paths) else None


def _read(path: Path) -> Any:
    content = path.read_bytes()
    return json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)


_OUTPUTS = (
    "activitynet-captions/val_1.json",
    "activitynet-captions/val_2.json",
    "activitynet-captions/model_output_val_1.json",
    "bmt/bmt_gtprop_val_1.json.gz",
)


@dataclass(frozen=True)
class _Corpus:
    """Two annotators and two captioners that were given the first annotator's segments; the same videos in all."""

    annotators: list[Items]
    captioners: list[Items]


def _corpus(videos: int) -> _Corpus | None:
    paths = _data(*_OUTPUTS)
    if paths is None:
        return None
    first, second, *outputs = map(_read, paths)
    captioners = [output["results"] for output in outputs]
    shared = [video for video in first if video in second and all(video in output for output in captioners)][:videos]
    return _Corpus(
        *([{video: stories[video] for video in shared} for stories in side] for side in ((first, second), captioners))
    )


def _captions() -> Source:
    corpus = _corpus(MOST_ITEMS)
    if corpus is None:
        made = _made_up(MOST_ITEMS, 3)
        ids = [str(row) for row in range(len(made.candidates))]
        # The last of the references is taken for a second system.
        systems = [
            dict(zip(ids, made.candidates, strict=True)),
            {i: r[-1] for i, r in zip(ids, made.references, strict=True)},
        ]
        references: Any = {id: texts[:-1] for id, texts in zip(ids, made.references, strict=True)}
        description = "captions made up by the bench, each with two references"
    else:
        systems, references = _captions_of(corpus)
        description = (
            "two captioners' sentences on val_1's segments of ActivityNet Captions, each with val_1's caption and the "
            "caption of val_2 that overlaps it most"
        )
    return Source(description, lambda: _scored("captions", systems, references, CAPTIONS))


def _captions_of(corpus: _Corpus) -> tuple[list[dict[str, str]], dict[str, list[str]]]:
    first, second = corpus.annotators
    systems: list[dict[str, str]] = [{}, {}]
    references: dict[str, list[str]] = {}
    for video, story in first.items():
        spoken = [
            {_key(entry["timestamp"]): entry["sentence"] for entry in output[video]} for output in corpus.captioners
        ]
        for segment, text in zip(story["timestamps"], story["sentences"], strict=True):
            if all(_key(segment) in sentences for sentences in spoken) and len(references) < MOST_ITEMS:
                id = f"{video}#{len(references)}"
                references[id] = [text, _overlapping(second[video], segment)]
                for system, sentences in zip(systems, spoken, strict=True):
                    system[id] = sentences[_key(segment)]
    return systems, references


def _key(segment: Sequence[float]) -> tuple[float, float]:
    return round(segment[0], 1), round(segment[1], 1)


def _overlapping(story: Items, segment: Sequence[float]) -> str:
    overlaps = [min(segment[1], end) - max(segment[0], start) for start, end in story["timestamps"]]
    text: str = story["sentences"][int(np.argmax(overlaps))]
    return text


def _stories() -> Source:
    corpus = _corpus(1_500)
    if corpus is None:
        corpus = _made_up_stories(600)
        description = "stories made up by the bench"
    else:
        description = (
            "two captioners' stories for videos of ActivityNet Captions, their segments moved at random, against both "
            "annotators"
        )

    def populations() -> list[Scored]:
        rng = np.random.default_rng(0)
        durations = {video: story["duration"] for video, story in corpus.annotators[0].items()}
        astray = [_astray(captioner, durations, rng) for captioner in corpus.captioners]
        given = _scored("stories", corpus.captioners, [corpus.annotators[0]], [STORIES[-1]])
        return _scored("stories", astray, corpus.annotators, STORIES[:-1]) + given

    return Source(description, populations)


def _astray(captioner: Items, durations: Mapping[str, float], rng: np.random.Generator) -> dict[str, Any]:
    """The captioners were given an annotator's segments; one that finds its own is somewhat off and misses some."""
    moved: dict[str, Any] = {}
    for video, entries in captioner.items():
        kept = [entry for entry in entries if rng.random() < 0.85] or entries[:1]
        moved[video] = [
            {"sentence": entry["sentence"], "timestamp": _moved(entry["timestamp"], durations[video], rng)}
            for entry in kept
        ]
    return moved


def _moved(segment: Sequence[float], duration: float, rng: np.random.Generator) -> list[float]:
    start, end = np.sort(np.clip(np.array(segment) + rng.normal(0, 0.08 * duration, 2), 0, duration)).tolist()
    return [round(start, 2), round(max(end, start + 0.1), 2)]


def _made_up_stories(videos: int) -> _Corpus:
    rng = np.random.default_rng(0)
    each = 4
    made = _made_up(videos * each, 3)
    sides: list[dict[str, Any]] = [{}, {}, {}, {}]
    for video in range(videos):
        cuts = np.sort(rng.uniform(0, 100, each - 1))
        rows = range(video * each, (video + 1) * each)
        for number, side in enumerate(sides):
            moved = cuts if number != 1 else np.sort(np.clip(cuts + rng.normal(0, 4, each - 1), 0.5, 99.5))
            edges = [0.0, *moved.tolist(), 100.0]
            segments = [list(pair) for pair in itertools.pairwise(edges)]
            texts = [made.candidates[row] if number == 0 else made.references[row][number - 1] for row in rows]
            if number < 2:
                side[f"v{video}"] = {"duration": 100.0, "timestamps": segments, "sentences": texts}
            else:
                entries = zip(segments, texts, strict=True)
                side[f"v{video}"] = [{"timestamp": segment, "sentence": text} for segment, text in entries]
    return _Corpus(sides[:2], sides[2:])


def _boundaries() -> Source:
    rng = np.random.default_rng(0)
    paths = _data("kinetics-gebd/k400_mr345_minval_min_change_duration0.3.pkl")
    if paths:
        from kataribe.boundaries.files import read_truth

        truth = {
            id: {
                "duration": video.duration,
                "fps": video.fps or 25.0,
                "annotators": [list(annotator.times) for annotator in video.annotators],
            }
            for id, video in read_truth(paths[0]).items()
        }
        description = "Kinetics-GEBD minval; two detectors that each miss, move and invent boundaries of one annotator"
    else:
        truth = {f"v{number}": _made_up_video(rng) for number in range(1_500)}
        description = "made-up videos; two detectors that each miss, move and invent boundaries of one annotator"
    systems = [{id: _detected(video, rng, keep) for id, video in truth.items()} for keep in (0.8, 0.7)]
    return Source(description, lambda: _scored("boundaries", systems, truth, BOUNDARIES))


def _made_up_video(rng: np.random.Generator) -> dict[str, Any]:
    scene = np.sort(rng.uniform(0, 10, rng.integers(2, 9)))
    annotators = []
    for _ in range(4):
        seen = scene[rng.random(len(scene)) < 0.85]
        annotators.append(np.sort(np.clip(seen + rng.normal(0, 0.15, len(seen)), 0, 10)).tolist())
    return {"duration": 10.0, "fps": 25.0, "annotators": annotators}


def _detected(video: Mapping[str, Any], rng: np.random.Generator, keep: float) -> list[list[float]]:
    """Times with confidences; what was invented is less sure on the whole."""
    annotators, duration = video["annotators"], video["duration"]
    true = np.array(annotators[rng.integers(len(annotators))])
    seen = true[rng.random(len(true)) < keep]
    seen = np.clip(seen + rng.normal(0, 0.02 * duration, len(seen)), 0, duration)
    invented = rng.uniform(0, duration, rng.poisson(1.5))
    times = np.concatenate([seen, invented])
    sure = np.concatenate([rng.beta(3, 2, len(seen)), rng.beta(2, 3, len(invented))])
    order = np.argsort(times)
    return [[round(float(times[row]), 3), round(float(sure[row]), 3)] for row in order]


_NAMES = ("Maria", "Odysseus", "Penelope", "Hector", "Helena", "Ajax")


def _narration() -> Source:
    """Speech rate and dialogue need times of speech, which no public data set has; all of it is made up."""
    rng = np.random.default_rng(0)
    made = _made_up(1_500, 2)
    films = [f"film {number}" for number in range(10)]
    written: dict[str, Any] = {}
    systems: list[dict[str, str]] = [{}, {}]
    clock = dict.fromkeys(films, 0.0)
    dialogue: dict[str, Any] = {film: {"duration": 1e6, "timestamps": [], "sentences": []} for film in films}
    for row, text in enumerate(made.candidates):
        film, id = films[row % len(films)], str(row)
        start = clock[film] + float(rng.exponential(5))
        end = start + float(rng.uniform(3, 9))
        clock[film] = end
        heroes = rng.choice(_NAMES, rng.integers(0, 3), replace=False).tolist()
        written[id] = {"film": film, "start": start, "end": end, "text": _with_names(text, heroes)}
        if rng.random() < 0.4:  # somebody speaks into the narration
            spoken = start + float(rng.uniform(-2, end - start))
            dialogue[film]["timestamps"].append([max(0.0, spoken), spoken + 3.0])
            dialogue[film]["sentences"].append("...")
        for number, system in enumerate(systems):
            named = [hero for hero in heroes if rng.random() < 0.6]
            named += rng.choice(_NAMES, 1).tolist() if rng.random() < 0.3 else []
            system[id] = _with_names(made.references[row][number], named)
    cast = {film: list(_NAMES) for film in films}

    def populations() -> list[Scored]:
        return _scored("narration", systems, written, NARRATION, cast=cast, dialogue=dialogue)

    return Source("narrations made up by the bench, in ten films of 150 lines", populations)


def _with_names(text: str, names: Sequence[str]) -> str:
    return " ".join([*names, text])


def _agree(texts: int = 4_000) -> Source:
    """Made up, so that a thousand items with one rating each can be drawn from many more."""
    rng = np.random.default_rng(0)
    quality = rng.normal(size=texts)
    people = np.clip(np.round(2.5 + 0.9 * quality + rng.normal(scale=0.7, size=texts)), 1, 4)
    metrics = [np.exp(0.4 * (quality + rng.normal(scale=noise, size=texts))) for noise in (1.3, 1.5)]
    populations = [Judged(name, *metrics, people) for name in STATISTICS]
    return Source(
        "texts made up by the bench, each with one rating of 1 to 4 and two metrics' scores", lambda: populations
    )
