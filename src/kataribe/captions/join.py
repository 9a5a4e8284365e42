"""Predicted and reference captions -> items by id, with what does not fit counted and said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from kataribe.captions.items import Captions
from kataribe.core.caution import Caution
from kataribe.core.join import Wording, describe_unmatched, match_ids
from kataribe.core.types import Coverage

Missing = Literal["error", "zero", "drop"]

_WORDS = Wording(
    items="references",
    missing={"zero": "scored as empty captions", "drop": "left out"},
    hint="<missing zero> scores them as empty captions, <missing drop> leaves them out",
    extra=("prediction has no reference and was not scored", "predictions have no reference and were not scored"),
    empty=("prediction is empty", "predictions are empty"),
)


def join(
    predictions: Mapping[str, str], references: Mapping[str, list[str]], missing: Missing
) -> tuple[Captions, Coverage, list[Caution]]:
    """Items by id, in the references' order, with what does not fit counted and said."""
    unmatched = match_ids(predictions, references, missing, _WORDS.hint)
    kept = [id for id in references if missing != "drop" or id in predictions]
    items = Captions(kept, [predictions.get(id, "") for id in kept], [references[id] for id in kept])
    empty = [id for id in kept if id in predictions and not predictions[id].strip()]
    coverage = Coverage(
        references=len(references),
        predicted=len(predictions),
        scored=len(kept),
        missing=len(unmatched.absent),
        extra=len(unmatched.extra),
        empty=len(empty),
    )
    return items, coverage, describe_unmatched(unmatched, empty, len(references), missing, _WORDS)
