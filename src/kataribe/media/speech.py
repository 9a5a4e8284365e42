"""Where people speak: Silero's voice detector, and a rule that turns its probabilities into regions.

    p(i)    = how probable it is that somebody speaks in window i of 32 ms (512 samples at 16 kHz)
    region  = starts where p >= 0.5, ends where p < 0.35 for 0.3 s; shorter than 0.25 s is no speech;
              0.03 s are added on both sides

Silero Team (2024). Silero VAD: pre-trained enterprise-grade voice activity detector. The network wants the last 64
samples of the window before in front of each window; without them it finds nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.need import need
from kataribe.core.types import Float32s, Floats, Segment
from kataribe.media.carried import SILERO
from kataribe.media.sound import RATE, sound
from kataribe.media.stage import CHUNK, Arrays, Chunk, run_through

WINDOW, _CONTEXT, _HIDDEN = 512, 64, 128
PERIOD = WINDOW / RATE


@dataclass(frozen=True)
class Speech:
    """The stage: probabilities by window, then regions. Times are in seconds."""

    threshold: float = 0.5
    lower: float = 0.35  # hysteresis: a region goes on down to here
    silence: float = 0.3
    shortest: float = 0.25
    padding: float = 0.03

    @property
    def name(self) -> str:
        return "speech"

    @property
    def recipe(self) -> Mapping[str, Any]:
        return asdict(self) | {"model": f"{SILERO.package} {SILERO.version}"}

    def chunks(self, video: Path, last: Chunk | None) -> Iterator[Chunk]:
        """Sound is decoded from its start even where a run goes on: that is quick, and the samples stay the same."""
        state = _new_state() if last is None else {name: last.state[name] for name in ("h", "c", "context")}
        done = 0 if last is None else int(last.state["windows"])
        windows_each = int(CHUNK / PERIOD)
        for first, windows in _windows(video, windows_each):
            if first < done:
                continue
            found, state = _probabilities(windows, state)
            until = first + len(windows)
            yield Chunk(until * PERIOD, {"probability": found}, {**state, "windows": np.array(until)})

    def conclude(self, rows: Arrays) -> Arrays:
        probability = rows.get("probability", np.zeros(0, dtype=np.float32))
        regions = find_regions(probability, self)
        return {
            "probability": probability,
            "start": np.array([region.start for region in regions]),
            "end": np.array([region.end for region in regions]),
        }

    def value(self, arrays: Arrays) -> list[Segment]:
        return [Segment(*edges) for edges in zip(arrays["start"].tolist(), arrays["end"].tolist(), strict=True)]


def speech_regions(video: Path, options: Speech | None = None) -> list[Segment]:
    """Where somebody speaks, in seconds, in order and apart."""
    return run_through(options or Speech(), video)


def find_regions(probability: Floats | Float32s, rule: Speech) -> list[Segment]:
    """Regions of windows that follow the rule above.

    >>> p = np.repeat([0.1, 0.9, 0.1, 0.8, 0.1], [10, 30, 5, 30, 40])
    >>> [(round(region.start, 2), round(region.end, 2)) for region in find_regions(p, Speech())]
    [(0.29, 2.43)]
    """
    regions: list[Segment] = []
    start: int | None = None
    voiced = 0  # the last window of the region that is not silence
    for index, p in enumerate(probability):
        if start is None:
            if p >= rule.threshold:
                start = voiced = index
        elif p >= rule.lower:
            voiced = index
        elif (index - voiced) * PERIOD >= rule.silence:
            regions.append(Segment(start * PERIOD, (voiced + 1) * PERIOD))
            start = None
    if start is not None:
        regions.append(Segment(start * PERIOD, (voiced + 1) * PERIOD))
    end = len(probability) * PERIOD
    return [
        Segment(max(0.0, region.start - rule.padding), min(end, region.end + rule.padding))
        for region in regions
        if region.length >= rule.shortest
    ]


def _windows(video: Path, at_a_time: int) -> Iterator[tuple[int, Float32s]]:
    """Some windows of the sound at a time, and the index of the first; the last window is filled up with silence."""
    held, first = np.zeros(0, dtype=np.float32), 0
    for block in sound(video):
        held = np.concatenate([held, block])
        while len(held) >= at_a_time * WINDOW:
            taken = at_a_time * WINDOW
            yield first, held[:taken].reshape(-1, WINDOW)
            held, first = held[taken:], first + at_a_time
    if len(held):
        yield first, np.pad(held, (0, -len(held) % WINDOW)).reshape(-1, WINDOW)


def _new_state() -> dict[str, Any]:
    hidden = np.zeros((1, 1, _HIDDEN), dtype=np.float32)
    return {"h": hidden, "c": hidden, "context": np.zeros(_CONTEXT, dtype=np.float32)}


def _probabilities(windows: Float32s, state: Mapping[str, Any]) -> tuple[Float32s, dict[str, Any]]:
    tails = np.vstack([state["context"][None], windows[:-1, -_CONTEXT:]])
    given = {"input": np.hstack([tails, windows]), "h": state["h"], "c": state["c"]}
    found, h, c = _session().run(["speech_probs", "hn", "cn"], given)
    return np.asarray(found, dtype=np.float32), {"h": h, "c": c, "context": windows[-1, -_CONTEXT:].copy()}


@lru_cache(maxsize=1)
def _session() -> Any:
    [file] = SILERO.files
    return onnx_session(SILERO.file(file), "finding speech", threads=1)


def onnx_session(weights: Path, purpose: str, threads: int) -> Any:
    """A network of an ONNX file on the processor."""
    # From 1.29 on it would write a device id and a database under the user's cache.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    onnxruntime = need("onnxruntime", extra="films", purpose=purpose)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
