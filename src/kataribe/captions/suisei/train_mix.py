"""Train a mix: a blend and a residual ensemble, each as if it were alone; the model is their mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from kataribe.captions.suisei.material import VALIDATION
from kataribe.captions.suisei.mean_model import BLEND, NETWORKS, mean_of, mean_of_draws
from kataribe.captions.suisei.model import as_dict
from kataribe.captions.suisei.options import ModelOptions
from kataribe.captions.suisei.runs import Run, Setup, correlations, fit_spreads
from kataribe.captions.suisei.train_blend import train_blend
from kataribe.captions.suisei.train_networks import train_networks
from kataribe.learning.folder import Model
from kataribe.learning.result import Trial


def train_mix(
    setup: Setup, metrics: Sequence[str], warm: Model | None, state: Path | None, log_folder: Path | None
) -> Run:
    """`warm`, `state` and `log_folder` are of the networks."""
    blend = train_blend(replace(setup, model=ModelOptions(head="blend")), metrics)
    networks = train_networks(replace(setup, model=replace(setup.model, head="residual")), warm, state, log_folder)
    members = {name: mean_of(found, networks.members[name]) for name, found in blend.members.items()}
    draws = None if networks.draws is None else mean_of_draws(blend.members[VALIDATION], networks.draws)
    rated = setup.rated.examples.targets[setup.parts.rows[VALIDATION]]
    return Run(
        msgspec.structs.replace(
            networks.about,
            model=as_dict(setup.model),
            metrics=blend.about.metrics,
            spreads=fit_spreads(members[VALIDATION], draws, rated),
        ),
        {
            **{f"{BLEND}{name}": tensor for name, tensor in blend.tensors.items()},
            **{f"{NETWORKS}{name}": tensor for name, tensor in networks.tensors.items()},
        },
        [
            Trial("mix", seed, correlations(found, rated))
            for seed, found in zip(setup.seeds, members[VALIDATION], strict=True)
        ],
        members,
        {**blend.training, **networks.training},
        networks.histories,
        [*blend.notes, *networks.notes],
        draws,
    )
