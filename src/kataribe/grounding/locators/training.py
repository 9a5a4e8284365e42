"""Training a locator: queries of films -> windows drawn anew in every epoch -> a network over frozen vectors.

After each epoch the validation queries are looked for in their fixed windows; the weights of the epoch with the best
mean IoU are kept, and of several seeds those of the best. The test queries are looked for once, in the end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kataribe.core.caution import remark
from kataribe.core.need import need
from kataribe.core.types import Int64s, Segment
from kataribe.encoders.encoded import encode_texts, find_long
from kataribe.encoders.text import open_text
from kataribe.grounding.locators.alignment import Aligned, aligned
from kataribe.grounding.locators.batches import collate, located
from kataribe.grounding.locators.model import KIND, Wiring, new_network, signatures_of
from kataribe.grounding.locators.options import LocatorOptions
from kataribe.grounding.locators.queries import Asked, AskedFilms
from kataribe.grounding.locators.recall import MEAN_IOU, Hits
from kataribe.grounding.locators.senses import Question, Rows, Senses, stretched
from kataribe.grounding.texts import text_encoder_for
from kataribe.learning.fit import Learner, fit
from kataribe.learning.folder import Card, CardScore, Model, write_model
from kataribe.learning.result import History, Trial

_AT_ONCE = 32
_WARPS = (0.5, 2.0)
# Where and beside what else it is trained changes nothing but the speed.
_FREE = ("device", "tracker", "log_folder")


@dataclass(frozen=True)
class Trained:
    """A trained locator, not written yet: the run that is kept, and what all of them came to."""

    options: LocatorOptions
    wiring: Wiring
    tensors: Mapping[str, np.ndarray]
    seed: int
    courses: Mapping[int, History]
    hits: Mapping[str, Hits]
    data: Mapping[str, Any]

    @property
    def trials(self) -> list[Trial]:
        return [Trial(self.options.model, seed, course.best_scores) for seed, course in self.courses.items()]

    def save(self, folder: Path, more: Mapping[str, bytes]) -> Model:
        return write_model(folder, self._card(), self.tensors, more=more)

    @staticmethod
    def settings(options: LocatorOptions) -> dict[str, Any]:
        """What of the options makes a model another one."""
        return {name: value for name, value in asdict(options).items() if name not in _FREE}

    def _card(self) -> Card:
        scores = [
            CardScore(f"test windows, {name}", measure, value, hits.intervals(self.seed).get(measure), len(hits))
            for name, hits in self.hits.items()
            for measure, value in hits.means.items()
        ]
        faces = "" if self.wiring.faces == "none" else f", faces in {_FACES[self.wiring.faces]}"
        notes = [f"Each query is looked for in a fixed window of {self.wiring.window:g} s that covers it."]
        return Card(
            kind=KIND,
            title=f"Locator of moments by text: {self.wiring.model}{faces}",
            options=msgspec.to_builtins(self.wiring),
            training={**self.settings(self.options), "seed": self.seed, "course": self.courses[self.seed].to_dict()},
            data=[dict(self.data)],
            scores=scores,
            notes=notes,
        )


_FACES = {"video": "the video", "query": "the query", "both": "video and query"}


@dataclass(frozen=True, eq=False)
class Material:
    """Films and queries as numbers; the same for every network and seed."""

    asked: AskedFilms
    senses: Senses
    rows: Mapping[str, Rows]
    questions: Mapping[tuple[str, str], Question]  # by film and text
    encoders: Mapping[str, Any]

    @classmethod
    def of(cls, asked: AskedFilms, text: str | None = None, axes: int = 256) -> Material:
        seen = signatures_of(asked.films)
        text = text or text_encoder_for(asked.texts)
        encoder, texts = open_text(text), asked.texts
        remark(*find_long(encoder, texts).cautions(encoder))
        tokens = {
            each: found.vectors
            for each, found in zip(
                texts, encode_texts(encoder, texts, "tokens").tokens(np.arange(len(texts))), strict=True
            )
        }
        whole = {film: each.during(Segment(-1.0, np.inf)) for film, each in asked.films.items()}
        learned = sorted({each.film for each in asked.learned})
        senses = Senses.of(
            np.concatenate([whole[film].frames for film in learned]),
            np.concatenate([whole[film].faces[whole[film].has_face] for film in learned]),
            np.concatenate([tokens[text] for text in dict.fromkeys(each.text for each in asked.learned)]),
            axes,
        )
        tokens = {each: senses.tokens(vectors) for each, vectors in tokens.items()}
        everything = (*asked.learned, *asked.validated, *(each for found in asked.tested.values() for each in found))
        questions = {
            (each.film, each.text): Question(tokens[each.text], senses.portraits(asked.films[each.film], each.text))
            for each in everything
        }
        rows = {film: senses.rows(each) for film, each in whole.items()}
        encoders = {**seen, "text": text, "text_signature": encoder.signature}
        return cls(asked, senses, rows, questions, encoders)

    def wiring(self, options: LocatorOptions) -> Wiring:
        own = {name: getattr(options, name) for name in _OWN}
        return Wiring(
            **own,
            **self.encoders,
            faces=options.used_faces,
            token_width=len(self.senses.token_mean),
            axes=int(self.senses.frame_axes.shape[1]),
        )

    def alignment(self, width: int) -> Aligned:
        """Where frames and words of the training queries meet."""
        frames = [self.rows[each.film].during(each.span).frames.mean(axis=0) for each in self.asked.learned]
        words = [self.question(each).tokens.mean(axis=0) for each in self.asked.learned]
        return aligned(np.stack(frames), np.stack(words), width)

    @property
    def key(self) -> str:
        """Of what is learned from: another run on the same is recognised."""
        digest = hashlib.blake2b(digest_size=8)
        for each in (*self.asked.learned, *self.asked.validated):
            digest.update(repr((each.film, each.text, each.span, each.window)).encode())
        for film in sorted(self.rows):
            digest.update(np.ascontiguousarray(self.rows[film].frames).data)
        return digest.hexdigest()

    def question(self, asked: Asked) -> Question:
        return self.questions[asked.film, asked.text]

    def hits(self, network: Any, asked: Sequence[Asked], every: int) -> Hits:
        """What a network finds in the fixed windows of some queries."""
        found = []
        for start in range(0, len(asked), _AT_ONCE):
            some = asked[start : start + _AT_ONCE]
            windows = [self.rows[each.film].during(each.window)[::every] for each in some]
            found += located(network, windows, [self.question(each) for each in some])
        return Hits.of([[each.span for each in spans] for spans in found], [each.span for each in asked])


_OWN = ("model", "projection", "width", "heads", "rounds", "every", "clips", "map_width", "kernel", "layers", "window")


def train(material: Material, options: LocatorOptions | None = None, *, state: Path | None = None) -> Trained:
    """A locator. With a `state` folder, training that was stopped goes on."""
    options = options or LocatorOptions()
    wiring, about = material.wiring(options), {"kind": KIND, "data": material.key}
    runs = {}
    for seed in range(options.seed, options.seed + options.seeds):
        own = _of_seed(options, seed)
        folder = state / f"seed-{seed}" if state is not None and options.seeds > 1 else state
        runs[seed] = _run(material, wiring, own, folder, about)
    seed = max(runs, key=lambda seed: (runs[seed][1].best_scores.get(MEAN_IOU, 0.0), -seed))
    network = runs[seed][0]
    weights = {f"network.{name}": value.detach().cpu().numpy() for name, value in network.state_dict().items()}
    return Trained(
        options=options,
        wiring=wiring,
        tensors=material.senses.tensors | weights,
        seed=seed,
        courses={seed: course for seed, (_, course) in runs.items()},
        hits={name: material.hits(network, asked, options.every) for name, asked in material.asked.tested.items()},
        data=_described(material),
    )


def _run(
    material: Material, wiring: Wiring, options: LocatorOptions, state: Path | None, about: Mapping[str, Any]
) -> tuple[Any, History]:
    torch = need("torch", extra="models", purpose="training")
    with torch.random.fork_rng():
        torch.manual_seed(options.seed)
        network = new_network(wiring, options.dropout)
    if hasattr(network, "align"):
        network.align(*map(torch.from_numpy, material.alignment(wiring.width // 2)))
    validated = material.asked.validated
    learner = Learner(
        network=network,
        examples=_Windows(material, wiring, options),
        loss=_loss,
        validate=(lambda network: material.hits(network, validated, options.every).means) if validated else None,
        stop_by=MEAN_IOU if validated else None,
        name=f"training {_variant(wiring)} seed {options.seed}",
        is_small=True,
    )
    return network, fit(learner, options, state=state, about={**about, **msgspec.to_builtins(wiring)})


def _loss(network: Any, batch: Any) -> Any:
    found = network(batch)
    return getattr(network, "module", network).loss(found, batch)


def _variant(wiring: Wiring) -> str:
    return wiring.model if wiring.faces == "none" else f"{wiring.model} ({wiring.faces}, {wiring.projection})"


@dataclass(frozen=True, eq=False)
class _Windows:
    """The queries to learn from, each in a window that is drawn anew whenever it is seen."""

    material: Material
    wiring: Wiring
    options: LocatorOptions

    def __len__(self) -> int:
        return len(self.material.asked.learned)

    def batch(self, rows: Int64s) -> Any:
        windows, questions, targets = [], [], []
        for row in rows.tolist():
            asked = self.material.asked.learned[row]
            window, place = self._window(asked)
            windows.append(window)
            questions.append(self.material.question(asked))
            targets.append(place)
        return collate(windows, questions, targets)

    def _window(self, asked: Asked) -> tuple[Rows, tuple[float, float]]:
        # The training loop restores numpy's own random numbers, so that a run that goes on draws what it would have.
        draw = int(np.random.randint(1, 2**31))
        window = asked.drawn_window(self.material.asked.spans[asked.film], self.wiring.window, draw)
        rows = self.material.rows[asked.film].during(window)[:: self.wiring.every]
        place = rows.place(asked.span)
        if not self.options.warp:
            return rows, place
        return stretched(rows, place, np.random.uniform(*_WARPS, size=3).tolist())


def _of_seed(options: LocatorOptions, seed: int) -> LocatorOptions:
    """Each seed is a run of its own, wherever it logs."""
    if options.seeds == 1:
        return options
    log = options.log_folder / f"seed-{seed}" if options.log_folder is not None else None
    return replace(options, seed=seed, seeds=1, log_folder=log)


def _described(material: Material) -> dict[str, Any]:
    def counts(asked: Sequence[Asked]) -> dict[str, int]:
        return {"films": len({each.film for each in asked}), "queries": len(asked)}

    asked = material.asked
    return {
        "hash": material.key,
        "learned": counts(asked.learned),
        "validated": counts(asked.validated),
        **{name: counts(found) for name, found in asked.tested.items()},
    }
