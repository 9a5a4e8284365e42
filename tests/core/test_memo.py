"""What may be wanted again is computed once where it is, and never travels."""

from __future__ import annotations

import pickle
import threading

from kataribe.core.memo import Memo, keep_open
from kataribe.engines.local import LocalEngine


def test_a_memo_stays_behind_when_its_owner_is_pickled() -> None:
    memo = Memo()
    memo.keep("lock", threading.Lock)
    assert pickle.loads(pickle.dumps(memo)) == {}


def test_threads_that_ask_at_once_open_once() -> None:
    opened = []

    @keep_open(1)
    def open_model(name: str) -> str:
        opened.append(name)
        return name.upper()

    assert set(LocalEngine(4).map(lambda _: open_model("model"), range(20))) == {"MODEL"}
    assert opened == ["model"]
    assert open_model("other") == "OTHER"
    assert open_model("model") == "MODEL"
    assert opened == ["model", "other", "model"]
