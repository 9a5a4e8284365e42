"""Tokenizers by name. A tokenizer turns each text into its tokens joined by single spaces, and names itself - with
its dictionary's version - in the signature, because segmentation alone can double a score.

    ptb        English as the caption tools cut it (see `kataribe.text.ptb`): lower-cased, punctuation dropped
    ja         SudachiPy with the core dictionary, short units
    ja-mecab   MeCab with UniDic (fugashi, unidic-lite)
    zh         jieba
    char       every character that is not white space
    letters    runs of a to z, lower-cased: what the scorers of paragraph captioning keep of English
    none       the text is tokenized already: white space separates

All but ptb and letters leave case and punctuation as they are.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version

from kataribe.core.errors import UsageError, nearest
from kataribe.core.need import need
from kataribe.text import ptb
from kataribe.text.ptb import Following


@dataclass(frozen=True)
class Tokenizer:
    """`tokenize` cuts texts in their order; `alone`, where it makes a difference, each as if it were the only one;
    `before` some texts of a corpus as they are cut there, given what follows each (see `ptb.find_following`).

    The PTB tokenizer reads the caption tools' input as one long text: whether a single letter keeps its dot depends
    on how the next caption begins.
    """

    name: str
    signature: str
    tokenize: Callable[[Sequence[str]], list[str]]
    tokenize_alone: Callable[[Sequence[str]], list[str]] | None = None
    tokenize_before: Callable[[Sequence[str], Sequence[Following | None]], list[str]] | None = None

    @property
    def looks_ahead(self) -> bool:
        return self.tokenize_alone is not None

    def alone(self, texts: Sequence[str]) -> list[str]:
        return (self.tokenize_alone or self.tokenize)(texts)

    def before(self, texts: Sequence[str], following: Sequence[Following | None]) -> list[str]:
        return self.tokenize_before(texts, following) if self.tokenize_before else self.tokenize(texts)

    def __call__(self, texts: Sequence[str]) -> list[str]:
        """
        >>> tokenizer("char")(["語り部 tells"])
        ['語 り 部 t e l l s']
        """
        return self.tokenize(texts)


# Not among the names: for metrics whose model brings a tokenizer of its own.
UNCUT = Tokenizer("uncut", "none", lambda texts: [text.strip() for text in texts])


@cache
def tokenizer(name: str) -> Tokenizer:
    if name == UNCUT.name:
        return UNCUT
    if name not in _MAKERS:
        raise UsageError(f"no tokenizer is called {name!r}", hint=nearest(name, _MAKERS))
    return _MAKERS[name]()


def names() -> list[str]:
    return list(_MAKERS)


def _ptb() -> Tokenizer:
    return Tokenizer("ptb", "ptb", ptb.tokenize, partial(ptb.tokenize, look_ahead=False), ptb.tokenize_before)


def _sudachi() -> Tokenizer:
    sudachipy = need("sudachipy", extra="ja", purpose="the tokenizer 'ja'")
    dictionary = sudachipy.Dictionary(dict="core").create(mode=sudachipy.SplitMode.A)
    signature = f"ja-sudachi{version('sudachipy')}-core{version('sudachidict_core')}"
    return Tokenizer("ja", signature, _each(lambda text: [m.surface() for m in dictionary.tokenize(text)]))


def _mecab() -> Tokenizer:
    fugashi = need("fugashi", extra="ja", purpose="the tokenizer 'ja-mecab'")
    need("unidic_lite", extra="ja", purpose="the tokenizer 'ja-mecab'")
    tagger = fugashi.Tagger()
    signature = f"ja-mecab{version('fugashi')}-unidic-lite{version('unidic-lite')}"
    return Tokenizer("ja-mecab", signature, _each(lambda text: [word.surface for word in tagger(text)]))


def _jieba() -> Tokenizer:
    jieba = need("jieba", extra="zh", purpose="the tokenizer 'zh'")
    jieba.setLogLevel("WARNING")  # it reports loading its dictionary on standard error
    return Tokenizer("zh", f"zh-jieba{version('jieba')}", _each(jieba.lcut))


def _char() -> Tokenizer:
    return Tokenizer("char", "char", _each(list))


def _letters() -> Tokenizer:
    run = re.compile("[a-zA-Z]+")
    return Tokenizer("letters", "letters", _each(lambda text: [word.lower() for word in run.findall(text)]))


def _none() -> Tokenizer:
    return Tokenizer("none", "none", _each(lambda text: [text]))


_MAKERS: dict[str, Callable[[], Tokenizer]] = {
    "ptb": _ptb,
    "ja": _sudachi,
    "ja-mecab": _mecab,
    "zh": _jieba,
    "char": _char,
    "letters": _letters,
    "none": _none,
}


def _each(cut: Callable[[str], list[str]]) -> Callable[[Sequence[str]], list[str]]:
    """Cut each text alone; white space separates tokens and is never part of one."""
    lock = threading.Lock()  # dictionaries are not made for several threads

    def tokenize(texts: Sequence[str]) -> list[str]:
        with lock:
            return [" ".join(" ".join(cut(text)).split()) for text in texts]

    return tokenize
