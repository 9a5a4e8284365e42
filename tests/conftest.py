"""What the tests share: where the public data is, whether Java is there, and a METEOR resource built once."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Whatever a shell starts in the background ignores Ctrl-C, and so would the programs that are tested.
signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).parent.parent

# A busy machine is no failure of the code under test: property tests take the time they need.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what cannot run here, with the reason; leave the slow ones to `make check-slow`."""
    java = shutil.which("java")
    data = _data_folder()
    slow_wanted = "slow" in config.getoption("-m")
    for item in items:
        if "java" in item.keywords and java is None:
            item.add_marker(pytest.mark.skip(reason="no Java here to run the original tool"))
        if "data" in item.keywords and data is None:
            item.add_marker(pytest.mark.skip(reason="the public data sets are not here (set KATARIBE_DATA)"))
        if "slow" in item.keywords and not slow_wanted:
            item.add_marker(pytest.mark.skip(reason="slow: run by `make check-slow`"))


def _data_folder() -> Path | None:
    folder = Path(os.environ.get("KATARIBE_DATA", REPOSITORY.parent / "shared" / "data"))
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def data_folder() -> Path:
    folder = _data_folder()
    assert folder is not None, "mark the test `data`"
    return folder


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a tiny BERT with random weights."""
    pytest.importorskip("transformers", reason="needs kataribe[models]")
    from tests.encoders.tiny import tiny_bert

    return tiny_bert(tmp_path_factory.mktemp("models") / "tiny-bert")


@pytest.fixture(scope="session")
def xlm_roberta(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a tiny XLM-R with random weights, which reads Japanese."""
    pytest.importorskip("transformers", reason="needs kataribe[models]")
    from tests.encoders.tiny import tiny_xlm_roberta

    return tiny_xlm_roberta(tmp_path_factory.mktemp("models") / "tiny-xlm-roberta")


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a tiny CLIP with random weights."""
    pytest.importorskip("transformers", reason="needs kataribe[models]")
    from tests.encoders.tiny import tiny_clip

    return tiny_clip(tmp_path_factory.mktemp("models") / "tiny-clip")


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own: nothing encoded earlier answers for what it wants encoded."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("KATARIBE_CACHE", str(folder))
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The system's Chromium; tests that want it are skipped where it is absent."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        yield browser
        browser.close()
