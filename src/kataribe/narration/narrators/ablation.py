"""The table of the paper: VT, OVP and RMN with their switches, beside narrators that never look.

    trivial   first-billed, whole-cast, random
    trained   vt, ovp, rmn, rmn with faces, with genres too; the paper's pointer; the billing order known, with faces
              and without

Every row is trained with the same size and the same options, each to its own best epoch by the validation films, once
for each seed, and tells the clips of the part `test`. A row's value is the mean over its seeds. Its 95% interval is of
a bootstrap over clips, in which every draw is of the same clips for all seeds and rows.

Every run leaves a model folder NAME/seed-N. A table that is asked for again takes the folders that are there, if they
were trained with the same settings on the same data.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core import registry
from kataribe.core.errors import KataribeError, UsageError
from kataribe.core.progress import report
from kataribe.core.result import MetricResult
from kataribe.films.seen import SeenClip, SeenCorpus
from kataribe.learning.folder import WEIGHTS
from kataribe.narration.narrators.model import open_model
from kataribe.narration.narrators.options import NarratorOptions, NarratorTraining
from kataribe.narration.narrators.protocol import Narrator, open_narrator
from kataribe.narration.narrators.scoring import ClipReferences, films_of, tell_clips
from kataribe.narration.narrators.training import Trained, material_of, train
from kataribe.narration.narrators.trivial import TRIVIAL
from kataribe.narration.result import NarratorRow, NarratorTable
from kataribe.stats.bootstrap import FEWEST_ITEMS, resample_weights, studentised_interval
from kataribe.text.scripts import is_mostly_unspaced

SETTINGS = "settings.json"
STATES = ".states"
TEST = "test"
# Which narrator, whether it sees faces and genres, and what else is different.
_PLAIN = {"faces": False, "genres": False, "pointer": "mixture", "billing": "shuffled"}
ROWS: Mapping[str, Mapping[str, Any]] = {
    "vt": {"model": "vt", **_PLAIN},
    "ovp": {"model": "ovp", **_PLAIN},
    "rmn": {"model": "rmn", **_PLAIN},
    "rmn + faces": {"model": "rmn", **_PLAIN, "faces": True},
    "rmn + faces + genres": {"model": "rmn", **_PLAIN, "faces": True, "genres": True},
    "rmn + faces, pointer of the paper": {"model": "rmn", **_PLAIN, "faces": True, "pointer": "paper"},
    "rmn + faces, billing known": {"model": "rmn", **_PLAIN, "faces": True, "billing": "fixed"},
    "rmn, billing known": {"model": "rmn", **_PLAIN, "billing": "fixed"},
}


@dataclass(frozen=True)
class TableOptions:
    """What the rows are scored by, and how often clips are drawn for the intervals."""

    emscore_model: Path | None = None
    videos: Path | None = None
    bootstrap: int = 1000
    rows: Sequence[str] = tuple(ROWS)

    def __post_init__(self) -> None:
        for name in self.rows:
            if name not in ROWS:
                raise UsageError(f"no row of the table is called {name!r}", hint=f"there are: {', '.join(ROWS)}")


def ablate(
    corpus: SeenCorpus,
    folder: Path,
    model: NarratorOptions,
    options: NarratorTraining,
    table: TableOptions | None = None,
    more: Callable[[Trained], Mapping[str, bytes]] = lambda trained: {},
) -> NarratorTable:
    """Train every row into `folder`, and score them all on the clips of the part `test`."""
    table = table or TableOptions()
    clips = corpus.clips(TEST, options.clips)
    if not clips:
        raise UsageError("the corpus has no clips in the part 'test' to score narrators on")
    references = ClipReferences(clips, metrics_for(clips, table), seed=options.seed, videos=table.videos)
    rows = [_row(name, "trivial", [open_narrator(name)], references, table) for name in TRIVIAL]
    left_out: dict[str, str] = {}
    signatures: dict[str, str] = {}
    for number, name in enumerate(table.rows):
        report("narrators", number, len(table.rows))
        try:
            narrators, epochs = _trained(
                corpus, folder / folder_name(name), replace(model, **ROWS[name]), options, more
            )
        except KataribeError as error:
            left_out[name] = str(error)
            continue
        rows.append(_row(name, "trained", narrators, references, table, signatures, epochs))
    report("narrators", len(table.rows), len(table.rows))
    if len(left_out) == len(table.rows):
        raise KataribeError(f"no narrator could be trained; {next(iter(left_out))}: {next(iter(left_out.values()))}")
    return NarratorTable(
        data={
            "films": len(films_of(clips)),
            "clips": len(clips),
            "training films": len(films_of(corpus.clips("train", options.clips))),
            "training clips": len(corpus.clips("train", options.clips)),
        },
        rows=tuple(rows),
        metrics=signatures,
        settings={"model": asdict(model), "training": _plain(asdict(options))},
        bootstrap=table.bootstrap,
        left_out=left_out,
    )


def folder_name(row: str) -> str:
    """
    >>> folder_name("rmn + faces, billing known")
    'rmn-faces-billing-known'
    """
    return "-".join("".join(letter if letter.isalnum() else " " for letter in row).split())


def metrics_for(clips: Sequence[SeenClip], table: TableOptions) -> list[str]:
    """RoleF1, BERTScore by an encoder that knows the language and, with a dual encoder, EMScore and MNScore."""
    encoder = "e5" if is_mostly_unspaced([clip.text for clip in clips]) else "minilm"
    bertscore = f"bertscore({encoder}, rescale=own)"
    metrics = ["role_f1", bertscore, "cider"]
    if table.emscore_model is not None:
        emscore = f"emscore(movie101, model={table.emscore_model})"
        metrics += [emscore, f"mnscore(emscore={emscore}, bertscore={bertscore})"]
    return metrics


def _trained(
    corpus: SeenCorpus,
    folder: Path,
    model: NarratorOptions,
    options: NarratorTraining,
    more: Callable[[Trained], Mapping[str, bytes]],
) -> tuple[list[Narrator], list[int]]:
    """A narrator for each seed, from its folder if it is there, and how many epochs each took to its best."""
    found: list[Narrator] = []
    epochs: list[int] = []
    for seed in range(options.seed, options.seed + options.seeds):
        own = replace(options, seed=seed, seeds=1)
        settings = _settings(corpus, model, own)
        place = folder / f"seed-{seed}"
        if not _is_trained(place, settings):
            folder.mkdir(parents=True, exist_ok=True)
            state = folder.parent / STATES / f"{folder.name}-{seed}-{hashlib.sha256(settings).hexdigest()[:8]}"
            trained = train(corpus, model, own, state=state)
            trained.write(place, {SETTINGS: settings, **more(trained)})
        narrator = open_model(place)
        found.append(narrator)
        epochs.append(_best_epoch(place, seed))
    return found, epochs


def _best_epoch(folder: Path, seed: int) -> int:
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    return int(card["training"]["courses"][str(seed)]["best"])


def _settings(corpus: SeenCorpus, model: NarratorOptions, options: NarratorTraining) -> bytes:
    """Everything that a run depends on."""
    about = {
        "model": asdict(model),
        "training": _plain(asdict(replace(options, device="auto", tracker=None, log_folder=None))),
        "data": material_of(corpus, model, options).fingerprint(),
    }
    return json.dumps(about, indent=1, sort_keys=True).encode()


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value if isinstance(value, int | float | str | None) else str(value) for name, value in values.items()
    }


def _is_trained(folder: Path, settings: bytes) -> bool:
    try:
        return (folder / WEIGHTS).is_file() and (folder / SETTINGS).read_bytes() == settings
    except OSError:
        return False


def _row(
    name: str,
    kind: Any,
    narrators: Sequence[Narrator],
    references: ClipReferences,
    table: TableOptions,
    signatures: dict[str, str] | None = None,
    epochs: Sequence[int] = (),
) -> NarratorRow:
    by_metric: dict[str, list[MetricResult]] = {}
    for narrator in narrators:
        result = references.score([told.text for told in tell_clips(narrator, references.clips)])
        for metric in references.metrics:
            by_metric.setdefault(_column(metric), []).append(result[metric])
    if signatures is not None:
        signatures |= {column: found[0].signature for column, found in by_metric.items()}
    intervals = {column: _interval(found, table.bootstrap, references.seed) for column, found in by_metric.items()}
    return NarratorRow(
        name,
        kind,
        {column: float(np.mean([each.value for each in found])) for column, found in by_metric.items()},
        {column: interval for column, interval in intervals.items() if interval is not None},
        {column: [each.value for each in found] for column, found in by_metric.items()},
        list(epochs),
    )


def _interval(results: Sequence[MetricResult], bootstrap: int, seed: int) -> tuple[float, float] | None:
    """Where the mean over seeds would lie with other clips: every draw is of the same clips for all seeds."""
    items = len(results[0].statistics)
    if not bootstrap or items < FEWEST_ITEMS:
        return None
    metric = registry.parse(results[0].spec)
    draws = []
    for weights in resample_weights(items, bootstrap, np.random.default_rng(seed)):
        draws.append(np.mean([metric.replicates(each.statistics, weights) for each in results], axis=0))
    value = float(np.mean([each.value for each in results]))
    return studentised_interval(value, np.concatenate(draws), items, metric.bounds)


def _column(metric: str) -> str:
    """
    >>> _column("bertscore(e5, rescale=own)")
    'BERTScore'
    """
    return registry.parse(metric).title
