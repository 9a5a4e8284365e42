"""Which text encoder reads the queries of a corpus."""

from __future__ import annotations

from collections.abc import Sequence

from kataribe.encoders import loading
from kataribe.text.scripts import is_mostly_unspaced


def text_encoder_for(texts: Sequence[str]) -> str:
    """MiniLM for English; what is not written in ASCII, mostly, is another language.

    >>> text_encoder_for(["Maria looks back."]), text_encoder_for(["老李回头。"])
    ('minilm', 'e5')
    """
    plain = sum(text.isascii() for text in texts)
    is_english = 2 * plain >= len(texts) and not is_mostly_unspaced(texts)
    return loading.DEFAULT if is_english else loading.MULTILINGUAL
