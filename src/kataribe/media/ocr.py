"""Lines of text in a picture, with PP-OCR's weights: where they are, and what they say.

Lines are found with rapidocr's detector. Pieces that lie side by side become one line again before it is read. The
recogniser's letters are taken as they are, but it loses the spaces of English lines: between two letters it often
prefers "nothing" to "space", and gives the space a small probability all the same. So a space is read where that
probability is over 0.02.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from kataribe.core.need import need
from kataribe.core.types import Floats
from kataribe.media.carried import PP_OCR
from kataribe.media.video import Pixels

_SPACE = 0.02
_PURPOSE = "reading burnt-in subtitles"


class Line(NamedTuple):
    """A line of text; edges are in pixels of the picture, `confidence` is the mean of its letters'."""

    left: int
    top: int
    right: int
    bottom: int
    text: str
    confidence: float

    @property
    def height(self) -> int:
        return self.bottom - self.top


def read_lines(picture: Pixels) -> list[Line]:
    """From top to bottom; what reads as nothing is left out."""
    engine = _engine()
    bgr = np.ascontiguousarray(picture[..., ::-1])
    corners, _ = engine.text_det(bgr)
    if corners is None or not len(corners):
        return []
    edges = [_edges(np.asarray(quadrilateral), picture.shape) for quadrilateral in corners]
    lines = []
    for left, top, right, bottom in join_pieces(edges):
        text, confidence = _recognise(engine.text_rec, bgr[top:bottom, left:right])
        if text:
            lines.append(Line(left, top, right, bottom, text, confidence))
    return lines


def join_pieces(pieces: Sequence[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Boxes (left, top, right, bottom) on the same line and near each other as one, from top to bottom.

    >>> join_pieces([(60, 11, 90, 30), (10, 10, 50, 30), (10, 40, 50, 60)])
    [(10, 10, 90, 30), (10, 40, 50, 60)]
    """
    joined: list[tuple[int, int, int, int]] = []
    for piece in sorted(pieces):
        for index, line in enumerate(joined):
            height = min(line[3] - line[1], piece[3] - piece[1])
            overlap = min(line[3], piece[3]) - max(line[1], piece[1])
            if overlap > height / 2 and piece[0] - line[2] < 1.5 * height:
                joined[index] = (line[0], min(line[1], piece[1]), max(line[2], piece[2]), max(line[3], piece[3]))
                break
        else:
            joined.append(piece)
    return sorted(joined, key=lambda line: (line[1], line[0]))


def _edges(quadrilateral: Floats, shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    left, top = quadrilateral.min(axis=0)
    right, bottom = quadrilateral.max(axis=0)
    # The detector cuts full stops off that hang at the end of a line.
    margin = 0.25 * (bottom - top)
    return (
        max(0, int(left - margin)),
        max(0, int(top)),
        min(shape[1], int(np.ceil(right + margin))),
        min(shape[0], int(np.ceil(bottom))),
    )


def _recognise(recogniser: Any, line: Pixels) -> tuple[str, float]:
    _, height, width = recogniser.rec_image_shape
    ratio = max(width / height, line.shape[1] / line.shape[0])
    [probabilities] = recogniser.session(recogniser.resize_norm_img(line, ratio)[None])[0]
    return decode(probabilities, recogniser.postprocess_op.character)


def decode(probabilities: Floats, alphabet: Sequence[str]) -> tuple[str, float]:
    """The text of (steps, letters); letter 0 is "nothing", the last one the space.

    >>> steps = np.array([[0, 1, 0], [0.97, 0, 0.03], [0, 1, 0], [0.99, 0, 0.01], [0, 1, 0]])
    >>> decode(steps, ["", "a", " "])
    ('a aa', 1.0)
    """
    space = len(alphabet) - 1
    best = probabilities.argmax(axis=1)
    text, sure = "", []
    before, gap = 0, False
    for step, letter in enumerate(best):
        if letter in (0, space):
            gap |= bool(probabilities[step, space] > _SPACE)
        elif letter != before:
            text += (" " if gap and text else "") + alphabet[letter]
            sure.append(probabilities[step, letter])
            gap = False
        else:
            gap = False
        before = letter
    return text, float(np.mean(sure)) if sure else 0.0


@lru_cache(maxsize=1)
def _engine() -> Any:
    """Strips are not enlarged to 736 pixels, which takes six times as long; nothing stands on its head."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    package = need("rapidocr_onnxruntime", extra="films", purpose=_PURPOSE)
    PP_OCR.all_files()
    return package.RapidOCR(det_limit_type="min", det_limit_side_len=80, use_cls=False)
