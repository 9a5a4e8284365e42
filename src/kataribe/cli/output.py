"""Where answers go: checked before the work starts, against everything that the same call reads."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from kataribe.core.errors import OutputError
from kataribe.formats.output import check_apart, check_writable

Named = Path | str | None | Iterable["Path | str"]


def check_outputs(outputs: Iterable[Path | None], *reads: Named, metrics: Iterable[str] | None = None) -> None:
    """Refuse an answer that cannot be written, that would overwrite what is read, or that another one would overwrite.

    `reads` is whatever the call names: paths, FILE or NAME=FILE, lists of them, None. Metrics may name files too:
    cider(idf=FILE).
    """
    targets = [output for output in outputs if output is not None]
    files = [Path(text) for named in reads for word in _words(named) for text in (word, word.partition("=")[2]) if text]
    files += [file for metric in metrics or () for file in _files_in(metric)]
    for target in targets:
        check_writable(target, files)
    check_apart(targets)


def check_model_output(folder: Path, *reads: Named) -> None:
    """Refuse a model folder that cannot be written, or that would replace a file or a folder that the call uses."""
    from kataribe.learning.folder import check_model_folder

    target = Path(os.path.realpath(folder))
    for word in (word for named in reads for word in _words(named)):
        if Path(os.path.realpath(word)).is_relative_to(target):
            problem = f"{folder}: {word} is used by this call and would be lost"
            raise OutputError(problem, hint="name another folder for the model")
    check_model_folder(folder)


def _words(named: Named) -> list[str]:
    if named is None:
        return []
    return [str(named)] if isinstance(named, Path | str) else [str(one) for one in named]


def _files_in(metric: str) -> list[Path]:
    options = re.split(r"[(),=]", metric.partition("(")[2])
    return [Path(option.strip()) for option in options if Path(option.strip()).is_file()]
