"""Draw the sheet of examples in docs/shapes.md again: python -m tests.people.shapes.draw_sheet"""

from __future__ import annotations

import io
import textwrap
from pathlib import Path

from matplotlib import font_manager
from PIL import Image, ImageDraw, ImageFont

from kataribe.people.shapes.dataset import Picture, ShapesOptions, make_shapes, random_stream
from kataribe.people.shapes.drawing import draw_png
from kataribe.people.shapes.scene import SIDE

SHEET = Path(__file__).parents[3] / "docs" / "images" / "shapes.png"
SHOWN = ("s0004", "s0020", "s0024", "s0039")
WIDTH, LINE, MARGIN = 760, 19, 12
GREY, BLACK = (110, 110, 110), (20, 20, 20)
GREEN, RED = (20, 110, 50), (180, 30, 30)


def lines(picture: Picture) -> list[tuple[str, tuple[int, int, int]]]:
    found = [(f"reference: {text}", GREY) for text in picture.references]
    for caption in picture.captions:
        mean = sum(caption.ratings) / len(caption.ratings)
        text = f"{caption.kind}, rated {mean:.1f}: {caption.text}"
        colour = GREEN if caption.rule > 4 else RED if caption.rule < 3 else BLACK
        found += [(line, colour) for line in textwrap.wrap(text, 84, subsequent_indent="      ")]
    return found


def main() -> None:
    made = make_shapes(ShapesOptions("smoke"))
    shown = [picture for picture in made.pictures if picture.id in SHOWN]
    font = ImageFont.truetype(font_manager.findfont("DejaVu Sans"), 13)
    heights = [max(SIDE, LINE * len(lines(picture))) + 2 * MARGIN for picture in shown]
    sheet = Image.new("RGB", (SIDE + 3 * MARGIN + WIDTH - 150, sum(heights)), "white")
    draw, top = ImageDraw.Draw(sheet), 0
    for picture, height in zip(shown, heights, strict=True):
        png = draw_png(picture.scene, random_stream(made.options.seed, "pixels", picture.index))
        sheet.paste(Image.open(io.BytesIO(png)), (MARGIN, top + MARGIN))
        for number, (line, colour) in enumerate(lines(picture)):
            draw.text((SIDE + 2 * MARGIN, top + MARGIN + number * LINE), line, colour, font)
        top += height
    sheet.quantize(224).save(SHEET, optimize=True)
    print(SHEET, SHEET.stat().st_size)


if __name__ == "__main__":
    main()
