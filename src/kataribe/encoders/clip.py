"""Models that put texts and pictures into one space: CLIP, Chinese-CLIP and SigLIP of transformers.

The vector of a text or a picture is the model's projected feature, scaled to length 1. Token vectors are the text
tower's last hidden states, each put through the same projection as the whole text. Pictures are prepared as the
model's own processor says, always by Pillow, because other back ends resize a little differently.

Radford, A. et al. (2021). Learning transferable visual models from natural language supervision. ICML.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, ResourceError
from kataribe.core.need import need
from kataribe.core.progress import report
from kataribe.core.types import Float32s, Int32s
from kataribe.encoders import loading
from kataribe.encoders.protocol import Cut, Forward, ImageEncoder
from kataribe.encoders.store import SentenceRow, content_key, damage_said, open_store

DEFAULT = "openai/clip-vit-base-patch32"

_BATCH_IMAGES = 16


class ClipEncoder:
    """A text encoder and an image encoder in one."""

    def __init__(self, model: str) -> None:
        self.name = loading.short_name(model)
        self._torch = need("torch", extra="models", purpose=f"the encoder {self.name!r}")
        need("PIL", extra="models", purpose="reading pictures")
        load = partial(loading.load, model, or_else="--features with --text-features")
        self._network = load("model", lambda t, where: loading.from_pretrained(t.AutoModel, where))
        if not hasattr(self._network, "get_image_features"):
            raise ResourceError(
                f"{self.name} is a {self._network.config.model_type} model, which knows no pictures",
                hint=f"give a CLIP, Chinese-CLIP or SigLIP model such as {DEFAULT}",
            )
        self._tokenizer = load("tokenizer", lambda t, where: t.AutoTokenizer.from_pretrained(where))
        self._processor = load(
            "image processor", lambda t, where: t.AutoImageProcessor.from_pretrained(where, use_fast=False)
        )
        kind = self._network.config.model_type
        text = self._network.config.text_config
        self._fills_up = kind.startswith("siglip")  # it was trained on texts padded to full length, without a mask
        self._project = _projection(self._network, kind)
        self.longest = int(min(self._tokenizer.model_max_length, text.max_position_embeddings))
        ends = (self._tokenizer.eos_token_id, self._tokenizer.sep_token_id)
        starts = (self._tokenizer.bos_token_id, self._tokenizer.cls_token_id)
        self.special_ids = frozenset(id for id in (*starts, *ends) if id is not None)
        self.end_id = next((id for id in ends if id is not None), None)
        self._pad = self._tokenizer.pad_token_id if self._tokenizer.pad_token_id is not None else 0
        self.device = "cuda" if self._torch.cuda.is_available() else "cpu"
        self._network.to(self.device)
        self.fingerprint = loading.fingerprint_of(self._network, self._tokenizer)
        self.signature = f"{self.name}-{self.fingerprint}"
        recipe = loading.recipe_of(self._network, self._tokenizer, self._processor.to_json_string())
        self.key = f"clip-{self.fingerprint}-{recipe}"

    @property
    def parallel(self) -> bool:
        return self.device == "cpu"

    def cut(self, texts: Sequence[str]) -> list[Cut]:
        if not texts:
            return []
        whole = self._tokenizer(list(texts), truncation=False, padding=False, verbose=False)["input_ids"]
        cut = self._tokenizer(list(texts), truncation=True, max_length=self.longest, padding=False)["input_ids"]
        return [
            Cut(np.array(ids or [self._pad], dtype=np.int32), len(all_ids) <= self.longest)
            for ids, all_ids in zip(cut, whole, strict=True)
        ]

    def forward(self, batch: Sequence[Int32s]) -> Forward:
        torch = self._torch
        lengths = [len(ids) for ids in batch]
        ids = np.full((len(batch), self.longest if self._fills_up else max(lengths)), self._pad, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        with torch.inference_mode():
            inputs = {"input_ids": torch.from_numpy(ids).to(self.device)}
            if not self._fills_up:
                inputs["attention_mask"] = torch.from_numpy(mask).to(self.device)
            states = self._network.text_model(**inputs).last_hidden_state
            tokens = self._project(states).float().cpu().numpy()
            whole = _features(self._network.get_text_features(**inputs))
            sentences = torch.nn.functional.normalize(whole.float(), dim=-1).cpu().numpy()
        return Forward([tokens[row, :length].copy() for row, length in enumerate(lengths)], sentences)

    def images(self, files: Sequence[Path]) -> Float32s:
        torch = self._torch
        pixels = self._processor(images=[_open(file) for file in files], return_tensors="np")["pixel_values"]
        with torch.inference_mode():
            output = self._network.get_image_features(torch.from_numpy(np.ascontiguousarray(pixels)).to(self.device))
            vectors: Float32s = torch.nn.functional.normalize(_features(output).float(), dim=-1).cpu().numpy()
        return vectors


def encode_images(
    encoder: ImageEncoder, name: str, files: Sequence[Path]
) -> tuple[Float32s, list[bytes], list[Caution]]:
    """The vector of each picture, a hash of its content, and remarks; what was seen before is not looked at again."""
    store, remarks = open_store(f"{encoder.key}-images")
    keys = []
    for file in files:
        try:
            keys.append(content_key(file.read_bytes()))
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror})", file=file) from None
    distinct = list(dict.fromkeys(keys))
    known = store.known("sentences", distinct)
    found = dict(zip(distinct, store.sentences(distinct), strict=True))
    remarks += damage_said(store, [key for key in known if found[key] is None], distinct, "pictures")
    missing = list({key: file for key, file in zip(keys, files, strict=True) if found[key] is None}.items())
    for start in range(0, len(missing), _BATCH_IMAGES):
        batch = missing[start : start + _BATCH_IMAGES]
        vectors = encoder.images([file for _, file in batch])
        found |= {key: vector for (key, _), vector in zip(batch, vectors, strict=True)}
        store.add(sentences=[SentenceRow(key, True, vector) for (key, _), vector in zip(batch, vectors, strict=True)])
        report(f"looking at pictures with {name}", start + len(batch), len(missing))
    vectors_by_key = {key: vector for key, vector in found.items() if vector is not None}
    return np.stack([vectors_by_key[key] for key in keys]), keys, remarks


@lru_cache(maxsize=1)
def open_clip(model: str = DEFAULT) -> ClipEncoder:
    """The encoder of a name or folder; the last one stays loaded."""
    return ClipEncoder(model)


def _projection(network: Any, kind: str) -> Any:
    """What turns a hidden state of the text tower into a vector of the common space."""
    if kind.startswith("siglip"):
        return network.text_model.head
    return network.text_projection


def _features(output: Any) -> Any:
    """Newer versions of transformers wrap the projected features."""
    return getattr(output, "pooler_output", output) if not hasattr(output, "dim") else output


def _open(file: Path) -> Any:
    from PIL import Image

    try:
        with Image.open(file) as image:
            return image.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise InputError(
            f"does not open as a picture ({' '.join(str(error).split())})", file=file, hint="is it whole?"
        ) from None
