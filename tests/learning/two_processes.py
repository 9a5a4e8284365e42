"""Run by `accelerate launch`: trains twice, and writes what came out where only the main process may."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from kataribe.learning.fit import fit, is_main_process
from tests.learning.tiny import OPTIONS, Line, learner, weights


def main(folder: Path) -> None:
    import torch

    found: dict[str, Any] = {}
    for rows in (20, 17):  # the last batch of 17 rows is a single one: a process has nothing to do
        plain = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Flatten(0))
        with torch.no_grad():
            for parameter in plain.parameters():
                parameter.fill_(0.1)
        made = learner(network=plain, examples=Line.of(rows), validate=lambda network: {"score": weights(network)[0]})
        history = fit(made, replace(OPTIONS, schedule="cosine", device="auto"), state=folder / f"state-{rows}")
        found[str(rows)] = {"losses": [epoch.loss for epoch in history.epochs], "weights": weights(made.network)}
    import accelerate

    found["processes"] = accelerate.PartialState().num_processes
    if is_main_process():
        with (folder / "found.json").open("x") as file:  # a second writer would fail
            json.dump(found, file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
