"""Train networks: every text and picture as vectors once, one network for each seed, and how far off they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit, logit

from kataribe.captions.suisei.batches import RatedBatches, TokenTable
from kataribe.captions.suisei.drawn import with_drawn
from kataribe.captions.suisei.material import TRAIN, VALIDATION, Material, RatedSet
from kataribe.captions.suisei.model import DRAWS, CardOptions, as_dict, member_tensors, under
from kataribe.captions.suisei.network_model import score_batches
from kataribe.captions.suisei.options import GIVEN, ModelOptions, Widths
from kataribe.captions.suisei.runs import Run, Setup, correlations, described, fit_spreads
from kataribe.captions.suisei.vectors import Idf, TextVectors, all_vectors, picture_vectors, text_source
from kataribe.core.errors import InputError, UsageError
from kataribe.core.need import need
from kataribe.core.types import Float32s, Floats, Int64s
from kataribe.encoders.clip import ClipEncoder
from kataribe.encoders.pictures import open_pictures
from kataribe.encoders.protocol import TextEncoder
from kataribe.encoders.text import open_text
from kataribe.learning.fit import Learner, fit
from kataribe.learning.folder import Model
from kataribe.learning.result import History, Trial

# Of a line in standard units: slope and offset from, and up to.
_LINES = ([0.05, -8.0], [8.0, 8.0])
# How much faster the line through the cosines of `residual` learns than the rest.
_LINE = 5.0


def train_networks(setup: Setup, warm: Model | None, state: Path | None, log_folder: Path | None) -> Run:
    """One network for each seed, the weights of its best epoch or, where nothing is to stop it, the last."""
    from kataribe.captions.suisei.network import loss_of

    model, training = setup.model, setup.training
    data = _Data.of(setup)
    examples = data.training_batches()
    notes = [] if data.seeing.width or model.head == "comet" else ["trained without pictures"]
    stop_by, rate = training.stops_by(model), training.fit_options(model, training.seed).rate
    # The line through the cosines has two numbers only, and is far from where it starts.
    rates = {"encoder.": training.encoder_rate, "head.slope": _LINE * rate, "head.offset": _LINE * rate}
    networks, histories = [], []
    for seed in setup.seeds:
        network, found = _new_network(data, seed, warm)
        if model.head == "residual" and warm is None:
            start_line(network, examples)
        learner = Learner(
            network,
            examples,
            loss_of(training.ranking),
            validate=lambda network: data.correlations(network, VALIDATION),
            stop_by=stop_by,
            rates=rates,
            name=f"training seed {seed}",
            is_small=network.encoder is None,
        )
        history = fit(
            learner,
            training.fit_options(model, seed, log_folder),
            state=state and state / f"seed-{seed}",
            about=_about(data, warm),
        )
        networks.append(network)
        histories.append(history)
    trials = [Trial(model.head, seed, found.best_scores) for seed, found in zip(setup.seeds, histories, strict=True)]
    if warm is not None:
        notes.append(found)
    if model.finetune and len(networks) > 1:  # each member would need an encoder of its own
        best = max(range(len(networks)), key=lambda n: histories[n].best_scores[stop_by or "pearson"])
        networks = [networks[best]]
        notes.append(f"of {len(histories)} seeds the best on the validation part is kept: {setup.seeds[best]}")
    return _finished(data, networks, histories, trials, notes)


def _new_network(data: _Data, seed: int, warm: Model | None) -> tuple[Any, str]:
    """A network with the random weights of a seed or those of another model, and what was taken from that."""
    from kataribe.captions.suisei.network import SuiSeiNetwork, trained_names, warm_start

    torch = need("torch", extra="models", purpose="training")
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = SuiSeiNetwork(data.setup.model, data.widths, data.trainable_encoder())
    if warm is None:
        return network, ""
    encoder = {f"encoder.inner.{name}": tensor for name, tensor in under(warm.tensors, "encoder.").items()}
    lacking = warm_start(network, {**member_tensors(warm.tensors, 0), **encoder})
    if len(lacking) == len(trained_names(network)):
        raise UsageError(f"no weight of {warm.signature} fits the model that is trained", hint="train without it")
    return network, f"started from {warm.signature}; not found there: {', '.join(lacking) or 'nothing'}"


def start_line(network: Any, examples: RatedBatches) -> None:
    """Begin with the line through the cosines that fits the ratings best.

    A line far from them would first teach the correction to shift every score the same way, until it is at its limit
    and learns nothing more.
    """
    slope, offset = (float(value.detach()) for value in (network.head.slope, network.head.offset))
    # A fresh network gives the cosines on that line, and nothing else.
    network.eval()
    cosines = (logit(np.clip(score_batches([network], examples)[0], 1e-6, 1 - 1e-6)) - offset) / slope
    network.head.start_with(*fitted_line(cosines, examples.ratings))


def fitted_line(cosines: Floats, ratings: Floats) -> tuple[float, float]:
    """a > 0 and b with the least sum of (sigmoid(a cos + b) - rating)^2; both stay moderate.

    >>> cosines = np.array([0.8, 0.85, 0.9])
    >>> a, b = fitted_line(cosines, expit(20 * cosines - 17))
    >>> round(a, 3), round(b, 3)
    (20.0, -17.0)
    """
    middle, spread = float(cosines.mean()), float(max(cosines.std(), 1e-3))
    # In units of the cosines' own spread, so that the start is near whatever the encoder.
    standard = (cosines - middle) / spread
    found = least_squares(lambda line: expit(line[0] * standard + line[1]) - ratings, [1.0, 0.0], bounds=_LINES)
    slope = float(found.x[0]) / spread
    return slope, float(found.x[1]) - slope * middle


def _about(data: _Data, warm: Model | None) -> dict[str, Any]:
    """What a run that is taken up again must agree in, besides the options of `fit`."""
    setup = data.setup
    names = ("split", "seed", "validation", "held_out", "negatives", "positives", "ranking", "encoder_rate")
    return {
        "model": as_dict(setup.model),
        "data": described(setup.rated, "training"),
        "encoders": [data.encoder_signature, data.seeing.signature],
        "warm": warm.signature if warm else "",
        "training stop_by": setup.training.stops_by(setup.model),
        **{f"training {name}": getattr(setup.training, name) for name in names},
    }


def _finished(data: _Data, networks: list[Any], histories: list[History], trials: list[Trial], notes: list[str]) -> Run:
    """Score the parts with the finished members, measure how far off they are, and collect the weights."""
    setup = data.setup
    for network in networks:
        if network.encoder is None:
            network.double()
    members = {name: data.predict(networks, name) for name in data.materials if name != TRAIN}
    draws = data.predict(networks, VALIDATION, DRAWS) if setup.model.dropout else None
    tensors: dict[str, np.ndarray] = {} if data.idf is None else data.idf.to_tensors()
    for member, network in enumerate(networks):
        head = {name: t for name, t in network.state_dict().items() if name.startswith("head.")}
        tensors |= {f"member{member}.{name}": tensor.float().cpu().numpy() for name, tensor in head.items()}
        if network.encoder is not None:
            trained = network.trainable.trained_tensors()
            tensors |= {f"encoder.{name}": tensor.float().numpy() for name, tensor in trained.items()}
    about = CardOptions(
        as_dict(setup.model),
        len(networks),
        data.encoder_signature,
        data.seeing.signature,
        data.widths,
        spreads=fit_spreads(members[VALIDATION], draws, data.materials[VALIDATION].ratings),
    )
    options = asdict(setup.training.fit_options(setup.model, setup.training.seed))
    settings = {name: options[name] for name in ("epochs", "batch", "rate", "decay", "schedule", "patience")}
    settings |= {"stop_by": setup.training.stops_by(setup.model), "ranking": setup.training.ranking}
    return Run(about, tensors, trials, members, settings, histories, notes, draws)


@dataclass(frozen=True, eq=False)
class _Data:
    """All sets as numbers, by the names of their parts."""

    setup: Setup
    texts: Sequence[str]
    materials: Mapping[str, Material]
    seeing: _Seeing
    vectors: TextVectors | None
    tokens: TokenTable | None
    idf: Idf | None
    encoder_signature: str
    widths: Widths

    @classmethod
    def of(cls, setup: Setup) -> _Data:
        model, rated = setup.model, setup.rated
        texts: dict[str, int] = {}
        whole = _material(rated, texts, model)
        materials = {name: whole[rows] for name, rows in setup.parts.rows.items()}
        materials |= {test.name: _material(test, texts, model) for test in setup.tests}
        listed = list(texts)
        seeing = _see(setup)
        encoder = open_text(model.encoder)
        idf = _count_idf(encoder, [listed[row] for row in materials[TRAIN].picture_references()], setup)
        if model.finetune:
            tokens, width = _tokens(model, listed, idf)
            return cls(
                setup, listed, materials, seeing, None, tokens, idf, encoder.signature, Widths(width, seeing.width)
            )
        vectors = all_vectors(text_source(encoder, listed, idf, model, seeing.texts_too))
        widths = Widths(
            vectors.width,
            seeing.width,
            0 if vectors.shared is None else vectors.shared.shape[1],
            0 if vectors.layers is None else vectors.layers.shape[1],
        )
        return cls(setup, listed, materials, seeing, vectors, None, idf, encoder.signature, widths)

    def trainable_encoder(self) -> Any:
        if not self.setup.model.finetune:
            return None
        from kataribe.encoders.trainable import trainable

        opened = trainable(self.setup.model.encoder)
        layers = self.setup.model.finetune
        opened.freeze_below("all" if layers < 0 else layers)
        return opened

    def training_batches(self) -> RatedBatches:
        """The training part, and what is drawn for it."""
        setup, material = self.setup, self.materials[TRAIN]
        groups = setup.parts.groups[material.rows]
        material = with_drawn(material, self.texts, groups, setup.model, setup.training)
        return self._batches(TRAIN, material, units_of(material.items) if setup.training.ranking else ())

    def _batches(self, name: str, material: Material, units: Sequence[Int64s] = ()) -> RatedBatches:
        pictures = self.seeing.vectors.get(self.setup.rated.name if name in self.setup.parts.rows else name)
        return RatedBatches(
            material.layout,
            material.ratings,
            material.items,
            self.vectors,
            self.tokens,
            None if pictures is None else pictures[material.rows],
            units,
            material.weights,
        )

    def predict(self, networks: Sequence[Any], name: str, draws: int = 0) -> Floats:
        return score_batches(networks, self._batches(name, self.materials[name]), draws)

    def correlations(self, network: Any, name: str) -> dict[str, float]:
        return correlations(self.predict([network], name)[0], self.materials[name].ratings)


def units_of(items: Int64s) -> list[Int64s]:
    """The rows of each item.

    >>> [rows.tolist() for rows in units_of(np.array([3, 1, 3]))]
    [[1], [0, 2]]
    """
    order = np.argsort(items, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(items[order])) + 1)


def _material(rated: RatedSet, texts: dict[str, int], model: ModelOptions) -> Material:
    material = Material.of(rated.examples, texts)
    material.layout.refuse_unfit(model, rated.examples.ids, rated.name)
    return material


def _count_idf(encoder: TextEncoder, references: Sequence[str], setup: Setup) -> Idf | None:
    if not setup.model.uses_idf:
        return None
    if not references:
        raise InputError(
            "the idf of words is counted in references, and there are none",
            file=setup.rated.name,
            hint="leave the branch out with <without idf>",
            options=["without"],
        )
    return Idf.of(encoder, references)


def _tokens(model: ModelOptions, texts: Sequence[str], idf: Idf | None) -> tuple[TokenTable, int]:
    """The texts as an encoder that is trained takes them, and how wide its vectors are."""
    from kataribe.encoders.trainable import trainable

    opened = trainable(model.encoder)
    cut = [tokens.ids for tokens in opened.tokenize(texts)]
    return TokenTable(cut, opened.special_ids, opened.pad_id, idf), opened.width


@dataclass(frozen=True, eq=False)
class _Seeing:
    """Vectors of the pictures of each set, who made them, how wide they are, and what that makes of texts."""

    signature: str = ""
    width: int = 0
    vectors: Mapping[str, Float32s] = field(default_factory=dict)
    texts_too: ClipEncoder | None = None


def _see(setup: Setup) -> _Seeing:
    """Where there are pictures, and the model looks at them."""
    model = setup.model
    if setup.rated.media is None or "image" in model.without or model.head == "comet":
        if not model.uses_references:
            raise UsageError("without references and without pictures there is nothing to compare a caption with")
        return _Seeing()
    name = model.picture_encoder
    encoder = None if name == GIVEN else open_pictures(name)
    vectors: dict[str, Float32s] = {}
    for each in (setup.rated, *setup.tests):
        vectors[each.name] = picture_vectors(each.media, each.examples.ids, name, encoder, each.name)
    width = vectors[setup.rated.name].shape[1]
    for each in setup.tests:
        if vectors[each.name].shape[1] != width:
            found = vectors[each.name].shape[1]
            raise InputError(f"its features of pictures are {found} wide, those of training {width}", file=each.name)
    texts_too = encoder if isinstance(encoder, ClipEncoder) and model.head == "polos" and not model.finetune else None
    return _Seeing(encoder.signature if encoder else GIVEN, width, vectors, texts_too)
