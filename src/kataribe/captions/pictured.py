"""Captions beside what they describe: texts and pictures as vectors of one space, from a model or the user's files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from kataribe.captions.greedy import TokenCounts, count_tokens, unit
from kataribe.captions.items import Captions
from kataribe.captions.media import Media
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, UsageError, some
from kataribe.core.metric import Metric
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Float32s, Int64s
from kataribe.encoders.clip import open_clip
from kataribe.encoders.encoded import EncodedTexts, LongTexts, encode_texts, find_long
from kataribe.encoders.pictures import encode_clips, encode_pictures, moment_key, picture_key
from kataribe.encoders.protocol import SharedEncoder
from kataribe.formats.features import Features


@dataclass(frozen=True)
class Pictured:
    """Both sides of some items. `encoded` are the texts by their indices; `given` are the user's vectors of texts.

    Exactly one of the two is there, and likewise of `seen` (vectors of pictures by id) and `features`.
    """

    encoded: EncodedTexts | None
    given: Features | None
    seen: Mapping[str, Float32s] | None
    features: Features | None

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

    def width_of_texts(self, items: Captions) -> int:
        if self.encoded is not None:
            return int(self.encoded.sentences(items.uncut().candidates[:1]).shape[1])
        assert self.given is not None
        return int(self.given[f"{items.ids[0]}/candidate"].shape[1])

    def references(self, items: Captions) -> Float32s:
        """The vector of each reference, item after item."""
        if self.encoded is not None:
            return self.encoded.sentences(items.uncut().references.values)
        assert self.given is not None
        return unit(np.stack([self.given[name][-1] for name in _reference_names(items)]))


@dataclass(frozen=True)
class MediaScan:
    """What must be known of all items: hashes of what they show and of given vectors, by name, and odd ones."""

    shown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    zeros: frozenset[str] = frozenset()
    long: LongTexts = field(default_factory=LongTexts)
    tokens: TokenCounts | None = None
    source: str = ""
    is_given: bool = False
    frames: str = ""  # how many of each video clip are looked at

    def __add__(self, other: MediaScan) -> MediaScan:
        both = [tokens for tokens in (self.tokens, other.tokens) if tokens is not None]
        return MediaScan(
            {**self.shown, **other.shown},
            {**self.given, **other.given},
            self.zeros | other.zeros,
            self.long + other.long,
            both[0] + both[1] if len(both) == 2 else next(iter(both), None),
            self.source or other.source,
            self.is_given or other.is_given,
            self.frames or other.frames,
        )


class PicturedFacts(NamedTuple):
    """Which model and which media, for the signature; how often tokens occur in the references and candidates."""

    signature: dict[str, str]
    warnings: list[Caution]
    is_given: bool
    reference_tokens: TokenCounts | None
    candidate_tokens: TokenCounts | None


@dataclass(frozen=True)
class PicturedMetric(Metric):
    """A metric that looks at captions and pictures: with a model, each text after `words_before`, or by the user's
    vectors.

    The references' vectors are part of what a score is measured against, so the signature names them where they are
    used; the candidates' are what is measured.
    """

    task: ClassVar[str] = "captions"
    uses_references: ClassVar[bool] = False

    @property
    @abstractmethod
    def encoder_name(self) -> str:
        """Its option `model`, which does not stand first in every metric."""

    @property
    def words_before(self) -> str:
        return ""

    @property
    def counts_tokens(self) -> bool:
        """Whether it must be known how often tokens stand in the references and candidates."""
        return False

    def scan_references(self, items: Captions) -> MediaScan:
        """What the items show counts as a reference: it is what candidates are compared with."""
        media = self._media(items)
        pictures = scan_media(media, items.ids)
        if media.texts is not None:
            return pictures + _scan_features(media.texts, _reference_names(items) if self.uses_references else ())
        captions = items.uncut()
        return pictures + self._scan_texts(captions.sentences.texts, captions.references.values)

    def scan_predictions(self, items: Captions) -> MediaScan:
        media = self._media(items)
        if media.texts is not None:
            scanned = _scan_features(media.texts, [f"{id}/candidate" for id in items.ids])
            return MediaScan(zeros=scanned.zeros, is_given=True)
        captions = items.uncut()
        return self._scan_texts(captions.sentences.texts, captions.candidates)

    def _scan_texts(self, texts: Sequence[str], documents: Int64s) -> MediaScan:
        encoder = open_clip(self.encoder_name)
        prefixed = [self.words_before + text for text in texts]
        tokens = count_tokens(encoder, prefixed, documents) if self.counts_tokens else None
        return MediaScan(long=find_long(encoder, [prefixed[index] for index in np.unique(documents)]), tokens=tokens)

    def conclude(self, references: MediaScan, predictions: MediaScan) -> PicturedFacts:
        is_given = references.is_given or predictions.is_given
        uses_model = not is_given or references.source in ("images", "videos")
        encoder = open_clip(self.encoder_name) if uses_model else None
        shown = fingerprint_by_id((id, *keys) for id, keys in references.shown.items())
        signature = {
            "model": encoder.signature if encoder else "given",
            "media": f"{references.source}-{shown}",
            **({"frames": references.frames} if references.frames else {}),
        }
        if is_given:
            written = fingerprint_by_id(references.given.items())
            signature["texts"] = f"given-{written}" if self.uses_references else "given"
        warnings = (references.long + predictions.long).cautions(encoder) if encoder else []
        if zeros := [*sorted(references.zeros), *sorted(predictions.zeros)]:
            text = f"features that are all zeros, to which nothing is similar: {some(zeros)}"
            warnings.append(Caution("zero-features", text))
        return PicturedFacts(signature, warnings, is_given, references.tokens, predictions.tokens)

    def look_at(self, items: Captions) -> Pictured:
        """Encode the texts and the pictures of the items, or take the user's vectors."""
        media = self._media(items)
        encoder = open_clip(self.encoder_name) if media.texts is None or media.is_seen else None
        encoded = None
        if media.texts is None and encoder is not None:
            texts = [self.words_before + text for text in items.uncut().sentences.texts]
            encoded = encode_texts(encoder, texts, self.vectors or "sentences")
        seen = _see(encoder, items.ids, media) if media.is_seen and encoder is not None else None
        pictured = Pictured(encoded, media.texts, seen, media.features)
        _refuse_other_spaces(pictured, items, media)
        return pictured

    def warnings(self, facts: PicturedFacts) -> Sequence[Caution]:
        return facts.warnings

    def _media(self, items: Captions) -> Media:
        media = items.media
        if media is None or not (media.is_seen or media.features is not None):
            *others, last = (f"<{name} {value}>" for name, value in items.media_options.items())
            raise UsageError(
                f"{self.name} compares captions with what they describe, and nothing says what that is",
                hint=f"give {', '.join(others)} or {last}",
                options=list(items.media_options),
            )
        return media


def scan_media(media: Media, ids: Sequence[str]) -> MediaScan:
    """Hashes of what the items show: of their pictures' files, or of the user's features."""
    if media.images is not None:
        shown = {id: tuple(picture_key(file).hex() for file in media.images[id]) for id in ids}
        return MediaScan(shown, source="images")
    if media.clips is not None:
        moments = {
            id: tuple(moment_key(clip.file, time).hex() for time in clip.times)
            for id in ids
            if (clip := media.clips[id])
        }
        counts = {str(len(keys)) for keys in moments.values()}
        return MediaScan(moments, source="videos", frames="".join(sorted(counts)))
    assert media.features is not None
    scanned = _scan_features(media.features, ids)
    return MediaScan({id: (key,) for id, key in scanned.given.items()}, zeros=scanned.zeros, source="features")


def _scan_features(features: Features, names: Iterable[str]) -> MediaScan:
    given, zeros = {}, set()
    for name in names:
        given[name] = features.key(name)
        if features.has_zeros(name):
            zeros.add(name)
    return MediaScan(given=given, zeros=frozenset(zeros), is_given=True)


def _reference_names(items: Captions) -> list[str]:
    """What the user's vectors of the references are called, item after item."""
    return [
        f"{id}/reference/{n}" for id, texts in zip(items.ids, items.references, strict=True) for n in range(len(texts))
    ]


def _see(encoder: SharedEncoder, ids: Sequence[str], media: Media) -> dict[str, Float32s]:
    if media.clips is not None:
        return dict(zip(ids, encode_clips(encoder, [media.clips[id] for id in ids]), strict=True))
    assert media.images is not None
    files = [file for id in ids for file in media.images[id]]
    vectors = encode_pictures(encoder, files)
    ends = np.cumsum([len(media.images[id]) for id in ids])
    return dict(zip(ids, np.split(vectors, ends[:-1]), strict=True))


def _refuse_other_spaces(pictured: Pictured, items: Captions, media: Media) -> None:
    """Vectors of different width cannot be compared; the first item tells, readers check the others."""
    if not len(items):
        return
    texts, pictures = pictured.width_of_texts(items), pictured.frames(items.ids[0]).shape[1]
    if texts != pictures:
        of_texts = f"those of the texts ({pictured.encoded.encoder.name})" if pictured.encoded else "those of the texts"
        source = media.features or media.texts
        raise InputError(
            f"vectors of what is shown are {pictures} wide, {of_texts} {texts}",
            file=source.file if source else None,
            hint="both must come from the same model",
        )
