"""Worlds that several tests look at, made once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kataribe.core.errors import ResourceError
from kataribe.films.world.building import build_world
from kataribe.films.world.fonts import find_font
from kataribe.films.world.options import Language, WorldOptions


def skip_unless_it_can_be_made(language: Language) -> None:
    pytest.importorskip("PIL.Image", reason="needs kataribe[films]")
    pytest.importorskip("av", reason="needs kataribe[films]")
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed")
    try:
        find_font(language)
    except ResourceError as error:
        pytest.skip(str(error))


def _smoke(language: Language, folder: Path) -> Path:
    skip_unless_it_can_be_made(language)
    build_world(folder, WorldOptions("smoke", language=language), processes=1)
    return folder


@pytest.fixture(scope="session")
def chinese_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _smoke("zh", tmp_path_factory.mktemp("worlds") / "zh")


@pytest.fixture(scope="session")
def english_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _smoke("en", tmp_path_factory.mktemp("worlds") / "en")
