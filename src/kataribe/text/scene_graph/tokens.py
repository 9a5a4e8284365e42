"""Words of GiNZA's dependency tree read together: compounds, cases, voices, verbs that only carry another one.

Tokens are spaCy's. Where the parser's label and the dictionary's tag disagree, the tag is believed: it comes from a
dictionary, the label from a guess.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kataribe.text.scene_graph.categories import count_key, is_quantity
from kataribe.text.scene_graph.graph import Word
from kataribe.text.scene_graph.lexicon import ATTENDANT, BECOMING, CARRIERS, CASES, CHAINING, DENIALS, PHASES, VOICES

# What belongs to the phrase of the word it depends on.
_PARTS = frozenset(("case", "aux", "mark", "fixed", "punct", "cop", "compound", "nummod", "clf", "det", "cc"))
_COMPOUNDING = ("compound", "nummod", "clf")


def is_part(token: Any) -> bool:
    """Whether a word belongs to the phrase of the word it depends on."""
    return token.dep_ in _PARTS or _is_second_verb(token)


def _is_second_verb(token: Any) -> bool:
    """合う of じゃれ合う: a verb that depends on the one right before it."""
    head = token.head
    return bool(head.i == token.i - 1 and token.tag_.startswith("動詞") and head.tag_.startswith("動詞"))


def above(token: Any) -> Any:
    """What a word depends on, past the parts of other phrases that the parser sometimes names."""
    head = token.head
    while is_part(head) and head.head.i != head.i:
        head = head.head
    return head


def run(token: Any) -> Iterator[Any]:
    """A word and the particles, auxiliaries and marks that directly follow it."""
    yield token
    for following in token.doc[token.i + 1 :]:
        if not is_part(following) or following.dep_ in (*_COMPOUNDING, "det"):
            return
        if following.pos_ != "PUNCT":
            yield following


def inflection(token: Any) -> str:
    return "".join(token.morph.get("Inflection"))


def carried(token: Any) -> Any | None:
    """The word that a verb only carries: 蹴る of 蹴ろうとする, 上がる of 上がってくる, 青い of 青くなる."""
    if is_part(token) or token.i == 0 or not token.tag_.startswith(("動詞", "形容詞-非自立可能")):
        return None
    before = token.nbor(-1)
    for child in token.lefts:
        parts = list(run(child))
        if is_part(child) or parts[-1].i != before.i:
            continue
        if token.lemma_ in CARRIERS and before.tag_ == "助詞-接続助詞" and before.text in ("て", "で"):
            return child
        if token.lemma_ == "する" and before.text == "と" and any("意志推量形" in inflection(part) for part in parts):
            return child
        if token.lemma_ in BECOMING and child.tag_.startswith("形容詞") and "連用形" in inflection(before):
            return child
        if token.lemma_ in BECOMING and child.tag_.startswith("形状詞") and before.text == "に":
            return child
    return None


# Nouns


def compound(token: Any) -> list[Any]:
    """サッカーボール is one word, 3匹 another."""
    parts = [child for child in token.children if child.dep_ in _COMPOUNDING]
    return sorted([token, *(part for child in parts for part in compound(child))], key=lambda part: part.i)


def spell_out(parts: list[Any]) -> Word:
    return Word("".join(part.norm_ for part in parts), "".join(part.text for part in parts))


def noun_word(parts: list[Any]) -> tuple[Word, Word | None]:
    """A noun and how many of it there are: 男性2人 is one word to the parser, but it is a man, and two of them."""
    for start in range(len(parts)):
        count = "".join(part.text for part in parts[start:])
        if is_quantity(count):
            quantity = Word(count_key(count), count)
            return (_single(spell_out(parts[:start])), quantity) if start else (quantity, None)
    return _single(spell_out(parts)), None


def verb_quantity(token: Any) -> Word | None:
    """3匹 of 魚を3匹釣る, which the parser now and then takes for a part of the verb."""
    count = "".join(part.text for part in compound(token)[:-1])
    return Word(count_key(count), count) if count and is_quantity(count) else None


def _single(word: Word) -> Word:
    """子供たち are counted with 子供."""
    for plural in ("たち", "達"):
        if word.text.endswith(plural) and word.text not in ("友達", "友だち", plural):
            return Word(word.key.removesuffix("達").removesuffix("たち"), word.text.removesuffix(plural))
    return word


def particles(token: Any) -> list[Any]:
    return [part for part in run(token) if part.tag_.startswith("助詞") and part.tag_ != "助詞-接続助詞"]


def case(token: Any) -> str:
    """ガ, ヲ ...; ハ for a topic, which is the subject unless the parser says otherwise; ト also for unmarked lists."""
    marks = particles(token)
    cases = [CASES[mark.text] for mark in marks if mark.text in CASES and (mark.text != "か" or mark is marks[-1])]
    if cases:
        return cases[0]
    if any(mark.tag_ == "助詞-係助詞" for mark in marks):
        return "ヲ" if token.dep_ == "obj" else "ハ"
    by_label = {"nsubj": "ガ", "obj": "ヲ", "nmod": "ト", "conj": "ト"}
    return by_label.get(token.dep_, "")


def is_listed(token: Any) -> bool:
    """犬 of 犬、猫が."""
    return not particles(token) and token.i + 1 < len(token.doc) and token.nbor(1).text in ("、", ",", "，", "・")


# Predicates


def predicate_word(token: Any, ending: list[Any]) -> Word:
    """In dictionary form, with its voice and whether it is denied: 置かれる, 食べさせる, さす+ない.

    `ending` is all that follows, to the end of the verb that carries this one.
    """
    parts = list(run(token))
    text, key = token.lemma_, token.norm_
    if token.tag_.startswith("名詞"):
        word = spell_out(compound(token))
        text, key = f"{word.text}する", f"{word.key}する"
    second = next((part for part in parts if _is_second_verb(part) and part.lemma_ not in PHASES), None)
    if second is not None:
        text, key = f"{token.text}{second.lemma_}", f"{token.text}{second.norm_}"
    voices = [index for index, part in enumerate(parts) if part.dep_ == "aux" and part.lemma_ in VOICES]
    if voices:
        # The forms before れる and せる join without change.
        text = "".join(part.text for part in parts[: voices[-1]]) + parts[voices[-1]].lemma_
        key = "+".join([key, *(parts[index].lemma_ for index in voices)])
    if any(part.lemma_ in DENIALS and part.i != token.i for part in ending):
        text, key = f"{text}+ない", f"{key}+ない"
    return Word(key, text)


def joins(token: Any, ending: list[Any]) -> str:
    """How a predicate joins what it depends on: 連用 (chained), 連体 (a relative clause), or otherwise."""
    last = ending[-1]
    if last.dep_ == "fixed" and last.tag_.startswith("助詞"):  # に of ために
        last = last.head
    if last.dep_ in ("mark", "case"):
        return "連用" if last.text in CHAINING or last.text in ATTENDANT else ""
    inflected = next((part for part in reversed(ending) if inflection(part)), token)
    if "連用形" in inflection(inflected):
        return "連用"
    return "連体" if token.dep_ == "acl" else ""


def is_adverbial(token: Any, ending: list[Any]) -> bool:
    """楽しく and 静かに before a verb say how; 空は青く, with something to say it of, is a predicate."""
    is_quality = token.tag_.startswith(("形容詞", "形状詞"))
    is_continuing = "連用形" in inflection(ending[-1]) or ending[-1].text == "に"
    has_own = any(child.dep_ in ("nsubj", "obj", "obl", "nmod") for child in token.children)
    return is_quality and is_continuing and not has_own
