"""Any text model of transformers as an encoder, and the encoder of a name.

Token vectors are the hidden states of one layer (default: the last). A sentence's vector is the mean of
its token vectors, specials included as sentence-transformers counts them, scaled to length 1. Texts are cut at the
model's limit; how many were is counted, and metrics say it.

Reimers, N., Gurevych, I. (2019). Sentence-BERT: sentence embeddings using Siamese BERT-networks. EMNLP.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from kataribe.core.errors import ResourceError, UsageError
from kataribe.core.memo import keep_open
from kataribe.core.need import need
from kataribe.core.types import Float32s, Int32s
from kataribe.encoders import loading
from kataribe.encoders.bert import Bert, BertEncoder
from kataribe.encoders.e5 import e5
from kataribe.encoders.minilm import minilm
from kataribe.encoders.protocol import Forward, TokenizedText

# Models whose tokenizer reads a word after a space differently from one at the start; see `open_text`.
_SPACE_MATTERS = ("roberta", "gpt2", "longformer", "bart")


class TransformersText:
    """`trained` are tensors that take the place of the model's own, by their names in `network`."""

    def __init__(
        self,
        model: str,
        layer: int | None,
        half: bool,
        leading_space: bool,
        trained: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = loading.short_name(model)
        self._torch = need("torch", extra="models", purpose=f"the encoder {self.name!r}")
        source = loading.locate(model)
        load = partial(loading.load, model, or_else="model=minilm")
        config = load("text model", lambda t, source: t.AutoConfig.from_pretrained(source))
        with_space = leading_space and config.model_type in _SPACE_MATTERS
        options = {"add_prefix_space": True} if with_space else {}
        self._tokenizer = load("tokenizer", lambda t, source: t.AutoTokenizer.from_pretrained(source, **options))
        network = load("text model", lambda t, source: loading.from_pretrained(t.AutoModel, source))
        if hasattr(network, "get_image_features"):
            raise ResourceError(
                f"{self.name} is a {config.model_type} model of texts and pictures, which this metric does not take",
                hint="give a text model, or ask for clipscore, refclipscore or emscore",
            )
        self.network = network.get_encoder() if getattr(config, "is_encoder_decoder", False) else network
        if trained:
            loading.replace_tensors(self.network, self.name, trained)
            self.name += loading.TUNED
        self.fingerprint = loading.fingerprint_of(network, self._tokenizer)
        self.longest = loading.longest_input(network, self._tokenizer, source)
        self.layers = int(getattr(config, "num_hidden_layers", 0))
        self.layer = loading.choose_layer(self.name, layer, self.layers)
        self.width = int(getattr(config, "hidden_size", 0))
        stack = getattr(getattr(self.network, "encoder", None), "layer", None)
        if stack is not None:  # what lies above the layer is never looked at
            self.network.encoder.layer = stack[: self.layer]
        self.pad_id = self._tokenizer.pad_token_id or 0
        specials = (self._tokenizer.cls_token_id, self._tokenizer.sep_token_id, self._tokenizer.pad_token_id)
        self.special_ids = frozenset(id for id in specials if id is not None)
        self.device = "cuda" if self._torch.cuda.is_available() else "cpu"
        self.dtype = ("float16" if self.device == "cuda" else "bfloat16") if half else "float32"
        self.network.to(device=self.device, dtype=getattr(self._torch, self.dtype))
        self.signature = f"{self.name}-{self.fingerprint}"
        recipe = loading.recipe_of(network, self._tokenizer)
        variant = [*(["space"] if with_space else []), *([self.dtype] * half)]
        self.key = "-".join(["text", self.fingerprint, recipe, f"l{self.layer}", *variant])

    @property
    def parallel(self) -> bool:
        # Some versions of transformers change the network for a moment to get at the states between its layers.
        return self.device == "cpu" and self._ends_at_layer

    def tokenize(self, texts: Sequence[str]) -> list[TokenizedText]:
        if not texts:
            return []
        whole = self._tokenizer(list(texts), add_special_tokens=True, truncation=False, padding=False, verbose=False)
        is_whole = [len(ids) <= self.longest for ids in whole["input_ids"]]
        if all(is_whole):
            cut = whole
        else:
            cut = self._tokenizer(
                list(texts), add_special_tokens=True, truncation=True, max_length=self.longest, padding=False
            )
        # A tokenizer without specials makes nothing of an empty text; a padding stands for it.
        return [
            TokenizedText(np.array(ids or [self.pad_id], dtype=np.int32), fits)
            for ids, fits in zip(cut["input_ids"], is_whole, strict=True)
        ]

    def forward(self, batch: Sequence[Int32s]) -> Forward:
        with self._torch.inference_mode():
            output, weights = self._run(batch, output_hidden_states=not self._ends_at_layer)
            states = output.last_hidden_state if self._ends_at_layer else output.hidden_states[self.layer]
            states = states.float()
            sentences = self._torch.nn.functional.normalize(_means(states, weights), dim=-1).cpu().numpy()
        vectors = states.cpu().numpy()
        return Forward([vectors[row, : len(ids)].copy() for row, ids in enumerate(batch)], sentences)

    def layer_means(self, batch: Sequence[Int32s]) -> Float32s:
        """Of each text the mean of its tokens after every layer up to its own: texts x layers + 1 x width."""
        with self._torch.inference_mode():
            output, weights = self._run(batch, output_hidden_states=True)
            means = [_means(states.float(), weights) for states in output.hidden_states[: self.layer + 1]]
            stacked: Float32s = self._torch.stack(means, dim=1).cpu().numpy()
        return stacked

    def _run(self, batch: Sequence[Int32s], *, output_hidden_states: bool) -> tuple[Any, Any]:
        """What the network gives for a padded batch, and 1 for each token that is there."""
        ids, mask = loading.pad(batch, self.pad_id)
        masks = self._torch.from_numpy(mask).to(self.device)
        inputs = self._torch.from_numpy(ids).to(self.device)
        output = self.network(input_ids=inputs, attention_mask=masks, output_hidden_states=output_hidden_states)
        return output, masks.unsqueeze(-1).float()

    @property
    def _ends_at_layer(self) -> bool:
        stack = getattr(getattr(self.network, "encoder", None), "layer", None)
        return self.layer == self.layers or (stack is not None and len(stack) == self.layer)


def _means(states: Any, weights: Any) -> Any:
    """Of each text, over its tokens."""
    return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


# An encoder that knows its layers.
LayeredEncoder = TransformersText | BertEncoder
# Those that packages carry; they need no torch.
CARRIED: dict[str, Callable[[], Bert]] = {loading.DEFAULT: minilm, loading.MULTILINGUAL: e5}


@keep_open(2)
def open_text(
    model: str = loading.DEFAULT, layer: int | None = None, *, half: bool = False, leading_space: bool = False
) -> LayeredEncoder:
    """The encoder of a name or folder; the last two stay loaded, for metrics that share one.

    >>> encoder = open_text("minilm")
    >>> encoder.signature, encoder.layer, encoder.longest
    ('all-minilm-l6-v2-...', 6, 256)

    With `leading_space` byte-level tokenizers read the first word as they would read it inside a sentence, as
    BERTScore does.
    """
    if model in CARRIED and not half:
        return BertEncoder(CARRIED[model](), layer)
    if model == loading.MULTILINGUAL:
        raise UsageError("the encoder 'e5' runs in single precision only", hint="leave out half")
    return TransformersText(model, layer, half, leading_space)
