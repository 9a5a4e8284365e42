"""Captions that nobody rated, drawn from those that were: what does not describe a picture, and what surely does.

    negatives   captions of other pictures, rated lowest, a third each: candidates; references; and near ones, drawn
                from the 40 references that are most like the item's own (cosine of TF-IDF)
    positives   an item's own reference, left out of its references and rated highest; two others must remain
    weights     a rated caption and a positive weigh 1, all negatives together as much as all rated captions

Everything is drawn from the training part alone. A text is no negative of an item if anything that is linked with the
item has it. The seed decides what is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array, diags_array

from kataribe.captions.suisei.batches import Layout
from kataribe.captions.suisei.material import Material
from kataribe.captions.suisei.options import ModelOptions, TrainingOptions
from kataribe.core.errors import UsageError
from kataribe.core.ragged import Ragged
from kataribe.core.types import Int64s
from kataribe.text.sameness import words
from kataribe.text.scripts import is_mostly_unspaced

# Of so many of the nearest references one is drawn: the very nearest often fit the picture, too.
NEAREST = 40
_ROWS_AT_ONCE = 256
_REMAINING = 2


def with_drawn(
    material: Material, texts: Sequence[str], groups: Int64s, model: ModelOptions, training: TrainingOptions
) -> Material:
    """The captions and what is drawn for them; `groups` are the components of its rows, `texts` all texts by number."""
    added = [material]
    drawing = Drawing(material, texts, groups)
    if training.negatives:
        found = drawing.negatives(training.negatives, np.random.default_rng([training.seed, 0]))
        added.append(replace(found, weights=np.full(len(found), len(material) / max(1, len(found)))))
    if training.positives and model.uses_references:
        added.append(drawing.positives(training.positives, np.random.default_rng([training.seed, 1])))
    return sum(added[1:], added[0])


@dataclass(frozen=True, eq=False)
class Drawing:
    """Rated captions from which others are drawn."""

    material: Material
    texts: Sequence[str]
    groups: Int64s

    def negatives(self, share: float, rng: np.random.Generator) -> Material:
        """`share` of them for each caption; without references elsewhere all are candidates."""
        count = len(self.material)
        rows = np.resize(rng.permutation(count), round(share * count))
        chosen = self.strangers(rows, self.material.layout.candidates, rng)
        lacking = np.flatnonzero(chosen < 0)
        if len(lacking):
            raise UsageError(
                "negatives are captions of other pictures, and all that are trained on share pictures or texts",
                hint="take <negatives 0>",
                options=["negatives"],
            )
        kinds = rng.permutation(np.arange(len(rows)) % 3)
        references = np.flatnonzero(kinds == 1)
        of_others = self.strangers(rows[references], self.material.picture_references(), rng)
        near = np.flatnonzero(kinds == 2)
        for places, found in ((references, of_others), (near, self.near(rows[near], rng))):
            chosen[places] = np.where(found >= 0, found, chosen[places])
        strangers = Layout(chosen, self.material.layout.references[rows])
        return replace(self.material[rows], layout=strangers, ratings=np.zeros(len(rows)))

    def positives(self, share: float, rng: np.random.Generator) -> Material:
        """`share` of them for each caption that has enough references, however these are spelt."""
        references = self.material.layout.references
        fit = []
        for row, own in enumerate(references):
            spelt = self._spelt[own]
            others = (spelt[:, np.newaxis] != spelt).sum(axis=1)
            if (others >= _REMAINING).any():
                fit.append((row, own[others >= _REMAINING]))
        order = np.resize(rng.permutation(len(fit)), round(share * len(fit)))
        rows = np.array([fit[n][0] for n in order], dtype=np.int64)
        chosen = np.array([rng.choice(fit[n][1]) for n in order], dtype=np.int64)
        all_own = references[rows]
        remains = self._spelt[all_own.values] != all_own.spread(self._spelt[chosen])
        rest = Ragged.grouped(all_own.values[remains], all_own.owners[remains], len(rows))
        return replace(self.material[rows], layout=Layout(chosen, rest), ratings=np.ones(len(rows)))

    def strangers(self, rows: Int64s, pool: Int64s, rng: np.random.Generator) -> Int64s:
        """For each row a text of the pool that is of another group; -1 where there is none."""
        if not len(pool) or not len(rows):
            return np.full(len(rows), -1)
        drawn = pool[rng.integers(0, len(pool), len(rows))]
        for place in np.flatnonzero(self._is_written(self.groups[rows], drawn)).tolist():
            fit = pool[~self._is_written(np.broadcast_to(self.groups[rows[place]], len(pool)), pool)]
            drawn[place] = rng.choice(fit) if len(fit) else -1
        return drawn

    def near(self, rows: Int64s, rng: np.random.Generator) -> Int64s:
        """For each row one of the references of other groups that are nearest to its own; -1 where there is none."""
        references = self.material.layout.references
        pool = np.unique(references.values)
        found = np.full(len(rows), -1)
        if not len(pool):
            return found
        counts = word_counts([self.texts[text] for text in pool.tolist()])
        idf = np.log((1 + len(pool)) / (1 + (counts > 0).sum(axis=0))) + 1
        own = references[rows]
        has = csr_array(
            (np.ones(len(own.values)), (own.owners, np.searchsorted(pool, own.values))), (len(rows), len(pool))
        )
        targets, queries = (_tfidf(each, idf) for each in (counts, csr_array(has @ counts)))
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            block = (queries[start : start + _ROWS_AT_ONCE] @ targets.T).toarray()
            for place, likeness in enumerate(block, start):
                group = self.groups[rows[place]]
                # So many that enough remain without those of the own group.
                most = min(len(pool), NEAREST + int(self._texts_of_group[group]))
                nearest = np.argpartition(-likeness, most - 1)[:most]
                nearest = nearest[np.lexsort((nearest, -likeness[nearest]))]
                fit = nearest[~self._is_written(np.broadcast_to(group, most), pool[nearest])][:NEAREST]
                if len(fit):
                    found[place] = pool[rng.choice(fit)]
        return found

    @cached_property
    def _spelt(self) -> Int64s:
        """A number for each text, equal where the words of texts are."""
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(words(text), len(numbers)) for text in self.texts], dtype=np.int64)

    @cached_property
    def _written(self) -> Int64s:
        """Which texts are written of which group, as sorted numbers."""
        layout = self.material.layout
        groups = np.concatenate([self.groups, layout.references.spread(self.groups)])
        texts = np.concatenate([layout.candidates, layout.references.values])
        return np.unique(groups * len(self.texts) + self._spelt[texts])

    @cached_property
    def _texts_of_group(self) -> Int64s:
        return np.bincount(self._written // len(self.texts), minlength=int(self.groups.max(initial=0)) + 1)

    def _is_written(self, groups: Int64s, texts: Int64s) -> np.ndarray:
        wanted = groups * len(self.texts) + self._spelt[texts]
        at = np.minimum(np.searchsorted(self._written, wanted), len(self._written) - 1)
        is_written: np.ndarray = self._written[at] == wanted
        return is_written


def word_counts(texts: Sequence[str]) -> csr_array:
    """How often each text has each word; of scripts without spaces, each pair of letters.

    >>> word_counts(["a dog and a cat", "A cat"]).toarray().astype(int).tolist()
    [[2, 1, 1, 1], [1, 0, 0, 1]]
    """
    pairs = is_mostly_unspaced(texts)
    numbers: dict[str, int] = {}
    rows, columns = [], []
    for row, text in enumerate(texts):
        words = re.findall(r"\w+", text.casefold())
        if pairs:
            words = [word[at : at + 2] for word in words for at in range(max(1, len(word) - 1))]
        rows += [row] * len(words)
        columns += [numbers.setdefault(word, len(numbers)) for word in words]
    return csr_array((np.ones(len(rows)), (rows, columns)), (len(texts), max(1, len(numbers))))


def _tfidf(counts: csr_array, idf: np.ndarray) -> csr_array:
    """(1 + log count) idf, in rows of length 1."""
    weighed = csr_array(counts, copy=True)
    weighed.sum_duplicates()
    weighed.data = 1 + np.log(weighed.data)
    weighed = csr_array(weighed @ diags_array(idf))
    lengths = np.sqrt((weighed**2).sum(axis=1))
    return csr_array(diags_array(1 / np.where(lengths > 0, lengths, 1.0)) @ weighed)
