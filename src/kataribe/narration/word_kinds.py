"""Nouns and verbs of a text, for whoever exchanges or compares them.

    zh   jieba's tags: nouns are n… but nr… (names of people), verbs are v…
    en   the tags of spaCy's en_core_web_sm, which a package carries: nouns are NN and NNS (not NNP, names), verbs are
         VB… unless they are auxiliaries (is, has, does, will)

Role names are given, and are never nouns or verbs. A word's `form` is what a word in its place must share for the text
to stay grammatical: in Chinese its kind, in English its tag and, because of a and an, whether it begins with a vowel.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any, Literal, NamedTuple, Protocol

from kataribe.core.errors import UsageError
from kataribe.core.need import need
from kataribe.encoders.carried import EN_CORE_WEB_SM
from kataribe.films.names import Mention, Names
from kataribe.text.scripts import count_scripts

Kind = Literal["noun", "verb", "name", ""]
Language = Literal["zh", "en"]

_OTHER_SCRIPT = re.compile("[\u3040-\u30ff\uac00-\ud7af]")  # kana, Hangul


class Word(NamedTuple):
    """A stretch of a text; the words of a text are all of it, white space and punctuation included.

    The lemma of a name is the role that goes by it.
    """

    text: str
    kind: Kind = ""
    form: str = ""
    lemma: str = ""


class Tagger(Protocol):
    """Cuts a text into words; names of roles stay whole."""

    @property
    def signature(self) -> str: ...
    def words(self, text: str, names: Names) -> list[Word]: ...


def language_of(texts: Iterable[str]) -> Language:
    """Chinese or English, by the letters; what is written in kana or Hangul is refused.

    >>> language_of(["老李回头。"]), language_of(["Maria looks back."])
    ('zh', 'en')
    """
    listed = list(texts)
    if sum(len(_OTHER_SCRIPT.findall(text)) for text in listed) > 0.1 * count_scripts(listed).letters:
        raise UsageError(
            "nouns and verbs are known for Chinese and English, and these texts are neither",
            hint="the option language takes them for one of these: zh or en",
        )
    return "zh" if count_scripts(listed).is_mostly_unspaced else "en"


@cache
def open_tagger(language: Language) -> Tagger:
    return _Jieba() if language == "zh" else _Spacy()


def names_apart(text: str, names: Names) -> list[Word]:
    """The text cut before and behind every name."""
    return list(_filled(text, [_name(text, mention) for mention in names.mentions(text)]))


class _Jieba:
    def __init__(self) -> None:
        purpose = "telling nouns and verbs of Chinese"
        jieba = need("jieba", extra="zh", purpose=purpose)
        posseg = need("jieba.posseg", extra="zh", purpose=purpose)
        jieba.setLogLevel("WARNING")  # it reports loading its dictionary on standard error
        # Its own dictionary: words that the caller has added to jieba's must not move a result.
        self._tagger: Any = posseg.POSTokenizer(jieba.Tokenizer())
        self._lock = threading.Lock()
        self.signature = f"jieba{version('jieba')}"

    def words(self, text: str, names: Names) -> list[Word]:
        return [word for stretch in names_apart(text, names) for word in self._cut(stretch)]

    def _cut(self, stretch: Word) -> Iterator[Word]:
        if stretch.kind == "name":
            yield stretch
            return
        with self._lock:
            tagged = self._tagger.lcut(stretch.text)
        for word, tag in tagged:
            kind: Kind = "noun" if tag[0] == "n" and tag[:2] != "nr" else "verb" if tag[0] == "v" else ""
            yield Word(word, kind, kind, word)


class _Spacy:
    def __init__(self) -> None:
        spacy = need("spacy", extra="en", purpose="telling nouns and verbs of English")
        folder = EN_CORE_WEB_SM.all_files() / f"{EN_CORE_WEB_SM.module}-{EN_CORE_WEB_SM.version}"
        self._nlp: Any = spacy.load(folder, exclude=["ner", "parser", "senter"])
        self._lock = threading.Lock()
        self.signature = f"spacy{version('spacy')}-{EN_CORE_WEB_SM.model}{EN_CORE_WEB_SM.version}"

    def words(self, text: str, names: Names) -> list[Word]:
        """The whole sentence is read, names included; then what touches a name is cut out of it."""
        with self._lock:
            tokens = [(token.idx, token.idx + len(token), _english(token)) for token in self._nlp(text)]
        mentions = list(names.mentions(text))
        free = [(start, end, word) for start, end, word in tokens if not _touches(start, end, mentions)]
        pieces = [*free, *(_name(text, mention) for mention in mentions)]
        return list(_filled(text, sorted(pieces, key=lambda piece: piece[:2])))


def _english(token: Any) -> Word:
    kind: Kind = ""
    if token.tag_ in ("NN", "NNS") and token.text[:1].isalpha():
        kind = "noun"
    elif token.tag_.startswith("VB") and token.pos_ == "VERB" and token.text[:1].isalpha():
        kind = "verb"
    vowel = " vowel" if token.text[:1].lower() in "aeiou" else ""
    return Word(token.text, kind, f"{token.tag_}{vowel}" if kind else "", token.lemma_.lower())


def _name(text: str, mention: Mention) -> tuple[int, int, Word]:
    return mention.start, mention.end, Word(text[mention.start : mention.end], "name", lemma=mention.role)


def _touches(start: int, end: int, mentions: Sequence[Mention]) -> bool:
    return any(start < name.end and name.start < end for name in mentions)


def _filled(text: str, pieces: Iterable[tuple[int, int, Word]]) -> Iterator[Word]:
    """The pieces with what lies between them, so that nothing of the text is lost."""
    at = 0
    for start, end, word in pieces:
        if start > at:
            yield Word(text[at:start])
        yield word
        at = end
    if at < len(text):
        yield Word(text[at:])
