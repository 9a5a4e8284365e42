"""The task: predictions and references -> joined items -> scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from kataribe.captions.cautions import cautions
from kataribe.captions.files import Source, join_references, read_predictions
from kataribe.captions.items import Captions
from kataribe.captions.media import read_media
from kataribe.captions.result import ScoredCaption
from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError, counted, shorten, some
from kataribe.core.join import match_ids, missing_field
from kataribe.core.metric import Metric
from kataribe.core.progress import Progress
from kataribe.core.result import Result
from kataribe.core.run import run
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Coverage
from kataribe.engines.local import LocalEngine
from kataribe.formats.features import Source as FeatureSource
from kataribe.formats.source import Paths

DEFAULT_METRICS = ("bleu", "meteor", "rouge_l", "cider")

Missing = Literal["error", "zero", "drop"]
MISSING: tuple[Missing, ...] = ("error", "zero", "drop")


def evaluate(
    predictions: Source,
    references: Source | Paths | None = None,
    metrics: Sequence[str | Metric] = DEFAULT_METRICS,
    *,
    protocol: str = "official",
    missing: Missing = "error",
    tok: str | None = None,
    images: str | Path | None = None,
    features: FeatureSource | None = None,
    text_features: FeatureSource | None = None,
    engine: LocalEngine | None = None,
    bootstrap: int = 0,
    seed: int = 0,
    details: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Score predicted captions against their references, from files or plain dictionaries.

    References may be several files: an id that is in more than one of them has the references of all.
    Metrics that look at what a caption describes find it in a folder of `images` or in a file of `features`, by id;
    `text_features` are the captions' own vectors, where no model here can make them. References may be left out if
    no metric compares with them.
    """
    defaults = {"tok": tok} if tok else {}
    chosen = registry.parse_all(metrics, "captions", protocol=protocol, defaults=defaults)
    if missing not in MISSING:
        raise UsageError(f"no policy is called {shorten(missing)!r}", hint=f"--missing {', '.join(MISSING)}")
    items, coverage, warnings = _items(chosen, predictions, references, missing)
    items = replace(items, media=read_media(items.ids, images, features, text_features))
    fields = {
        "missing": missing_field(missing, coverage.missing),
        "data": f"{coverage.scored}/{coverage.references}" if references is not None else f"{coverage.scored}",
        "hash": fingerprint_by_id((id, *sorted(texts)) for id, texts in zip(items.ids, items.references, strict=True)),
    }
    options: dict[str, Any] = {
        "bootstrap": bootstrap,
        "seed": seed,
        "details": details,
    }
    result = run(
        "captions",
        chosen,
        items,
        coverage=coverage,
        fields=fields,
        warnings=[*warnings, *cautions(chosen.values(), items)],
        engine=engine or LocalEngine(),
        progress=progress,
        **options,
    )
    return replace(result, content=content(items)) if details else result


def _items(
    metrics: Mapping[str, Metric], predictions: Source, references: Source | Paths | None, missing: Missing
) -> tuple[Captions, Coverage, list[Caution]]:
    if references is not None:
        written = join_references(references)
        items, coverage, warnings = join(read_predictions(predictions), written.captions, missing)
        return items, coverage, [*warnings, *_of_repeated(written.repeated)]
    needing = [name for name, metric in metrics.items() if metric.needs_references]
    if needing:
        raise UsageError(f"{needing[0]} compares captions with references, and there are none", hint="give -r REFS")
    predicted = read_predictions(predictions)
    # Each prediction is an item of its own: nothing can be missing or left over.
    nothing: dict[str, list[str]] = {id: [] for id in predicted}
    items, coverage, warnings = join(predicted, nothing, missing)
    return items, replace(coverage, references=0), warnings


def _of_repeated(ids: Sequence[str]) -> list[Caution]:
    if not ids:
        return []
    text = f"{counted(len(ids), 'item has', 'items have')} the same reference in several files: {some(ids)}"
    return [Caution("repeated-references", f"{text}; did annotators write the same words, or was something copied?")]


def content(items: Captions) -> dict[str, ScoredCaption]:
    """What was scored, by id, for whoever wants to show it."""
    return {
        id: ScoredCaption(candidate=candidate, references=list(references))
        for id, candidate, references in zip(items.ids, items.candidates, items.references, strict=True)
    }


def join(
    predictions: dict[str, str], references: dict[str, list[str]], missing: Missing
) -> tuple[Captions, Coverage, list[Caution]]:
    """Items by id, in the references' order, with what does not fit counted and said."""
    hint = "--missing zero scores them as empty captions, --missing drop leaves them out"
    absent, extra = match_ids(predictions, references, refuse_absent=missing == "error", hint=hint)
    kept = [id for id in references if missing != "drop" or id in predictions]
    items = Captions(kept, [predictions.get(id, "") for id in kept], [references[id] for id in kept])
    empty = [id for id in kept if id in predictions and not predictions[id].strip()]
    warnings = []
    if absent:
        action = "scored as empty captions" if missing == "zero" else "left out"
        text = f"{len(absent):,} of {len(references):,} references have no prediction, {action}: {some(absent)}"
        warnings.append(Caution("missing", text))
    if extra:
        said = counted(
            len(extra),
            "prediction has no reference and was not scored",
            "predictions have no reference and were not scored",
        )
        warnings.append(Caution("extra", f"{said}: {some(extra)}"))
    if empty:
        said = counted(len(empty), "prediction is empty", "predictions are empty")
        warnings.append(Caution("empty", f"{said}: {some(empty)}"))
    coverage = Coverage(
        references=len(references),
        predicted=len(predictions),
        scored=len(kept),
        missing=len(absent),
        extra=len(extra),
        empty=len(empty),
    )
    return items, coverage, warnings
