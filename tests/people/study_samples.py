"""What docs/studies.md uses beside the samples: narrations of three systems, and truths that are known."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

# What a text of each system is worth on the mean; texts differ by as much again.
WORTH = {"vt": 0.0, "ovp": 0.5, "rmn": 1.0, "wrong_names": 1.5, "wrong_words": 0.5}
LABELS = ("whole", "whole", "whole", "whole", "merge", "split")


def write_study_samples(folder: Path) -> None:
    """`vt.json` tells the neighbouring clip, `ovp.json` half of its own without names, `rmn.json` is the sample."""
    references = json.loads((folder / "narration_refs.json").read_text(encoding="utf-8"))
    cast = json.loads((folder / "cast.json").read_text(encoding="utf-8"))
    texts = [line["text"] for line in references]
    _write(folder / "vt.json", references, [*texts[1:], texts[0]])
    _write(folder / "ovp.json", references, [_nameless(line, cast) for line in references])
    (folder / "rmn.json").write_text((folder / "narration.json").read_text(encoding="utf-8"), encoding="utf-8")
    rng = np.random.default_rng(1)
    ids = [f"{line['film']}_{line['start']:g}-{line['end']:g}" for line in references]
    rows = [
        [id, system, f"{mean + rng.normal():.2f}", f"{rng.random():.2f}"]
        for id in ids
        for system, mean in WORTH.items()
    ]
    _table(folder / "truth.csv", ["item", "system", "truth", "random"], rows)
    labels = [[id, LABELS[place % len(LABELS)]] for place, id in enumerate(ids)]
    _table(folder / "true_labels.csv", ["item", "coherence"], labels)


def _nameless(line: dict[str, Any], cast: Any) -> str:
    words = re.split(r"(?<=[,;]) ", line["text"])[0]
    return re.sub("|".join(_names(cast[line["film"]])), "somebody", words)


def _names(roles: list[Any]) -> list[str]:
    found = [
        name
        for role in roles
        for name in ([role["name"], *role.get("aliases", ())] if isinstance(role, dict) else [role])
    ]
    return sorted(found, key=len, reverse=True)


def _write(path: Path, references: list[dict[str, Any]], texts: list[str]) -> None:
    lines = [{**line, "text": text} for line, text in zip(references, texts, strict=True)]
    path.write_text(json.dumps(lines, ensure_ascii=False, indent=1), encoding="utf-8")


def _table(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
