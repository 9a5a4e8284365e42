"""Texts and pictures as vectors.

    h  = the pooled token vectors of a text                       pooled by their mean, the first token, or the maximum
    h' = the same of idf(w) h(w), token by token                  equation 3 of SuiSei; special tokens weigh 0
    idf(w) = log((M + 1) / (df(w) + 1)) over the M references of the training set, w a subword

With a mean over all tokens h is, scaled to length 1, the encoder's sentence vector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kataribe.captions.greedy import TokenCounts, count_tokens
from kataribe.captions.media import Media
from kataribe.captions.suisei.options import GIVEN, ModelOptions, Pool
from kataribe.core.errors import InputError, UsageError
from kataribe.core.types import Float32s, Int32s, Int64s
from kataribe.encoders.encoded import EncodedTexts, encode_texts
from kataribe.encoders.layers import layer_means
from kataribe.encoders.pictures import encode_pictures
from kataribe.encoders.protocol import PictureEncoder, TextEncoder, Tokens
from kataribe.encoders.text import LayeredEncoder

_TEXTS_AT_ONCE = 2048


@dataclass(frozen=True, eq=False)
class Idf:
    """The idf of subwords by their ids; those that no training reference has weigh `other`."""

    ids: Int32s
    values: Float32s
    other: float

    @classmethod
    def of(cls, encoder: TextEncoder, references: Sequence[str]) -> Idf:
        counts: TokenCounts = count_tokens(encoder, references, np.arange(len(references)))
        ids = np.flatnonzero(counts.counts).astype(np.int32)
        return cls(ids, counts.idf[ids].astype(np.float32), float(counts.idf[-1]))

    def weights(self, tokens: Int32s) -> Float32s:
        """
        >>> idf = Idf(np.array([3, 7], np.int32), np.array([0.5, 0.25], np.float32), 2.0)
        >>> idf.weights(np.array([7, 4, 3], np.int32)).tolist()
        [0.25, 2.0, 0.5]
        """
        if not len(self.ids):
            return np.full(len(tokens), self.other, dtype=np.float32)
        at = np.minimum(np.searchsorted(self.ids, tokens), len(self.ids) - 1)
        weights: Float32s = np.where(self.ids[at] == tokens, self.values[at], np.float32(self.other))
        return weights

    def to_tensors(self) -> dict[str, np.ndarray]:
        return {"idf.ids": self.ids, "idf.values": self.values, "idf.other": np.array([self.other], dtype=np.float64)}

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, np.ndarray]) -> Idf | None:
        if "idf.ids" not in tensors:
            return None
        return cls(tensors["idf.ids"], tensors["idf.values"], float(tensors["idf.other"][0]))


@dataclass(frozen=True, eq=False)
class TextVectors:
    """For each text h, h' and, where a head mixes them, h of every layer of the encoder.

    `shared` are vectors in the space of the pictures, where one model knows both.
    """

    plain: Float32s
    weighted: Float32s | None = None
    layers: Float32s | None = None
    shared: Float32s | None = None

    def __getitem__(self, rows: Int64s) -> TextVectors:
        columns = (self.plain, self.weighted, self.layers, self.shared)
        return TextVectors(*(None if column is None else column[rows] for column in columns))  # type: ignore[arg-type]

    @property
    def width(self) -> int:
        return int(self.plain.shape[-1])


@dataclass(frozen=True)
class TextSource:
    """Encoded texts, of which vectors are made in small portions: a large corpus never lies in memory at once."""

    encoded: EncodedTexts
    idf: Idf | None
    pool: Pool
    shared: EncodedTexts | None = None

    def __getitem__(self, indices: Int64s) -> TextVectors:
        tokens = self.encoded.tokens(indices)
        return TextVectors(
            pooled(tokens, None, self.pool),
            None if self.idf is None else pooled(tokens, self.idf, self.pool),
            shared=None if self.shared is None else self.shared.sentences(indices),
        )

    def __len__(self) -> int:
        return len(self.encoded.texts)


@dataclass(frozen=True)
class LayerSource:
    """Texts as the means of their tokens after every layer of an encoder; h is that of the last."""

    encoder: LayeredEncoder
    texts: Sequence[str]

    def __getitem__(self, indices: Int64s) -> TextVectors:
        layers = layer_means(self.encoder, [self.texts[index] for index in indices.tolist()])
        return TextVectors(layers[:, -1], layers=layers)

    def __len__(self) -> int:
        return len(self.texts)


def all_vectors(source: TextSource | LayerSource) -> TextVectors:
    """In memory, as training wants them."""
    count = len(source)
    return joined(
        [source[np.arange(start, min(count, start + _TEXTS_AT_ONCE))] for start in range(0, count, _TEXTS_AT_ONCE)]
    )


def joined(portions: Sequence[TextVectors]) -> TextVectors:
    def column(name: str) -> Any:
        arrays = [getattr(portion, name) for portion in portions]
        return None if arrays[0] is None else np.concatenate(arrays)

    return TextVectors(*(column(name) for name in ("plain", "weighted", "layers", "shared")))


def pooled(texts: Sequence[Tokens], idf: Idf | None, pool: Pool) -> Float32s:
    """One vector for each text.

    >>> tokens = Tokens(np.array([0, 5, 6]), np.array([True, False, False]), np.eye(3, dtype=np.float32))
    >>> pooled([tokens], None, "max").tolist()
    [[1.0, 1.0, 1.0]]
    >>> idf = Idf(np.array([5], np.int32), np.array([1.5], np.float32), 3.0)
    >>> pooled([tokens], idf, "mean").tolist()
    [[0.0, 0.5, 1.0]]
    """
    lengths = np.array([len(tokens.ids) for tokens in texts])
    weights = np.ones(int(lengths.sum()))
    if idf is not None:
        ids, special = (np.concatenate([getattr(tokens, name) for tokens in texts]) for name in ("ids", "special"))
        weights = np.where(special, 0.0, idf.weights(ids).astype(np.float64))
    found = np.empty((len(texts), texts[0].vectors.shape[1]), dtype=np.float32)
    for row, (tokens, own) in enumerate(zip(texts, np.split(weights, np.cumsum(lengths)[:-1]), strict=True)):
        if pool == "mean":  # summed in double precision
            found[row] = own @ tokens.vectors.astype(np.float64) / len(own)
        elif pool == "cls":
            found[row] = own[0] * tokens.vectors[0]
        else:
            found[row] = (own[:, np.newaxis] * tokens.vectors).max(axis=0)
    return found


def text_source(
    encoder: TextEncoder, texts: Sequence[str], idf: Idf | None, model: ModelOptions, shared: TextEncoder | None = None
) -> TextSource | LayerSource:
    """Texts, encoded as a model wants them; `shared` is an encoder that knows pictures, too."""
    if model.uses_layers:
        assert isinstance(encoder, LayeredEncoder)
        return LayerSource(encoder, texts)
    return TextSource(
        encode_texts(encoder, texts, "tokens"),
        idf,
        model.pool,
        None if shared is None else encode_texts(shared, texts, "sentences"),
    )


def refuse_unseen(media: Media | None, encoder: str, owner: str) -> Media:
    """The media, if `owner` can see the pictures there with this encoder."""
    if media is None or (media.images is None and media.features is None):
        raise UsageError(
            f"{owner} looks at pictures, and nothing says where they are",
            hint="give <features FILE>" if encoder == GIVEN else "give <images FOLDER>",
            options=["images", "features"],
        )
    if encoder == GIVEN and media.features is None:
        raise UsageError(
            f"{owner} takes given features of pictures, which cannot be made from pictures here",
            hint="give <features FILE>",
            options=["features"],
        )
    if encoder != GIVEN and media.images is None:
        raise UsageError(
            f"{owner} looks at pictures with {encoder}, and features of another making were given",
            hint="give <images FOLDER>",
            options=["images"],
        )
    return media


def picture_vectors(
    media: Media | None, ids: Sequence[str], name: str, encoder: PictureEncoder | None, owner: str
) -> Float32s:
    """A vector for each item: of its picture, the mean of its frames, or of the user's features.

    `name` is the encoder's name or GIVEN, `encoder` what makes vectors of pictures, if anything does.
    """
    media = refuse_unseen(media, name, owner)
    if encoder is None:
        assert media.features is not None
        return np.stack([media.features[id].mean(axis=0) for id in ids])
    assert media.images is not None
    for id in ids:
        if not media.images.get(id):
            raise InputError("has no picture", id=id, hint="give it one, or leave the item out")
    files = [file for id in ids for file in media.images[id]]
    ends = np.cumsum([len(media.images[id]) for id in ids])
    vectors = encode_pictures(encoder, files)
    return np.stack([frames.mean(axis=0) for frames in np.split(vectors, ends[:-1])]).astype(np.float32)
