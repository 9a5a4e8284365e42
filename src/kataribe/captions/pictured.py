"""Captions beside what they describe: texts and pictures as vectors of one space, from a model or the user's files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kataribe.captions.greedy import unit
from kataribe.captions.items import Captions
from kataribe.captions.media import Media
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, UsageError, some
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Float32s
from kataribe.encoders.clip import ClipEncoder, open_clip
from kataribe.encoders.encoded import EncodedTexts, Kind, encode_texts
from kataribe.encoders.pictures import encode_pictures
from kataribe.formats.features import Features


@dataclass(frozen=True)
class Pictured:
    """Both sides of the items. `encoded` are the texts by their places; `given` are the user's vectors of texts.

    Exactly one of the two is there, and likewise of `seen` (vectors of pictures by id) and `features`.
    """

    encoder: ClipEncoder | None
    encoded: EncodedTexts | None
    given: Features | None
    seen: Mapping[str, Float32s] | None
    features: Features | None
    media_name: str
    texts_name: str
    remarks: list[Caution]

    def frames(self, id: str) -> Float32s:
        """One vector of length 1 for each frame; a picture is a clip of one frame."""
        if self.features is not None:
            return unit(self.features[id])
        assert self.seen is not None
        return self.seen[id]

    def pictures(self, ids: Sequence[str]) -> Float32s:
        """One vector of length 1 for each item: the mean of its frames."""
        return unit(np.stack([self.frames(id).mean(axis=0) for id in ids]))

    def candidates(self, items: Captions) -> Float32s:
        """The vector of each item's candidate."""
        if self.encoded is not None:
            return self.encoded.sentences(items.uncut().candidates)
        assert self.given is not None
        return unit(np.stack([self.given[f"{id}/candidate"][-1] for id in items.ids]))

    def references(self, items: Captions) -> Float32s:
        """The vector of each reference, item after item."""
        if self.encoded is not None:
            return self.encoded.sentences(items.uncut().references)
        assert self.given is not None
        return unit(np.stack([self.given[name][-1] for name in _reference_names(items)]))

    @property
    def signature(self) -> dict[str, str]:
        model = self.encoder.signature if self.encoder else "given"
        return {"model": model, "media": self.media_name} | ({"texts": self.texts_name} if self.texts_name else {})

    @property
    def warnings(self) -> list[Caution]:
        said = self.encoded.warnings if self.encoded is not None else []
        zeros = [id for read in (self.features, self.given) if read is not None for id in sorted(read.with_zeros)]
        if zeros:
            text = f"features that are all zeros, to which nothing is similar: {some(zeros)}"
            said = [*said, Caution("zero-features", text)]
        return [*said, *self.remarks]


def look_at(
    items: Captions,
    model: str,
    asked_by: str,
    *,
    kind: Kind = "sentences",
    prefix: str = "",
    with_references: bool = False,
) -> Pictured:
    """Encode the texts (each after `prefix`) and the pictures of the items, or take the user's vectors.

    The references' vectors are part of what a score is measured against, so the signature names them where they are
    used; the candidates' are what is measured.
    """
    media = items.media
    if media is None or (media.images is None and media.features is None):
        raise UsageError(
            f"{asked_by} compares captions with what they describe, and nothing says what that is",
            hint="give --images FOLDER or --features FILE",
        )
    encoder = open_clip(model) if media.texts is None or media.images is not None else None
    encoded = None
    if media.texts is None and encoder is not None:
        encoded = encode_texts(encoder, [prefix + text for text in items.uncut().sentences.texts], kind)
    seen: dict[str, Float32s] | None = None
    remarks: list[Caution] = []
    named = ""
    if media.images is not None and encoder is not None:
        seen, remarks, named = _see(encoder, items.ids, media)
    elif media.features is not None:
        named = f"features-{media.features.fingerprint(items.ids)}"
    texts_name = ""
    if media.texts is not None:
        texts_name = f"given-{media.texts.fingerprint(_reference_names(items))}" if with_references else "given"
    pictured = Pictured(encoder, encoded, media.texts, seen, media.features, named, texts_name, remarks)
    _refuse_other_spaces(pictured, items, media)
    return pictured


def _reference_names(items: Captions) -> list[str]:
    """What the user's vectors of the references are called, item after item."""
    return [
        f"{id}/reference/{n}" for id, texts in zip(items.ids, items.references, strict=True) for n in range(len(texts))
    ]


def _see(encoder: ClipEncoder, ids: Sequence[str], media: Media) -> tuple[dict[str, Float32s], list[Caution], str]:
    assert media.images is not None
    files = [file for id in ids for file in media.images[id]]
    vectors, keys, remarks = encode_pictures(encoder, files)
    ends = np.cumsum([0, *(len(media.images[id]) for id in ids)])
    seen = dict(zip(ids, np.split(vectors, ends[1:-1]), strict=True))
    shown = fingerprint_by_id(
        (id, *(key.hex() for key in keys[start:end]))
        for id, start, end in zip(ids, ends.tolist(), ends[1:].tolist(), strict=False)
    )
    return seen, remarks, f"images-{shown}"


def _refuse_other_spaces(pictured: Pictured, items: Captions, media: Media) -> None:
    """Vectors of different width cannot be compared; the first item tells, readers check the others."""
    if not len(items):
        return
    texts, pictures = pictured.candidates(items[:1]).shape[1], pictured.frames(items.ids[0]).shape[1]
    if texts != pictures:
        of_texts = f"those of the texts ({pictured.encoder.name})" if media.texts is None and pictured.encoder else None
        source = media.features or media.texts
        raise InputError(
            f"vectors of what is shown are {pictures} wide, {of_texts or 'those of the texts'} {texts}",
            file=source.file if source else None,
            hint="both must come from the same model",
        )
