"""What a metric is: a frozen value that turns items into additive statistics and statistics into a score.

    scan_references(items)   -> additive    what the corpus must know of the references of these items
    scan_predictions(items)  -> additive    the same of their predictions
    conclude(references, predictions)       -> facts        once, of everything that was scanned
    prepare(items, facts)    -> context     of one process: resources opened, texts prepared once
    stats(items, context)    -> statistics  one row per item; pure; the only expensive step
    measure(totals)          -> value, parts  the formula; totals are sums of rows, in any number of leading axes
    reduce(statistics)       -> Score       measure of the summed rows

Items come in shards, and any sharding gives the same rows. So whatever one item must know of others is in the facts:
document frequencies, a vocabulary, the boundaries of other videos. What is scanned of two shards adds up with `+`; it
and the facts can be pickled and are keyed by content, never by row number. Signatures, warnings and errors about the
corpus read facts, never a context. References are scanned apart from predictions, so that a training loop scans them
once.

Because rows add up, the same few lines serve the corpus, a single item, a shard of a cluster and a bootstrap
replicate. A metric whose score is not a function of sums overrides `reduce`, `per_item` and `replicates`.
"""

from __future__ import annotations

import math
import typing
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType, UnionType
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError, nearest, shorten
from kataribe.core.ragged import Rows
from kataribe.core.spec import Spec, Value, print_value
from kataribe.core.types import Array, Floats, Score

Protocols = Mapping[str, Mapping[str, Any]]


class Items(Protocol):
    """What a task hands to its metrics: items with ids, joined and validated.

    Some of them, a slice or those at given indices, are items again: a shard. A shard can be pickled and carries all
    that the rows of its items depend on besides the facts.
    """

    @property
    def ids(self) -> Sequence[str]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, rows: Rows, /) -> Self: ...


class Facts(NamedTuple):
    """What was scanned, of a metric that concludes nothing from it."""

    references: Any = None
    predictions: Any = None


class Measured(NamedTuple):
    """The value and its named parts, each an array over the leading axes of the totals."""

    value: Floats
    parts: dict[str, Floats]


def option(default: Any, help: str, *, positional: bool = False, always: bool = False) -> Any:
    """A metric's option: its default, one line of help, and whether it may be written without its name.

    With `always` it is written even where it is the default: readers look for the n of R@n.
    """
    return field(default=default, metadata={"help": help, "positional": positional, "always": always})


@dataclass(frozen=True)
class Metric(ABC):
    """Base of every metric; a subclass is a frozen dataclass whose fields are its options.

    A subclass may be given `protocols`: for each protocol the options it presets. Options that the user writes win.
    """

    name: ClassVar[str]
    task: ClassVar[str]
    title: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    protocols: ClassVar[Protocols] = {}
    lower_is_better: ClassVar[bool] = False
    # Most values are fractions, which tables show times 100; a perplexity is shown as it is.
    percent: ClassVar[bool] = True
    # The lowest and highest possible value, which limit the interval; (0.0, 1.0) for a fraction.
    bounds: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    # With at least so many items, 95% intervals were measured to hold the truth 95% of the time (docs/intervals.md).
    steady_from: ClassVar[int] = 10
    # An attribute of the items by which they are grouped: items of one group are always in one shard, because the row
    # of one depends on the others (its neighbours in a film, say).
    group_by: ClassVar[str | None] = None
    # What it takes from an encoder. Token vectors are computed first: the vectors of sentences come with them.
    vectors: ClassVar[Literal["tokens", "sentences"] | None] = None

    @property
    def needs_references(self) -> bool:
        """Whether it compares with references at all; some look at the candidate or the picture alone."""
        return True

    @property
    def ignores_empty(self) -> bool:
        """Whether a prediction that says nothing has no value and is left out, so that a missing one costs nothing."""
        return False

    def scan_references(self, items: Any) -> Any:
        """What all items must know of these items' references; it adds up over shards. Nothing by default."""
        return None

    def scan_predictions(self, items: Any) -> Any:
        """What all items must know of these items' predictions; it adds up over shards. Nothing by default."""
        return None

    def merge(self, scanned: Sequence[Any]) -> Any:
        """What was scanned of several shards, as if they were one."""
        parts = [part for part in scanned if part is not None]
        while len(parts) > 1:  # two by two, so that no part is copied as often as there are shards
            parts = [sum(pair[1:], pair[0]) for pair in (parts[at : at + 2] for at in range(0, len(parts), 2))]
        return parts[0] if parts else None

    def conclude(self, references: Any, predictions: Any) -> Any:
        """The facts, from what was scanned of the whole corpus; what is wrong with the corpus is raised here."""
        return Facts(references, predictions)

    def prepare(self, items: Any, facts: Any) -> Any:
        """What `stats` and `details` need for these items; the facts by default."""
        return facts

    @abstractmethod
    def stats(self, items: Any, context: Any) -> Array:
        """One row per item, one column per entry of `columns`."""

    @abstractmethod
    def measure(self, totals: Floats) -> Measured:
        """The formula, on sums of rows: totals[..., column] -> value[...], parts[...]."""

    def signature(self, facts: Any) -> dict[str, str]:
        """The choices of this metric that can move the number, in the order they are printed."""
        return {}

    def warnings(self, facts: Any) -> Sequence[Caution]:
        """What a reader of the score should know about these items."""
        return ()

    def details(self, items: Any, context: Any) -> list[Any] | None:
        """For each item something to look at (an alignment, say) that can be written as JSON."""
        return None

    def facts(self, items: Any) -> Any:
        """The facts of items that are a whole corpus."""
        return self.conclude(self.merge([self.scan_references(items)]), self.merge([self.scan_predictions(items)]))

    def rows(self, items: Any) -> Array:
        """The statistics of items that are a whole corpus, computed here and now."""
        return self.stats(items, self.prepare(items, self.facts(items)))

    def reduce(self, statistics: Array) -> Score:
        measured = self.measure(statistics.sum(axis=0, dtype=np.float64))
        return Score(float(measured.value), {name: float(part) for name, part in measured.parts.items()})

    def per_item(self, statistics: Array) -> Measured:
        return self.measure(np.asarray(statistics, dtype=np.float64))

    def replicates(self, statistics: Array, weights: Array) -> Floats:
        """The value under each row of `weights` (how often each item was drawn)."""
        totals = weights.astype(np.float64, copy=False) @ statistics.astype(np.float64, copy=False)
        return self.measure(totals).value

    def __str__(self) -> str:
        """The shortest text that parses back to this metric."""
        positional: list[Value] = []
        named: dict[str, Value] = {}
        can_be_positional = True
        for f in fields(self):
            value = getattr(self, f.name)
            if value == f.default and not f.metadata.get("always"):
                # After one that could do without its name and is left out, names are needed.
                can_be_positional = can_be_positional and not f.metadata["positional"]
            elif f.metadata["positional"] and can_be_positional:
                positional.append(_to_text(value))
            else:
                named[f.name] = _to_text(value)
        return str(Spec(self.name, tuple(positional), tuple(named.items())))


M = TypeVar("M", bound=Metric)


def from_spec(
    metric: type[M],
    spec: Spec,
    *,
    protocol: str = "official",
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> M:
    """Build the metric that a spec describes: what is written wins over `defaults`, those over the protocol."""
    options = {f.name: f for f in fields(metric)}
    hints = typing.get_type_hints(metric)
    chosen: dict[str, Any] = dict(metric.protocols.get(protocol, {}))
    chosen |= {key: value for key, value in defaults.items() if key in options}
    unnamed = [f.name for f in options.values() if f.metadata["positional"]]
    if len(spec.positional) > len(unnamed):
        raise UsageError(
            f"{spec}: {metric.name} takes {len(unnamed) or 'no'} option{'s' * (len(unnamed) != 1)} without a name",
            hint=_options_hint(options),
        )
    written = dict(zip(unnamed, spec.positional, strict=False))
    for key, value in spec.named:
        if key not in options:
            raise UsageError(f"{spec}: {metric.name} has no option {key!r}", hint=_options_hint(options, key))
        if key in written:
            raise UsageError(f"{spec}: {key} is given twice")
        written[key] = value
    for key, value in written.items():
        chosen[key] = _from_text(value, hints[key], f"{spec}: {key}")
    return metric(**chosen)


def _options_hint(options: Mapping[str, Any], key: str = "") -> str:
    if not options:
        return "write it without options"
    return nearest(key, options) if key else f"its options: {', '.join(options)}"


def _to_text(value: Any) -> Value:
    if isinstance(value, tuple):
        return tuple(str(item) for item in value)
    if isinstance(value, str | Spec):
        return value
    text = str(value).lower() if isinstance(value, bool) else str(value)
    # The text of an option with its own type may have several items, joined by + as in the grammar.
    return tuple(text.split("+")) if "+" in text else text


def _from_text(value: Value, hint: Any, where: str) -> Any:
    """Convert the text of an option to the type its field declares."""
    text = print_value(value) if not isinstance(value, str) else value
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Spec:
        return value if isinstance(value, Spec) else Spec(text)
    if origin is tuple:
        items = value if isinstance(value, tuple) else (value,)
        return tuple(_from_text(item, arguments[0], where) for item in items)
    if origin in (typing.Union, UnionType):
        return _from_text(value, next(a for a in arguments if a is not type(None)), where)
    if origin is Literal:
        for choice in arguments:
            if text == str(choice):
                return choice
        raise UsageError(f"{where}: {shorten(text)!r} is none of {', '.join(map(str, arguments))}")
    if hint is bool:
        if text in ("true", "false"):
            return text == "true"
        raise UsageError(f"{where}: {shorten(text)!r} is neither true nor false")
    try:
        return hint(text)
    except ValueError:
        raise UsageError(f"{where}: {shorten(text)!r} is not a {hint.__name__}") from None
