"""What a page knows of agreement with people: standings, a heat map, every text, every system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kataribe.people.result import Agreement, Dimension, ExampleText, MixtureFit, Text
from kataribe.report.agreement import counted, legend, markings, render_agreement, signatures
from kataribe.report.comparison import letter
from kataribe.report.fitted import ACCURACY_HEADER, WEIGHT_HEADER, accuracy_rows, said, weight_rows
from kataribe.report.views.packing import packed_scores
from kataribe.stats.choices import MEASURES

_PEOPLE = {"ratings": "mean rating", "rankings": "share of others it was put above", "votes": "share of votes won"}


def agreement_data(agreement: Agreement, pictures: Mapping[Text, str] | None = None) -> dict[str, Any]:
    """`pictures` are what the texts of the examples describe, as data URIs."""
    images = list(dict.fromkeys((pictures or {}).values()))
    index = {image: number for number, image in enumerate(images)}
    placed = {text: index[image] for text, image in (pictures or {}).items()}
    return {
        "pictures": images,
        "metrics": list(agreement.metrics),
        "letters": [letter(index) for index in range(len(agreement.metrics))],
        "lower": list(agreement.lower_is_better),
        "units": dict(agreement.units),
        "measures": list(MEASURES),
        "dimensions": [_dimension(found, agreement, placed) for found in agreement.dimensions.values()],
        "fit": _fit(agreement.fit) if agreement.fit else None,
        "signatures": list(signatures(agreement)),
        "warnings": [warning.to_dict() for warning in agreement.warnings],
        "copies": {format: render_agreement(agreement, format) for format in ("latex", "csv")},
    }


def _fit(fit: MixtureFit) -> dict[str, Any]:
    total = sum(fit.published.values())
    return {
        "mixture": fit.mixture,
        "published": {part: weight / total for part, weight in fit.published.items()},
        "weight_header": WEIGHT_HEADER,
        "accuracy_header": ACCURACY_HEADER,
        "dimensions": [
            {
                **dimension.to_dict(),
                "said": said(fit, dimension),
                "weight_rows": weight_rows(fit, dimension),
                "accuracy_rows": accuracy_rows(dimension),
            }
            for dimension in fit.dimensions.values()
        ],
    }


def _dimension(found: Dimension, agreement: Agreement, pictures: Mapping[Text, int]) -> dict[str, Any]:
    return {
        **found.to_dict(agreement.options.alpha),
        "name": found.name,
        "texts": [_label(text) for text in found.judged],
        "items": [text.item for text in found.judged],
        "counted": counted(found),
        "legend": legend(agreement, found),
        "beats": {metric: markings(agreement, found, metric) for metric in found.metrics},
        "people_label": _PEOPLE[found.kind],
        "points": {name: packed_scores(column.tolist()) for name, column in found.points.items()},
        "examples": {
            metric: {"best": _examples(each.best, pictures), "worst": _examples(each.worst, pictures)}
            for metric, each in found.examples.items()
        },
    }


def _examples(examples: Sequence[ExampleText], pictures: Mapping[Text, int]) -> list[dict[str, Any]]:
    return [
        {**example.to_dict(), "name": _label(example.text), "image": pictures.get(example.text)} for example in examples
    ]


def _label(text: Text) -> str:
    """The name of a caption without a system starts with its item's already."""
    return text.system if text.system.startswith(f"{text.item}#") else f"{text.item} {text.system}".strip()
