"""Training the pairwise classifier: videos -> features, kept in the vector store -> windows with labels -> network.

Some videos are held out. After each epoch boundaries are found in them as the detector would, and scored; the weights
of the best epoch are kept, and of several seeds those of the best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from kataribe.boundaries.detectors.corpus import Corpus, Parts, Truth, file_hashes, hash_of, look_at, split_videos
from kataribe.boundaries.detectors.examples import SampledVideo
from kataribe.boundaries.detectors.held_out import HeldOut
from kataribe.boundaries.detectors.network import Network
from kataribe.boundaries.detectors.pair_network import Batches, as_numpy, balanced_loss, make_network, without_gradients
from kataribe.boundaries.detectors.pc import KIND, PairwiseModel
from kataribe.boundaries.detectors.training_options import HELD_OUT_LOSS, PairwiseOptions
from kataribe.boundaries.detectors.tuning import Backbone, Frames, keep_frames
from kataribe.boundaries.detectors.window import EVERY
from kataribe.core.progress import report
from kataribe.core.result import MetricResult
from kataribe.encoders.protocol import PictureEncoder
from kataribe.encoders.store import VectorStore
from kataribe.encoders.trainable import pictures_with_trained, trainable_pictures
from kataribe.learning.fit import LOSS, Learner, fit
from kataribe.learning.folder import Card, CardScore
from kataribe.learning.result import History, Trial

_USUAL_METRIC = "boundary_f1"
_REPLICATES = 1000


@dataclass(frozen=True)
class Trained:
    """The model that was kept, the course of every seed, and how the model does on the held-out videos."""

    model: PairwiseModel
    seed: int
    courses: Mapping[int, History]
    lower_is_better: tuple[str, ...]
    scored: MetricResult | None
    data: Mapping[str, Any]
    options: PairwiseOptions

    @property
    def trials(self) -> list[Trial]:
        """What the kept epoch of each seed scored."""
        found = []
        for seed, course in self.courses.items():
            epoch = course.epochs[course.best - 1]
            found.append(Trial(self.model.backbone, seed, {LOSS: epoch.loss, **epoch.scores}))
        return found

    def card(self) -> Card:
        training = {
            "options": {name: value for name, value in asdict(self.options).items() if value is not None},
            "seed": self.seed,
            "courses": {str(seed): course.to_dict() for seed, course in self.courses.items()},
        }
        held_out = self.data["held_out"]["videos"]
        scores, notes = [], []
        if self.scored is not None:
            scores = [
                CardScore("held-out videos", self.scored.metric, self.scored.value, self.scored.interval, held_out)
            ]
            notes = ["The epoch was chosen on the held-out videos: their score flatters the model a little."]
        return Card(
            kind=KIND,
            title=f"Pairwise boundary classifier on {self.model.backbone}",
            training=training,
            data=[dict(self.data)],
            scores=scores,
            notes=notes,
        )


def train(
    videos: Sequence[Path],
    truth: Truth,
    encoder: PictureEncoder,
    *,
    options: PairwiseOptions | None = None,
    store: VectorStore | None = None,
    state: Path | None = None,
) -> Trained:
    """A classifier from video files whose names (without extension) are ids of the ground truth.

    With a `state` folder, training that was stopped goes on where it was.
    """
    options = options or PairwiseOptions()
    contents = file_hashes(videos, truth)
    parts = split_videos(contents, options)
    held_out = _held_out(parts, truth, options)
    frames = _frames(videos, encoder, options)
    sampled = {path.stem: look_at(path, truth, encoder, store, frames) for path in _counted(videos)}
    corpus = Corpus.of(parts, sampled, truth, options)
    data = {"ids": hash_of(contents, truth), **corpus.counts}
    about = {"kind": KIND, "data": data["ids"], "features": encoder.signature, "held_out": sorted(parts.held_out)}
    runs = {}
    for seed in range(options.seed, options.seed + options.seeds):
        own = _of_seed(options, seed)
        backbone = Backbone.of(encoder.name, options.finetune, frames) if frames is not None else None
        runs[seed] = _run(corpus, held_out, own, backbone, _folder_of_seed(state, options, seed), about)
    seed = _best_seed(runs, options, held_out)
    tuned = runs[seed].tuned
    features = pictures_with_trained(encoder.name, tuned).signature if tuned else encoder.signature
    return Trained(
        model=PairwiseModel(encoder.name, EVERY, runs[seed].network, options.labels, features, tuned),
        seed=seed,
        courses={seed: run.course for seed, run in runs.items()},
        lower_is_better=_lower_is_better(held_out),
        scored=_scored(held_out, runs[seed]),
        data=data,
        options=options,
    )


def _frames(videos: Sequence[Path], encoder: PictureEncoder, options: PairwiseOptions) -> Frames | None:
    """Pictures to fine-tune on; a backbone that cannot be fine-tuned so far is refused before videos are read."""
    if not options.finetune:
        return None
    trainable_pictures(encoder.name).freeze_below(options.finetune)
    return keep_frames(videos, encoder.size, encoder.name)


def _scored(held_out: HeldOut | None, run: _Run) -> MetricResult | None:
    if held_out is None:
        return None
    found = held_out.predictions(run.held_out, run.network)
    return held_out.references(bootstrap=_REPLICATES).score(found)[held_out.measure]


@dataclass(frozen=True)
class _Run:
    """One seed: its course, and what its best epoch gave: the head, the backbone's tensors, features of held-outs."""

    course: History
    network: Network
    tuned: Mapping[str, Any]
    held_out: Mapping[str, SampledVideo]


def _run(
    corpus: Corpus,
    held_out: HeldOut | None,
    options: PairwiseOptions,
    backbone: Backbone | None,
    state: Path | None,
    about: Mapping[str, Any],
) -> _Run:
    network = make_network(corpus.spread, options.hidden, options.seed, backbone.trainable if backbone else None)
    windows = backbone.frames.windows(corpus.parts.training, corpus.training) if backbone else corpus.training
    references = held_out.references() if held_out is not None else None

    def seen() -> Mapping[str, SampledVideo]:
        """The held-out videos as the network sees them now."""
        videos = {id: corpus.sampled[id] for id in corpus.parts.held_out}
        return backbone.with_features(videos) if backbone is not None else videos

    def validate(network: Any) -> dict[str, float]:
        assert held_out is not None
        assert references is not None
        head, videos = as_numpy(network), seen()
        scores = references.score(held_out.predictions(videos, head))
        return {held_out.measure: scores[held_out.measure].value, HELD_OUT_LOSS: corpus.held_out_loss(videos, head)}

    learner = Learner(
        network=network,
        examples=Batches(windows),
        loss=balanced_loss(corpus.share),
        validate=None if held_out is None else validate,
        stop_by=_stop_by(held_out, options),
        lower_is_better=_lower_is_better(held_out),
        rates={"backbone": options.backbone_rate},
        decays={"backbone": 0.0},  # what was learned from a million pictures is not to fade
        is_small=not backbone,
    )
    course = fit(learner, options, state=state, about=about)
    with without_gradients():
        return _Run(course, as_numpy(network), backbone.trained_arrays() if backbone else {}, seen())


def _held_out(parts: Parts, truth: Truth, options: PairwiseOptions) -> HeldOut | None:
    if not parts.held_out:
        return None
    metric = _USUAL_METRIC if options.stop_by == HELD_OUT_LOSS else options.stop_by
    return HeldOut({id: truth[id] for id in parts.held_out}, metric, options.seed)


def _stop_by(held_out: HeldOut | None, options: PairwiseOptions) -> str | None:
    if held_out is None:
        return None
    return HELD_OUT_LOSS if options.stop_by == HELD_OUT_LOSS else held_out.measure


def _lower_is_better(held_out: HeldOut | None) -> tuple[str, ...]:
    measures = [held_out.measure] if held_out is not None and held_out.lower_is_better else []
    return (LOSS, HELD_OUT_LOSS, *measures)


def _of_seed(options: PairwiseOptions, seed: int) -> PairwiseOptions:
    """Each seed is a run of its own, wherever it writes."""
    if options.seeds == 1:
        return options
    log = options.log_folder / f"seed-{seed}" if options.log_folder is not None else None
    return replace(options, seed=seed, seeds=1, log_folder=log)


def _folder_of_seed(state: Path | None, options: PairwiseOptions, seed: int) -> Path | None:
    return state / f"seed-{seed}" if state is not None and options.seeds > 1 else state


def _best_seed(runs: Mapping[int, _Run], options: PairwiseOptions, held_out: HeldOut | None) -> int:
    """By what decided between epochs; the first where nothing did, and of equals."""
    stop_by = _stop_by(held_out, options)
    if stop_by is None:
        return min(runs)
    sign = -1 if stop_by in _lower_is_better(held_out) else 1
    return max(runs, key=lambda seed: (sign * runs[seed].course.best_scores[stop_by], -seed))


def _counted(videos: Sequence[Path]) -> Iterator[Path]:
    for done, path in enumerate(videos):
        report("features", done, len(videos))
        yield path
    report("features", len(videos), len(videos))
