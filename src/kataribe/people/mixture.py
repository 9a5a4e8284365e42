"""Mixtures of metrics whose weights can be fitted to people's judgements, and where their parts are found.

    mnscore   EMScore, BERTScore, RoleF1; the paper's weights are 1, 4, 1

Parts come from results that scored the mixture, whose items hold them; else from the metrics or the table's columns
of these names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kataribe.core import registry
from kataribe.core.errors import KataribeError, UsageError, nearest, shorten, some
from kataribe.core.spec import Spec, parse_spec
from kataribe.core.types import Floats
from kataribe.people.scores import Scores


@dataclass(frozen=True)
class Mixture:
    """`parts` are the names of the parts, each with the metric's option for it; `published` are their weights."""

    name: str
    parts: Mapping[str, str]
    published: tuple[float, ...]


MIXTURES = {
    "mnscore": Mixture(
        "mnscore", {"EMScore": "emscore", "BERTScore": "bertscore", "RoleF1": "role_f1"}, (1.0, 4.0, 1.0)
    )
}


@dataclass(frozen=True)
class MixtureScores:
    """Scores of the parts alone, and the mixture as the scores name it, to which weights are added."""

    mixture: Mixture
    scores: Scores
    spec: Spec

    def weighed(self, weights: Sequence[float]) -> str:
        """The mixture with these weights, as `-m` takes it."""
        named = [(key, value) for key, value in self.spec.named if key != "weights"]
        values = tuple(f"{weight:g}" for weight in weights)
        return str(Spec(self.spec.name, self.spec.positional, (*named, ("weights", values))))


def find_mixture(name: str) -> Mixture:
    if name not in MIXTURES:
        problem = f"<fit>: no mixture is called {shorten(name)!r}"
        raise UsageError(problem, hint=nearest(name, MIXTURES), options=["fit"])
    return MIXTURES[name]


def find_parts(mixture: Mixture, scores: Scores, metrics: Sequence[str] | None) -> MixtureScores:
    """The parts' scores of every text; `metrics`, if any are named, are the only ones looked at."""
    chosen = list(metrics) if metrics else list(scores.values)
    whole = [name for name in chosen if name in scores.values and _plain(name) == _plain(mixture.name)]
    if len(whole) == 1 and (columns := _of_items(mixture, scores, whole[0])) is not None:
        return MixtureScores(mixture, _only(scores, columns), parse_spec(whole[0]))
    found: dict[str, str] = {}
    for part in mixture.parts:
        named = [name for name in chosen if name in scores.values and _plain(name) == _plain(part)]
        if len(named) != 1:
            what = f"several scores are called {part}: {some(named)}" if named else f"no score is called {part}"
            raise UsageError(
                f"{mixture.name} is made of {', '.join(mixture.parts)}, and {what} (there are: {', '.join(chosen)})",
                hint="choose one with <metric>" if named else f"score {mixture.name} itself, or its parts",
                options=["metric"],
            )
        found[part] = named[0]
    columns = {part: scores.values[name] for part, name in found.items()}
    upside_down = [name for name in found.values() if name in scores.lower_is_better]
    if upside_down:
        raise UsageError(f"lower values of {upside_down[0]} are better, and {mixture.name} adds parts up")
    return MixtureScores(mixture, _only(scores, columns), _spec_of(mixture, found))


def _of_items(mixture: Mixture, scores: Scores, metric: str) -> dict[str, Floats] | None:
    """The parts that results hold for their items; nothing where the scores are a table's."""
    rows = {text: row for row, text in enumerate(scores.texts)}
    columns = {part: np.full(len(rows), np.nan) for part in mixture.parts}
    for system, result in scores.results.items():
        held = result.metrics[metric]
        if any(part not in held.item_parts for part in mixture.parts):
            return None
        for index, id in enumerate(held.ids):
            for part, column in columns.items():
                column[rows[scores.texts[0]._replace(item=id, system=system)]] = held.item_parts[part][index]
    return columns if scores.results else None


def _only(scores: Scores, columns: Mapping[str, Floats]) -> Scores:
    return replace(scores, values=dict(columns), signatures={}, units={}, lower_is_better=frozenset(), results={})


def _spec_of(mixture: Mixture, found: Mapping[str, str]) -> Spec:
    """The mixture of these metrics; without their options where they are only columns of a table."""
    try:
        named = tuple((option, parse_spec(found[part])) for part, option in mixture.parts.items())
        return parse_spec(str(registry.parse(Spec(mixture.name, named=named))))
    except KataribeError:
        return Spec(mixture.name)


def _plain(name: str) -> str:
    """
    >>> _plain("role_f1(micro)"), _plain("RoleF1"), _plain("BERT-Score")
    ('rolef1', 'rolef1', 'bertscore')
    """
    return "".join(filter(str.isalnum, name.partition("(")[0])).lower()
