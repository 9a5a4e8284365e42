"""Texts that are probably not what somebody meant to score: a missing value, a model's own marks, no word at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kataribe.core.caution import Caution
from kataribe.core.errors import counted, some
from kataribe.text.scripts import is_mostly_segmented, is_mostly_unspaced, says_something

# What programs write where there is no text.
_MISSING_VALUES = frozenset({"nan", "none", "null", "n/a", "<na>", "undefined"})
_LONGEST_MISSING_VALUE = max(map(len, _MISSING_VALUES))
_MODEL_MARK = re.compile(
    r"</?(?:s|sos|bos|eos|start|end|pad|unk|mask)>"
    r"|\[(?:pad|unk|cls|sep|mask|bos|eos|start|end)\]"
    r"|<\|[^|<>]+\|>",
    re.IGNORECASE,
)

# What is said of one text of each kind, and of several, by the warning's id.
ODD_TEXTS = {
    "empty-references": ("is empty and was scored as it is", "are empty and were scored as they are"),
    "wordless-texts": ("has no letter or digit", "have no letter or digit"),
    "missing-values": (
        'is a word that stands for a missing value, such as "nan" or "None"',
        'are words that stand for a missing value, such as "nan" or "None"',
    ),
    "model-marks": (
        "contains marks of a model, such as <s> or [PAD]",
        "contain marks of a model, such as <s> or [PAD]",
    ),
}


def odd_texts(texts: Iterable[tuple[str, str]], role: str) -> list[Caution]:
    """One warning for each kind of odd text, of (id, text) pairs; `role` says what they are: predictions, references.

    >>> odd_texts([("1", "a dog"), ("2", "..."), ("3", "nan"), ("4", "a dog </s>")], "predictions")[0]
    "1 prediction has no letter or digit: '2'"
    """
    found: dict[str, list[str]] = {}
    for id, text in texts:
        kind = _kind(text)
        if kind:
            found.setdefault(kind, []).append(id)
    single = role.removesuffix("s")
    return [
        Caution(kind, f"{counted(len(found[kind]), f'{single} {one}', f'{role} {many}')}: {some(found[kind])}")
        for kind, (one, many) in ODD_TEXTS.items()
        # An empty prediction is counted elsewhere.
        if kind in found and not (kind == "empty-references" and role == "predictions")
    ]


def unspaced_texts(texts: Sequence[str], option: str) -> list[Caution]:
    """Said of texts that are about to be cut at spaces which they do not have; `option` names what to choose instead.

    >>> unspaced_texts(["老李回头。"], "tok=zh")[0]
    'the texts are not written with spaces between words, which the tokenizer ptb needs: use tok=zh'
    """
    if not is_mostly_unspaced(texts) or is_mostly_segmented(texts):
        return []
    text = f"the texts are not written with spaces between words, which the tokenizer ptb needs: use {option}"
    return [Caution("unspaced-text", text, options=["tok"])]


def _kind(text: str) -> str:
    bare = text.strip()
    if not bare:
        return "empty-references"
    if len(bare) <= _LONGEST_MISSING_VALUE and bare.casefold() in _MISSING_VALUES:
        return "missing-values"
    if ("<" in bare or "[" in bare) and _MODEL_MARK.search(bare):
        return "model-marks"
    return "" if says_something(bare) else "wordless-texts"
