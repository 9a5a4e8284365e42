"""Training: rated captions -> parts that share nothing -> one network for each seed -> a model folder.

The parts: `train`; `validation`, which decides when to stop and how wide intervals are; `held out`, which is scored
once in the end. The idf of subwords is counted in the training references alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.captions.rated import RatedExamples
from kataribe.captions.suisei.batches import RatedBatches, TokenTable, refuse_many
from kataribe.captions.suisei.blend import DEFAULT_METRICS, fit_blend
from kataribe.captions.suisei.blended import metric_columns
from kataribe.captions.suisei.material import (
    HELD_OUT,
    TRAIN,
    VALIDATION,
    Material,
    Parts,
    RatedSet,
    check_ratings,
    refuse_overlap,
    split_parts,
)
from kataribe.captions.suisei.model import (
    DRAWS,
    KIND,
    CardOptions,
    Spread,
    card_options,
    model_dict,
)
from kataribe.captions.suisei.networks import score_batches
from kataribe.captions.suisei.options import GIVEN, ModelOptions, TrainingOptions
from kataribe.captions.suisei.vectors import Idf, TextVectors, picture_vectors, text_source
from kataribe.core import registry
from kataribe.core.errors import UsageError
from kataribe.core.need import need
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Float32s, Floats, Int64s
from kataribe.encoders.clip import ClipEncoder
from kataribe.encoders.pictures import open_pictures
from kataribe.encoders.text import open_text
from kataribe.learning.fit import Learner, fit
from kataribe.learning.folder import Card, CardScore, Model, Tensors, write_model
from kataribe.learning.result import History, Trial
from kataribe.stats.bootstrap import resample_weights, studentised_interval
from kataribe.stats.correlation import Rows

_REPLICATES = 1000


@dataclass(frozen=True, eq=False)
class Trained:
    """Everything that training leaves behind; `write` makes a model folder of it."""

    about: CardOptions
    tensors: Tensors
    parts: Parts
    histories: Sequence[History]
    trials: Sequence[Trial]
    scores: Sequence[CardScore]
    data: Sequence[dict[str, Any]]
    training: Mapping[str, Any]
    predictions: Mapping[str, Floats]
    notes: Sequence[str] = ()

    def card(self) -> Card:
        head, count = self.about.model["head"], self.about.members
        return Card(
            kind=KIND,
            title=f"{head}, {count} member{'s' * (count != 1)}, trained on {self.data[0]['name']}",
            options=card_options(self.about),
            training={**self.training, "runs": [history.to_dict() for history in self.histories]},
            data=list(self.data),
            scores=list(self.scores),
            notes=[*self.parts.lines(), *self.notes],
        )

    def write(self, folder: Path, more: Mapping[str, bytes] | None = None) -> Model:
        return write_model(folder, self.card(), self.tensors, more=more)


def train(
    rated: RatedSet,
    model: ModelOptions,
    training: TrainingOptions,
    *,
    tests: Sequence[RatedSet] = (),
    metrics: Sequence[str] = DEFAULT_METRICS,
    warm: Model | None = None,
    allow_overlap: bool = False,
    state: Path | None = None,
    log_folder: Path | None = None,
) -> Trained:
    """Train one network for each seed; the model is their mean. `tests` are scored in the end and never looked at.

    `metrics` are those that a blend is made of, `warm` a model to start from, `state` a folder to resume in.
    """
    check_ratings(rated)
    overlaps = {test.name: refuse_overlap(rated, test, allow_overlap) for test in tests}
    parts = split_parts(rated, training)
    setup = _Setup(rated, model, training, parts, tuple(tests))
    run = _blend(setup, metrics) if model.head == "blend" else _networks(setup, warm, state, log_folder)
    scored = (
        {HELD_OUT: (rated.examples[parts.rows[HELD_OUT]], run.predictions.get(HELD_OUT))} if training.held_out else {}
    )
    scored |= {test.name: (test.examples, run.predictions[test.name]) for test in tests}
    scores = [score for name, (examples, values) in scored.items() for score in correlations(name, examples, values)]
    data = [described(rated, "training"), *(described(test, "test") for test in tests)]
    notes = [*run.notes, *(f"{name} shares with the training file: {found}" for name, found in overlaps.items())]
    settings = {**run.training, "negatives": training.negatives, "ranking": training.ranking, "split": training.split}
    return Trained(
        run.about, run.tensors, parts, run.histories, run.trials, scores, data, settings, run.predictions, notes
    )


@dataclass(frozen=True, eq=False)
class _Setup:
    rated: RatedSet
    model: ModelOptions
    training: TrainingOptions
    parts: Parts
    tests: tuple[RatedSet, ...]

    @property
    def sees(self) -> bool:
        """Whether the model looks at pictures: where there are some, and the user does not leave them out."""
        return self.rated.media is not None and "image" not in self.model.without and self.model.head != "comet"

    @property
    def seeds(self) -> range:
        return range(self.training.seed, self.training.seed + self.training.seeds)


@dataclass(frozen=True, eq=False)
class _Run:
    about: CardOptions
    tensors: Tensors
    histories: list[History]
    trials: list[Trial]
    predictions: dict[str, Floats]
    training: dict[str, Any]
    notes: list[str]


def _networks(setup: _Setup, warm: Model | None, state: Path | None, log_folder: Path | None) -> _Run:
    from kataribe.captions.suisei.heads import Widths
    from kataribe.captions.suisei.network import SuiSeiNetwork, loss_of, warm_start

    torch = need("torch", extra="models", purpose="training")
    model, training = setup.model, setup.training
    if not model.uses_references and not setup.sees:
        raise UsageError("without references and without pictures there is nothing to compare a caption with")
    data = _Data.of(setup)
    widths = Widths(*data.widths)
    learned = data.batches(TRAIN)
    networks, histories, trials, notes = [], [], [], []
    for seed in setup.seeds:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            network = SuiSeiNetwork(model, widths, data.trainable_encoder())
        if warm is not None:
            lacking = warm_start(network, {k.removeprefix("member0."): t for k, t in warm.tensors.items()})
            notes = [f"started from {warm.signature}; not found there: {', '.join(lacking) or 'nothing'}"]
        options = training.fit_options(model, seed, log_folder)
        learner = Learner(
            network,
            learned,
            loss_of(training.ranking),
            validate=lambda network: data.correlations(network, VALIDATION),
            stop_by=training.stop_by,
            rates={"encoder.": training.encoder_rate},
            name=f"training seed {seed}",
        )
        about = {
            "model": model_dict(model),
            "data": described(setup.rated, "training"),
            "warm": str(warm and warm.signature),
        }
        history = fit(learner, options, state=state and state / f"seed-{seed}", about=about)
        networks.append(network)
        histories.append(history)
        trials.append(Trial(model.head, seed, history.best_scores))
    if model.finetune:  # each member would need an encoder of its own
        best = max(range(len(networks)), key=lambda n: histories[n].best_scores[training.stop_by])
        networks = [networks[best]]
        notes.append(f"of {len(histories)} seeds the best on the validation part is kept: {setup.seeds[best]}")
    return _finished(setup, data, networks, histories, trials, notes)


def _finished(
    setup: _Setup, data: _Data, networks: list[Any], histories: list[History], trials: list[Trial], notes: list[str]
) -> _Run:
    """Score the parts with the finished members, measure how far off they are, and collect the weights."""
    for network in networks:
        if network.encoder is None:
            network.double()
    validation = data.predict(networks, VALIDATION)
    ratings = setup.rated.examples.targets[setup.parts.rows[VALIDATION]]
    spreads = {}
    if len(networks) > 1:
        spreads["ensemble"] = fit_spread(validation, ratings)
    if setup.model.dropout and not setup.model.finetune:
        spreads["dropout"] = fit_spread(data.predict(networks, VALIDATION, DRAWS), ratings)
    predictions = {name: data.predict(networks, name).mean(axis=0) for name in data.names if name != TRAIN}
    tensors: dict[str, np.ndarray] = {} if data.idf is None else data.idf.to_tensors()
    for member, network in enumerate(networks):
        weights = {name: t for name, t in network.state_dict().items() if not name.startswith("encoder.")}
        tensors |= {f"member{member}.{name}": tensor.float().cpu().numpy() for name, tensor in weights.items()}
        if network.encoder is not None:
            tensors |= {f"encoder.{name}": tensor for name, tensor in network.trainable.trained_tensors().items()}
    about = CardOptions(
        model_dict(setup.model), len(networks), data.encoder_signature, data.picture_signature, data.widths, (), spreads
    )
    options = setup.training.fit_options(setup.model, setup.training.seed)
    settings = {name: getattr(options, name) for name in ("epochs", "batch", "rate", "decay", "patience", "seed")}
    settings |= {"seeds": setup.training.seeds, "stop_by": setup.training.stop_by}
    return _Run(about, tensors, histories, trials, predictions, settings, notes)


@dataclass(frozen=True, eq=False)
class _Data:
    """All sets as numbers, by the names of their parts."""

    setup: _Setup
    materials: Mapping[str, Material]
    pictures: Mapping[str, Float32s]
    vectors: TextVectors | None
    tokens: TokenTable | None
    idf: Idf | None
    encoder_signature: str
    picture_signature: str
    widths: tuple[int, int, int, int]

    @property
    def names(self) -> list[str]:
        return list(self.materials)

    @classmethod
    def of(cls, setup: _Setup) -> _Data:
        model, parts, rated = setup.model, setup.parts, setup.rated
        texts: dict[str, int] = {}
        whole = Material.of(rated.examples, texts)
        materials = {name: whole[rows] for name, rows in parts.rows.items() if len(rows)}
        materials |= {test.name: Material.of(test.examples, texts) for test in setup.tests}
        if model.combined_by == "concat":
            refuse_many(whole.layout, model.most_references, rated.examples.ids)
        pictures, picture_signature, picture_width, shared = _pictures(setup, materials)
        encoder = open_text(model.encoder)
        listed = list(texts)
        references = [listed[row] for found in materials[TRAIN].layout.references for row in found.tolist()]
        idf = Idf.of(encoder, references) if model.uses_idf else None
        vectors, tokens, width, layers = None, None, 0, 0
        if model.finetune:
            from kataribe.encoders.trainable import trainable

            opened = trainable(model.encoder)
            cut = [tokens.ids for tokens in opened.tokenize(listed)]
            tokens, width = TokenTable(cut, opened.special_ids, opened.pad, idf), opened.width
        else:
            layers_of = model.encoder if model.uses_layers else None
            vectors = text_source(encoder, listed, idf, model.pool, layers_of=layers_of, shared=shared).all()
            width, layers = vectors.width, 0 if vectors.layers is None else vectors.layers.shape[1]
        shared_width = 0 if vectors is None or vectors.shared is None else vectors.shared.shape[1]
        widths = (width, picture_width, shared_width, layers)
        return cls(setup, materials, pictures, vectors, tokens, idf, encoder.signature, picture_signature, widths)

    def trainable_encoder(self) -> Any:
        if not self.setup.model.finetune:
            return None
        from kataribe.encoders.trainable import trainable

        opened = trainable(self.setup.model.encoder)
        opened.freeze_below(self.setup.model.finetune)
        return opened

    def batches(self, name: str) -> RatedBatches:
        material = self.materials[name]
        if name == TRAIN:
            groups = self.setup.parts.groups[self.setup.parts.rows[TRAIN]]
            material = material.with_negatives(groups, self.setup.training.negatives, self.setup.training.seed)
        pictures = (
            self.pictures[name][np.searchsorted(self.materials[name].rows, material.rows)] if self.pictures else None
        )
        units: Sequence[Int64s] = ()
        if name == TRAIN and self.setup.training.ranking:
            order = np.argsort(material.items, kind="stable")
            units = np.split(order, np.flatnonzero(np.diff(material.items[order])) + 1)
        return RatedBatches(
            material.layout, material.ratings, material.items, self.vectors, self.tokens, pictures, units
        )

    def predict(self, networks: Sequence[Any], name: str, draws: int = 0) -> Floats:
        return score_batches(networks, self.batches(name), draws)

    def correlations(self, network: Any, name: str) -> dict[str, float]:
        predicted = self.predict([network], name)[0]
        return {str(k): v for k, v in Rows(predicted, self.materials[name].ratings).values().items()}


def _pictures(
    setup: _Setup, materials: Mapping[str, Material]
) -> tuple[dict[str, Float32s], str, int, ClipEncoder | None]:
    """Vectors of the pictures of each part, who made them, how wide they are, and the text tower beside them."""
    if not setup.sees:
        return {}, "", 0, None
    name = setup.model.picture_encoder
    vectors = picture_vectors(setup.rated.media, setup.rated.examples.ids, name, "training with pictures")
    pictures = {part: vectors[rows].astype(np.float32) for part, rows in setup.parts.rows.items() if part in materials}
    for test in setup.tests:
        found = picture_vectors(test.media, test.examples.ids, name, f"testing on {test.name}")
        pictures[test.name] = found.astype(np.float32)
    if name == GIVEN:
        return pictures, GIVEN, vectors.shape[1], None
    opened = open_pictures(name)
    shared = opened if isinstance(opened, ClipEncoder) and setup.model.head == "polos" else None
    return pictures, opened.signature, vectors.shape[1], shared


def _blend(setup: _Setup, names: Sequence[str]) -> _Run:
    """Members are fitted to draws of the training groups, one for each seed."""
    metrics = {name: registry.parse(name) for name in names}

    def columns_of(rated: RatedSet) -> Floats:
        items = rated.captions()
        contexts = {name: metric.prepare(items, metric.facts(items)) for name, metric in metrics.items()}
        return metric_columns(metrics, items, contexts)

    examples, rows = setup.rated.examples, setup.parts.rows
    columns, groups = columns_of(setup.rated), setup.parts.groups
    members, strengths = [], []
    for seed in setup.seeds:
        chosen = rows[TRAIN]
        if setup.training.seeds > 1:
            chosen = _drawn_groups(chosen, groups, np.random.default_rng(seed))
        blended, strength = fit_blend(
            columns[chosen], examples.targets[chosen], groups[chosen], setup.training.blend, seed
        )
        members.append(blended)
        strengths.append(strength)

    def predict(table: Floats) -> Floats:
        return np.stack([blended(table) for blended in members])

    validation = predict(columns[rows[VALIDATION]])
    targets = examples.targets[rows[VALIDATION]]
    spreads = {"ensemble": fit_spread(validation, targets)} if len(members) > 1 else {}
    predictions = {name: predict(columns[found]).mean(axis=0) for name, found in rows.items() if name != TRAIN}
    predictions |= {test.name: predict(columns_of(test)).mean(axis=0) for test in setup.tests}
    tensors = {f"member{n}.{name}": t for n, blended in enumerate(members) for name, t in blended.to_tensors().items()}
    about = CardOptions(model_dict(setup.model), len(members), metrics=tuple(names), spreads=spreads)
    trials = [
        Trial("blend", seed, {str(k): v for k, v in Rows(found, targets).values().items()})
        for seed, found in zip(setup.seeds, validation, strict=True)
    ]
    settings = {"blend": setup.training.blend, "strengths": strengths, "seeds": setup.training.seeds}
    return _Run(about, tensors, [], trials, predictions, settings, [])


def _drawn_groups(rows: Int64s, groups: Int64s, rng: np.random.Generator) -> Int64s:
    """Groups of rows, drawn with replacement."""
    found, of = np.unique(groups[rows], return_inverse=True)
    times = np.bincount(rng.integers(0, len(found), len(found)), minlength=len(found))
    return np.repeat(rows, times[of])


def fit_spread(scores: Floats, ratings: Floats, level: float = 0.95) -> Spread:
    """The narrowest factor with which so many of these ratings lie inside the interval (split conformal prediction)."""
    deviation = scores.std(axis=0, ddof=1)
    floor = float(np.median(deviation)) or 1e-3
    off = np.sort(np.abs(scores.mean(axis=0) - ratings) / (floor + deviation))
    rank = min(len(off), math.ceil((len(off) + 1) * level))
    return Spread(floor, float(off[rank - 1]))


def correlations(name: str, examples: RatedExamples, predicted: Floats | None) -> list[CardScore]:
    """With the mean rating of each caption; intervals by drawing pictures."""
    if predicted is None or len(examples) < 2:
        return []
    units = np.unique(np.array(list(examples.groups)), return_inverse=True)[1]
    rows = Rows(predicted, examples.ratings, units)
    drawn = [rows.weighed(w) for w in resample_weights(rows.unit_count, _REPLICATES, np.random.default_rng(0))]
    found = []
    for measure, value in rows.values().items():
        replicates = np.concatenate([draws[measure] for draws in drawn])
        interval = studentised_interval(value, replicates, rows.unit_count, (-1.0, 1.0))
        known = None if math.isnan(value) else value
        found.append(CardScore(name, measure, known, interval, len(examples)))
    return found


def described(rated: RatedSet, use: str) -> dict[str, Any]:
    """A set on a card: enough to tell it from any other."""
    examples = rated.examples
    rows = zip(examples.ids, examples.candidates, map(str, examples.ratings.tolist()), strict=True)
    return {
        "name": rated.name,
        "use": use,
        "captions": len(examples),
        "pictures": len(set(examples.groups)),
        "scale": [examples.lowest, examples.highest],
        "hash": fingerprint_by_id(rows),
    }
