"""SuiSei: a metric that learned from ratings how well a caption suits its references and, if it may look, its picture.

    y = sigmoid(FFN([RUSE(c, r), RUSE(c, v), c, r] of h, and the same of h')), RUSE(a, b) = [a * b, |a - b|]
    h, h': the mean of a text's token vectors, plain and weighed by the idf of tokens; v: the picture
    value = the mean over the networks of the model (one for each seed); the corpus value is the mean over items

SuiSei extends COMET by a picture and an idf branch. There are other heads; what is trained by default is `mix`, the
mean of boosted trees over other metrics and of a network that corrects the sentence cosine. With `uncertainty` each
item has an interval in which 95% of the validation ratings fell.

Rei, R., Stewart, C., Farinha, A. C., Lavie, A. (2020). COMET: a neural framework for MT evaluation. EMNLP.

Quirks. The number means nothing without its model: the model's fingerprint is in the signature, the model's card says
what it was trained on. References that an item has twice count once. A model that was trained with pictures refuses
items without; one that was trained without does not look at them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from kataribe.captions.items import Captions
from kataribe.captions.suisei.model import DRAWS, LearnedModel, Uncertainty, open_model
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats


@dataclass(frozen=True)
class SuiSei(Metric):
    name: ClassVar[str] = "suisei"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "SuiSei"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    model: str = option("", "the folder of a model, from `kataribe train suisei`", positional=True)
    uncertainty: Uncertainty = option("none", "an interval for each item: of the ensemble, or by dropout")
    encoder: str = option("", "where the model's text encoder is now, if it is a folder that moved")

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("items", "suisei") + (("low", "high") if self.uncertainty != "none" else ())

    @property
    def vectors(self) -> Literal["tokens", "sentences"] | None:  # type: ignore[override]
        return self._model().vectors

    @property
    def needs_references(self) -> bool:
        return self._model().needs_references

    def _model(self) -> LearnedModel:
        return open_model(self.model, self.encoder)

    def scan_references(self, items: Captions) -> Any:
        return self._model().scan_references(items)

    def scan_predictions(self, items: Captions) -> Any:
        return self._model().scan_predictions(items)

    def merge(self, scanned: Sequence[Any]) -> Any:
        return self._model().merge(scanned)

    def conclude(self, references: Any, predictions: Any) -> Any:
        model = self._model()
        if self.uncertainty != "none" and self.uncertainty not in model.about.spreads:
            known = ", ".join(model.about.spreads) or "none"
            raise UsageError(
                f"the model has no interval by {self.uncertainty} (it has: {known})",
                hint="an ensemble needs at least two seeds, dropout a network that was trained with it",
            )
        return model.conclude(references, predictions)

    def prepare(self, items: Captions, facts: Any) -> Any:
        return self._model().prepare(items, facts)

    def stats(self, items: Captions, context: Any) -> Array:
        if not len(items):
            return np.zeros((0, len(self.columns)))
        model = self._model()
        members = model.scores(items, context)
        scores = members.mean(axis=0)
        if self.uncertainty == "none":
            return np.column_stack([np.ones(len(items)), scores])
        drawn = members if self.uncertainty == "ensemble" else model.scores(items, context, DRAWS)
        return np.column_stack(
            [np.ones(len(items)), scores, *model.about.spreads[self.uncertainty].ends(scores, drawn)]
        )

    def measure(self, totals: Floats) -> Measured:
        parts = {name: totals[..., 2 + n] / totals[..., 0] for n, name in enumerate(self.columns[2:])}
        return Measured(totals[..., 1] / totals[..., 0], parts)

    def signature(self, facts: Any) -> dict[str, str]:
        model = self._model()
        fields = {"model": model.signature, "head": model.options.head, "members": str(model.about.members)}
        fields |= model.fields(facts)
        return fields | ({"uncertainty": self.uncertainty} if self.uncertainty != "none" else {})

    def warnings(self, facts: Any) -> Sequence[Caution]:
        return self._model().warnings(facts)
