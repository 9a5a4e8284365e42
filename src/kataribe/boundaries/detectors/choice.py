"""Detectors by name, and the options that they have. The options are known without loading any detector."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kataribe.core.errors import UsageError, nearest
from kataribe.core.options import Options, RunOptions, option, same_as

if TYPE_CHECKING:
    from kataribe.boundaries.detectors.detector import Detector

METHODS = ("pa", "pc", "uniform", "random", "cut")


@dataclass(frozen=True)
class DetectorOptions(Options):
    """Options of all detectors; each uses its own and ignores the others'."""

    model: Path | None = option(None, "The classifier of pc, from `kataribe train boundaries`.")
    backbone: str = option("histogram", "Of pa: histogram, efficientnet-lite0, timm:NAME or transformers:NAME.")
    sigma: float | None = option(
        None, "Of pa: one width of the filter, in sampled frames; default: each change has its own."
    )
    protocol: Literal["paper"] | None = option(
        None, "Of pa: `paper` takes sigma 15 and whole windows only, as published.", noun="protocol"
    )
    count: int = option(9, "Of uniform and random: how many boundaries.")
    seed: int = same_as(RunOptions, "seed")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.count < 1 or (self.sigma is not None and not self.sigma > 0):
            raise UsageError("<count> and <sigma> must be greater than 0", options=["count", "sigma"])


def check_method(name: str) -> None:
    if name not in METHODS:
        raise UsageError(f"no method is called {name!r}", hint=nearest(name, METHODS))


def open_detector(name: str, options: DetectorOptions | None = None) -> Detector:
    """A detector with its backbone, for all videos.

    >>> open_detector("uniform", DetectorOptions(count=3)).name
    'uniform'
    """
    from kataribe.boundaries.detectors.blind import Blind
    from kataribe.boundaries.detectors.cut import HardCuts
    from kataribe.boundaries.detectors.pa import Predictability
    from kataribe.boundaries.detectors.window import Sampler
    from kataribe.encoders.pictures import open_pictures

    check_method(name)
    options = options or DetectorOptions()
    if name == "pa":
        sampler = Sampler(open_pictures(options.backbone))
        if options.protocol == "paper":
            return Predictability.of_the_paper(sampler, options.sigma)
        return Predictability(sampler, options.sigma)
    if name == "cut":
        return HardCuts()
    if name == "pc":
        return _open_trained(options.model)
    return Blind("uniform" if name == "uniform" else "random", options.count, options.seed)


def _open_trained(model: Path | None) -> Detector:
    from kataribe.boundaries.detectors.pc import PairwiseClassifier, PairwiseModel
    from kataribe.boundaries.detectors.window import Sampler

    if model is None:
        hint = "<model FOLDER>, made by `kataribe train boundaries`"
        raise UsageError("pc is a trained detector", hint=hint, options=["model"])
    trained = PairwiseModel.load(model)
    return PairwiseClassifier(Sampler(trained.open_encoder(), trained.every), trained.network)
