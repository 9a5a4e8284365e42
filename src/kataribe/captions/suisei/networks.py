"""Models that are networks of torch on top of encoders.

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
from kataribe.captions.suisei.batches import Layout, RatedBatches, refuse_many
from kataribe.captions.suisei.model import CardOptions, Scored
from kataribe.captions.suisei.options import GIVEN, ModelOptions
from kataribe.captions.suisei.vectors import Idf, check_width, picture_vectors, text_source
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, UsageError
from kataribe.core.need import need
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Float32s, Floats
from kataribe.encoders.clip import ClipEncoder
from kataribe.encoders.encoded import EncoderFacts, find_long
from kataribe.encoders.pictures import open_pictures
from kataribe.encoders.protocol import TextEncoder
from kataribe.encoders.text import open_text
from kataribe.learning.folder import Model

_ITEMS_AT_ONCE = 1024
_ENCODER = "encoder."


@dataclass(frozen=True, eq=False)
class NetworkModel:
    """Networks of torch on top of encoders."""

    model: Model
    about: CardOptions
    options: ModelOptions
    moved_encoder: str = ""
    vectors: Literal["tokens", "sentences"] | None = "tokens"

    @property
    def signature(self) -> str:
        return self.model.signature

    @cached_property
    def encoder(self) -> TextEncoder:
        """The encoder it was trained with, and no other."""
        name = self.moved_encoder or self.options.encoder
        trained = {key.removeprefix(_ENCODER): t for key, t in self.model.tensors.items() if key.startswith(_ENCODER)}
        found: TextEncoder = open_text(name)
        if found.signature.rpartition("-")[2] != self.about.encoder.rpartition("-")[2]:
            raise UsageError(
                f"the model was trained with the text encoder {self.about.encoder}, {name!r} is {found.signature}",
                hint="suisei(FOLDER, encoder=...) names where the right one is",
            )
        if trained:
            from kataribe.encoders.trainable import with_trained

            return with_trained(name, trained)
        return found

    @cached_property
    def idf(self) -> Idf | None:
        return Idf.from_tensors(self.model.tensors)

    @cached_property
    def sees(self) -> bool:
        return bool(self.about.pictures)

    @cached_property
    def shared_encoder(self) -> ClipEncoder | None:
        """Of a model that knows texts and pictures, what it makes of texts."""
        if not self.about.widths[2]:
            return None
        found = open_pictures(self.options.picture_encoder)
        assert isinstance(found, ClipEncoder)
        return found

    @cached_property
    def networks(self) -> list[Any]:
        torch = need("torch", extra="models", purpose="learned metrics")
        from kataribe.captions.suisei.heads import Widths
        from kataribe.captions.suisei.network import SuiSeiNetwork

        networks = []
        for member in range(self.about.members):
            start = f"member{member}."
            own = {key.removeprefix(start): t for key, t in self.model.tensors.items() if key.startswith(start)}
            network = SuiSeiNetwork(self.options, Widths(*self.about.widths))
            try:
                network.load_state_dict({name: torch.from_numpy(tensor.copy()) for name, tensor in own.items()})
            except RuntimeError:
                raise InputError("its weights do not fit its card", hint="train it again") from None
            networks.append(network.double().eval())
        return networks

    def scan_references(self, items: Captions) -> MediaScan:
        pictures = scan_media(self._media(items), items.ids) if self.sees else MediaScan()
        return pictures + MediaScan(long=find_long(self.encoder, items.uncut().distinct_references))

    def scan_predictions(self, items: Captions) -> MediaScan:
        return MediaScan(long=find_long(self.encoder, items.uncut().distinct_candidates))

    def merge(self, scanned: Sequence[MediaScan]) -> MediaScan:
        return sum(scanned, MediaScan())

    def conclude(self, references: MediaScan, predictions: MediaScan) -> NetworkFacts:
        long = references.long + predictions.long
        shown = fingerprint_by_id((id, *keys) for id, keys in references.shown.items()) if references.shown else ""
        media = f"{references.source}-{shown}" if shown else "none"
        return NetworkFacts(EncoderFacts.of(self.encoder, long), media)

    def fields(self, facts: NetworkFacts) -> dict[str, str]:
        fields = {"encoder": facts.encoder.model, "media": facts.media}
        return fields | ({"pictures": self.about.pictures} if self.sees else {})

    def warnings(self, facts: NetworkFacts) -> Sequence[Caution]:
        return facts.encoder.warnings

    def prepare(self, items: Captions, facts: NetworkFacts) -> Scored:
        source = text_source(
            self.encoder,
            items.uncut().sentences.texts,
            self.idf,
            self.options.pool,
            layers_of=(self.moved_encoder or self.options.encoder) if self.options.uses_layers else None,
            shared=self.shared_encoder,
        )
        return Scored(source, facts)

    def scores(self, items: Captions, context: Scored, draws: int = 0) -> Floats:
        """(members, items) or, of `draws`, (draws, items): each with other hidden units switched off."""
        captions = items.uncut()
        layout = Layout.of(captions.candidates, [found.tolist() for found in captions.references])
        if self.options.combined_by == "concat":
            refuse_many(layout, self.options.most_references, items.ids)
        pictures = self._pictures(items)
        nothing = np.zeros(len(items))
        batches = RatedBatches(layout, nothing, nothing.astype(np.int64), context.source, pictures=pictures)
        return score_batches(self.networks, batches, draws)

    def _pictures(self, items: Captions) -> Float32s | None:
        if not self.sees or not len(items):
            return None
        vectors = picture_vectors(items.media, items.ids, self.options.picture_encoder, "the model")
        check_width(vectors.shape[1], self.about.widths[1], "pictures")
        if self.options.picture_encoder != GIVEN:
            found = open_pictures(self.options.picture_encoder).signature
            if found != self.about.pictures:
                raise UsageError(f"the model was trained with the pictures' encoder {self.about.pictures}, not {found}")
        return vectors.astype(np.float32)

    def _media(self, items: Captions) -> Any:
        if items.media is None:
            picture_vectors(None, (), self.options.picture_encoder, "the model")  # says what is missing
        return items.media


class NetworkFacts(NamedTuple):
    encoder: EncoderFacts
    media: str


def score_batches(networks: Sequence[Any], batches: RatedBatches, draws: int = 0) -> Floats:
    """What each network gives to each caption, in portions; of `draws`, the members take turns."""
    torch = need("torch", extra="models", purpose="learned metrics")
    count = len(batches.ratings)
    scores = np.zeros((draws or len(networks), count))
    like = next(networks[0].head.parameters())
    for start in range(0, count, _ITEMS_AT_ONCE):
        rows = np.arange(start, min(count, start + _ITEMS_AT_ONCE))
        batch = _like(like, batches.of(rows))
        with torch.inference_mode():
            for row in range(len(scores)):
                network = networks[row % len(networks)]
                found = _with_dropout(torch, network, batch, row) if draws else network(batch)
                scores[row, rows] = found.double().cpu().numpy()
    return scores


def _like(parameter: Any, value: Any) -> Any:
    """Tensors of a batch on the network's device and, where they are no indices, in its precision."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return type(value)(*(_like(parameter, part) for part in value))
    return value.to(parameter.device, parameter.dtype if value.is_floating_point() else None)


def _with_dropout(torch: Any, network: Any, batch: Any, draw: int) -> Any:
    """The same units are switched off for every caption, so that no score depends on the others."""
    generator = torch.Generator().manual_seed(draw)
    hooks = []
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            hooks.append(module.register_forward_hook(_switch_off(torch, module.p, generator)))
    try:
        return network(batch)
    finally:
        for hook in hooks:
            hook.remove()


def _switch_off(torch: Any, share: float, generator: Any) -> Any:
    def hook(module: Any, inputs: Any, output: Any) -> Any:
        kept = torch.rand(output.shape[-1], generator=generator) >= share
        return output * kept.to(output.dtype) / (1 - share)

    return hook
