"""What result files of versions 0.1 and 0.2 lack, and how it is filled in when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.types import Anchors
from kataribe.core.unit import direction_of, unit_of


def fill_directions_and_units(metrics: Mapping[str, dict[str, Any]]) -> list[Caution]:
    """Neither version wrote them. The installed metric says what they are; of one that is not installed nobody
    knows, and that is said instead of guessed silently."""
    cautions = []
    for name, data in metrics.items():
        if "direction" in data and "unit" in data:
            continue
        metric = registry.find(data["spec"])
        if metric is None:
            data |= {"direction": "higher", "unit": "fraction"}
            text = f"{name} is not installed, and this older file does not say what its values are"
            cautions.append(Caution("unknown-direction", f"{text}: read as fractions, higher is better"))
        else:
            data |= {"direction": direction_of(metric), "unit": unit_of(metric)}
    return cautions


def warning_of(written: str | Mapping[str, str]) -> Caution:
    """Version 0.1 wrote the texts of warnings alone."""
    return Caution("older-version", written) if isinstance(written, str) else Caution(**written)


def anchors_of(data: Mapping[str, Any]) -> Anchors | None:
    """Version 0.1 did not score the system as it scored people, so that its anchors say nothing about the system."""
    if "system" not in data:
        return None
    return Anchors(data["human"], number_of(data["null"]), number_of(data["system"]), data["against"])


def number_of(value: float | None) -> float:
    """JSON has no NaN; a score that does not exist (of people, where there was only one) is null there."""
    return float("nan") if value is None else value
