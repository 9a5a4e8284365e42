"""The default encoder, all-MiniLM-L6-v2, read straight from the files of the package that carries it: no hub, no torch.

Wang, W. et al. (2020). MiniLM: deep self-attention distillation for task-agnostic compression. NeurIPS.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from kataribe.core.memo import keep_open
from kataribe.core.need import need
from kataribe.encoders import loading
from kataribe.encoders.bert import WORDS, Bert, Weights
from kataribe.encoders.carried import MINILM

_SPECIALS = ("[CLS]", "[SEP]", "[PAD]")
# `loading.fingerprint` of the files that `carried` knows; they need not be read for it every time.
_FINGERPRINT = "c31025cc"


@keep_open(1)
def minilm() -> Bert:
    """
    >>> tokens, = minilm().tokenize(["A dog runs."])
    >>> len(tokens.ids), minilm().width
    (6, 384)
    """
    name = loading.short_name(loading.DEFAULT)
    tokenizers = need("tokenizers", extra="models", purpose=f"the encoder {name!r}")
    files = [MINILM.file(f"model/{file}") for file in ("config.json", "tokenizer.json", "sentence_bert_config.json")]
    config_text, tokenizer_text, advice = (file.read_text(encoding="utf-8") for file in files)
    config = json.loads(config_text)
    tokenizer = tokenizers.Tokenizer.from_str(tokenizer_text)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    cls, sep, pad = (tokenizer.token_to_id(token) for token in _SPECIALS)
    weights = MINILM.file("model/model.safetensors")
    return Bert(
        name=name,
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        width=config["hidden_size"],
        inner=config["intermediate_size"],
        epsilon=config["layer_norm_eps"],
        longest=min(json.loads(advice)["max_seq_length"], config["max_position_embeddings"]),
        special_ids=frozenset((cls, sep, pad)),
        pad_id=pad,
        fingerprint=_FINGERPRINT,
        recipe=loading.recipe(config_text, tokenizer_text),
        cut=partial(_cut, tokenizer),
        weights=keep_open(1)(partial(_read, weights, name)),
    )


def _cut(tokenizer: Any, texts: list[str]) -> list[list[int]]:
    return [encoding.ids for encoding in tokenizer.encode_batch(texts)]


def _read(path: Path, name: str) -> Weights:
    safetensors = need("safetensors.numpy", extra="models", purpose=f"the encoder {name!r}")
    tensors = safetensors.load_file(path)
    return Weights(tensors.pop(WORDS), tensors)
