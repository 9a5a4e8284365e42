"""`kataribe.evaluate` and `kataribe.Scorer`: any task, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from kataribe.core import task as tasks
from kataribe.core.engine import Engine
from kataribe.core.metric import Metric
from kataribe.core.options import RunOptions, make
from kataribe.core.result import Result
from kataribe.engines.local import parse_engine

_RUN = ("threads", *(each.name for each in fields(RunOptions)))


def evaluate(
    task: str,
    predictions: Any,
    references: Any = None,
    metrics: Sequence[str | Metric] | None = None,
    **options: Any,
) -> Result:
    """Score predictions against references; both may be paths or plain dictionaries.

    >>> result = evaluate("captions", {"1": "a dog runs"}, {"1": ["a dog runs fast"]}, metrics=["rouge_l"])
    >>> round(result["rouge_l"].value, 4)
    0.8356
    >>> result["rouge_l"].items["1"].parts["recall"]
    0.75

    Options are the task's (`missing`, `protocol`, `tok`, ...) and those of every run (`engine`, `threads`, `bootstrap`,
    `seed`, `details`, `progress`), as on the command line.
    """
    return Scorer(task, references, metrics, **options)(predictions)


class Scorer:
    """References that are read and scanned once, for predictions that change: after every epoch, say.

    >>> score = Scorer("captions", {"1": ["a dog runs fast"]}, metrics=["rouge_l"])
    >>> [round(score({"1": text})["rouge_l"].value, 4) for text in ("a dog", "a dog runs")]
    [0.6289, 0.8356]
    """

    def __init__(
        self, task: str, references: Any = None, metrics: Sequence[str | Metric] | None = None, **options: Any
    ) -> None:
        chosen = tasks.load(task)
        own = {name: value for name, value in options.items() if name not in _RUN}
        shared = {name: value for name, value in options.items() if name in _RUN}
        made = make(chosen.options, own, owner=chosen.name, also=_RUN)
        self._references = tasks.OpenReferences(chosen, references, metrics, made, run_options(**shared))

    def __call__(self, predictions: Any) -> Result:
        return self._references.score(predictions)


def run_options(*, engine: str | Engine | None = None, threads: int = 0, **others: Any) -> RunOptions:
    """How to run, as users write it: an engine may be given by its name and its number of threads."""
    opened = parse_engine(engine or "local", threads) if engine is None or isinstance(engine, str) else engine
    return RunOptions(engine=opened, **others)
