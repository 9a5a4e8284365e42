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
from kataribe.boundaries.detectors.held_out import HeldOut
from kataribe.boundaries.detectors.network import Network
from kataribe.boundaries.detectors.pair_network import Batches, as_numpy, balanced_loss, make_network
from kataribe.boundaries.detectors.pc import KIND, PairwiseModel
from kataribe.boundaries.detectors.training_options import HELD_OUT_LOSS, PairwiseOptions
from kataribe.boundaries.detectors.window import EVERY
from kataribe.core.progress import report
from kataribe.core.result import MetricResult
from kataribe.encoders.protocol import PictureEncoder
from kataribe.encoders.store import VectorStore
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
    sampled = {path.stem: look_at(path, truth, encoder, store) for path in _counted(videos)}
    corpus = Corpus.of(parts, sampled, truth, options)
    data = {"ids": hash_of(contents, truth), **corpus.counts}
    about = {"kind": KIND, "data": data["ids"], "features": encoder.signature, "held_out": sorted(parts.held_out)}
    runs = {
        seed: _run(corpus, held_out, _of_seed(options, seed), _folder_of_seed(state, options, seed), about)
        for seed in range(options.seed, options.seed + options.seeds)
    }
    seed = _best_seed(runs, options, held_out)
    scored = None
    if held_out is not None:
        found = held_out.predictions(sampled, runs[seed].network)
        scored = held_out.references(bootstrap=_REPLICATES).score(found)[held_out.measure]
    return Trained(
        model=PairwiseModel(encoder.name, EVERY, runs[seed].network, options.labels, encoder.signature),
        seed=seed,
        courses={seed: run.course for seed, run in runs.items()},
        lower_is_better=_lower_is_better(held_out),
        scored=scored,
        data=data,
        options=options,
    )


@dataclass(frozen=True)
class _Run:
    course: History
    network: Network


def _run(
    corpus: Corpus, held_out: HeldOut | None, options: PairwiseOptions, state: Path | None, about: Mapping[str, Any]
) -> _Run:
    network = make_network(corpus.spread, options.hidden, options.seed)
    references = held_out.references() if held_out is not None else None

    def validate(network: Any) -> dict[str, float]:
        assert held_out is not None
        assert references is not None
        head = as_numpy(network)
        scores = references.score(held_out.predictions(corpus.sampled, head))
        return {held_out.measure: scores[held_out.measure].value, HELD_OUT_LOSS: corpus.held_out_loss(head)}

    learner = Learner(
        network=network,
        examples=Batches(corpus.training),
        loss=balanced_loss(corpus.share),
        validate=None if held_out is None else validate,
        stop_by=_stop_by(held_out, options),
        lower_is_better=_lower_is_better(held_out),
        name="training" if options.seeds == 1 else f"training, seed {options.seed}",
    )
    return _Run(fit(learner, options, state=state, about=about), as_numpy(network))


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
