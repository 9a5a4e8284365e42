"""A model folder that scores captions: networks and their encoders, or a blend and its metrics.

    score = the mean over the members of an ensemble, one for each seed

Both kinds keep the steps of a metric (scan, conclude, prepare, score), so that `metric.py` is the same for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from kataribe.captions.items import Captions
from kataribe.captions.suisei.options import ModelOptions, Widths
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, UsageError, shorten
from kataribe.core.memo import keep_open
from kataribe.core.types import Floats
from kataribe.learning.folder import Tensors, read_card, read_model

KIND = "suisei"
# So often a network is asked with other hidden units switched off.
DRAWS = 20

Uncertainty = Literal["none", "ensemble", "dropout"]


class Spread(msgspec.Struct, frozen=True):
    """How far ratings lie from a score: half of the interval is factor * (floor + deviation of members or draws).

    Both numbers were fitted on the validation part, so that 95% of its ratings lie inside.
    """

    floor: float
    factor: float

    def ends(self, scores: Floats, drawn: Floats) -> tuple[Floats, Floats]:
        """The interval of each item; `drawn` are what members or draws gave, (members or draws, items)."""
        reach = self.factor * (self.floor + drawn.std(axis=0, ddof=1))
        return (scores - reach).clip(0.0, 1.0), (scores + reach).clip(0.0, 1.0)


class CardOptions(msgspec.Struct, frozen=True):
    """What the card of a model says about the numbers it gives.

    `encoder` and `pictures` are the signatures of what made the vectors, `metrics` those that a blend is made of.
    """

    model: dict[str, Any]
    members: int
    encoder: str = ""
    pictures: str = ""
    widths: Widths = Widths()
    metrics: tuple[str, ...] = ()
    spreads: dict[str, Spread] = {}

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain


class LearnedModel(Protocol):
    """What `metric.py` asks of a model."""

    @property
    def about(self) -> CardOptions: ...
    @property
    def options(self) -> ModelOptions: ...
    @property
    def signature(self) -> str: ...
    @property
    def vectors(self) -> Literal["tokens", "sentences"] | None: ...
    @property
    def needs_references(self) -> bool: ...
    def scan_references(self, items: Captions) -> Any: ...
    def scan_predictions(self, items: Captions) -> Any: ...
    def merge(self, scanned: Sequence[Any]) -> Any: ...
    def conclude(self, references: Any, predictions: Any) -> Any: ...
    def fields(self, facts: Any) -> dict[str, str]:
        """What the signature says besides the model."""

    def warnings(self, facts: Any) -> Sequence[Caution]: ...
    def prepare(self, items: Captions, facts: Any) -> Any: ...
    def scores(self, items: Captions, context: Any, draws: int = 0) -> Floats:
        """(members, items) or, of a network, (draws, items), each with other hidden units switched off."""


def open_model(folder: str, encoder: str = "") -> LearnedModel:
    """The model of a folder; the last two stay loaded. `encoder` is where its text encoder is now, if it moved."""
    if not folder:
        raise UsageError(
            "suisei is a learned metric: it needs a model", hint="suisei(FOLDER); `kataribe train suisei` makes one"
        )
    path = Path(folder).expanduser()
    # A folder may be trained anew while this process runs, and is then another model.
    return _open_model(str(path), read_card(path).fingerprint, encoder)


@keep_open(2)
def _open_model(folder: str, fingerprint: str, encoder: str) -> LearnedModel:
    from kataribe.captions.suisei.blend_model import BlendModel
    from kataribe.captions.suisei.network_model import NetworkModel

    model = read_model(folder, KIND)
    try:
        about = msgspec.convert(model.card.options, CardOptions)
        options = ModelOptions(**about.model)
    except (msgspec.ValidationError, TypeError, UsageError) as error:
        raise InputError(
            f"its card does not describe a model ({shorten(error, 120)})", file=folder, hint="train it again"
        ) from None
    if options.head == "blend":
        return BlendModel(folder, model, about, options)
    return NetworkModel(folder, model, about, options, encoder)


def as_dict(options: ModelOptions) -> dict[str, Any]:
    """As a card holds it."""
    return {**asdict(options), "without": list(options.without)}


def member_tensors(tensors: Tensors, member: int) -> Tensors:
    """The weights of one member of an ensemble, by the names they have inside."""
    return under(tensors, f"member{member}.")


def under(tensors: Tensors, start: str) -> Tensors:
    """
    >>> under({"encoder.a": 1, "idf.b": 2}, "encoder.")
    {'a': 1}
    """
    return {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}
