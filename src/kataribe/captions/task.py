"""The task: predictions and references -> joined items -> scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from kataribe.captions.items import Captions
from kataribe.core import registry
from kataribe.core.engine import LocalEngine
from kataribe.core.errors import UsageError, shorten, some
from kataribe.core.join import match_ids
from kataribe.core.metric import Metric
from kataribe.core.progress import Progress
from kataribe.core.result import Result
from kataribe.core.run import run
from kataribe.core.signature import fingerprint
from kataribe.core.types import Coverage
from kataribe.formats.captions import Source, read_predictions, read_references

DEFAULT_METRICS = ("bleu", "meteor", "rouge_l", "cider")

Missing = Literal["error", "zero", "drop"]
MISSING: tuple[Missing, ...] = ("error", "zero", "drop")


def evaluate(
    predictions: Source,
    references: Source,
    metrics: Sequence[str | Metric] = DEFAULT_METRICS,
    *,
    protocol: str = "official",
    missing: Missing = "error",
    tok: str | None = None,
    engine: LocalEngine | None = None,
    bootstrap: int = 0,
    seed: int = 0,
    details: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Score predicted captions against their references, from files or plain dictionaries."""
    defaults = {"tok": tok} if tok else {}
    chosen = registry.parse_all(metrics, "captions", protocol=protocol, defaults=defaults)
    if missing not in MISSING:
        raise UsageError(f"no policy is called {shorten(missing)!r}", hint=f"--missing {', '.join(MISSING)}")
    items, coverage, warnings = join(read_predictions(predictions), read_references(references), missing)
    fields = {
        "missing": missing,
        "data": f"{coverage.scored}/{coverage.references}",
        "hash": fingerprint(
            text for id, texts in zip(items.ids, items.references, strict=True) for text in (id, *texts)
        ),
    }
    options: dict[str, Any] = {"engine": engine, "bootstrap": bootstrap, "seed": seed, "details": details}
    result = run(
        "captions",
        chosen,
        items,
        coverage=coverage,
        fields=fields,
        warnings=warnings,
        progress=progress,
        **options,
    )
    return replace(result, content=content(items)) if details else result


def content(items: Captions) -> dict[str, Any]:
    """What was scored, by id, for whoever wants to show it."""
    return {
        id: {"candidate": candidate, "references": list(references)}
        for id, candidate, references in zip(items.ids, items.candidates, items.references, strict=True)
    }


def join(
    predictions: dict[str, str], references: dict[str, list[str]], missing: Missing
) -> tuple[Captions, Coverage, list[str]]:
    """Items by id, in the references' order, with what does not fit counted and said."""
    hint = "--missing zero scores them as empty captions, --missing drop leaves them out"
    absent, extra = match_ids(predictions, references, refuse_absent=missing == "error", hint=hint)
    kept = [id for id in references if missing != "drop" or id in predictions]
    items = Captions(kept, [predictions.get(id, "") for id in kept], [references[id] for id in kept])
    empty = [id for id in kept if id in predictions and not predictions[id].strip()]
    warnings = []
    if absent:
        action = "scored as empty captions" if missing == "zero" else "left out"
        warnings.append(
            f"{len(absent):,} of {len(references):,} references have no prediction, {action}: {some(absent)}"
        )
    if extra:
        warnings.append(f"{len(extra):,} predictions have no reference and were not scored: {some(extra)}")
    if empty:
        warnings.append(f"{len(empty):,} predictions are empty: {some(empty)}")
    coverage = Coverage(
        references=len(references),
        predicted=len(predictions),
        scored=len(kept),
        missing=len(absent),
        extra=len(extra),
        empty=len(empty),
    )
    return items, coverage, warnings
