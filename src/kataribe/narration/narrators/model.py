"""A narrator's model folder, and the narrator that it makes.

    weights.safetensors   the network, with mean and spread of the features
    vocabulary.json       what each token stands for
    card.json             options, genres, widths and recipes of the features it was trained on

A narrator looks at features that were made as those of its training films, and refuses others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from kataribe.core.errors import InputError, shorten, some
from kataribe.core.need import need
from kataribe.core.types import Caption, Segment
from kataribe.films.seen import SeenFilm
from kataribe.learning.folder import Card, Model, read_model, write_model
from kataribe.learning.threads import one_thread
from kataribe.narration.narrators.examples import Reader, Shown, as_batch
from kataribe.narration.narrators.options import NarratorOptions, SearchOptions, search_options
from kataribe.narration.narrators.protocol import Told
from kataribe.narration.narrators.search import search
from kataribe.narration.narrators.vocabulary import Vocabulary

KIND = "narrator"
VOCABULARY = "vocabulary.json"
# Of portraits, recipes also name the pictures, of faces how they are linked.
_DECISIVE = {"frames": ("encoder", "rate"), "faces": ("finder", "rate"), "portraits": ("finder",)}
_CLIPS_AT_ONCE = 16
_AGAIN = "train it again"


class Described(msgspec.Struct, frozen=True):
    """What the card says of the model; `recipes` are those of the features, by stage."""

    model: dict[str, Any]
    genres: list[str]
    frame_width: int
    face_width: int
    recipes: dict[str, Any]

    @property
    def options(self) -> NarratorOptions:
        return NarratorOptions(**self.model)


@dataclass(frozen=True, eq=False)
class ModelNarrator:
    """A trained narrator. `unknown` counts characters of what it read that it does not know."""

    folder: str
    described: Described
    vocabulary: Vocabulary
    network: Any
    fingerprint: str
    search: SearchOptions = field(default_factory=SearchOptions)
    _counts: dict[str, int] = field(default_factory=lambda: {"unknown": 0})

    @property
    def signature(self) -> str:
        beam = f"beam{self.search.beam}^{self.search.length_penalty:g}" if self.search.beam > 1 else "greedy"
        return f"{KIND}-{self.fingerprint}-{beam}" + (
            f"-longest{self.search.longest}" if self.search.longest != SearchOptions.longest else ""
        )

    @property
    def options(self) -> NarratorOptions:
        return self.described.options

    @property
    def unknown(self) -> int:
        return self._counts["unknown"]

    @cached_property
    def reader(self) -> Reader:
        return Reader(self.options, self.vocabulary, tuple(self.described.genres), self.described.face_width)

    def tell(self, film: SeenFilm, spans: Sequence[Segment], said: Sequence[Caption] | None = None) -> list[Told]:
        self.refuse_other_features(film)
        # What it has told is known only one span after the other.
        portion = 1 if self.options.sees_lines else _CLIPS_AT_ONCE
        told: list[Told] = []
        with one_thread():
            for start in range(0, len(spans), portion):
                before = [each.text for each in told]
                shown = [self._shown(film, span, before, said) for span in spans[start : start + portion]]
                for tokens in search(self.network, as_batch(shown), self.search):
                    told.append(self._told(tokens, film))
        return told

    def _shown(self, film: SeenFilm, span: Segment, before: Sequence[str], said: Sequence[Caption] | None) -> Shown:
        context = self.reader.context(film, span, before, said)
        self._counts["unknown"] += context.unknown
        return self.reader.shown(film, span, context)

    def _told(self, tokens: Sequence[int], film: SeenFilm) -> Told:
        roles = [film.cast.names[token - self.vocabulary.size] for token in tokens if token >= self.vocabulary.size]
        return Told(self.reader.decode(tokens, film), tuple(roles))

    def refuse_other_features(self, film: SeenFilm) -> None:
        """Features of another width or recipe, and a cast of another film, would be told from as if they fitted."""
        refuse_foreign_cast(film)
        widths = {"frames": film.frames.vector.shape[1]}
        known = {"frames": self.described.frame_width}
        if self.options.faces and len(film.faces):
            widths["faces"], known["faces"] = film.faces.vector.shape[1], self.described.face_width
        if self.options.points and film.has_portrait.any():
            widths["portraits"], known["portraits"] = film.portraits.shape[1], self.described.face_width
        for stage, width in widths.items():
            if width != known[stage]:
                raise InputError(
                    f"its {stage} are {width} numbers wide, the narrator {self.folder} takes {known[stage]}",
                    id=film.film,
                    hint="make the features as those it was trained on",
                )
            mine, theirs = self.described.recipes.get(stage, {}), decisive(stage, film.recipes.get(stage, {}))
            if mine and theirs and mine != theirs:
                raise InputError(
                    f"its {stage} were made otherwise ({shorten(_difference(mine, theirs), 160)}) "
                    f"than those of the narrator {self.folder}",
                    id=film.film,
                    hint="make the features as those it was trained on",
                )


def refuse_foreign_cast(film: SeenFilm) -> None:
    """By the film that the cast names, and by the names that the portraits were made for."""
    names = {name for role in film.cast.roles for name in role.names}
    pictured = set(film.recipes.get("portraits", {}).get("pictures", ()))
    problem = ""
    if names and film.cast.film != film.film:
        problem = f"the cast is of another film, {shorten(film.cast.film)!r}"
    elif names and pictured and not pictured & names:
        problem = f"the cast is of another film: the features have portraits of {some(pictured)}, and no role of these"
    if problem:
        raise InputError(problem, id=film.film, hint="give the cast of this film, or none")


def open_model(folder: Path, **options: Any) -> ModelNarrator:
    """The narrator of a folder that `kataribe train narrator` wrote."""
    return narrator_of(read_model(folder, KIND), str(folder), search_options(options))


def narrator_of(model: Model, folder: str, options: SearchOptions) -> ModelNarrator:
    torch = need("torch", extra="models", purpose="narrators")
    from kataribe.narration.narrators.network import NarratorNetwork, Sizes

    try:
        described = msgspec.convert(model.card.options, Described)
        vocabulary = Vocabulary.from_json(model.parts[VOCABULARY], folder)
        sizes = Sizes(described.frame_width, described.face_width, vocabulary.size, len(described.genres))
        network = NarratorNetwork(described.options, sizes)
        network.load_state_dict({name: torch.from_numpy(tensor.copy()) for name, tensor in model.tensors.items()})
    except (msgspec.ValidationError, KeyError, TypeError):
        raise InputError("its card does not describe a narrator", file=folder, hint=_AGAIN) from None
    except RuntimeError:  # of torch, over several lines
        raise InputError("its weights do not fit its card", file=folder, hint=_AGAIN) from None
    return ModelNarrator(folder, described, vocabulary, network.eval(), model.card.fingerprint, options)


def save_narrator(folder: Path, narrator: ModelNarrator, card: Card, more: Mapping[str, bytes] | None = None) -> Model:
    tensors = {name: tensor.detach().cpu().numpy() for name, tensor in narrator.network.state_dict().items()}
    described = msgspec.structs.replace(card, kind=KIND, options=msgspec.to_builtins(narrator.described))
    return write_model(folder, described, tensors, {VOCABULARY: narrator.vocabulary.to_json()}, more)


def describe(options: NarratorOptions, genres: Sequence[str], film: SeenFilm, face_width: int) -> Described:
    """What is to be said of a model that learns from films like this one."""
    recipes = {stage: decisive(stage, recipe) for stage, recipe in film.recipes.items()}
    return Described(asdict(options), list(genres), film.frames.vector.shape[1], face_width, recipes)


def decisive(stage: str, recipe: Mapping[str, Any]) -> dict[str, Any]:
    """What of a recipe decides the numbers of a vector, or how many there are."""
    return {name: recipe[name] for name in _DECISIVE.get(stage, ()) if name in recipe}


def _difference(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    name = next(name for name in {**mine, **theirs} if mine.get(name) != theirs.get(name))
    return f"{name} {theirs.get(name)}, not {mine.get(name)}"
