"""Ready studies: the designs of published ones, with a documented STUDY.toml and samples that run at once."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

from kataribe.core.errors import OutputError, UsageError, nearest

# The film that a study shows; pictures are in their study's own folder.
TEMPLATES = {
    "soda": "film.webm",
    "soda-order": "film.webm",
    "movie101": "film.webm",
    "movie101-clips": "film.webm",
    "shichimi": None,
}


def read_template(name: str) -> str:
    """A template's STUDY.toml."""
    return (files("kataribe") / "samples" / "judge" / name / "STUDY.toml").read_text(encoding="utf-8")


def write_template(name: str, folder: Path) -> Path:
    """Fill a new or empty folder; the path of its STUDY.toml."""
    if name not in TEMPLATES:
        raise UsageError(f"no study is called {name!r}", hint=nearest(name, TEMPLATES))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(f"{folder}: is there already and not an empty folder", hint="choose another place")
    try:
        with as_file(files("kataribe") / "samples" / "judge") as samples:
            shutil.copytree(samples / name, folder, dirs_exist_ok=True)
            film = TEMPLATES[name]
            if film:
                (folder / "media").mkdir()
                shutil.copy(samples / film, folder / "media" / film)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written ({error.strerror})", hint="choose another place") from None
    return folder / "STUDY.toml"
