"""What a task is: a frozen value that says how its files become items, and one `evaluate` for all of them.

    read_references(source, options)              -> references   what the files hold, in any type of the task's own
    read_predictions(source, options)             -> predictions
    join(predictions, references, options, seed)  -> Joined       items by id, counted, with signature fields
    parse(names, options)                         -> metrics      those that score this task, as the options have them
    default_metrics(items, options)               -> Defaults     the usual set, as far as these items can serve it
    run(metrics, items)                           -> Result       the same for every task (core/run.py)

A package adds a task with

    [project.entry-points."kataribe.tasks"]
    my_task = "my_package.task:TASK"
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

from kataribe.core import plugins
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.core.groups import Groups
from kataribe.core.join import I, Joined
from kataribe.core.metric import Metric
from kataribe.core.options import RunOptions, TaskOptions
from kataribe.core.result import Result
from kataribe.core.run import run as run_metrics
from kataribe.core.types import Curve

GROUP = plugins.TASKS

Names = Sequence[str | Metric]
O = TypeVar("O", bound=TaskOptions)  # noqa: E741
P = TypeVar("P")
R = TypeVar("R")


class Files(NamedTuple):
    """What a side of the comparison is on the command line: its name in the usage line and one line of help."""

    metavar: str
    help: str
    is_required: bool = True


class Defaults(NamedTuple):
    """The metrics of a task's usual set, and what is said of those that were left out."""

    metrics: Sequence[str]
    warnings: Sequence[Caution] = ()


@dataclass(frozen=True)
class Evaluation(Generic[O, P, R, I]):
    """Everything that one evaluation knows before its metrics run."""

    predictions: P
    references: R
    items: I
    metrics: Mapping[str, Metric]
    options: O
    run: RunOptions


def _nothing(evaluation: Any) -> tuple[Caution, ...]:
    return ()


def _unchanged(result: Result, evaluation: Any) -> Result:
    return result


@dataclass(frozen=True)
class Task(Generic[O, P, R, I]):
    """One kind of evaluation: see the head of this module.

    `cautions` are about the data and the metrics together, `finish` adds to a result what needs a second look at the
    data, and `content` and `curves` are what a result with details shows. `groups` says which items belong together:
    groups are scored on their own too, and a bootstrap draws them whole.
    """

    name: str
    help: str
    options: type[O]
    predictions: Files
    references: Files
    read_predictions: Callable[[Any, O], P]
    read_references: Callable[[Any, O], R]
    join: Callable[[P, R, O, int], Joined[I]]
    parse: Callable[[Names, O], dict[str, Metric]]
    default_metrics: Callable[[I, O], Defaults]
    cautions: Callable[[Evaluation[O, P, R, I]], Iterable[Caution]] = _nothing
    finish: Callable[[Result, Evaluation[O, P, R, I]], Result] = _unchanged
    content: Callable[[Evaluation[O, P, R, I]], dict[str, Any]] | None = None
    groups: Callable[[I], Groups] | None = None
    curves: Callable[[Evaluation[O, P, R, I]], tuple[Curve, ...]] | None = None


def names() -> list[str]:
    """The names of all tasks."""
    return list(plugins.registered(GROUP))


def load(name: str) -> Task[Any, Any, Any, Any]:
    """The task behind a name.

    >>> load("captions").options.__name__
    'CaptionOptions'
    """
    task = plugins.load(GROUP, name, "task")
    if not isinstance(task, Task):
        raise UsageError(f"what is registered as the task {name!r} is not a kataribe Task: {task!r}")
    return task


class OpenReferences(Generic[O, P, R, I]):
    """References that were read once, to score one set of predictions after another against them.

    What metrics must know of the references is scanned once too, as long as the same items are scored.
    """

    def __init__(
        self, task: Task[O, P, R, I], references: Any, metrics: Names | None, options: O | None, run: RunOptions | None
    ) -> None:
        self.task, self.options, self.run = task, options or task.options(), run or RunOptions()
        self.metrics = metrics
        self._chosen = task.parse(metrics or (), self.options)  # a wrong name is refused before the files are read
        self._is_without = references is None
        if self._is_without:
            _refuse_without_references(task, self._chosen)
        self.known = task.read_references(references, self.options)
        self._scanned_ids: tuple[str, ...] = ()
        self._scanned: dict[Metric, Any] = {}

    def score(self, predictions: Any) -> Result:
        task = self.task
        predicted = task.read_predictions(predictions, self.options)
        joined = task.join(predicted, self.known, self.options, self.run.seed)
        warnings, chosen = list(joined.warnings), self._chosen
        if self.metrics is None:
            usual = task.default_metrics(joined.items, self.options)
            warnings += usual.warnings
            chosen = task.parse(usual.metrics, self.options)
            if self._is_without:
                _refuse_without_references(task, chosen)
        evaluation = Evaluation(predicted, self.known, joined.items, chosen, self.options, self.run)
        result = run_metrics(
            task.name,
            chosen,
            joined.items,
            coverage=joined.coverage,
            fields=joined.fields,
            warnings=[*warnings, *task.cautions(evaluation)],
            scanned=self._scanned_of(joined.items),
            groups=task.groups(joined.items) if task.groups else None,
            options=self.run,
        )
        return _with_details(task, task.finish(result, evaluation), evaluation)

    def _scanned_of(self, items: I) -> dict[Metric, Any]:
        """Predictions decide which items there are, where missing ones are left out."""
        if self._scanned_ids != tuple(items.ids):
            self._scanned_ids, self._scanned = tuple(items.ids), {}
        return self._scanned


def evaluate(
    task: Task[O, P, R, I],
    predictions: Any,
    references: Any = None,
    metrics: Names | None = None,
    *,
    options: O | None = None,
    run: RunOptions | None = None,
) -> Result:
    """Score predictions against references; without `metrics`, with the task's usual set."""
    return OpenReferences(task, references, metrics, options, run).score(predictions)


def _refuse_without_references(task: Task[O, P, R, I], metrics: Mapping[str, Metric]) -> None:
    """Some metrics need none, in tasks whose predictions alone are items."""
    if task.references.is_required:
        raise UsageError("there are no references", hint="give <references>", options=["references"])
    needing = next((name for name, metric in metrics.items() if metric.needs_references), None)
    if needing is not None:
        problem = f"{needing} compares {task.name} with references, and there are none"
        raise UsageError(problem, hint="give <references>", options=["references"])


def _with_details(task: Task[O, P, R, I], result: Result, evaluation: Evaluation[O, P, R, I]) -> Result:
    if not evaluation.run.details:
        return result
    if task.content is not None:
        result = replace(result, content=task.content(evaluation))
    if task.curves is not None:
        result = replace(result, curves=task.curves(evaluation))
    return result
