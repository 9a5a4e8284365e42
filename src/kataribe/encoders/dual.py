"""A trained retriever as an encoder: frames and texts in one space, by two encoders and a projection for each.

    p(x) = W x / |x| + b, scaled to length 1         of a frame, of a whole text and of each of its tokens alike
    shot(frames) = mean of p(frame), scaled to length 1
    score(shot, text) = shot . p(text)               their CLIPScore without words before the text, divided by 2.5

`kataribe train retriever` writes the folder; `clipscore(model=FOLDER)` and `emscore(model=FOLDER)` read it. A folder in
which an encoder was trained too holds that encoder's tensors. Nothing here needs torch, unless an encoder does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from kataribe.core.errors import InputError
from kataribe.core.need import need
from kataribe.core.types import Array, Float32s, Int32s
from kataribe.encoders.pictures import new_pictures
from kataribe.encoders.protocol import Forward, PictureEncoder, TextEncoder, TokenizedText
from kataribe.encoders.text import open_text
from kataribe.learning.folder import CARD, Model, Tensors, read_card, read_model
from kataribe.media.video import Pixels, Size

KIND = "retriever"
# Before the name of a model of texts and pictures, of which one side is taken.
CLIP = "transformers:"


class DualOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the card says of the two sides: encoders with their signatures before training, and how films are cut."""

    text: str
    text_signature: str
    pictures: str
    pictures_signature: str
    width: int
    rate: float = 1.0  # frames a second that it was trained on
    length: float = 20.0  # seconds of a shot


class Projection(NamedTuple):
    """p(x) before it is scaled: (width, inputs) and (width,)."""

    weight: Float32s
    bias: Float32s

    def __call__(self, vectors: Array) -> Float32s:
        """
        >>> turn = Projection(np.array([[0, -1], [1, 0]], np.float32), np.zeros(2, np.float32))
        >>> turn(np.array([[4.0, 3.0]])).astype(float).round(1).tolist()
        [[-0.6, 0.8]]
        """
        return unit(unit(np.asarray(vectors, dtype=np.float32)) @ self.weight.T + self.bias)


def unit(vectors: Array) -> Float32s:
    """Each vector scaled to length 1; zeros stay zeros."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, np.where(lengths > 0, lengths, 1), dtype=np.float32)


def is_retriever(model: str | Path) -> bool:
    """Whether this is the folder of a trained retriever, sound or not; a damaged card of any model is said."""
    folder = Path(model).expanduser()
    return (folder / CARD).is_file() and read_card(folder).kind == KIND


class DualEncoder:
    """Texts and pictures in the space of a trained retriever.

    Its encoders are opened when they are needed first; other weights than those it was trained with are refused.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).expanduser()
        self.model: Model = read_model(self.folder, KIND)
        try:
            self.options = msgspec.convert(self.model.card.options, DualOptions)
            self._texts, self._frames = (_projection(self.model.tensors, side) for side in ("texts", "frames"))
        except (msgspec.ValidationError, KeyError) as error:
            raise InputError(f"is no retriever of this version ({error})", file=self.folder) from None
        self.signature = self.model.signature
        self.name = self.signature

    @cached_property
    def text_encoder(self) -> TextEncoder:
        from kataribe.encoders.trainable import with_trained

        options, trained = self.options, under(self.model.tensors, "text_encoder.")
        self._check(open_texts(options.text).signature, options.text_signature, "text")
        return with_trained(options.text, trained) if trained else open_texts(options.text)

    @cached_property
    def picture_encoder(self) -> PictureEncoder:
        options, trained = self.options, under(self.model.tensors, "picture_encoder.")
        self._check(new_pictures(options.pictures).signature, options.pictures_signature, "picture")
        return new_pictures(options.pictures, trained or None)

    @cached_property
    def pictures_signature(self) -> str:
        """The signature of the picture encoder, which need not be opened for it unless it was trained."""
        is_trained = bool(under(self.model.tensors, "picture_encoder."))
        return self.picture_encoder.signature if is_trained else self.options.pictures_signature

    def _check(self, found: str, expected: str, kind: str) -> None:
        if found != expected:
            raise InputError(
                f"was trained with the {kind} encoder {expected}, and here it is {found}",
                file=self.folder,
                hint="train it again with what is installed",
            )

    @property
    def key(self) -> str:
        return f"{self.signature}-{self.text_encoder.key}"

    @property
    def size(self) -> Size | None:
        return self.picture_encoder.size

    @property
    def longest(self) -> int:
        return self.text_encoder.longest

    @property
    def special_ids(self) -> frozenset[int]:
        return self.text_encoder.special_ids

    @property
    def parallel(self) -> bool:
        return self.text_encoder.parallel

    @cached_property
    def end_id(self) -> int | None:
        """What an empty text ends with."""
        [empty] = self.text_encoder.tokenize([""])
        last = int(empty.ids[-1])
        return last if last in self.special_ids else None

    def tokenize(self, texts: Sequence[str]) -> list[TokenizedText]:
        return self.text_encoder.tokenize(texts)

    def forward(self, batch: Sequence[Int32s]) -> Forward:
        made = self.text_encoder.forward(batch)
        return Forward([self._texts(tokens) for tokens in made.tokens], self._texts(made.sentences))

    def pixels(self, pictures: Sequence[Pixels]) -> Float32s:
        return self.frames(self.picture_encoder.pixels([_resized(picture, self.size) for picture in pictures]))

    def frames(self, vectors: Array) -> Float32s:
        """Frames that its picture encoder has seen already, as vectors of the common space."""
        if vectors.shape[-1] != self.frame_width:
            raise InputError(
                f"sees frames of {self.frame_width} numbers, and these have {vectors.shape[-1]}", file=self.folder
            )
        return self._frames(vectors)

    @property
    def frame_width(self) -> int:
        return int(self._frames.weight.shape[1])


def open_texts(name: str) -> TextEncoder:
    """The text encoder of a name; `transformers:NAME` is the text side of a model of texts and pictures."""
    if name.startswith(CLIP):
        from kataribe.encoders.clip import ClipEncoder

        return ClipEncoder(name.removeprefix(CLIP))
    return open_text(name)


def pooled(frames: Float32s) -> Float32s:
    """One vector of a shot from those of its frames: (..., frames, width) to (..., width)."""
    return unit(frames.mean(axis=-2))


def under(tensors: Tensors, start: str) -> dict[str, np.ndarray]:
    """Tensors whose name starts so, without the start."""
    return {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}


def _resized(picture: Pixels, size: Size | None) -> Pixels:
    """As large as the encoder wants it, which is how frames of films come; picture files are of any size."""
    if size is None or picture.shape[:2] == (size[1], size[0]):
        return picture
    image = need("PIL.Image", extra="models", purpose="resizing pictures")
    return np.asarray(image.fromarray(picture).resize(size, image.Resampling.BICUBIC))


def _projection(tensors: Mapping[str, Any], side: str) -> Projection:
    return Projection(tensors[f"{side}.weight"], tensors[f"{side}.bias"])
