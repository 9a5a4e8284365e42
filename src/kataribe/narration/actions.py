"""What is done in a line: its actions, each a verb and what follows it, without anybody's name.

    an action begins at a verb (verbs that follow each other directly are one) and ends before the next verb, before
    punctuation, before a word that joins clauses (and, then, who; 并, 然后), or with the text; its verb is the first
    one, in its dictionary form

`word_kinds` says what a verb is. A simple rule on purpose: it is the same for Chinese and English, needs no parser, and
anybody can predict what it finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kataribe.films.names import Names
from kataribe.narration.word_kinds import Language, Word, open_tagger

_JOINING = frozenset(
    [
        *("and", "or", "but", "then", "as", "while", "when", "until", "because", "so", "if"),
        *("who", "whom", "whose", "which", "that"),
        *("并", "并且", "然后", "而", "但", "但是", "于是", "又"),
    ]
)
_PUNCTUATION = re.compile(r"[^\w\s'’\-]")
# Of the dictionary forms that say that something is, not that something is done.
_STATES = frozenset(["be", "have", "是", "有", "没有"])


class Action(NamedTuple):
    """What is done, as the text has it, and its verb in dictionary form."""

    text: str
    verb: str


def find_actions(text: str, names: Names, language: Language) -> list[Action]:
    """
    >>> find_actions("Anna lifts a lantern and runs along the wall.", Names({"Anna": "Anna"}), "en")
    [Action(text='lifts a lantern', verb='lift'), Action(text='runs along the wall', verb='run')]
    """
    return [
        Action(_joined(words), words[0].lemma)
        for words in _actions(open_tagger(language).words(text, names))
        if words[0].lemma not in _STATES
    ]


def clauses(text: str, names: Names, language: Language) -> list[str]:
    """The text without names, cut at punctuation.

    >>> clauses("Anna waits, then runs.", Names({"Anna": "Anna"}), "en")
    ['waits', 'then runs']
    """
    parts: list[list[Word]] = [[]]
    for word in open_tagger(language).words(text, names):
        if _PUNCTUATION.search(word.text):
            parts.append([])
        else:
            parts[-1].append(word)
    return [said for part in parts if (said := _joined(part))]


def _actions(words: Sequence[Word]) -> Iterator[list[Word]]:
    action: list[Word] = []
    follows_verb = False
    for word in words:
        if not word.text.strip():
            action += [word] if action else []
            continue
        ends = word.text.lower() in _JOINING or _PUNCTUATION.search(word.text) is not None
        if action and (ends or (word.kind == "verb" and not follows_verb)):
            yield action
            action = []
        if word.kind == "verb" or (action and not ends):
            action.append(word)
        follows_verb = word.kind == "verb"
    if action:
        yield action


def _joined(words: Sequence[Word]) -> str:
    """Without names; what they leave is one space, or none where the text has none."""
    return " ".join("".join(word.text for word in words if word.kind != "name").split())
