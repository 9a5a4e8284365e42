"""Training a retriever: corpus and feature files -> pairs -> two projections, and the text encoder where asked for.

The encoders are frozen and their vectors are made once; `finetune` trains the upper layers of the text encoder too, and
`finetune_pictures` those of the picture encoder, from the films' pixels.
After each epoch the validation films are searched; the weights of the epoch with the best mean reciprocal rank are
kept, and of several seeds those of the best. The test films are searched once, in the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kataribe.core.errors import UsageError
from kataribe.core.types import Array
from kataribe.encoders.dual import CLIP, KIND, DualOptions
from kataribe.encoders.pictures import new_pictures
from kataribe.encoders.trainable import trainable_pictures
from kataribe.grounding.retrieval.material import ENCODERS, Material
from kataribe.grounding.retrieval.options import RetrieverOptions
from kataribe.grounding.retrieval.pairs import TEST, VALIDATION, Pair, PairedFilms
from kataribe.grounding.retrieval.pixels import keep_pixels
from kataribe.grounding.retrieval.recall import MRR, Recalled, means, ranks_by_film, recalled
from kataribe.grounding.texts import text_encoder_for
from kataribe.learning.fit import Learner, fit
from kataribe.learning.folder import Card, CardScore, Model, write_model
from kataribe.learning.result import History, Trial

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
            options=msgspec.to_builtins(self.dual),
            training={**fields, "seed": self.seed, "course": course.to_dict()},
            data=[dict(self.data)],
            scores=scores,
            notes=notes,
        )


def train(
    paired: PairedFilms,
    options: RetrieverOptions | None = None,
    *,
    videos: Path | None = None,
    state: Path | None = None,
) -> Trained:
    """A retriever of the films that `read_pairs` gave.

    `videos` is the folder of their videos, which are looked at where the picture encoder is trained too. With a
    `state` folder, training that was stopped goes on.
    """
    options = options or RetrieverOptions()
    pictures = _named(options.pictures) or picture_encoder_of(paired.encoder)
    _check_pictures(pictures, paired.encoder)
    text = _named(options.text) or text_encoder_for(paired.texts)
    if options.finetune and text.startswith(CLIP):
        problem = f"<finetune>: the text side of {text.removeprefix(CLIP)} cannot be trained here"
        raise UsageError(problem, hint="train the picture side, or take a text model", options=["finetune"])
    pixels = _pixels(paired, pictures, options, videos)
    material = Material.of(paired, text, pictures, options, pixels)
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


def picture_encoder_of(signature: str) -> str:
    """The name of the encoder with a signature.

    >>> picture_encoder_of("efficientnet-lite0-da4046d5"), picture_encoder_of("histogram")
    ('efficientnet-lite0', 'histogram')
    """
    return signature.rpartition("-")[0] or signature


def _named(encoder: str | None) -> str | None:
    """A folder by its full path, so that the model finds it from anywhere."""
    if encoder is None:
        return None
    kind, _, name = encoder.rpartition(":")
    folder = Path(name).expanduser()
    return f"{kind}{':' if kind else ''}{folder.resolve()}" if folder.is_dir() else encoder


def _check_pictures(name: str, signature: str) -> None:
    """The model will look at films with what is installed here, so that must be what looked at these."""
    found = new_pictures(name).signature
    if found != signature:
        raise UsageError(
            f"<pictures {name}>: the frames were seen with {signature}, and this is {found}",
            hint="name the encoder that made the feature files, or make them again",
            options=["pictures"],
        )


def _pixels(
    paired: PairedFilms, pictures: str, options: RetrieverOptions, videos: Path | None
) -> dict[str, Array] | None:
    """Frames to train the picture encoder on; one that cannot be trained so far is refused before films are read."""
    if not options.finetune_pictures:
        return None
    if videos is None:
        raise UsageError(
            "<finetune_pictures>: the picture encoder is trained on frames, and nothing says where the films are",
            hint="give <videos DIR>",
            options=["finetune_pictures", "videos"],
        )
    opened = trainable_pictures(pictures)
    opened.freeze_below(options.finetune_pictures)
    return keep_pixels(paired.films, videos, opened.size, pictures)


@dataclass(frozen=True, eq=False)
class _Run:
    course: History
    tensors: Mapping[str, np.ndarray]
    recalls: Mapping[str, Recalled]


def _run(material: Material, options: RetrieverOptions, state: Path | None, about: Mapping[str, Any]) -> _Run:
    from kataribe.grounding.retrieval.network import contrastive_loss

    network, encoders = material.new_network(options)

    validates = VALIDATION in material.tables

    def validate(network: Any) -> dict[str, float]:
        return means(ranks_by_film(*material.vectors(network, VALIDATION)))

    learner = Learner(
        network=network,
        examples=material,
        loss=contrastive_loss,
        validate=validate if validates else None,
        stop_by=MRR if validates else None,
        rates=dict.fromkeys(ENCODERS, options.encoder_rate),
        # What an encoder has learned from millions of texts is not to fade, nor is the temperature drawn to 0.
        decays=dict.fromkeys((*ENCODERS, "temperature"), 0.0),
        name=f"training seed {options.seed}",
    )
    course = fit(learner, options, state=state, about=about)
    tensors = {
        f"{side}.{name}": array
        for side in ("frames", "texts")
        for name, array in getattr(network, side).folded().items()
    }
    for start, encoder in encoders.items():
        tensors |= {f"{start}{name}": tensor.numpy() for name, tensor in encoder.trained_tensors().items()}
    recalls = {
        part: recalled(ranks_by_film(*material.vectors(network, part)), options.seed)
        for part in (VALIDATION, TEST)
        if part in material.tables
    }
    return _Run(course, tensors, recalls)


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
