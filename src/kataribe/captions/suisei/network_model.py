"""Networks that score, on top of the encoders they were trained with.

Scores do not depend on what else is scored: heads compute in double precision, and dropout switches the same units off
for every caption.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from kataribe.captions.items import Captions
from kataribe.captions.pictured import MediaScan, scan_media
from kataribe.captions.suisei.batches import Layout, RatedBatches
from kataribe.captions.suisei.model import CardOptions, member_tensors, under
from kataribe.captions.suisei.options import GIVEN, ModelOptions
from kataribe.captions.suisei.vectors import (
    Idf,
    LayerSource,
    TextSource,
    all_vectors,
    picture_vectors,
    refuse_unseen,
    text_source,
)
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, UsageError
from kataribe.core.need import need
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Float32s, Floats
from kataribe.encoders.clip import ClipEncoder
from kataribe.encoders.encoded import EncoderFacts, find_long
from kataribe.encoders.pictures import open_pictures
from kataribe.encoders.protocol import PictureEncoder, TextEncoder
from kataribe.encoders.text import open_text
from kataribe.learning.folder import Model
from kataribe.learning.threads import one_thread

_ITEMS_AT_ONCE = 1024
# Of a model that encodes as it scores: all texts of a portion are as long as the longest, in time and in memory.
_ENCODED_AT_ONCE = 32
_TEXTS_IN_MEMORY = 30_000
_OWNER = "the model"


class NetworkFacts(NamedTuple):
    encoder: EncoderFacts
    media: str


@dataclass(frozen=True, eq=False)
class NetworkModel:
    """Networks of torch; `moved_encoder` is where their text encoder is now."""

    folder: str
    model: Model
    about: CardOptions
    options: ModelOptions
    moved_encoder: str = ""
    vectors: Literal["tokens", "sentences"] | None = "tokens"

    @property
    def signature(self) -> str:
        return self.model.signature

    @property
    def needs_references(self) -> bool:
        return self.options.uses_references

    @property
    def sees(self) -> bool:
        """Whether it looks at pictures."""
        return bool(self.about.pictures)

    @property
    def encoder_name(self) -> str:
        return self.moved_encoder or self.options.encoder

    @cached_property
    def encoder(self) -> TextEncoder:
        """The encoder it was trained with, and no other."""
        found: TextEncoder = open_text(self.encoder_name)
        if _fingerprint(found.signature) != _fingerprint(self.about.encoder):
            raise UsageError(
                f"{self.folder} was trained with the text encoder {self.about.encoder}, "
                f"{self.encoder_name!r} is {found.signature}",
                hint="suisei(FOLDER, encoder=...) names where the right one is",
            )
        if trained := under(self.model.tensors, "encoder."):
            from kataribe.encoders.trainable import with_trained

            return with_trained(self.encoder_name, trained)
        return found

    @cached_property
    def picture_encoder(self) -> PictureEncoder | None:
        """What it was trained to see with; None of a model that does not look, or that is given vectors."""
        if not self.sees or self.options.picture_encoder == GIVEN:
            return None
        found = open_pictures(self.options.picture_encoder)
        if _fingerprint(found.signature) != _fingerprint(self.about.pictures):
            raise UsageError(
                f"{self.folder} was trained with the picture encoder {self.about.pictures}, "
                f"{self.options.picture_encoder!r} is {found.signature}",
                hint="train it again, or bring the right weights to where they were",
            )
        return found

    @property
    def shared_encoder(self) -> ClipEncoder | None:
        """Where the head wants it, the text tower of the model that sees."""
        if not self.about.widths.shared:
            return None
        assert isinstance(self.picture_encoder, ClipEncoder)
        return self.picture_encoder

    @cached_property
    def idf(self) -> Idf | None:
        return Idf.from_tensors(self.model.tensors)

    @cached_property
    def networks(self) -> list[Any]:
        torch = need("torch", extra="models", purpose="learned metrics")
        from kataribe.captions.suisei.network import SuiSeiNetwork

        networks = []
        for member in range(self.about.members):
            own = member_tensors(self.model.tensors, member)
            try:
                network = SuiSeiNetwork(self.options, self.about.widths)
                network.load_state_dict({name: torch.from_numpy(tensor.copy()) for name, tensor in own.items()})
            except RuntimeError:  # of torch, over several lines
                raise InputError("its weights do not fit its card", file=self.folder, hint="train it again") from None
            networks.append(network.double().eval())
        return networks

    def scan_references(self, items: Captions) -> MediaScan:
        """What the items show counts as a reference: it is what candidates are compared with."""
        long = MediaScan(long=find_long(self.encoder, items.uncut().distinct_references))
        if not self.sees:
            return long
        return scan_media(refuse_unseen(items.media, self.options.picture_encoder, _OWNER), items.ids) + long

    def scan_predictions(self, items: Captions) -> MediaScan:
        return MediaScan(long=find_long(self.encoder, items.uncut().distinct_candidates))

    def merge(self, scanned: Sequence[MediaScan]) -> MediaScan:
        return sum(scanned, MediaScan())

    def conclude(self, references: MediaScan, predictions: MediaScan) -> NetworkFacts:
        shown = fingerprint_by_id((id, *keys) for id, keys in references.shown.items()) if references.shown else ""
        media = f"{references.source}-{shown}" if shown else "none"
        return NetworkFacts(EncoderFacts.of(self.encoder, references.long, predictions.long), media)

    def fields(self, facts: NetworkFacts) -> dict[str, str]:
        refs = self.options.combined_by if self.options.uses_references else "none"
        fields = {"refs": refs, "encoder": facts.encoder.model, "media": facts.media}
        return fields | ({"pictures": self.about.pictures} if self.sees else {})

    def warnings(self, facts: NetworkFacts) -> Sequence[Caution]:
        return facts.encoder.warnings

    def prepare(self, items: Captions, facts: NetworkFacts) -> TextSource | LayerSource:
        return text_source(self.encoder, items.uncut().sentences.texts, self.idf, self.options, self.shared_encoder)

    def scores(self, items: Captions, context: TextSource | LayerSource, draws: int = 0) -> Floats:
        captions = items.uncut()
        layout = Layout.of(captions.candidates, captions.references)
        layout.refuse_unfit(self.options, items.ids)
        nothing = np.zeros(len(items))
        # A text stands in many items: its vectors are made once, unless there are too many to keep.
        vectors = all_vectors(context) if len(context) <= _TEXTS_IN_MEMORY else context
        batches = RatedBatches(
            layout, nothing, nothing.astype(np.int64), vectors, pictures=self._pictures(items) if self.sees else None
        )
        return score_batches(self.networks, batches, draws)

    def _pictures(self, items: Captions) -> Float32s:
        vectors = picture_vectors(items.media, items.ids, self.options.picture_encoder, self.picture_encoder, _OWNER)
        if vectors.shape[1] != self.about.widths.picture:
            raise InputError(
                f"the features of pictures are {vectors.shape[1]} wide, the model takes {self.about.widths.picture}",
                file=items.media.features.file if items.media and items.media.features else None,
                hint="give features that were made as those it was trained on",
            )
        return vectors


def _fingerprint(signature: str) -> str:
    """
    >>> _fingerprint("tiny-bert-0123abcd")
    '0123abcd'
    """
    return signature.rpartition("-")[2]


def score_batches(networks: Sequence[Any], batches: RatedBatches, draws: int = 0) -> Floats:
    """What each network gives to each caption, in portions; of `draws`, the members take turns."""
    torch = need("torch", extra="models", purpose="learned metrics")
    count = len(batches.ratings)
    scores = np.zeros((draws or len(networks), count))
    like = next(networks[0].head.parameters())
    with torch.inference_mode(), one_thread(networks[0].encoder is None):
        portion = _ITEMS_AT_ONCE if networks[0].encoder is None else _ENCODED_AT_ONCE
        for start in range(0, count, portion):
            rows = np.arange(start, min(count, start + portion))
            batch = _like(like, batches.of(rows))
            for row in range(len(scores)):
                network = networks[row % len(networks)]
                found = network(batch, _kept(torch, network, row) if draws else None)
                scores[row, rows] = found.double().cpu().numpy()
    return scores


def _like(parameter: Any, value: Any) -> Any:
    """Tensors of a batch on the network's device and, where they are no indices, in its precision."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return type(value)(*(_like(parameter, part) for part in value))
    return value.to(parameter.device, parameter.dtype if value.is_floating_point() else None)


def _kept(torch: Any, network: Any, draw: int) -> Any:
    """Which hidden units are not switched off: the same for every caption, so that no score depends on the others."""
    options = network.options
    generator = torch.Generator().manual_seed(draw)
    kept = torch.rand(options.hidden_width, generator=generator) >= options.dropout
    like = next(network.head.parameters())
    return kept.to(like.device, like.dtype)
