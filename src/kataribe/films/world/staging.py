"""Where people stand in a shot."""

from __future__ import annotations

import numpy as np

from kataribe.films.world.actions import ACTIONS
from kataribe.films.world.casting import Player
from kataribe.films.world.film import Event, Staged

# Pixels of the square that holds a head: an actor, those around, somebody who speaks, somebody who listens.
ACTOR, AROUND, SPEAKER, LISTENER = 136, 124, 210, 140


def stage_event(event: Event, rng: np.random.Generator) -> tuple[Staged, ...]:
    """Bystanders behind, then the target at the right, then the actor, who has room for what is held."""
    reaches_right = event.target is not None or any(held.x > 0.5 for held in ACTIONS[event.action].held)
    x = float(rng.uniform(0.34, 0.42) if reaches_right else rng.uniform(0.42, 0.58))
    places = [0.10, 0.90] if event.target is None else [0.10]
    if rng.random() < 0.5:
        places.reverse()
    around = [
        Staged(player, places[number], AROUND, "bystander")
        for number, player in enumerate(event.bystanders[: len(places)])
    ]
    target = [Staged(event.target, 0.80, AROUND, "target")] if event.target else []
    return (*around, *target, Staged(event.actor, round(x, 3), ACTOR, "actor"))


def stage_line(speaker: Player, listener: Player, rng: np.random.Generator) -> tuple[Staged, ...]:
    """Whoever speaks is near; sometimes the listener is seen too."""
    if listener is not speaker and rng.random() < 0.4:
        left = rng.random() < 0.5
        near, far = (0.34, 0.80) if left else (0.66, 0.20)
        return Staged(listener, far, LISTENER, "listener"), Staged(speaker, near, SPEAKER, "speaker")
    return (Staged(speaker, float(np.round(rng.uniform(0.4, 0.6), 3)), SPEAKER, "speaker"),)
