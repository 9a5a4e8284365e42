"""Every metric by name. Ours and those of third parties are found by the entry-point group `kataribe.metrics`.

A package adds a metric with

    [project.entry-points."kataribe.metrics"]
    my_metric = "my_package.metrics:MyMetric"

where MyMetric is a subclass of `kataribe.core.metric.Metric`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, replace
from functools import cache
from inspect import signature
from types import MappingProxyType
from typing import Any, get_args

from kataribe.core import plugins
from kataribe.core.errors import KataribeError, UsageError, shorten
from kataribe.core.metric import Metric, from_spec
from kataribe.core.options import Protocol
from kataribe.core.spec import Spec, parse_spec

GROUP = "kataribe.metrics"
PROTOCOLS: tuple[str, ...] = get_args(Protocol)


def names(task: str | None = None) -> list[str]:
    """The names of all metrics, or of one task's."""
    return [name for name in sorted(plugins.registered(GROUP)) if task is None or load(name).task == task]


@cache
def load(name: str) -> type[Metric]:
    """The metric class behind a name."""
    metric = plugins.load(GROUP, name, "metric")
    if not (isinstance(metric, type) and issubclass(metric, Metric)):
        raise UsageError(f"what is registered as the metric {name!r} is not a kataribe Metric: {metric!r}")
    if len(signature(metric.prepare).parameters) != len(signature(Metric.prepare).parameters):
        raise UsageError(
            f"the metric {name!r} was written for kataribe 0.2: `prepare` takes items and facts now",
            hint="see docs/extending.md",
        )
    return metric


def parse(
    text: str | Spec | Metric,
    *,
    protocol: str = "official",
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> Metric:
    """The metric that a text describes; `str()` of it gives the text back in its shortest form.

    >>> str(parse("cider( plain )")), str(parse("bleu(4)"))
    ('cider(plain)', 'bleu')
    >>> parse("cider(plain)") == parse("cider(variant=plain)")
    True
    """
    if isinstance(text, Metric):
        return text
    spec = parse_spec(text) if isinstance(text, str) else text
    chosen = load(spec.name)
    known = dict.fromkeys([*PROTOCOLS, *chosen.protocols])  # a task may have protocols of its own
    if protocol not in known:
        problem = f"<protocol>: no protocol is called {shorten(protocol)!r}"
        raise UsageError(problem, hint=f"there are: {', '.join(known)}", options=["protocol"])
    metric = from_spec(chosen, spec, protocol=protocol, defaults=defaults)
    nested = {f.name: value for f in fields(metric) if isinstance(value := getattr(metric, f.name), Spec)}
    # A metric inside a metric follows the same protocol, and a wrong name in it is found here, not while scoring.
    texts = {name: str(parse(inner, protocol=protocol, defaults=defaults)) for name, inner in nested.items()}
    return replace(metric, **{name: parse_spec(text) for name, text in texts.items()}) if nested else metric


def find(spec: str) -> Metric | None:
    """The metric that a result names; nothing where a plug-in's metric is not installed where the result is read.

    >>> str(find("bleu(2)")), find("of_somebody_else")
    ('bleu(2)', None)
    """
    try:
        return parse(spec)
    except KataribeError:
        return None


def parse_all(
    texts: Iterable[str | Metric],
    task: str,
    *,
    also: Collection[str] = (),
    protocol: str = "official",
    defaults: Mapping[str, Any] = MappingProxyType({}),
    hint: str = "see `kataribe metrics`",
) -> dict[str, Metric]:
    """The metrics of one task, each under the name it was asked for by; those of the tasks in `also` may be among them.

    What a protocol or a task-wide option changes is in the metric and its signature, not in this name: whoever asks
    for soda(c) finds soda(c) in the answer.

    >>> parse_all(["bleu"], "captions", protocol="paper")
    {'bleu': Bleu(n=4, tok='ptb', smooth='none')}
    """
    chosen: dict[str, Metric] = {}
    for text in texts:
        plain = parse(text)
        if plain.task != task and plain.task not in also:
            raise UsageError(f"{plain} does not score {task} but {plain.task}", hint=hint.format(metric=plain))
        metric, name = parse(text, protocol=protocol, defaults=defaults), str(plain)
        # Under a protocol two texts may have one shortest form and yet mean two metrics: then the text is the name.
        chosen[name if chosen.get(name, metric) == metric else str(text)] = metric
    return chosen
