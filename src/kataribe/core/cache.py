"""Where compiled data is kept between runs."""

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """`$KATARIBE_CACHE`, or a folder in the platform's place for caches. It may not exist yet."""
    if chosen := os.environ.get("KATARIBE_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "kataribe"
