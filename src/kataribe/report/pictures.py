"""Pictures: figures that belong to no window, as PNG and SVG."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from kataribe.core.need import need

PALETTE = ("#d1495b", "#30638e", "#edae49", "#00798c", "#8f5fbf", "#5a9e4b", "#444444", "#b07d48", "#d98cb3")


# The first that is there also draws Chinese and Japanese; the usual font has no letters for them.
_EASTERN_FONTS = (
    "NotoSansCJK-Regular",
    "NotoSansSC-Regular",
    "SourceHanSansSC-Regular",
    "wqy-zenhei",
    "msyh",
    "simhei",
)


def new_figure(width: float, height: float) -> Any:
    """An empty figure; matplotlib is only needed where a picture is."""
    figure = need("matplotlib.figure", extra="plots", purpose="drawing pictures")
    return figure.Figure(figsize=(width, height), layout="constrained")


@cache
def eastern_font() -> str | None:
    """A font on this machine that has Chinese and Japanese letters.

    It is looked for on the disk: the list that matplotlib keeps may be older than the font.
    """
    manager = need("matplotlib.font_manager", extra="plots", purpose="drawing pictures")
    paths = {Path(path).stem.lower(): path for path in manager.findSystemFonts()}
    path = next((paths[name.lower()] for name in _EASTERN_FONTS if name.lower() in paths), None)
    if path is None:
        return None
    manager.fontManager.addfont(path)
    return str(manager.FontProperties(fname=path).get_name())


def grouped_bars(
    groups: Sequence[str], heights: Mapping[str, Sequence[float]], label: str, most: float | None = None
) -> Any:
    """For each group a bar of each series, round a line at 0. A bar beyond `most` is cut and says so."""
    figure = new_figure(11, 4.2)
    axes = figure.add_subplot()
    width = 0.8 / max(len(heights), 1)
    for index, (name, values) in enumerate(heights.items()):
        at = [group + (index + 0.5) * width - 0.4 for group in range(len(groups))]
        axes.bar(at, values, width, color=PALETTE[index % len(PALETTE)], label=name)
        for x, value in zip(at, values, strict=True):
            if most is not None and abs(value) > most:
                where, side = (most, "top") if value > 0 else (-most, "bottom")
                axes.annotate(f"{value:+.0f}", (x, where), ha="center", va=side, fontsize=7, rotation=90)
    axes.set_xticks(range(len(groups)), groups, fontsize=8)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_ylabel(label)
    if most is not None:
        low, high = axes.get_ylim()
        axes.set_ylim(max(low, -most), min(high, most))
    axes.grid(axis="y", alpha=0.25)
    axes.legend(fontsize=8)
    return figure


def to_image(figure: Any, format: str) -> bytes:
    import matplotlib

    out = io.BytesIO()
    # No date and no random ids inside, so that the same figures give the same file.
    metadata = {"Date": None} if format == "svg" else {}
    with matplotlib.rc_context({"svg.hashsalt": "kataribe"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # where no such font is there, boxes are drawn
        figure.savefig(out, format=format, dpi=120, metadata=metadata)
    return out.getvalue()
