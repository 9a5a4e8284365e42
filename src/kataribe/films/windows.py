"""Windows to locate a clip in (Movie101-LTG): 200 seconds of the film that cover the clip.

The rule of Movie101 (Yue et al., 2023, section 5.2). In training the window is drawn anew in every epoch, uniformly
among those that cover the clip and lie inside the film; for testing one draw is fixed and written down. A draw depends
on the seed, the clip's id and the epoch alone, so that it does not change when other clips come or go.

A clip that is longer than the window has a window of its own length; a film that is shorter is its own window.
"""

from __future__ import annotations

import hashlib

import numpy as np

from kataribe.core.types import Narration, Segment

LENGTH = 200.0


def window_of(clip: Narration, span: Segment, length: float = LENGTH, seed: int = 0, epoch: int = 0) -> Segment:
    """The fixed window of a clip, or that of an epoch of training (the first is 1).

    >>> window = window_of(Narration("f_51-57", "f", Segment(51, 57), "Maria waits."), Segment(0, 6000))
    >>> window.length, window & Segment(51, 57)
    (200.0, Segment(start=51, end=57))
    """
    if clip.segment is None:
        raise ValueError(f"{clip.id} has no times")
    target = clip.segment
    span = span | target
    length = min(max(length, target.length), span.length)
    earliest = max(span.start, target.end - length)
    latest = min(target.start, span.end - length)
    if latest <= earliest:  # nothing to choose
        start = max(span.start, min(earliest, latest))
    else:
        start = float(np.clip(round(_stream(clip.id, seed, epoch).uniform(earliest, latest), 3), earliest, latest))
    return Segment(start, start + length)


def _stream(id: str, seed: int, epoch: int) -> np.random.Generator:
    digest = hashlib.sha256(id.encode()).digest()
    return np.random.default_rng([seed, epoch, *np.frombuffer(digest[:16], dtype=np.uint32).tolist()])
