"""Where the letters of subtitles come from: fonts that the system has."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from kataribe.core.errors import ResourceError
from kataribe.core.need import need
from kataribe.films.world.options import Language

FOLDERS = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path.home() / ".fonts",
    Path.home() / ".local/share/fonts",
    Path("/Library/Fonts"),
    Path("C:/Windows/Fonts"),
)
# File names in the order in which they are preferred, and the package that brings the first one.
FONTS: dict[Language, tuple[tuple[str, ...], str]] = {
    "zh": (
        ("NotoSansCJK-Bold.ttc", "NotoSansCJK-Regular.ttc", "NotoSansSC-Bold.otf", "wqy-zenhei.ttc", "msyh.ttc"),
        "fonts-noto-cjk",
    ),
    "en": (
        (
            "DejaVuSans-Bold.ttf",
            "DejaVuSans.ttf",
            "NotoSans-Bold.ttf",
            "LiberationSans-Bold.ttf",
            "arial.ttf",
            "NotoSansCJK-Bold.ttc",
        ),
        "fonts-dejavu-core",
    ),
}
# Which of the fonts of a collection writes simplified Chinese.
_SIMPLIFIED = 2


def find_font(language: Language) -> Path:
    """The first of the known fonts that is there."""
    names, package = FONTS[language]
    found = {
        path.name: path
        for folder in FOLDERS
        if folder.is_dir()
        for path in sorted(folder.rglob("*.tt[cf]")) + sorted(folder.rglob("*.otf"))
    }
    for name in names:
        if name in found:
            return found[name]
    raise ResourceError(
        f"no font for subtitles in the language {language!r} was found (looked for {', '.join(names[:3])})",
        hint=f"install the package {package}",
    )


@lru_cache(maxsize=16)
def open_font(language: Language, size: int) -> Any:
    path = find_font(language)
    index = _SIMPLIFIED if path.suffix == ".ttc" and "CJK" in path.name else 0
    return need("PIL.ImageFont", extra="films", purpose="drawing films").truetype(str(path), size, index=index)
