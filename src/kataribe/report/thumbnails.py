"""Small pictures to put into a page: JPEG inside the page itself, at most 320 pixels wide."""

from __future__ import annotations

import base64
import io
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from kataribe.core.caution import Caution
from kataribe.core.errors import Location, UsageError
from kataribe.core.need import need, remedy

WIDTH = 320
_HEIGHT = 640

K = TypeVar("K", bound=Hashable)


class Thumbnails(NamedTuple):
    """By what they belong to, as data URIs; and what is said where there are none."""

    images: Mapping[Any, str]
    warnings: tuple[Caution, ...] = ()


def thumbnails(files: Mapping[K, Path]) -> Thumbnails:
    """Each picture small; none where Pillow is not installed, which a page can do without."""
    if not files:
        return Thumbnails({})
    try:
        need("PIL.Image", extra="models", purpose="showing pictures")
    except UsageError:
        text = f"the page shows no pictures, because Pillow is not installed; {remedy('models')}"
        return Thumbnails({}, (Caution("no-thumbnails", text),))
    small = {file: _thumbnail(file) for file in dict.fromkeys(files.values())}
    return Thumbnails({key: small[file] for key, file in files.items()})


def _thumbnail(file: Path) -> str:
    from PIL import Image, ImageOps

    try:
        with Image.open(file) as picture:
            upright = ImageOps.exif_transpose(picture).convert("RGBA")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        problem = f"does not open as a picture ({' '.join(str(error).split())})"
        raise Location(file).error(problem, hint="is it whole?") from None
    upright.thumbnail((WIDTH, _HEIGHT))
    small = Image.new("RGB", upright.size, "white")
    small.paste(upright, mask=upright.getchannel("A"))
    out = io.BytesIO()
    small.save(out, format="JPEG", quality=82, optimize=True)
    return f"data:image/jpeg;base64,{base64.b64encode(out.getvalue()).decode()}"
