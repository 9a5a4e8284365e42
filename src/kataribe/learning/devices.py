"""Where training runs: accelerate set up for one run, and random numbers that are the run's own."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from kataribe.core.errors import KataribeError, UsageError, shorten
from kataribe.core.need import need
from kataribe.learning.options import FitOptions


def is_main_process() -> bool:
    """Whether this process writes and prints; `accelerate launch` starts one process for each device."""
    return os.environ.get("RANK", "0") == "0"


@contextmanager
def own_random_numbers(torch: Any, seed: int) -> Iterator[None]:
    """Inside, everything random follows from the seed; outside, the caller's random numbers go on as if nothing was."""
    python, numpys = random.getstate(), np.random.get_state()
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        random.seed(seed)
        np.random.seed(seed % 2**32)
        torch.manual_seed(seed)
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(numpys)


@contextmanager
def opened_accelerator(options: FitOptions) -> Iterator[Any]:
    accelerate = need("accelerate", extra="models", purpose="training")
    forget = accelerate.state.AcceleratorState._reset_state
    # It remembers the first call's settings for the whole process, and refuses others.
    forget(reset_partial_state=True)
    try:
        # Several processes find each other on processors only if these were asked for.
        is_cpu = options.device == "cpu" or accelerate.PartialState().device.type == "cpu"
        forget(reset_partial_state=True)
        accelerator = accelerate.Accelerator(
            cpu=is_cpu,
            mixed_precision=options.precision,
            log_with=options.tracker,
            project_dir=str(options.log_folder) if options.log_folder else None,
            # Batches are cut here, one share for each process: the schedule takes one step for each.
            dataloader_config=accelerate.utils.DataLoaderConfiguration(split_batches=True),
        )
        if options.precision == "fp16" and accelerator.device.type == "cpu":  # accelerate would train without it
            hint = "<precision bf16> works on processors too"
            raise UsageError("<precision fp16>: needs a graphics card", hint=hint, options=["precision"])
        _open_tracker(accelerator, options.tracker)
    except KataribeError:
        raise
    except (ValueError, RuntimeError, ImportError, OSError) as error:
        raise UsageError(f"accelerate cannot be set up like this ({shorten(error, 160)})") from None
    try:
        yield accelerator
    finally:
        for tracker in accelerator.trackers:
            tracker.finish()


def _open_tracker(accelerator: Any, tracker: str | None) -> None:
    if tracker is None:
        return
    accelerator.init_trackers("kataribe")
    if accelerator.is_main_process and not accelerator.trackers:  # accelerate leaves it out without a word
        raise UsageError(f"the tracker {shorten(tracker)!r} is not installed", hint=f"pip install {shorten(tracker)}")
