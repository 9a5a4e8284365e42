"""`kataribe.evaluate`: any task, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from kataribe.core.errors import UsageError, nearest, shorten
from kataribe.core.metric import Metric
from kataribe.core.result import Result

TASKS = ("boundaries", "captions", "narration", "stories")


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

    Options are the task's: `missing`, `protocol`, `tok`, `bootstrap`, `seed`, ... as on the command line.
    """
    if task not in TASKS:
        raise UsageError(f"no task is called {shorten(task)!r}", hint=nearest(task, TASKS))
    if metrics is not None:
        options["metrics"] = metrics
    result: Result = import_module(f"kataribe.{task}.task").evaluate(predictions, references, **options)
    return result
