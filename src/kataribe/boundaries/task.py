"""The task: predicted boundaries and annotators -> joined videos -> scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kataribe.boundaries.items import Videos
from kataribe.boundaries.join import MISSING, Missing, join
from kataribe.core import registry
from kataribe.core.engine import LocalEngine
from kataribe.core.errors import UsageError, shorten
from kataribe.core.metric import Metric
from kataribe.core.progress import Progress
from kataribe.core.result import Result
from kataribe.core.run import run
from kataribe.core.signature import fingerprint
from kataribe.formats.boundaries import Source, Unit, read_predictions, read_truth

DEFAULT_METRICS = (
    "boundary_f1",
    "boundary_f1(confident)",
    "chance_f1",
    "boundary_ap",
    "informedness",
)
MIN_CONSISTENCY = 0.3


def evaluate(
    predictions: Source,
    references: Source,
    metrics: Sequence[str | Metric] = DEFAULT_METRICS,
    *,
    protocol: str = "official",
    missing: Missing = "zero",
    unit: Unit = "seconds",
    min_consistency: float = MIN_CONSISTENCY,
    engine: LocalEngine | None = None,
    bootstrap: int = 0,
    seed: int = 0,
    details: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Score predicted boundaries against annotators, from files or plain dictionaries."""
    chosen = [registry.parse(metric, protocol=protocol, defaults={"seed": seed}) for metric in metrics]
    for metric in chosen:
        if metric.task != "boundaries":
            raise UsageError(f"{metric} does not score boundaries but {metric.task}", hint="see `kataribe metrics`")
    if missing not in MISSING:
        raise UsageError(f"no policy is called {shorten(missing)!r}", hint=f"--missing {', '.join(MISSING)}")
    if unit not in ("seconds", "frames"):
        raise UsageError(f"no unit is called {shorten(unit)!r}", hint="--unit seconds or frames")
    truth = read_truth(references)
    videos, coverage, fields, warnings = join(read_predictions(predictions), truth, missing, unit, min_consistency)
    fields |= {
        "missing": missing,
        "data": f"{coverage.scored}/{coverage.references}",
        "hash": fingerprint(_spelled(videos)),
    }
    return run(
        "boundaries",
        chosen,
        videos,
        coverage=coverage,
        fields=fields,
        warnings=warnings,
        engine=engine,
        bootstrap=bootstrap,
        seed=seed,
        details=details,
        progress=progress,
    )


def _spelled(videos: Videos) -> Iterator[str]:
    """What tells one ground truth from another."""
    for id, duration in zip(videos.ids, videos.durations.tolist(), strict=True):
        yield id
        yield repr(duration)
    for times in videos.truth:
        yield repr(times.tolist())
