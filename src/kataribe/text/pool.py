"""Distinct texts, each cut into tokens once and alone, whatever it is later paired with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kataribe.core.memo import Memo
from kataribe.core.types import Int64s
from kataribe.text.sentences import Sentences
from kataribe.text.tokenizers import tokenizer


@dataclass(frozen=True, eq=False)
class TextPool:
    """A text may be in the pool again, after all others, as it is cut before certain next texts or before nothing:
    `before` names such a text's index and what follows it.

    >>> sentences, indices = TextPool(["A dog.", "a dog"]).tokens("ptb")
    >>> sentences.texts, indices.tolist()
    (['a dog'], [0, 0])
    """

    distinct: Sequence[str]
    before: Sequence[tuple[int, Sequence[str]]] = ()
    memo: Memo = field(default_factory=Memo, repr=False)

    @property
    def texts(self) -> Sequence[str]:
        return self.memo.keep("texts", lambda: [*self.distinct, *(self.distinct[index] for index, _ in self.before)])

    def __len__(self) -> int:
        return len(self.distinct) + len(self.before)

    @property
    def endings(self) -> dict[int, list[int]]:
        """Of each text that is in the pool again, the indices of the ways in which it is cut before others.

        >>> TextPool(["Plan A.", "a dog"], [(0, ("The dog",)), (0, ())]).endings
        {0: [2, 3]}
        """
        ways: dict[int, list[int]] = {}
        for way, (index, _) in enumerate(self.before, len(self.distinct)):
            ways.setdefault(index, []).append(way)
        return ways

    def only(self, indices: Int64s) -> TextPool:
        """The distinct texts at ascending indices, renumbered in that order, each in all the ways in which it is cut.

        >>> import numpy as np
        >>> TextPool(["a cat", "Plan A.", "a dog"], [(1, ("The dog",))]).only(np.array([1, 2])).before
        [(0, ('The dog',))]
        """
        renumbered = {old: new for new, old in enumerate(indices.tolist())} if self.before else {}
        before = [(renumbered[index], following) for index, following in self.before if index in renumbered]
        return TextPool([self.distinct[index] for index in indices.tolist()], before)

    def tokens(self, name: str) -> tuple[Sentences, Int64s]:
        """The sentences that one tokenizer makes of the texts, and for each text the index of its sentence."""
        return self.memo.keep(("tokens", name), lambda: self._tokenize(name))

    def _tokenize(self, name: str) -> tuple[Sentences, Int64s]:
        cut = tokenizer(name)
        alone = cut.alone(self.distinct)
        if cut.looks_ahead:
            in_front = [cut([self.distinct[index], *following])[0] for index, following in self.before]
        else:
            in_front = [alone[index] for index, _ in self.before]
        return Sentences.unique([*alone, *in_front])
