"""Options of training are checked when they are made; a mistake is one line that names the option."""

from __future__ import annotations

from typing import Any

import pytest

from kataribe.core.errors import UsageError
from kataribe.learning.options import FitOptions


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"epochs": 0}, "epochs=0: must be at least 1"),
        ({"epochs": 1.5}, "epochs: '1.5' is not a whole number"),
        ({"batch": 0}, "batch=0: must be at least 1"),
        ({"rate": 0.0}, "rate=0: must be a number greater than 0"),
        ({"rate": float("nan")}, 'rate="nan": must be a number greater than 0'),
        ({"rate": float("inf")}, "must be a number greater than 0"),
        ({"rate": "fast"}, "rate: 'fast' is not a number"),
        ({"decay": -0.1}, "decay=-0.1: must be a number from 0 on"),
        ({"clip": float("nan")}, "must be a number from 0 on"),
        ({"warmup": 1.5}, "warmup=1.5: is not a share between 0 and 1"),
        ({"warmup": float("nan")}, "is not a share"),
        ({"patience": -1}, "patience=-1: cannot be negative"),
        ({"seed": -1}, "seed=-1: cannot be negative"),
        ({"schedule": "linear"}, "no choice is called 'linear' - there are: constant, cosine, noam"),
        ({"schedule": "noam"}, 'schedule="noam": falls from the end of a warm-up - give warmup=0.05'),
        ({"precision": "fp8"}, "no precision is called 'fp8' - there are: no, fp16, bf16"),
        ({"device": "gpu"}, "no device is called 'gpu' - there are: auto, cpu"),
        ({"tracker": "tensorboard"}, "tensorboard needs a folder - give log_folder=FOLDER"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as refused:
        FitOptions(**given)
    assert says in str(refused.value)


def test_whole_numbers_will_do_for_fractions() -> None:
    assert FitOptions(rate=1, clip=0).rate == 1
