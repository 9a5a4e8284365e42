"""Texts as tokens and back, without loss: `decode(encode(text)) == text` as long as every character is known.

    characters   of Chinese and other scripts without spaces: each character is a token
    words        of others: a word with the space before it, or a mark, is a token if the training texts have it twice;
                 anything else is spelt

Behind the words stand the roles of a film's cast: token `size + k` is role k, and stands for its whole name. Characters
that the training texts do not have become one token, <unknown>, and are counted.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from kataribe.core.errors import InputError
from kataribe.films.names import Names
from kataribe.text.scripts import is_mostly_unspaced

PAD, BEGIN, END, UNKNOWN = range(4)
_SPECIAL = 4
_OFTEN = 2
_PIECE = re.compile(r" ?\w+| ?[^\w\s]|\s")

Scheme = Literal["characters", "words"]


class Encoded(NamedTuple):
    """Tokens of a text, and how many of its characters are unknown."""

    tokens: tuple[int, ...]
    unknown: int


@dataclass(frozen=True)
class Vocabulary:
    """What each token stands for.

    >>> words = Vocabulary.of(["She looks at the sea.", "She looks at a ship.", "A ship at sea."])
    >>> [words.piece(token) for token in words.encode("She sees a ship.").tokens]
    ['She', ' ', 's', 'e', 'e', 's', ' ', 'a', ' ship', '.']
    >>> words.decode(words.encode("She sees a ship.").tokens)
    'She sees a ship.'
    """

    scheme: Scheme
    pieces: tuple[str, ...]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Vocabulary:
        """Of the training texts, the most frequent pieces first."""
        scheme: Scheme = "characters" if is_mostly_unspaced(texts) else "words"
        letters = Counter(letter for text in texts for letter in text)
        words = Counter(piece for text in texts for piece in _PIECE.findall(text)) if scheme == "words" else Counter()
        often = {piece: count for piece, count in words.items() if count >= _OFTEN and len(piece) > 1}
        counted = {**letters, **often}
        return cls(scheme, tuple(sorted(counted, key=lambda piece: (-counted[piece], piece))))

    @property
    def size(self) -> int:
        return _SPECIAL + len(self.pieces)

    @cached_property
    def _tokens(self) -> dict[str, int]:
        return {piece: token for token, piece in enumerate(self.pieces, start=_SPECIAL)}

    def piece(self, token: int) -> str:
        return self.pieces[token - _SPECIAL] if _SPECIAL <= token < self.size else ""

    def encode(self, text: str, cast: Names | None = None, roles: Sequence[str] = ()) -> Encoded:
        """`roles` are the film's, in order; where the text names one of them by any of its `cast` names, it is one
        token."""
        order = {role: self.size + k for k, role in enumerate(roles)}
        tokens: list[int] = []
        done = unknown = 0
        for mention in cast.mentions(text) if cast is not None else ():
            spelt = self._spell(text[done : mention.start])
            tokens += [*spelt, order[mention.role]]
            done = mention.end
        tokens += self._spell(text[done:])
        unknown = tokens.count(UNKNOWN)
        return Encoded(tuple(tokens), unknown)

    def decode(self, tokens: Iterable[int], roles: Sequence[str] = ()) -> str:
        """An unknown character is left out."""
        return "".join(roles[token - self.size] if token >= self.size else self.piece(token) for token in tokens)

    def _spell(self, text: str) -> list[int]:
        pieces = _PIECE.findall(text) if self.scheme == "words" else text
        known = self._tokens
        return [
            token
            for piece in pieces
            for token in ([known[piece]] if piece in known else [known.get(letter, UNKNOWN) for letter in piece])
        ]

    def to_json(self) -> bytes:
        return json.dumps({"scheme": self.scheme, "pieces": self.pieces}, ensure_ascii=False, indent=0).encode()

    @classmethod
    def from_json(cls, content: bytes, folder: object) -> Vocabulary:
        try:
            plain = json.loads(content)
            return cls(plain["scheme"], tuple(map(str, plain["pieces"])))
        except (ValueError, KeyError, TypeError):
            raise InputError("its vocabulary cannot be read", file=str(folder), hint="train it again") from None
