"""Single texts on which a metric and people agree best and worst, as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from kataribe.core import grid
from kataribe.core.unit import Unit, shown_text
from kataribe.people.result import Dimension, ExampleText

_WIDTH = 112
_LABELS = ("candidate", "references", "picture")


def example_lines(dimension: Dimension, units: Mapping[str, Unit]) -> list[str]:
    """To read on a terminal; nothing where no examples were asked for."""
    lines: list[str] = []
    for metric, title, examples in _parts(dimension):
        lines += [f"{title}: {metric}", ""]
        for example in examples:
            lines += [*_example(example, units.get(metric, "fraction")), ""]
    return lines


def example_markdown(dimension: Dimension, units: Mapping[str, Unit]) -> list[str]:
    lines: list[str] = []
    for metric, title, examples in _parts(dimension):
        header = ["text", "candidate", "references", "rating", "prediction", "standing"]
        rows = [
            [
                _name(example),
                example.candidate,
                " / ".join(example.references),
                f"{example.rating:.2f}",
                shown_text(example.prediction, units.get(metric, "fraction")),
                example.standing,
            ]
            for example in examples
        ]
        lines += [f"{title}: {metric}", "", *grid.markdown(header, rows), ""]
    return lines


def _parts(dimension: Dimension) -> Iterator[tuple[str, str, tuple[ExampleText, ...]]]:
    for metric, examples in dimension.examples.items():
        yield metric, "best agreement", examples.best
        yield metric, "worst agreement", examples.worst


def _example(example: ExampleText, unit: Unit) -> Iterator[str]:
    prediction = f"prediction {shown_text(example.prediction, unit)} ({example.standing})"
    rated = f"rating {example.rating:.2f} (percentile {100 * example.rating_percentile:.0f})"
    yield f"  {_name(example)}: {rated}, {prediction}"
    texts = [[example.candidate], list(example.references), [example.picture] if example.picture else []]
    for label, values in zip(_LABELS, texts, strict=True):
        for number, value in enumerate(values):
            first = f"    {label if number == 0 else '':<12}"
            yield from textwrap.wrap(
                _printable(value) or "(empty)", _WIDTH, initial_indent=first, subsequent_indent=" " * 16
            )


def _name(example: ExampleText) -> str:
    text = example.text
    return text.system if text.system.startswith(f"{text.item}#") else f"{text.item} {text.system}".strip()


def _printable(text: str) -> str:
    """Without line breaks and control characters, which could make a terminal show anything."""
    return "".join(character if character.isprintable() else " " for character in " ".join(text.split()))
