"""Picture files as pixels, with Pillow."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kataribe.core.errors import InputError
from kataribe.core.need import need
from kataribe.media.video import Pixels


def open_picture(file: Path) -> Pixels:
    """(height, width, 3), whatever colours the file is in; a file that is no picture is named."""
    image = need("PIL.Image", extra="models", purpose="reading pictures")
    try:
        with image.open(file) as picture:
            return np.asarray(picture.convert("RGB"))
    except (OSError, ValueError, SyntaxError, image.DecompressionBombError) as error:
        raise InputError(
            f"does not open as a picture ({' '.join(str(error).split())})", file=file, hint="is it whole?"
        ) from None
