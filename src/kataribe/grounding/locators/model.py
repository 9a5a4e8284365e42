"""A trained locator: `open_locator(folder).locate(film, query, window)` says where in a window a moment is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kataribe.core.caution import remark
from kataribe.core.errors import InputError, UsageError, shorten
from kataribe.core.need import need
from kataribe.core.types import Float32s, Segment
from kataribe.encoders.encoded import encode_texts, find_long
from kataribe.encoders.protocol import TextEncoder
from kataribe.encoders.text import open_text
from kataribe.films.seen import SeenFilm
from kataribe.grounding.locators.batches import Candidate, located, merged
from kataribe.grounding.locators.options import Faces, Network, Projection
from kataribe.grounding.locators.senses import Question, Rows, Senses
from kataribe.learning.folder import Model, read_model
from kataribe.learning.threads import one_thread
from kataribe.text.scripts import says_something

KIND = "locator"


class Wiring(msgspec.Struct, frozen=True, kw_only=True):
    """What a card says of the network and of the encoders whose vectors it takes."""

    model: Network
    faces: Faces
    projection: Projection
    width: int
    heads: int
    rounds: int
    every: int
    clips: int
    map_width: int
    kernel: int
    layers: int
    window: float
    text: str
    text_signature: str
    frames: str
    rate: float
    finder: str
    frame_width: int
    face_width: int
    token_width: int
    axes: int


def new_network(wiring: Wiring, dropout: float = 0.0) -> Any:
    """With random weights."""
    from kataribe.grounding.locators.iterative import Inputs, IterativeLocator
    from kataribe.grounding.locators.moment_map import MomentMap

    inputs = Inputs(wiring.axes, wiring.face_width, wiring.token_width)
    if wiring.model == "2d-tan":
        return MomentMap(
            inputs,
            width=wiring.width,
            clips=wiring.clips,
            map_width=wiring.map_width,
            kernel=wiring.kernel,
            layers=wiring.layers,
            dropout=dropout,
        )
    return IterativeLocator(
        inputs,
        width=wiring.width,
        heads=wiring.heads,
        rounds=wiring.rounds,
        dropout=dropout,
        faces=wiring.faces,
        projection=wiring.projection,
        rate=wiring.rate / wiring.every,
    )


class Locator:
    """Finds moments in windows of films. A film must have been seen by the encoders that it was trained with."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).expanduser()
        self.model: Model = read_model(self.folder, KIND)
        torch = need("torch", extra="models", purpose="locators")
        try:
            self.wiring = msgspec.convert(self.model.card.options, Wiring)
            self.senses = Senses.of_tensors(self.model.tensors)
            self.network = new_network(self.wiring)
            weights = {
                name.removeprefix("network."): torch.from_numpy(np.array(tensor))
                for name, tensor in self.model.tensors.items()
                if name.startswith("network.")
            }
            self.network.load_state_dict(weights)
        except (msgspec.ValidationError, KeyError, ValueError, TypeError, RuntimeError) as error:
            problem = f"is no locator of this version ({shorten(' '.join(str(error).split()), 120)})"
            raise InputError(problem, file=self.folder, hint="train it again") from None
        self.network.eval()
        self.signature = self.model.signature

    @cached_property
    def text_encoder(self) -> TextEncoder:
        encoder = open_text(self.wiring.text)
        if encoder.signature != self.wiring.text_signature:
            raise InputError(
                f"was trained with the text encoder {self.wiring.text_signature}, and here it is {encoder.signature}",
                file=self.folder,
                hint="train it again with what is installed",
            )
        return encoder

    def locate(self, film: SeenFilm, query: str, window: Segment) -> list[Candidate]:
        """Spans within a window, the surest first, ten at most; none overlaps a surer one by more than half.

        A window that is longer than those of the training is looked at in parts that overlap by half; one that reaches
        beyond the film ends with it.
        """
        inside = _is_inside(window, film.duration)
        parts = _parts(window, self.wiring.window, film.duration) if inside else [window]
        return merged(candidate for found in self.locate_each(film, query, parts) for candidate in found)

    def locate_each(self, film: SeenFilm, query: str, windows: Sequence[Segment]) -> list[list[Candidate]]:
        """The same for several windows, each by itself."""
        if not says_something(query):
            raise UsageError("<query>: there is nothing in it to look for", hint="give a sentence", options=["query"])
        check_seen(film, self.wiring, self.folder)
        outside = [window for window in windows if not _is_inside(window, film.duration)]
        if outside:
            raise UsageError(
                f"<window>: there is nothing of {shorten(film.film)} from {outside[0].start:g} to {outside[0].end:g} s",
                hint=f"the film lasts {film.duration:g} s",
                options=["window"],
            )
        question = self._question(film, query)
        rows = [self._rows(film, window) for window in windows]
        with one_thread():
            return located(self.network, rows, [question] * len(rows))

    def _question(self, film: SeenFilm, query: str) -> Question:
        encoder = self.text_encoder
        remark(*find_long(encoder, [query]).cautions(encoder))
        [tokens] = encode_texts(encoder, [query], "tokens").tokens(np.arange(1))
        return Question(self.senses.tokens(tokens.vectors), self._portraits(film, query))

    def _portraits(self, film: SeenFilm, query: str) -> Float32s:
        if self.wiring.faces in ("query", "both"):
            return self.senses.portraits(film, query)
        return np.zeros((0, self.wiring.face_width), dtype=np.float32)

    def _rows(self, film: SeenFilm, window: Segment) -> Rows:
        return self.senses.rows(film.during(window))[:: self.wiring.every]


def open_locator(folder: str | Path) -> Locator:
    """The locator of a folder that `kataribe train locator` wrote."""
    return Locator(folder)


def check_seen(film: SeenFilm, wiring: Wiring, model: Path) -> None:
    """Refuse a film that was seen by other encoders than those of the training."""
    frames, faces = film.recipes.get("frames", {}), film.recipes.get("faces", {})
    pairs: list[tuple[str, Any, Any]] = [
        ("frames by the encoder", wiring.frames, frames.get("encoder", "")),
        ("frames in a second:", wiring.rate, float(frames.get("rate", 1.0))),
        ("numbers of a frame:", wiring.frame_width, int(film.frames.vector.shape[1])),
    ]
    if wiring.faces != "none":
        pairs.append(("faces by", wiring.finder, faces.get("finder", "")))
        pairs.append(("numbers of a face:", wiring.face_width, film.face_width))
    for what, expected, found in pairs:
        if expected != found:
            raise InputError(
                f"was trained on {what} {expected}, and {shorten(film.film)} has {found}",
                file=model,
                hint="make the feature file again (`kataribe build features`), or train on such files",
            )


def signatures_of(films: Mapping[str, SeenFilm]) -> dict[str, Any]:
    """What the films were seen with, which must be the same of all."""
    known: dict[str, tuple[Any, str]] = {}
    for name, film in films.items():
        frames, faces = film.recipes.get("frames", {}), film.recipes.get("faces", {})
        for field, value in {
            "frames": frames.get("encoder", ""),
            "rate": float(frames.get("rate", 1.0)),
            "finder": faces.get("finder", ""),
            "frame_width": int(film.frames.vector.shape[1]),
            "face_width": film.face_width,
        }.items():
            first, owner = known.setdefault(field, (value, name))
            if value != first:
                raise UsageError(
                    f"the films were seen differently: {field} is {first} of {owner} and {value} of {name}",
                    hint="`kataribe build features` makes all feature files alike",
                )
    return {field: value for field, (value, _) in known.items()}


def _is_inside(window: Segment, duration: float) -> bool:
    """Whether there is anything of a film in a window."""
    return bool(window) and window.start <= duration and window.end > 0


def _parts(window: Segment, length: float, duration: float) -> list[Segment]:
    """A long window in parts that overlap by half, the last of which ends with it.

    >>> _parts(Segment(0, 250), 100.0, 1000.0)
    [Segment(start=0, end=100.0), Segment(start=50.0, end=150.0), Segment(start=100.0, end=200.0), \
Segment(start=150.0, end=250)]
    """
    end = min(window.end, duration + 1)
    parts = []
    start = window.start
    while start + length < end:
        parts.append(Segment(start, start + length))
        start += length / 2
    return [*parts, Segment(max(window.start, end - length) if parts else start, end)]
