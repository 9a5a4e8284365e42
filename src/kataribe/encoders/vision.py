"""Networks of torch that turn a picture into a vector: EfficientNet-Lite0, timm's, and vision models of transformers.

Pictures are normalised as ImageNet's. The vector is what the network pools, or the mean over the positions of its last
layer.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import cached_property
from typing import Any

import numpy as np

from kataribe.core.errors import UsageError, shorten
from kataribe.core.need import need
from kataribe.core.types import Floats
from kataribe.encoders import loading
from kataribe.encoders.carried import EFFICIENTNET_LITE0
from kataribe.media.video import Pixels, Size

_IMAGENET_MEAN, _IMAGENET_DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class NetworkEncoder:
    """Any network of torch from a batch of normalised pictures to one vector each, or to a map of them.

    `forward(network, pictures)` is what to call where that is not the network itself.
    """

    def __init__(
        self, name: str, network: Any, forward: Callable[[Any, Any], Any] | None = None, size: Size = (224, 224)
    ) -> None:
        self.name = name
        self.size = size
        self.network = network
        self._forward = forward or (lambda network, pictures: network(pictures))
        self._torch = need("torch", extra="models", purpose=f"the backbone {shorten(name)!r}")

    @cached_property
    def fingerprint(self) -> str:
        return loading.fingerprint(loading.tensors_of(self.network), {}, with_pooler=True)

    @property
    def signature(self) -> str:
        return f"{self.name}-{self.fingerprint}"

    @property
    def key(self) -> str:
        recipe = loading.recipe(repr(self.network), str(self.size))
        return f"pictures-{self.fingerprint}-{recipe}"

    def with_trained(self, trained: Mapping[str, Any]) -> NetworkEncoder:
        """The same network, changed: trained tensors take the place of its own, and it has another name."""
        loading.replace_tensors(self.network, self.name, trained)
        return NetworkEncoder(f"{self.name}{loading.TUNED}", self.network, self._forward, self.size)

    def pixels(self, pictures: Sequence[Pixels]) -> Floats:
        with self._torch.inference_mode(), _threads_for(self._torch, len(pictures)):
            features = self._features(self.prepare(pictures), self.network)
        return np.stack([_pool(vectors) for vectors in features.double().numpy()])

    def prepare(self, pictures: Sequence[Pixels]) -> Any:
        """Pictures as the network wants them, normalised as ImageNet's."""
        scaled = (np.stack(pictures) / 255 - np.array(_IMAGENET_MEAN)) / np.array(_IMAGENET_DEVIATION)
        return self._torch.from_numpy(scaled.transpose(0, 3, 1, 2).astype(np.float32))

    def _features(self, prepared: Any, network: Any) -> Any:
        """What the network makes of prepared pictures: vectors, or a map of them."""
        output = self._forward(network, prepared)
        pooled = getattr(output, "pooler_output", None)
        return pooled if pooled is not None else getattr(output, "last_hidden_state", output)

    def vectors(self, prepared: Any, network: Any = None) -> Any:
        """The vectors of prepared pictures as a tensor through which gradients flow, by its network or a copy of it."""
        features = self._features(prepared, network or self.network)
        if features.dim() == 4:
            return features.mean(dim=(2, 3))
        return features.mean(dim=1) if features.dim() == 3 else features


def _pool(vectors: Floats) -> Floats:
    """The mean over positions, if there are any: channels x height x width, or tokens x channels."""
    if vectors.ndim == 3:
        return np.asarray(vectors.mean(axis=(1, 2)))
    return np.asarray(vectors.mean(axis=0)) if vectors.ndim == 2 else vectors


@contextmanager
def _threads_for(torch: Any, pictures: int) -> Iterator[None]:
    """One picture is too little to share: on a busy machine threads that wait for each other cost 30 times the work."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1 if pictures == 1 else threads)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def efficientnet_lite0() -> NetworkEncoder:
    """Without its classifier, with the ImageNet weights of the package that carries them."""
    name = "efficientnet-lite0"
    purpose = f"the backbone {name!r}"
    torch = need("torch", extra="models", purpose=purpose)
    package = need("efficientnet_lite_pytorch", extra="models", purpose=purpose)
    [file] = EFFICIENTNET_LITE0.files
    weights = EFFICIENTNET_LITE0.file(file)
    # The package announces itself on standard output, which belongs to the answer.
    with redirect_stdout(io.StringIO()):
        network = package.EfficientNet.from_name(name)
    network.load_state_dict(torch.load(weights, weights_only=True))
    return NetworkEncoder(name, network.eval(), lambda network, pictures: network.extract_features(pictures))


def timm_model(model: str) -> NetworkEncoder:
    timm = need("timm", extra="timm", purpose=f"the backbone 'timm:{shorten(model)}'")
    try:
        network = timm.create_model(model, pretrained=True, num_classes=0).eval()
    except Exception as error:  # names, hubs and networks fail in many ways
        raise UsageError(f"timm cannot make {shorten(model)!r} ({shorten(error)})") from None
    return NetworkEncoder(f"timm:{model}", network)


def vision_transformer(model: str) -> NetworkEncoder:
    """A model of transformers that knows pictures only, such as ViT or DINOv2."""

    def load(transformers: Any, source: str) -> Any:
        network, info = transformers.AutoModel.from_pretrained(source, output_loading_info=True)
        absent = sorted(info["missing_keys"])
        if any("pooler" not in name for name in absent):
            raise ValueError(f"its checkpoint lacks weights, among them {absent[0]}")
        if absent:  # a pooler with random weights would give other vectors every time
            network.pooler = None
        return network.eval()

    network = loading.load(model, "vision model", load, or_else="histogram")
    return NetworkEncoder(f"transformers:{model}", network)
