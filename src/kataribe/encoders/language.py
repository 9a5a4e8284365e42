"""How likely a causal language model of transformers finds texts: the sum of its tokens' log probabilities."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial

import numpy as np

from kataribe.core.memo import keep_open
from kataribe.core.need import need
from kataribe.core.progress import report
from kataribe.encoders import loading
from kataribe.encoders.encoded import LongTexts
from kataribe.encoders.store import content_key
from kataribe.text.kneser_ney import Likelihood

# The model gives a number for every word of its vocabulary at every position; more tokens at once cost gigabytes.
_BATCH_TOKENS = 1024


class CausalModel:
    """A text starts after the model's start token; a model without one does not predict a text's first token."""

    def __init__(self, model: str) -> None:
        self.name = loading.short_name(model)
        self._torch = need("torch", extra="models", purpose=f"the language model {self.name!r}")
        load = partial(loading.load, model, or_else="model=ngram")
        self._tokenizer = load("tokenizer", lambda t, source: t.AutoTokenizer.from_pretrained(source))
        self._network = load(
            "causal language model", lambda t, source: loading.from_pretrained(t.AutoModelForCausalLM, source)
        )
        self.longest = loading.longest_input(self._network, self._tokenizer, loading.locate(model))
        self.signature = f"{self.name}-{loading.fingerprint_of(self._network, self._tokenizer)}"
        self.start = self._tokenizer.bos_token_id
        self._one_tokenizer = threading.Lock()
        self.device = "cuda" if self._torch.cuda.is_available() else "cpu"
        self._network.to(self.device)

    def find_long(self, texts: Sequence[str]) -> LongTexts:
        """Which texts are longer than the model takes."""
        return LongTexts(frozenset(content_key(text) for text in texts if len(self._ids(text)) > self.longest))

    def score(self, texts: Sequence[str]) -> Likelihood:
        """Of each text the number of predicted tokens and their log probability."""
        token_ids = [self._ids(text) for text in texts]
        words, logs = np.zeros(len(texts), dtype=np.int64), np.zeros(len(texts))
        order = sorted(range(len(token_ids)), key=lambda index: len(token_ids[index]))
        batch: list[int] = []
        done = 0
        for index in [*order, None]:
            full = index is None or (len(batch) + 1) * len(token_ids[index]) > _BATCH_TOKENS
            if batch and full:
                for row, log in zip(batch, self._logs([token_ids[row][: self.longest] for row in batch]), strict=True):
                    words[row], logs[row] = min(len(token_ids[row]), self.longest) - 1, log
                done += len(batch)
                report(f"reading with {self.name}", done, len(texts))
                batch = []
            if index is not None and len(token_ids[index]) > 1:
                batch.append(index)
        return Likelihood(words, logs)

    def _ids(self, text: str) -> list[int]:
        with self._one_tokenizer:
            ids: list[int] = self._tokenizer(text, truncation=False, verbose=False)["input_ids"]
        starts = self.start is not None and ids[:1] != [self.start]
        return [self.start, *ids] if starts else ids

    def _logs(self, batch: Sequence[Sequence[int]]) -> list[float]:
        torch = self._torch
        longest = max(map(len, batch))
        ids, mask = np.zeros((len(batch), longest), dtype=np.int64), np.zeros((len(batch), longest), dtype=np.int64)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        with torch.inference_mode():
            inputs, masks = torch.from_numpy(ids).to(self.device), torch.from_numpy(mask).to(self.device)
            logits = self._network(input_ids=inputs, attention_mask=masks).logits[:, :-1].float()
            chosen = torch.log_softmax(logits, dim=-1).gather(2, inputs[:, 1:].unsqueeze(-1)).squeeze(-1)
            sums: list[float] = (chosen * masks[:, 1:]).double().sum(dim=1).tolist()
        return sums


@keep_open(1)
def open_causal(model: str) -> CausalModel:
    """The language model of a name or folder; the last one stays loaded."""
    return CausalModel(model)
