"""Training a retriever: corpus and feature files -> pairs -> two projections, and the text encoder where asked for.

The encoders are frozen and their vectors are made once; `finetune` trains the upper layers of the text encoder too.
After each epoch the validation films are searched; the weights of the epoch with the best mean reciprocal rank are
kept, and of several seeds those of the best. The test films are searched once, in the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.caution import remark
from kataribe.core.errors import UsageError
from kataribe.core.need import need
from kataribe.core.types import Float32s, Int32s, Int64s
from kataribe.encoders import loading
from kataribe.encoders.dual import KIND, DualOptions, open_texts, unit
from kataribe.encoders.encoded import encode_texts, find_long
from kataribe.encoders.pictures import new_pictures
from kataribe.grounding.retrieval.options import RetrieverOptions
from kataribe.grounding.retrieval.pairs import TEST, TRAIN, VALIDATION, Pair, PairedFilms, PairTable
from kataribe.grounding.retrieval.recall import MRR, Recalled, means, ranks_by_film, recalled
from kataribe.learning.fit import Learner, fit
from kataribe.learning.folder import Card, CardScore, Model, write_model
from kataribe.learning.result import History, Trial
from kataribe.text.scripts import is_mostly_unspaced

_AT_ONCE = 256
# More vectors than these say nothing new about where the vectors of a side lie.
_ENOUGH = 20_000
_NAMES = {VALIDATION: "validation films", TEST: "test films"}


@dataclass(frozen=True)
class Trained:
    """A trained retriever, not written yet: the run that is kept, and what all of them came to."""

    options: RetrieverOptions
    dual: DualOptions
    tensors: Mapping[str, np.ndarray]
    seed: int
    courses: Mapping[int, History]
    recalls: Mapping[str, Recalled]
    data: Mapping[str, Any]

    @property
    def trials(self) -> list[Trial]:
        return [Trial("retriever", seed, course.best_scores) for seed, course in self.courses.items()]

    def save(self, folder: Path, more: Mapping[str, bytes]) -> Model:
        return write_model(folder, self._card(), self.tensors, more=more)

    def _card(self) -> Card:
        fields = {name: value for name, value in asdict(self.options).items() if name not in ("device", "log_folder")}
        course = self.courses[self.seed]
        scores = [
            CardScore(_NAMES[part], name, value, found.intervals.get(name), found.texts)
            for part, found in self.recalls.items()
            for name, value in found.values.items()
        ]
        scores += [
            CardScore(f"{_NAMES[part]}, by chance", name, value, None, found.texts)
            for part, found in self.recalls.items()
            for name, value in found.chance.items()
        ]
        notes = ["Only shots with a text are there to be found; recall is a mean over films."]
        if VALIDATION in self.recalls:
            notes.append("The epoch was chosen on the validation films: their scores flatter the model a little.")
        return Card(
            kind=KIND,
            title=f"Retriever of shots by text: {self.dual.pictures} and {self.dual.text}",
            options=msgspec_dict(self.dual),
            training={**fields, "seed": self.seed, "course": course.to_dict()},
            data=[dict(self.data)],
            scores=scores,
            notes=notes,
        )


def msgspec_dict(dual: DualOptions) -> dict[str, Any]:
    return {name: getattr(dual, name) for name in dual.__struct_fields__}


def train(paired: PairedFilms, options: RetrieverOptions | None = None, *, state: Path | None = None) -> Trained:
    """A retriever of the films that `read_pairs` gave. With a `state` folder, training that was stopped goes on."""
    options = options or RetrieverOptions()
    pictures = picture_encoder_of(paired.encoder)
    text = options.text or encoder_for(paired.texts)
    material = _Material.of(paired, text, options)
    about = {"kind": KIND, "data": paired.key, "text": material.signature, "pictures": paired.encoder}
    runs = {}
    for seed in range(options.seed, options.seed + options.seeds):
        own = _of_seed(options, seed)
        folder = state / f"seed-{seed}" if state is not None and options.seeds > 1 else state
        runs[seed] = _run(material, own, folder, about)
    seed = max(runs, key=lambda seed: (runs[seed].course.best_scores.get(MRR, 0.0), -seed))
    return Trained(
        options=options,
        dual=DualOptions(
            text=text,
            text_signature=material.signature,
            pictures=pictures,
            pictures_signature=paired.encoder,
            width=options.width,
            rate=paired.rate,
        ),
        tensors=runs[seed].tensors,
        seed=seed,
        courses={seed: run.course for seed, run in runs.items()},
        recalls=runs[seed].recalls,
        data=_described(paired),
    )


def encoder_for(texts: Sequence[str]) -> str:
    """MiniLM for English; what is not written in ASCII, mostly, is another language.

    >>> encoder_for(["Maria looks back."]), encoder_for(["老李回头。"])
    ('minilm', 'e5')
    """
    plain = sum(text.isascii() for text in texts)
    is_english = 2 * plain >= len(texts) and not is_mostly_unspaced(texts)
    return loading.DEFAULT if is_english else loading.MULTILINGUAL


def picture_encoder_of(signature: str) -> str:
    """The name of the encoder with a signature, which must be what is installed here."""
    name = signature.rpartition("-")[0] or signature
    found = new_pictures(name).signature
    if found != signature:
        raise UsageError(
            f"the frames were seen with {signature}, and here it is {found}",
            hint="make the feature files again with what is installed",
        )
    return name


@dataclass(frozen=True, eq=False)
class _Run:
    course: History
    tensors: Mapping[str, np.ndarray]
    recalls: Mapping[str, Recalled]


def _run(material: _Material, options: RetrieverOptions, state: Path | None, about: Mapping[str, Any]) -> _Run:
    network, encoder = material.new_network(options)
    from kataribe.grounding.retrieval.network import contrastive_loss

    validates = VALIDATION in material.tables

    def validate(network: Any) -> dict[str, float]:
        return means(ranks_by_film(*material.vectors(network, VALIDATION)))

    learner = Learner(
        network=network,
        examples=material,
        loss=contrastive_loss,
        validate=validate if validates else None,
        stop_by=MRR if validates else None,
        rates={"encoder.": options.encoder_rate},
        # What an encoder has learned from millions of texts is not to fade, nor is the temperature drawn to 0.
        decays={"encoder.": 0.0, "temperature": 0.0},
        name=f"training seed {options.seed}",
    )
    course = fit(learner, options, state=state, about=about)
    tensors = {
        f"{side}.{name}": array
        for side in ("frames", "texts")
        for name, array in getattr(network, side).folded().items()
    }
    if encoder is not None:
        tensors |= {
            f"text_encoder.{name}": tensor.float().numpy() for name, tensor in encoder.trained_tensors().items()
        }
    recalls = {
        part: recalled(ranks_by_film(*material.vectors(network, part)), options.seed)
        for part in (VALIDATION, TEST)
        if part in material.tables
    }
    return _Run(course, tensors, recalls)


@dataclass(frozen=True, eq=False)
class _Material:
    """All pairs as numbers. A text is a vector, or its tokens where the encoder is trained."""

    paired: PairedFilms
    options: RetrieverOptions
    text: str
    signature: str
    learned: PairTable
    tables: Mapping[str, PairTable]
    vectors_of_texts: Float32s
    tokens: Sequence[Int32s]
    pad_id: int

    @classmethod
    def of(cls, paired: PairedFilms, text: str, options: RetrieverOptions) -> _Material:
        texts = paired.texts
        encoder = open_texts(text)
        remark(*find_long(encoder, texts).cautions(encoder))
        vectors = encode_texts(encoder, texts, "sentences").sentences(np.arange(len(texts)))
        tokens, pad_id = _tokens(text, texts) if options.finetune else ([], 0)
        index = {text: number for number, text in enumerate(texts)}
        tables = {part: PairTable.of(pairs, paired, index) for part, pairs in paired.shots.items() if part != TRAIN}
        learned = PairTable.of(paired.learned, paired, index)
        return cls(paired, options, text, encoder.signature, learned, tables, vectors, tokens, pad_id)

    def __len__(self) -> int:
        return len(self.learned)

    def batch(self, rows: Int64s) -> Any:
        torch = need("torch", extra="models", purpose="training")
        frames, is_there = self.learned.looked_at(rows, self.options.frames)
        apart = self.learned.told_apart(rows)
        tensors = (torch.from_numpy(array) for array in (frames, is_there, apart))
        frames, is_there, apart = tensors
        return frames, is_there, self._texts(self.learned.texts[rows]), apart

    def _texts(self, indices: Int64s) -> Any:
        torch = need("torch", extra="models", purpose="training")
        if not self.tokens:
            return torch.from_numpy(self.vectors_of_texts[indices])
        ids, mask = loading.pad([self.tokens[index] for index in indices.tolist()], self.pad_id)
        return torch.from_numpy(ids), torch.from_numpy(mask)

    def new_network(self, options: RetrieverOptions) -> tuple[Any, Any]:
        """A network with the random weights of a seed, and the text encoder in it that is trained, if one is."""
        torch = need("torch", extra="models", purpose="training")
        from kataribe.encoders.trainable import trainable
        from kataribe.grounding.retrieval.network import DualNetwork, Side

        encoder = None
        if options.finetune:
            encoder = trainable(self.text)
            encoder.freeze_below("all" if options.finetune < 0 else options.finetune)
        films = {pair.film for pair in self.paired.learned}
        frames = np.concatenate([self.paired.films[film].vectors for film in sorted(films)])
        rows = np.random.default_rng(0).permutation(len(frames))[:_ENOUGH]
        with torch.random.fork_rng():
            torch.manual_seed(options.seed)
            network = DualNetwork(
                Side(unit(frames[rows]), options.width, options.dropout),
                Side(self.vectors_of_texts[np.unique(self.learned.texts)], options.width, options.dropout),
                encoder.network if encoder is not None else None,
            )
        return network, encoder

    def vectors(self, network: Any, part: str) -> tuple[list[str], Float32s, Float32s]:
        """The film, the shot's vector and the text's vector of each pair of a part."""
        torch = need("torch", extra="models", purpose="training")
        table = self.tables[part]
        device = next(network.parameters()).device
        shots, texts = [], []
        with torch.no_grad():
            for rows in _portions(len(table), _AT_ONCE if not self.tokens else 16):
                frames, is_there = (torch.from_numpy(found).to(device) for found in table.looked_at(rows, 1 << 30))
                shots.append(network.shots(frames, is_there).float().cpu().numpy())
                told = self._texts(table.texts[rows])
                told = tuple(each.to(device) for each in told) if self.tokens else told.to(device)
                texts.append(network.sentences(told).float().cpu().numpy())
        return [pair.film for pair in table.pairs], np.concatenate(shots), np.concatenate(texts)


def _portions(count: int, size: int) -> Iterator[Int64s]:
    for start in range(0, count, size):
        yield np.arange(start, min(count, start + size))


def _tokens(text: str, texts: Sequence[str]) -> tuple[list[Int32s], int]:
    from kataribe.encoders.trainable import trainable

    opened = trainable(text)
    return [tokens.ids for tokens in opened.tokenize(texts)], opened.pad_id


def _of_seed(options: RetrieverOptions, seed: int) -> RetrieverOptions:
    """Each seed is a run of its own, wherever it logs."""
    if options.seeds == 1:
        return options
    log = options.log_folder / f"seed-{seed}" if options.log_folder is not None else None
    return replace(options, seed=seed, seeds=1, log_folder=log)


def _described(paired: PairedFilms) -> dict[str, Any]:
    def films(pairs: Sequence[Pair]) -> int:
        return len({pair.film for pair in pairs})

    parts = {part: {"films": films(pairs), "shots": len(pairs)} for part, pairs in paired.shots.items()}
    return {
        "hash": paired.key,
        "learned": {"films": films(paired.learned), "pairs": len(paired.learned)},
        **parts,
        "frames": paired.encoder,
    }
