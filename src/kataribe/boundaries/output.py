"""Writing predicted boundaries in the forms that `files.py` reads."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from kataribe.boundaries.files import Prediction
from kataribe.core.errors import UsageError
from kataribe.formats.source import extension

KINDS = (".json", ".jsonl", ".csv", ".npz")


def check_kind(path: Path) -> None:
    if extension(path) not in KINDS:
        raise UsageError(f"{path}: boundaries are written as {', '.join(KINDS)}", hint="choose one of these names")


def format_boundaries(predictions: Mapping[str, Prediction], kind: str, *, with_curves: bool = False) -> bytes:
    """The file's content. npz holds the probability of every frame; the others hold it on request.

    >>> format_boundaries({"v": Prediction((1.5,), (0.9,))}, ".csv").decode()
    'id,time,score\\nv,1.5,0.9\\n'
    """
    if kind == ".npz":
        out = io.BytesIO()
        np.savez_compressed(out, **{id: _curve(id, entry) for id, entry in predictions.items()})  # type: ignore[arg-type]
        return out.getvalue()
    if kind == ".csv":
        return _csv(predictions).encode()
    entries = {id: _entry(entry, with_curves) for id, entry in predictions.items()}
    if kind == ".jsonl":
        return "".join(json.dumps({"id": id, **entry}) + "\n" for id, entry in entries.items()).encode()
    return (json.dumps(entries, indent=2) + "\n").encode()


def _entry(prediction: Prediction, with_curves: bool) -> dict[str, object]:
    entry: dict[str, object] = {"boundaries": list(prediction.times)}
    if prediction.scores is not None:
        entry["scores"] = list(prediction.scores)
    if prediction.fps is not None:
        entry["fps"] = prediction.fps
    if prediction.duration is not None:
        entry["duration"] = prediction.duration
    if with_curves and prediction.probabilities is not None:
        entry["probabilities"] = prediction.probabilities.round(6).tolist()
    return entry


def _curve(id: str, prediction: Prediction) -> np.ndarray:
    if prediction.probabilities is None:
        raise UsageError(f"{id} has no probability for each frame, which npz is for", hint="write .json")
    return prediction.probabilities


def _csv(predictions: Mapping[str, Prediction]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "time", "score"])
    for id, prediction in predictions.items():
        scores = prediction.scores or (1.0,) * len(prediction.times)
        rows = [[id, time, score] for time, score in zip(prediction.times, scores, strict=True)]
        writer.writerows(rows or [[id, "", ""]])  # a video in which nothing was found is still a video
    return out.getvalue()
