"""The command line, called in this process: `code, out, err = call("score", "captions", ...)`."""

from __future__ import annotations

import pytest

from kataribe.cli.main import main


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return run
