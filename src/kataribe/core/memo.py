"""What may be wanted again: values computed of a shard, models and files that were opened."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


class Memo(dict[Hashable, object]):
    """Keeps what was computed from a frozen value; it can be computed again, so it may be dropped at any time.

    It stays behind when its owner is pickled, copied or cut into shards: whoever needs it there computes it again.

    >>> memo = Memo()
    >>> memo.keep("words", lambda: ["a", "dog"]), memo.keep("words", list)
    (['a', 'dog'], ['a', 'dog'])
    """

    def keep(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What was computed under a key, computing it the first time."""
        if key not in self:
            self[key] = compute()
        return self[key]  # type: ignore[return-value] # whoever asks under one key computes one type

    def __reduce__(self) -> tuple[type[Memo], tuple[()]]:
        return Memo, ()


def keep_open(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """What was opened last stays open, so many of them; threads that ask at the same time open it once."""

    def keeping(open: Callable[P, T]) -> Callable[P, T]:
        lock, opened = threading.Lock(), lru_cache(maxsize=most)(open)

        @wraps(open)
        def locked(*arguments: P.args, **options: P.kwargs) -> T:
            with lock:
                return opened(*arguments, **options)  # type: ignore[arg-type] # what names a thing can be hashed

        locked.cache_clear = opened.cache_clear  # type: ignore[attr-defined]
        return locked

    return keeping
