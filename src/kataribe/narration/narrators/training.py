"""Training a narrator: clips of the training films -> a network, chosen by what it tells of the validation films.

After each epoch the validation clips are told greedily and scored by RoleF1 and CIDEr, and their loss is computed (of
the right tokens, without smoothing); a narrator with context then sees the lines of the references, not its own.
`stop_by` decides which epoch is kept and when training ends; of several seeds the
best is kept by the same score.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.errors import UsageError, counted
from kataribe.core.need import need
from kataribe.core.types import Floats
from kataribe.films.seen import SeenClip, SeenCorpus
from kataribe.learning.fit import LOSS, Learner, fit
from kataribe.learning.folder import Card, Model
from kataribe.learning.result import History, Trial
from kataribe.narration.narrators.critical import CiderReward, SelfCritical
from kataribe.narration.narrators.examples import ClipExamples, Reader
from kataribe.narration.narrators.model import Described, ModelNarrator, describe, refuse_foreign_cast, save_narrator
from kataribe.narration.narrators.options import VALIDATION_LOSS, NarratorOptions, NarratorTraining, SearchOptions
from kataribe.narration.narrators.scoring import ClipReferences, films_of
from kataribe.narration.narrators.search import search
from kataribe.narration.narrators.vocabulary import Vocabulary

TRAIN, VALIDATION = "train", "val"
# A text that goes on for twice as long as any it has learned from does not end by itself.
_LONGER = 2
_AT_ONCE = 64
# Networks up to this width gain nothing from several threads.
_SMALL = 256


@dataclass(frozen=True)
class Material:
    """The clips to learn from and to validate on, and what follows from them for every seed."""

    options: NarratorOptions
    training: Sequence[SeenClip]
    validation: Sequence[SeenClip]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary.of([clip.text for clip in self.training])

    @cached_property
    def described(self) -> Described:
        films = films_of(self.training)
        genres = sorted({genre for film in films for genre in film.genres}) if self.options.genres else []
        return describe(self.options, genres, films[0], self.face_width)

    @cached_property
    def face_width(self) -> int:
        films = films_of(self.training)
        wide = [film.faces.vector.shape[1] for film in films if len(film.faces)]
        wide += [film.portraits.shape[1] for film in films if film.has_portrait.any()]
        return wide[0] if wide else 1

    @cached_property
    def reader(self) -> Reader:
        return Reader(self.options, self.vocabulary, tuple(self.described.genres), self.face_width)

    @cached_property
    def examples(self) -> ClipExamples:
        return ClipExamples(self.training, self.reader)

    @cached_property
    def held_out(self) -> ClipExamples:
        return ClipExamples(self.validation, self.reader)

    @cached_property
    def longest(self) -> int:
        """Steps after which validation gives a text up."""
        return _LONGER * max(len(shown.text) for shown in self.examples.shown)

    @cached_property
    def spread(self) -> dict[str, Floats]:
        """Mean and spread of the features of the training films, for the network."""
        films = films_of(self.training)
        frames = np.concatenate([film.frames.vector for film in films])
        faces = [film.faces.vector for film in films if len(film.faces)]
        faces += [film.portraits[film.has_portrait] for film in films if film.has_portrait.any()]
        together = np.concatenate(faces) if faces else np.zeros((1, self.face_width), dtype=np.float32)
        return {
            "frame_mean": frames.mean(0),
            "frame_spread": _apart_from_0(frames.std(0)),
            "face_mean": together.mean(0),
            "face_spread": _apart_from_0(together.std(0)),
        }

    def fingerprint(self) -> str:
        """Of texts, times, names and features: a state of other data is refused."""
        digest = hashlib.blake2b(digest_size=8)
        for clip in (*self.training, *self.validation):
            digest.update(f"{clip.id}\0{clip.text}\0{clip.span}\0".encode("utf-8", "surrogatepass"))
        for film in films_of([*self.training, *self.validation]):
            digest.update(repr((film.film, film.genres, film.cast)).encode("utf-8", "surrogatepass"))
            for array in (film.frames.vector, film.faces.vector, film.portraits):
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()


def _apart_from_0(spread: Floats) -> Floats:
    return np.where(spread > 1e-6, spread, 1.0)


@dataclass(frozen=True)
class Trained:
    """The narrator that was kept, and the course of every seed; `critical` of the second stage where there was one."""

    narrator: ModelNarrator
    seed: int
    narrators: Mapping[int, ModelNarrator]
    courses: Mapping[int, History]
    critical: Mapping[int, History]
    data: Mapping[str, Any]
    options: NarratorTraining

    @property
    def trials(self) -> list[Trial]:
        """What the kept epoch of each seed scored."""
        found = []
        for seed, course in self.courses.items():
            last = self.critical.get(seed, course)
            epoch = last.epochs[last.best - 1]
            found.append(Trial(self.narrator.options.model, seed, {LOSS: epoch.loss, **epoch.scores}))
        return found

    def card(self) -> Card:
        options = {name: value for name, value in asdict(self.options).items() if value is not None}
        training = {
            "options": options,
            "seed": self.seed,
            "courses": {str(seed): course.to_dict() for seed, course in self.courses.items()},
            "critical": {str(seed): course.to_dict() for seed, course in self.critical.items()},
        }
        notes = [f"The epoch was chosen on {self.data['validation']['clips']} validation clips."]
        if self.data["validation"]["unknown"]:
            notes.append(
                f"{counted(self.data['validation']['unknown'], 'character')} of the validation clips "
                "are not in the vocabulary."
            )
        title = f"{self.narrator.options.model.upper()} narrator"
        return Card(kind="narrator", title=title, training=training, data=[dict(self.data)], notes=notes)

    def write(self, folder: Path, more: Mapping[str, bytes] | None = None) -> Model:
        return save_narrator(folder, self.narrator, self.card(), more)


def train(
    corpus: SeenCorpus,
    model: NarratorOptions | None = None,
    options: NarratorTraining | None = None,
    *,
    state: Path | None = None,
) -> Trained:
    """A narrator from a corpus with features; with a `state` folder, training that was stopped goes on."""
    model, options = model or NarratorOptions(), options or NarratorTraining()
    material = material_of(corpus, model, options)
    metrics = _metrics(material, options)
    references = ClipReferences(material.validation, metrics)
    about = {"kind": "narrator", "data": material.fingerprint(), "model": asdict(model)}
    runs = {}
    for seed in range(options.seed, options.seed + options.seeds):
        own = replace(options, seed=seed, seeds=1)
        runs[seed] = _run(material, references, own, state / f"seed-{seed}" if state is not None else None, about)
    seed = _best_seed(runs, options)
    return Trained(
        narrator=runs[seed].narrator,
        seed=seed,
        narrators={seed: run.narrator for seed, run in runs.items()},
        courses={seed: run.course for seed, run in runs.items()},
        critical={seed: run.critical for seed, run in runs.items() if run.critical is not None},
        data=_described_data(material),
        options=options,
    )


def material_of(corpus: SeenCorpus, model: NarratorOptions, options: NarratorTraining) -> Material:
    parts = {part: corpus.clips(part, options.clips) for part in (TRAIN, VALIDATION)}
    for part, clips in parts.items():
        if not clips:
            kind = options.clips.upper()
            raise UsageError(
                f"the corpus has no clips {kind} in the part {part!r} to learn from",
                hint="its split.json says which films are in train and val",
            )
    for film in films_of([*parts[TRAIN], *parts[VALIDATION]]):
        refuse_foreign_cast(film)
    return Material(model, parts[TRAIN], parts[VALIDATION])


@dataclass(frozen=True)
class _Run:
    """One seed."""

    narrator: ModelNarrator
    course: History
    critical: History | None


def _run(
    material: Material, references: ClipReferences, options: NarratorTraining, state: Path | None, about: dict[str, Any]
) -> _Run:
    network = make_network(material, options.seed)
    weight = options.unlikelihood_of(material.options.model)
    from kataribe.narration.narrators.losses import narration_loss

    def loss(network: Any, batch: Any) -> Any:
        return narration_loss(network(batch), batch.text, options.smoothing, weight)

    learner = Learner(
        network=network,
        examples=material.examples,
        loss=loss,
        validate=lambda network: _validate(network, material, references),
        stop_by=options.stop_by,
        lower_is_better=(LOSS, VALIDATION_LOSS),
        name=f"training {material.options.model}",
        is_small=material.options.width <= _SMALL,
        arrange=material.examples.arrange,
    )
    course = fit(learner, options, state=state / "first" if state is not None else None, about=about)
    critical = None
    if options.critical_epochs:
        reward = CiderReward([clip.text for clip in material.training])
        second = replace(learner, loss=SelfCritical(material.examples, reward, material.longest), name="self-critical")
        how = replace(options, epochs=options.critical_epochs, rate=options.critical_rate, schedule="constant")
        critical = fit(second, how, state=state / "critical" if state is not None else None, about=about)
    narrator = ModelNarrator("", material.described, material.vocabulary, network, "untold", SearchOptions())
    return _Run(narrator, course, critical)


def make_network(material: Material, seed: int) -> Any:
    torch = need("torch", extra="models", purpose="training narrators")
    from kataribe.narration.narrators.network import NarratorNetwork, Sizes

    described = material.described
    sizes = Sizes(described.frame_width, described.face_width, material.vocabulary.size, len(described.genres))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = NarratorNetwork(material.options, sizes)
    for name, values in material.spread.items():
        getattr(network, name).copy_(torch.from_numpy(np.asarray(values, dtype=np.float32)))
    return network


def _validate(network: Any, material: Material, references: ClipReferences) -> dict[str, float]:
    """The loss of the right tokens, and what the greedy texts score."""
    from kataribe.narration.narrators.losses import narration_loss

    device = next(network.parameters()).device
    losses, weights, texts = [], [], []
    for batch in material.held_out.portions(_AT_ONCE):
        here = type(batch)(*(tensor.to(device) for tensor in batch))
        losses.append(float(narration_loss(network(here), here.text, 0.0, 0.0)))
        weights.append(int((here.text[:, 1:] != 0).sum()))
        clips = (material.validation[row] for row in batch.rows.tolist())
        told = search(network, here, SearchOptions(longest=material.longest))
        texts += [material.reader.decode(tokens, clip.film) for tokens, clip in zip(told, clips, strict=True)]
    result = references.score(texts)
    scores = {name: result[name].value for name in references.metrics}
    return {VALIDATION_LOSS: float(np.average(losses, weights=weights)), **scores}


def _metrics(material: Material, options: NarratorTraining) -> list[str]:
    named = ["role_f1"] if any(clip.film.cast.roles for clip in material.validation) else []
    wanted = [] if options.stop_by == VALIDATION_LOSS else [options.stop_by]
    return list(dict.fromkeys([*named, "cider", *wanted]))


def _best_seed(runs: Mapping[int, _Run], options: NarratorTraining) -> int:
    sign = -1 if options.stop_by == VALIDATION_LOSS else 1

    def score(seed: int) -> float:
        course = runs[seed].critical or runs[seed].course
        return sign * course.best_scores[options.stop_by]

    return max(runs, key=lambda seed: (score(seed), -seed))


def _described_data(material: Material) -> dict[str, Any]:
    parts = {"training": (material.training, material.examples), "validation": (material.validation, material.held_out)}
    counts = {
        name: {"films": len(films_of(clips)), "clips": len(clips), "unknown": examples.unknown}
        for name, (clips, examples) in parts.items()
    }
    return {"ids": material.fingerprint(), **counts, "scheme": material.vocabulary.scheme}
