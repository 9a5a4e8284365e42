"""Pictures: figures that belong to no window, as PNG and SVG."""

from __future__ import annotations

import io
from typing import Any

from kataribe.core.errors import UsageError


def new_figure(width: float, height: float) -> Any:
    """An empty figure; matplotlib is only needed where a picture is."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError("pictures need matplotlib", hint="pip install 'kataribe[plots]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def to_image(figure: Any, format: str) -> bytes:
    import matplotlib

    out = io.BytesIO()
    # No date and no random ids inside, so that the same figures give the same file.
    metadata = {"Date": None} if format == "svg" else {}
    with matplotlib.rc_context({"svg.hashsalt": "kataribe"}):
        figure.savefig(out, format=format, dpi=120, metadata=metadata)
    return out.getvalue()
