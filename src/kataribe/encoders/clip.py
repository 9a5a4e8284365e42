"""Models that put texts and pictures into one space: CLIP, Chinese-CLIP and SigLIP of transformers.

The vector of a text or a picture is the model's projected feature, scaled to length 1. Token vectors are the text
tower's last hidden states, each put through the same projection as the whole text. Pictures are prepared as the
model's own processor says, always by Pillow, because other back ends resize a little differently.

Radford, A. et al. (2021). Learning transferable visual models from natural language supervision. ICML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from kataribe.core.errors import ResourceError
from kataribe.core.memo import keep_open
from kataribe.core.need import need
from kataribe.core.types import Float32s, Int32s
from kataribe.encoders import loading
from kataribe.encoders.protocol import Forward, SharedEncoder, TokenizedText
from kataribe.media.video import Pixels

DEFAULT = "openai/clip-vit-base-patch32"


class ClipEncoder:
    """A text encoder and a picture encoder in one. `trained` are tensors in the place of the model's own."""

    size = None

    def __init__(self, model: str, trained: Mapping[str, Any] | None = None) -> None:
        self.name = loading.short_name(model)
        self._torch = need("torch", extra="models", purpose=f"the encoder {self.name!r}")
        self._image = need("PIL.Image", extra="models", purpose="reading pictures")
        instead, options = "<features> with <text_features>", ["features", "text_features"]
        load = partial(loading.load, model, or_else=instead, options=options)
        self.network = load("model", lambda t, source: loading.from_pretrained(t.AutoModel, source))
        if not hasattr(self.network, "get_image_features"):
            raise ResourceError(
                f"{self.name} is a {self.network.config.model_type} model, which knows no pictures",
                hint=f"give a CLIP, Chinese-CLIP or SigLIP model such as {DEFAULT}",
            )
        if trained:
            loading.replace_tensors(self.network, self.name, trained)
            self.name += loading.TUNED
        self._tokenizer = load("tokenizer", lambda t, source: t.AutoTokenizer.from_pretrained(source))
        self._processor = load(
            "image processor", lambda t, source: t.AutoImageProcessor.from_pretrained(source, use_fast=False)
        )
        kind = self.network.config.model_type
        text = self.network.config.text_config
        self._fills_up = kind.startswith("siglip")  # it was trained on texts padded to full length, without a mask
        self._project = _projection(self.network, kind)
        self.longest = int(min(self._tokenizer.model_max_length, text.max_position_embeddings))
        ends = (self._tokenizer.eos_token_id, self._tokenizer.sep_token_id)
        starts = (self._tokenizer.bos_token_id, self._tokenizer.cls_token_id)
        self.special_ids = frozenset(id for id in (*starts, *ends) if id is not None)
        self.end_id = next((id for id in ends if id is not None), None)
        self._pad = self._tokenizer.pad_token_id if self._tokenizer.pad_token_id is not None else 0
        self.device = "cuda" if self._torch.cuda.is_available() else "cpu"
        self.network.to(self.device)
        self.fingerprint = loading.fingerprint_of(self.network, self._tokenizer)
        self.signature = f"{self.name}-{self.fingerprint}"
        recipe = loading.recipe_of(self.network, self._tokenizer, self._processor.to_json_string())
        self.key = f"clip-{self.fingerprint}-{recipe}"

    @property
    def parallel(self) -> bool:
        return self.device == "cpu"

    def tokenize(self, texts: Sequence[str]) -> list[TokenizedText]:
        if not texts:
            return []
        whole = self._tokenizer(list(texts), truncation=False, padding=False, verbose=False)["input_ids"]
        cut = self._tokenizer(list(texts), truncation=True, max_length=self.longest, padding=False)["input_ids"]
        return [
            TokenizedText(np.array(ids or [self._pad], dtype=np.int32), len(all_ids) <= self.longest)
            for ids, all_ids in zip(cut, whole, strict=True)
        ]

    def forward(self, batch: Sequence[Int32s]) -> Forward:
        torch = self._torch
        lengths = [len(ids) for ids in batch]
        ids, mask = loading.pad(batch, self._pad, self.longest if self._fills_up else 0)
        with torch.inference_mode():
            inputs = {"input_ids": torch.from_numpy(ids).to(self.device)}
            if not self._fills_up:
                inputs["attention_mask"] = torch.from_numpy(mask).to(self.device)
            states = self.network.text_model(**inputs).last_hidden_state
            tokens = self._project(states).float().cpu().numpy()
            whole = _features(self.network.get_text_features(**inputs))
            sentences = torch.nn.functional.normalize(whole.float(), dim=-1).cpu().numpy()
        return Forward([tokens[row, :length].copy() for row, length in enumerate(lengths)], sentences)

    def pixels(self, pictures: Sequence[Pixels]) -> Float32s:
        """Vectors of length 1 in the space of the texts."""
        with self._torch.inference_mode():
            vectors: Float32s = self.vectors(self.prepare(pictures).to(self.device)).cpu().numpy()
        return vectors

    def prepare(self, pictures: Sequence[Pixels]) -> Any:
        """Pictures as the network wants them."""
        images = [self._image.fromarray(picture) for picture in pictures]
        pixels = self._processor(images=images, return_tensors="np")["pixel_values"]
        return self._torch.from_numpy(np.ascontiguousarray(pixels))

    def vectors(self, prepared: Any, network: Any = None) -> Any:
        """The vectors of prepared pictures as a tensor through which gradients flow, by its network or a copy of it."""
        features = _features((network or self.network).get_image_features(prepared))
        return self._torch.nn.functional.normalize(features.float(), dim=-1)


@keep_open(1)
def open_clip(model: str = DEFAULT) -> SharedEncoder:
    """The encoder of a name or folder, which may be that of a trained retriever; the last one stays loaded."""
    from kataribe.encoders.dual import DualEncoder, is_retriever

    return DualEncoder(model) if is_retriever(model) else ClipEncoder(model)


def _projection(network: Any, kind: str) -> Any:
    """What turns a hidden state of the text tower into a vector of the common space."""
    if kind.startswith("siglip"):
        return network.text_model.head
    return network.text_projection


def _features(output: Any) -> Any:
    """Newer versions of transformers wrap the projected features."""
    return getattr(output, "pooler_output", output) if not hasattr(output, "dim") else output
