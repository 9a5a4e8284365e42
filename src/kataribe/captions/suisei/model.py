"""A model folder that scores captions: networks and their encoders, or a blend and its metrics.

    score = the mean over the members of an ensemble, one for each seed

Both kinds keep the steps of a metric (scan, conclude, prepare, score), so that `metric.py` is the same for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from kataribe.captions.items import Captions
from kataribe.captions.suisei.options import ModelOptions
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, UsageError
from kataribe.core.memo import keep_open
from kataribe.core.types import Floats
from kataribe.learning.folder import read_card, read_model

KIND = "suisei"
_ITEMS_AT_ONCE = 1024
DRAWS = 20

Uncertainty = Literal["none", "ensemble", "dropout"]


class Spread(msgspec.Struct, frozen=True):
    """How far ratings lie from a score: half of the interval is factor * (floor + deviation of members or draws).

    Both numbers were fitted on the validation part, so that 95% of its ratings lie inside.
    """

    floor: float
    factor: float

    def ends(self, scores: Floats) -> tuple[Floats, Floats]:
        """Of scores (members or draws x items), the interval of each item."""
        centre, deviation = scores.mean(axis=0), scores.std(axis=0, ddof=1)
        reach = self.factor * (self.floor + deviation)
        return (centre - reach).clip(0.0, 1.0), (centre + reach).clip(0.0, 1.0)


class CardOptions(msgspec.Struct, frozen=True):
    """What the card of a model says about the numbers it gives."""

    model: dict[str, Any]
    members: int
    encoder: str = ""
    pictures: str = ""
    widths: tuple[int, int, int, int] = (0, 0, 0, 0)
    metrics: tuple[str, ...] = ()
    spreads: dict[str, Spread] = {}


class Scored(NamedTuple):
    """What one process prepared: encoded texts or other metrics' contexts."""

    source: Any
    facts: Any


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
    def scan_references(self, items: Captions) -> Any: ...
    def scan_predictions(self, items: Captions) -> Any: ...
    def merge(self, scanned: Sequence[Any]) -> Any: ...
    def conclude(self, references: Any, predictions: Any) -> Any: ...
    def fields(self, facts: Any) -> dict[str, str]: ...
    def warnings(self, facts: Any) -> Sequence[Caution]: ...
    def prepare(self, items: Captions, facts: Any) -> Scored: ...
    def scores(self, items: Captions, context: Scored, draws: int = 0) -> Floats: ...


def open_model(folder: str, encoder: str = "") -> LearnedModel:
    """The model of a folder; the last two stay loaded. `encoder` is where its text encoder is now, if it moved."""
    if not folder:
        raise UsageError(
            "suisei is a learned metric: it needs a model", hint="suisei(FOLDER); `kataribe train suisei` makes one"
        )
    # A folder may be trained anew while this process runs, and is then another model.
    return _open_model(str(Path(folder).expanduser()), read_card(Path(folder).expanduser()).fingerprint, encoder)


@keep_open(2)
def _open_model(folder: str, fingerprint: str, encoder: str) -> LearnedModel:
    model = read_model(folder, KIND)
    try:
        about = msgspec.convert(model.card.options, CardOptions)
        options = ModelOptions(**about.model)
    except (msgspec.ValidationError, TypeError, UsageError) as error:
        raise InputError(f"its card does not describe a model ({error})", file=folder) from None
    from kataribe.captions.suisei.blended import BlendModel
    from kataribe.captions.suisei.networks import NetworkModel

    if options.head == "blend":
        return BlendModel(model, about, options)
    return NetworkModel(model, about, options, encoder)


def card_options(about: CardOptions) -> dict[str, Any]:
    """As a card holds it."""
    plain: dict[str, Any] = msgspec.to_builtins(about)
    return plain


def model_dict(options: ModelOptions) -> dict[str, Any]:
    return {**asdict(options), "without": list(options.without)}
