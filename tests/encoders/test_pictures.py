"""Picture encoders: one protocol, whatever makes the vectors."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from kataribe.core.errors import ResourceError, UsageError
from kataribe.encoders.clip import ClipEncoder
from kataribe.encoders.histogram import HistogramEncoder
from kataribe.encoders.pictures import encode_pictures, open_pictures, picture_key
from kataribe.encoders.protocol import PictureEncoder
from kataribe.encoders.vision import NetworkEncoder

pytestmark = pytest.mark.usefixtures("own_cache")


def noise(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)


def tiny_vit(folder: Path) -> str:
    pytest.importorskip("torch", reason="neural backbones need torch (pip install 'kataribe[models]')")
    transformers = pytest.importorskip("transformers", reason="this backbone needs transformers")
    config = transformers.ViTConfig(
        hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, patch_size=32
    )
    transformers.ViTModel(config).save_pretrained(folder)
    return str(folder)


def encoders(clip: str, folder: Path) -> list[PictureEncoder]:
    import torch

    torch.manual_seed(0)
    tiny = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 8, stride=8), torch.nn.ReLU())
    names = [f"transformers:{tiny_vit(folder / 'vit')}", f"transformers:{clip}"]
    return [HistogramEncoder(), NetworkEncoder("tiny", tiny, size=(64, 64)), *map(open_pictures, names)]


def test_every_encoder_keeps_the_protocol(clip: str, tmp_path: Path) -> None:
    made = encoders(clip, tmp_path)
    assert len({encoder.key for encoder in made}) == len(made)
    for encoder in made:
        width, height = encoder.size or (50, 40)
        frames = noise(3, height, width, 3)
        vectors = encoder.pixels(frames)
        assert vectors.ndim == 2
        assert len(vectors) == 3
        np.testing.assert_allclose(vectors[1], encoder.pixels([frames[1]])[0], atol=1e-5)
        assert encoder.signature


def test_clip_is_one_of_the_models_of_transformers(clip: str) -> None:
    encoder = open_pictures(f"transformers:{clip}")
    assert isinstance(encoder, ClipEncoder)
    frames = [noise(40, 50, 3), noise(64, 33, 3)]
    np.testing.assert_allclose(np.linalg.norm(encoder.pixels(frames), axis=1), 1, atol=1e-5)


def test_any_encoder_looks_at_files_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = pytest.importorskip("PIL.Image")
    files = [tmp_path / "a.png", tmp_path / "b.png", tmp_path / "same-as-a.png"]
    for file, pixels in zip(files, (noise(64, 64, 3), noise(20, 30, 3), noise(64, 64, 3)), strict=True):
        image.fromarray(pixels).save(file)
    first = encode_pictures(HistogramEncoder(), files)
    assert picture_key(files[0]) == picture_key(files[2]) != picture_key(files[1])
    monkeypatch.setattr(HistogramEncoder, "pixels", lambda *_: pytest.fail("all pictures were seen before"))
    again = encode_pictures(HistogramEncoder(), files[::-1])
    assert np.array_equal(again[::-1], first)


def test_a_model_of_transformers_in_a_local_folder_is_a_backbone(tmp_path: Path) -> None:
    encoder = open_pictures(f"transformers:{tiny_vit(tmp_path / 'tiny')}")
    assert encoder.pixels([np.zeros((224, 224, 3), dtype=np.uint8)]).shape == (1, 8)


def test_a_vision_model_without_a_pooler_gives_the_same_vectors_every_time(tmp_path: Path) -> None:
    """A pooler of random weights would not; the mean over the tokens stands for it."""
    import safetensors.torch

    weights = Path(tiny_vit(tmp_path / "tiny")) / "model.safetensors"
    kept = safetensors.torch.load_file(weights)
    without = {name: tensor for name, tensor in kept.items() if "pooler" not in name}
    assert len(without) < len(kept)
    safetensors.torch.save_file(without, weights, metadata={"format": "pt"})
    frames = noise(1, 224, 224, 3)
    one, other = (open_pictures.__wrapped__(f"transformers:{tmp_path / 'tiny'}") for _ in range(2))
    assert np.array_equal(one.pixels(frames), other.pixels(frames))
    assert one.key == other.key
    del without["layernorm.weight"]
    safetensors.torch.save_file(without, weights, metadata={"format": "pt"})
    with pytest.raises(ResourceError, match="its checkpoint lacks weights, among them layernorm"):
        open_pictures.__wrapped__(f"transformers:{tmp_path / 'tiny'}")


def test_an_absent_package_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "timm", None)
    with pytest.raises(UsageError, match=r"needs the package timm - pip install 'kataribe\[timm\]'"):
        open_pictures("timm:resnet18")
