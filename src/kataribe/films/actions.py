"""How many actions does a narration tell? Words that are verbs, as Movie101 counts them (Yue et al., 2023, 3.2).

    Chinese     words that jieba.posseg tags as verbs (v, vn, vd, vi, ...). The paper uses HanLP and counts 6.9 in a
                clip; this rule counts 6.98 in the published validation clips.
    English     forms of the verbs in `verbs_en.txt` (their -s, -ed and -ing, and irregular forms) that do not follow a
                determiner, a possessive or a preposition: "she walks", not "the walk", "her look" or "at work".
    other       nothing is counted.

The language is that of the text: more than half of its letters Han, or nearly all of them ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

from kataribe.core.need import need
from kataribe.text.scripts import UNSPACED

Language = Literal["zh", "en", "other"]

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KANA = re.compile("[\u3041-\u30fa]")
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_MOSTLY = 0.5
_NEARLY_ALL = 0.9

_BEFORE_NOUNS = frozenset(
    [
        "a",
        "an",
        "the",
        "this",
        "that",
        "these",
        "those",
        "each",
        "every",
        "no",
        "some",
        "any",
        "his",
        "her",
        "its",
        "their",
        "my",
        "your",
        "our",
        "whose",
        "another",
        "both",
        "several",
        "of",
        "in",
        "on",
        "at",
        "by",
        "with",
        "from",
        "into",
        "onto",
        "under",
        "over",
        "behind",
        "beside",
        "between",
        "through",
        "across",
        "along",
        "against",
        "near",
        "off",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "many",
        "few",
    ]
)
_VOWELS = "aeiou"


def language_of(texts: Sequence[str]) -> Language:
    """
    >>> language_of(["老李回头。"]), language_of(["Maria looks back."]), language_of(["彼女は門を開ける。"])
    ('zh', 'en', 'other')
    """
    letters = [character for text in texts for character in text if character.isalpha()]
    if not letters:
        return "other"
    joined = "".join(letters)
    if len(_HAN.findall(joined)) > _MOSTLY * len(letters) and not _KANA.search(joined):
        return "zh"
    return "en" if sum(map(str.isascii, letters)) >= _NEARLY_ALL * len(letters) else "other"


def count_actions(text: str, language: Language) -> int:
    """
    >>> count_actions("At dawn, Ines climbs down to the boats and counts the empty moorings.", "en")
    2
    """
    if language == "zh":
        return sum(tag.startswith("v") for tag in _chinese_tags(text))
    return sum(1 for _ in _english_actions(text)) if language == "en" else 0


def count_letters(text: str) -> int:
    """The length of a text as Table 1 gives it: Chinese characters, or words where words have spaces.

    >>> count_letters("老李回头，喊道。"), count_letters("Maria looks back.")
    (6, 3)
    """
    return len(_UNSPACED.findall(text)) or len(text.split())


def _chinese_tags(text: str) -> Iterator[str]:
    tagger = need("jieba.posseg", extra="zh", purpose="counting actions in Chinese")
    need("jieba", extra="zh", purpose="counting actions in Chinese").setLogLevel("WARNING")  # it reports its loading
    return (word.flag for word in tagger.cut(text))


def _english_actions(text: str) -> Iterator[str]:
    before = ""
    for found in _WORD.finditer(text):
        word = found[0].lower()
        if word in english_forms() and before not in _BEFORE_NOUNS and not before.endswith("'s"):
            yield word
        before = word


@cache
def english_forms() -> frozenset[str]:
    """All forms of the verbs in the list.

    >>> {"climbs", "climbing", "carried", "stopped", "ran"} <= english_forms(), "boats" in english_forms()
    (True, False)
    """
    listed = files("kataribe.films").joinpath("verbs_en.txt").read_text(encoding="utf-8")
    entries = [entry for line in listed.splitlines() if not line.startswith("#") for entry in line.split()]
    return frozenset(form for entry in entries for form in _listed_forms(entry))


def _listed_forms(entry: str) -> set[str]:
    """
    >>> sorted(_listed_forms("slow*")), sorted(_listed_forms("see:saw,seen"))
    (['slowed', 'slowing', 'slows'], ['saw', 'see', 'seeing', 'seen', 'sees'])
    """
    verb, _, others = entry.partition(":")
    irregular = [form for form in others.split(",") if form]
    base, present, past, participle = _regular_forms(verb.removesuffix("*"))
    is_weak = all(form.endswith("ing") for form in irregular)  # dying, and died
    forms = {base, present, participle, *irregular, *([past] if is_weak else [])}
    return forms - {base} if verb.endswith("*") else forms


def _regular_forms(verb: str) -> tuple[str, str, str, str]:
    """
    >>> _regular_forms("carry"), _regular_forms("stop")
    (('carry', 'carries', 'carried', 'carrying'), ('stop', 'stops', 'stopped', 'stopping'))
    """
    if verb.endswith("e"):
        return verb, verb + "s", verb + "d", (verb if verb.endswith("ee") else verb[:-1]) + "ing"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"
    doubled = verb + verb[-1] if _doubles(verb) else verb
    present = verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
    return verb, present, doubled + "ed", doubled + "ing"


def _doubles(verb: str) -> bool:
    """One syllable that ends in a single vowel and a single consonant: stop, but open, look and show do not."""
    ending = re.fullmatch("[^aeiou]*(?:qu)?[aeiou][^aeiouwxy]", verb)
    return ending is not None
