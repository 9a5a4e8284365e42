"""Self-critical training: what is drawn is made more likely as far as it scores better than what would be chosen.

    loss = - mean over clips of (CIDEr(drawn) - CIDEr(greedy)) * mean over its tokens of log p(drawn)

CIDEr is CIDEr-D of the registry, with the idf of the training texts.

Rennie, S. J., Marcheret, E., Mroueh, Y., Ross, J., Goel, V. (2017). Self-critical sequence training for image
captioning. CVPR.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kataribe.captions.cider import Cider, count_idf
from kataribe.captions.idf import IdfTable
from kataribe.captions.items import Captions
from kataribe.core.need import need
from kataribe.core.types import Floats
from kataribe.narration.narrators.examples import ClipExamples, padded
from kataribe.narration.narrators.options import SearchOptions
from kataribe.narration.narrators.search import sample, search
from kataribe.narration.narrators.vocabulary import BEGIN, END, PAD
from kataribe.text.scripts import is_mostly_unspaced


@dataclass(frozen=True)
class CiderReward:
    """CIDEr of texts beside the references of clips."""

    references: Sequence[str]

    @cached_property
    def _metric(self) -> Cider:
        return Cider(tok="char" if is_mostly_unspaced(self.references) else "ptb")

    @cached_property
    def _idf(self) -> IdfTable:
        return count_idf({str(row): [text] for row, text in enumerate(self.references)}, self._metric.tok)

    def of(self, rows: Sequence[int], texts: Sequence[str]) -> Floats:
        ids = [str(number) for number in range(len(rows))]
        items = Captions(ids, list(texts), [[self.references[row]] for row in rows])
        return np.asarray(self._metric.stats(items, self._metric.prepare(items, self._idf))[:, 1], dtype=np.float64)


@dataclass(frozen=True)
class SelfCritical:
    """The loss of a batch of these examples."""

    examples: ClipExamples
    reward: CiderReward
    longest: int

    def __call__(self, network: Any, batch: Any) -> Any:
        torch = need("torch", extra="models", purpose="narrators")
        plain = getattr(network, "module", network)
        plain.eval()
        chosen = search(plain, batch, SearchOptions(longest=self.longest))
        drawn = sample(plain, batch, self.longest)
        plain.train()
        rows = batch.rows.tolist()
        better = self.reward.of(rows, self._texts(rows, drawn)) - self.reward.of(rows, self._texts(rows, chosen))
        text, _ = padded([np.array([BEGIN, *tokens, END], dtype=np.int64) for tokens in drawn])
        told = torch.from_numpy(text).to(batch.text.device)
        logs = network(batch._replace(text=told)).gather(2, told[:, 1:, None]).squeeze(2)
        real = told[:, 1:] != PAD
        means = logs.masked_fill(~real, 0.0).sum(1) / real.sum(1)
        return -(torch.from_numpy(better).to(means) * means).mean()

    def _texts(self, rows: Sequence[int], tokens: Sequence[Sequence[int]]) -> list[str]:
        clips = (self.examples.clips[row] for row in rows)
        return [self.examples.reader.decode(each, clip.film) for each, clip in zip(tokens, clips, strict=True)]
