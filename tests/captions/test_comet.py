"""COMET is somebody else's package; what is ours is how captions go in and scores come out."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import kataribe
from kataribe.captions.comet import open_checkpoint
from kataribe.core.errors import ResourceError, UsageError

CANDIDATES = {"1": "a dog", "2": "a cat"}
REFERENCES = {"1": ["a dog runs", "dogs"], "2": ["one cat"]}


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, str]]:
    """A module that scores by length and remembers what it was asked."""
    asked: list[dict[str, str]] = []

    def predict(entries, batch_size, gpus, progress_bar):
        asked.extend(entries)
        return SimpleNamespace(scores=[len(entry["ref"]) / 10 for entry in entries])

    def load_from_checkpoint(path):
        if not Path(path).read_bytes().startswith(b"weights"):
            raise RuntimeError("invalid load key")
        return SimpleNamespace(predict=predict)

    module = ModuleType("comet")
    module.download_model = lambda name: str(tmp_path / "hub.ckpt")
    module.load_from_checkpoint = load_from_checkpoint
    (tmp_path / "hub.ckpt").write_bytes(b"weights of the hub")
    (tmp_path / "mine.ckpt").write_bytes(b"weights of mine")
    monkeypatch.setitem(sys.modules, "comet", module)
    open_checkpoint.cache_clear()
    return asked


def test_every_reference_is_asked_and_the_best_counts(fake: list[dict[str, str]]) -> None:
    result = kataribe.evaluate("captions", CANDIDATES, REFERENCES, ["comet"])["comet"]
    assert result.item_values.tolist() == [1.0, 0.7]
    assert {"src": "", "mt": "a dog", "ref": "dogs"} in fake
    assert len(fake) == 3
    assert "comet|model:Unbabel/wmt22-comet-da-" in result.signature
    assert "|src:empty|refs:best|" in result.signature


def test_mean_and_source_are_options(fake: list[dict[str, str]], tmp_path: Path) -> None:
    metric = f"comet({tmp_path / 'mine.ckpt'}, src=reference, refs=mean)"
    result = kataribe.evaluate("captions", CANDIDATES, REFERENCES, [metric])[metric]
    assert result.item_values.tolist() == [0.7, 0.7]
    assert {"src": "dogs", "mt": "a dog", "ref": "dogs"} in fake
    assert "comet|model:mine-" in result.signature


def test_damaged_checkpoint_is_one_line(fake: list[dict[str, str]], tmp_path: Path) -> None:
    (tmp_path / "broken.ckpt").write_bytes(b"nonsense")
    with pytest.raises(ResourceError, match=r"cannot be loaded \(invalid load key\)"):
        kataribe.evaluate("captions", CANDIDATES, REFERENCES, [f"comet({tmp_path / 'broken.ckpt'})"])


def test_absent_package_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "comet", None)
    open_checkpoint.cache_clear()
    with pytest.raises(UsageError, match="unbabel-comet, which is not installed - pip install unbabel-comet"):
        kataribe.evaluate("captions", CANDIDATES, REFERENCES, ["comet"])
