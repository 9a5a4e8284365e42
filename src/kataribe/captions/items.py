"""The items of the task: one candidate and its references for each id, cut into tokens once for all metrics.

Other tasks score sentences too. They draw pairs by the million from a pool of texts, and any metric of this room
scores them: `pool_pairs(pool, candidates, references)` looks like any other `Captions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kataribe.captions.media import Media
from kataribe.core.memo import Memo
from kataribe.core.ragged import Ragged, Rows, offsets_of, pick
from kataribe.core.types import Int64s
from kataribe.text.pool import TextPool
from kataribe.text.ptb import Following, find_following
from kataribe.text.sentences import Sentences
from kataribe.text.tokenizers import UNCUT, tokenizer


class Pairs(NamedTuple):
    """Every candidate beside each of its references, as indices of sentences."""

    candidates: Int64s
    references: Int64s


@dataclass(frozen=True, eq=False)
class TokenizedCaptions:
    """Candidates and references as indices into a set of sentences: one candidate and a list of references an item."""

    sentences: Sentences
    candidates: Int64s
    references: Ragged

    @cached_property
    def pairs(self) -> Pairs:
        return Pairs(self.references.spread(self.candidates), self.references.values)

    @property
    def distinct_candidates(self) -> list[str]:
        return [self.sentences.texts[index] for index in np.unique(self.candidates).tolist()]

    @property
    def distinct_references(self) -> list[str]:
        return [self.sentences.texts[index] for index in np.unique(self.references.values).tolist()]

    def of_pairs(self, values: Any) -> Ragged:
        """A value of each pair, in a list for each item."""
        return self.references.with_values(values)


class Neighbours(NamedTuple):
    """What follows each candidate and each reference in the corpus, where a tokenizer looks at it."""

    candidates: Sequence[Following | None]
    references: Sequence[Sequence[Following | None]]

    def __getitem__(self, rows: Rows) -> Neighbours:  # type: ignore[override] # rows of items, not fields
        return Neighbours(pick(self.candidates, rows), pick(self.references, rows))


@dataclass(frozen=True, eq=False)
class Captions:
    """Items that are a whole corpus or, with the `neighbours` they had there, some of one.

    >>> captions = Captions(["1"], ["A dog."], [["A dog!", "One dog runs."]])
    >>> captions.tokens("ptb").sentences.texts
    ['a dog', 'one dog runs']
    """

    # The options that say what the items show.
    media_options: ClassVar[Mapping[str, str]] = {"images": "FOLDER", "features": "FILE"}

    ids: Sequence[str]
    candidates: Sequence[str]
    references: Sequence[Sequence[str]]
    media: Media | None = field(default=None, repr=False)
    neighbours: Neighbours | None = field(default=None, repr=False)
    memo: Memo = field(default_factory=Memo, repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: Rows) -> Captions:
        return Captions(*self._columns(rows))

    def _columns(self, rows: Rows) -> tuple[Any, ...]:
        """The fields of this class for some of the items."""
        ids = pick(self.ids, rows)
        media = self.media and self.media.only(ids)
        texts = pick(self.candidates, rows), pick(self.references, rows)
        return ids, *texts, media, (self.neighbours or self._own_neighbours)[rows]

    @cached_property
    def _own_neighbours(self) -> Neighbours:
        following = find_following([text for texts in self.references for text in texts])
        ends = offsets_of([len(texts) for texts in self.references]).tolist()
        of_references = [following[start:end] for start, end in pairwise(ends)]
        return Neighbours(find_following(self.candidates), of_references)

    def tokens(self, name: str, *, alone: bool = False) -> TokenizedCaptions:
        """All texts cut by one tokenizer: each side in the order of the corpus, as the original tools do.

        With `alone`, each text as if it were the only one, for metrics in which no text may depend on another.
        """
        alone = alone or not tokenizer(name).looks_ahead
        return self.memo.keep(("tokens", name, alone), lambda: self._tokenize(name, alone))

    def uncut(self) -> TokenizedCaptions:
        """The texts as they stand, each distinct one once, for models that bring their own tokenizer."""
        return self.tokens(UNCUT.name)

    def _tokenize(self, name: str, alone: bool) -> TokenizedCaptions:
        cut = tokenizer(name)
        references = [text for texts in self.references for text in texts]
        if alone:
            tokens = cut.alone([*self.candidates, *references])
        elif self.neighbours is None:
            tokens = [*cut(self.candidates), *cut(references)]
        else:
            following = [*self.neighbours.candidates, *(each for some in self.neighbours.references for each in some)]
            tokens = cut.before([*self.candidates, *references], following)
        sentences, indices = Sentences.unique(tokens)
        counts = [len(texts) for texts in self.references]
        return TokenizedCaptions(sentences, indices[: len(self)], Ragged.counted(indices[len(self) :], counts))


def pool_pairs(pool: TextPool, candidates: Int64s, references: Int64s) -> CaptionPairs:
    """Texts of a pool by their indices: item i is candidates[i] beside the one reference references[i].

    >>> captions = pool_pairs(TextPool(["A dog.", "One dog runs."]), np.array([0, 0]), np.array([0, 1]))
    >>> captions.candidates[1], captions.references[1]
    ('A dog.', ['One dog runs.'])
    """
    return CaptionPairs(
        _Numbers(range(len(candidates))),
        _Texts(pool.texts, candidates),
        _SingleTexts(pool.texts, references),
        pool=pool,
        candidate_indices=candidates,
        reference_indices=references,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class CaptionPairs(Captions):
    """Captions drawn from a pool, each text cut alone. No string is looked up unless a metric asks for it."""

    pool: TextPool
    candidate_indices: Int64s
    reference_indices: Int64s

    def __getitem__(self, rows: Rows) -> CaptionPairs:
        return pool_pairs(self.pool, self.candidate_indices[rows], self.reference_indices[rows])

    def _tokenize(self, name: str, alone: bool) -> TokenizedCaptions:
        sentences, indices = self.pool.tokens(name)
        one_each = np.arange(len(self) + 1, dtype=np.int64)
        references = Ragged(indices[self.reference_indices], one_each)
        return TokenizedCaptions(sentences, indices[self.candidate_indices], references)


@dataclass(frozen=True)
class _Numbers(Sequence[str]):
    """Row numbers as ids, for items that have no names."""

    rows: range

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, row: Any) -> Any:
        return [str(number) for number in self.rows[row]] if isinstance(row, slice) else str(self.rows[row])


@dataclass(frozen=True)
class _Texts(Sequence[str]):
    texts: Sequence[str]
    indices: Int64s

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, row: Any) -> Any:
        chosen = self.indices[row]
        return [self.texts[index] for index in chosen] if isinstance(row, slice) else self.texts[chosen]


class _SingleTexts(_Texts):
    """Each text as a list of one."""

    def __getitem__(self, row: Any) -> Any:
        chosen = super().__getitem__(row)
        return [[text] for text in chosen] if isinstance(row, slice) else [chosen]
