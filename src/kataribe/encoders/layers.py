"""Vectors of whole texts after every layer of an encoder: what a learned mix of layers, as COMET's, is fed with.

Each is the mean over a text's tokens, specials included, as in the vector of the sentence: the last one, scaled to
length 1, is that vector. They are computed in one pass for each distinct text and kept on disk.

Rei, R., Stewart, C., Farinha, A. C., Lavie, A. (2020). COMET: a neural framework for MT evaluation. EMNLP.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kataribe.core.caution import remark
from kataribe.core.progress import report
from kataribe.core.types import Float32s
from kataribe.encoders.bert import BertEncoder
from kataribe.encoders.encoded import batches_by_length, run_batches, tokenize_texts
from kataribe.encoders.store import SentenceRow, content_key, damage_said, open_store
from kataribe.encoders.text import LayeredEncoder, open_text

_CHUNK_TEXTS = 2048


def layer_means(model: str | LayeredEncoder, texts: Sequence[str]) -> Float32s:
    """texts x layers + 1 x width, the embeddings first; all of it in memory (20 KB a text of `e5`).

    An encoder that was opened for a lower layer ends there.

    >>> layer_means("minilm", ["A dog runs.", "A cat sleeps."]).shape
    (2, 7, 384)
    """
    encoder = open_text(model) if isinstance(model, str) else model
    shape = (encoder.layer + 1, encoder.width)
    store, remarks = open_store(f"{encoder.key}-means")
    keys = [content_key(text) for text in texts]
    by_key = dict(zip(keys, texts, strict=True))
    found = dict(zip(by_key, store.sentences(by_key), strict=True))
    damaged = [key for key in store.known("sentences", list(by_key)) if found[key] is None]
    remark(*remarks, *damage_said(store, damaged, by_key, "texts"))
    missing = [key for key, vector in found.items() if vector is None]
    # Some versions of transformers change the network for a moment to get at the states between its layers.
    parallel = isinstance(encoder, BertEncoder)
    for start in range(0, len(missing), _CHUNK_TEXTS):
        chunk = missing[start : start + _CHUNK_TEXTS]
        tokenized = dict(enumerate(tokenize_texts(encoder, [by_key[key] for key in chunk])))
        batches = list(batches_by_length(tokenized))
        inputs = [[tokenized[index].ids for index in batch] for batch in batches]
        for batch, means in zip(batches, run_batches(encoder.layer_means, inputs, parallel=parallel), strict=True):
            rows = [
                SentenceRow(chunk[index], tokenized[index].is_whole, vectors.reshape(-1))
                for index, vectors in zip(batch, means, strict=True)
            ]
            store.add(sentences=rows)
            found |= {row.key: row.vector for row in rows}
        report(f"encoding with {encoder.name}", start + len(chunk), len(missing))
    vectors = [vector for key in keys if (vector := found[key]) is not None]
    return np.stack(vectors).reshape(-1, *shape) if vectors else np.zeros((0, *shape), dtype=np.float32)
