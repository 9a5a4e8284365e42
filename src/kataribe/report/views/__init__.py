"""What each kind of result adds to the report page. A room that wants a view adds it here, and only here.

A view is chosen by what a result contains, not by its task. Its Python half packs the data, its JavaScript half,
page/views/NAME.js, draws it: `registerView(NAME, {item, section})`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kataribe.core.result import Result

# Results by the name of their system.
Results = Mapping[str, Result]
# A number for each item, such as a duration; nothing where it is not known.
Column = list[float | None]


def _no_properties(results: Results, ids: Sequence[str]) -> dict[str, Column]:
    return {}


@dataclass(frozen=True)
class View:
    """`fits` says whether a result has something to show, `pack` gives the data that the view's script reads.

    `properties` are numbers about each item that scores are plotted against.
    """

    name: str
    fits: Callable[[Result], bool]
    pack: Callable[[Results, Sequence[str]], Any]
    properties: Callable[[Results, Sequence[str]], dict[str, Column]] = _no_properties


def fitting_views(results: Results) -> list[View]:
    return [view for view in all_views() if any(view.fits(result) for result in results.values())]


def all_views() -> tuple[View, ...]:
    from kataribe.report.views import captions, curves, films, grounding, roles, stories

    return captions.VIEW, roles.VIEW, stories.VIEW, films.VIEW, grounding.VIEW, curves.VIEW
