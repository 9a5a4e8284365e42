"""Models that learned a little from made-up ratings, trained once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kataribe.captions.suisei.options import GIVEN, ModelOptions
from tests.captions.suisei.made import learned, rated

pytest.importorskip("torch", reason="needs kataribe[models]")
pytest.importorskip("accelerate", reason="needs kataribe[models]")


@pytest.fixture(autouse=True, scope="session")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache of these tests' own: random encoders come and go."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KATARIBE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def model_of(tmp_path_factory: pytest.TempPathFactory, bert: str) -> Callable[[str], str]:
    """The folder of a model by its name; each is trained when somebody first asks for it."""
    folder = tmp_path_factory.mktemp("learned")
    kinds: dict[str, dict[str, Any]] = {
        "residual": {"head": "residual"},
        "mean": {"head": "suisei", "combine": "mean"},
        "set": {"head": "set"},
        "concat": {"head": "suisei", "combine": "concat", "most_references": 3},
        "polos": {"head": "polos", "picture_encoder": GIVEN},
        "seeing": {"head": "suisei", "picture_encoder": GIVEN},
        "free": {"head": "suisei", "picture_encoder": GIVEN, "without": ("references",)},
        "blend": {"head": "blend"},
    }

    def open_or_train(name: str) -> str:
        place: Path = folder / name
        if not place.exists():
            model = ModelOptions(**{"encoder": bert, **kinds[name]})
            learned(place, model, rated(pictures="picture_encoder" in kinds[name]), seeds=2)
        return str(place)

    return open_or_train
