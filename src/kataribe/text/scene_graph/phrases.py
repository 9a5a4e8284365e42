"""A dependency tree as the rules read it: phrases - nouns with their case, predicates with how they join.

GiNZA's tree is one of words. Here compounds become one word, particles and auxiliaries a property of what they
follow, and verbs that only carry another one (蹴ろうとする, 上がってくる, 青くなる) give way to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Literal

from kataribe.text.scene_graph import tokens
from kataribe.text.scene_graph.categories import is_animate, is_quality, is_quantity, is_time
from kataribe.text.scene_graph.graph import Word
from kataribe.text.scene_graph.lexicon import ABOUT, ADNOMINAL, FORMAL, LOCATIONS

Kind = Literal["noun", "predicate", "modifier", "adverb"]


@dataclass(eq=False)
class Phrase:
    """`mark` is a noun's case (ガ, ヲ, ノ ...) or how a predicate joins its head: 連体, 連用, or otherwise."""

    word: Word
    kind: Kind
    mark: str
    position: int
    head: Phrase | None = None
    quantity: Word | None = None
    is_verbal_noun: bool = False
    is_copular: bool = False
    is_listed: bool = False
    is_quality: bool = False
    children: list[Phrase] = field(default_factory=list, repr=False)

    @property
    def is_formal(self) -> bool:
        return self.kind == "noun" and self.word.text in FORMAL

    @property
    def is_location(self) -> bool:
        return self.kind == "noun" and self.word.text in LOCATIONS


def read_phrases(document: Any) -> list[Phrase]:
    """The phrases of a parsed text, in its order, linked to their heads."""
    carried = {light.i: content for light in document if (content := tokens.carried(light)) is not None}
    carriers = {content.i: document[light] for light, content in carried.items()}

    def follow(token: Any, links: dict[int, Any]) -> Any:
        while token.i in links:
            token = links[token.i]
        return token

    phrases: dict[int, Phrase] = {}
    for token in document:
        if token.i not in carried and (phrase := _phrase(token, follow(token, carriers))) is not None:
            phrases[token.i] = phrase
    for index, phrase in phrases.items():
        head = follow(tokens.above(follow(document[index], carriers)), carried)
        phrase.head = phrases.get(head.i) if head.i != index else None
    found = _merge_people(list(phrases.values()))
    _mend(found)
    for phrase in found:
        if phrase.head is not None:
            phrase.head.children.append(phrase)
    for phrase in found:
        _lift_subject(phrase)
    return found


def _phrase(token: Any, carrier: Any) -> Phrase | None:
    tag = token.tag_
    if tokens.is_part(token) or tag.startswith(("補助記号", "空白", "接続詞", "感動詞")):
        return None
    if tag.startswith("連体詞"):
        if token.pos_ == "DET" or not token.text.endswith("な"):
            return None
        text = ADNOMINAL.get(token.text, token.text)
        return Phrase(Word(text, text), "modifier", "連体", token.i)
    if tag.startswith("形状詞") and "の" in [part.text for part in tokens.run(token)]:
        return Phrase(tokens.spell_out(tokens.compound(token)), "modifier", "連体", token.i)
    if tag.startswith(("動詞", "形容詞", "形状詞")) or (token.pos_ == "VERB" and "サ変" in tag):
        return _predicate(token, carrier)
    if tag.startswith("副詞"):
        return Phrase(tokens.spell_out([token]), "adverb", "", token.i)
    return _noun(token)


def _noun(token: Any) -> Phrase:
    parts = tokens.compound(token)
    word, quantity = tokens.noun_word(parts)
    return Phrase(
        word,
        "noun",
        tokens.case(token),
        token.i,
        quantity=quantity,
        is_verbal_noun=len(parts) == 1 and "サ変" in token.tag_,
        is_copular=any(child.dep_ == "cop" for child in token.children),
        is_listed=tokens.is_listed(token),
    )


def _predicate(token: Any, carrier: Any) -> Phrase:
    ending = list(tokens.run(token))
    if carrier.i != token.i:
        ending += tokens.run(carrier)
    kind: Kind = "adverb" if tokens.is_adverbial(token, ending) else "predicate"
    is_quality = token.tag_.startswith(("形容詞", "形状詞"))
    word, mark = tokens.predicate_word(token, ending), tokens.joins(carrier, ending)
    quantity = tokens.verb_quantity(token) if token.tag_.startswith("動詞") else None
    return Phrase(word, kind, mark, token.i, quantity=quantity, is_quality=is_quality)


def _merge_people(phrases: list[Phrase]) -> list[Phrase]:
    """男の人 is one word, as 男の子 is."""
    merged = set()
    for phrase in phrases:
        person = phrase.head
        if phrase.word.text in ("男", "女") and phrase.mark == "ノ" and person is not None and person.word.text == "人":
            person.word = Word(f"{phrase.word.key}の人", f"{phrase.word.text}の人")
            merged.add(phrase)
    return [phrase for phrase in phrases if phrase not in merged]


def _mend(phrases: list[Phrase]) -> None:
    """What GiNZA often attaches to the next noun though grammar forbids it."""
    for phrase, following in zip_longest(phrases, phrases[1:]):
        if phrase.kind == "noun":
            _mend_noun(phrase, following)
        elif phrase.kind == "predicate":
            _mend_predicate(phrase)


def _mend_noun(phrase: Phrase, following: Phrase | None) -> None:
    is_counted = is_quantity(phrase.word.text) or is_time(phrase.word.text)
    if phrase.is_listed and not is_counted and _is_noun_beside(following, phrase):
        phrase.mark, phrase.head = "ト", following  # 犬、猫、鳥が
    while (head := phrase.head) is not None and head.kind in ("noun", "adverb") and head.head is not None:
        if head.kind == "noun" and not _belongs_higher(phrase, head):
            return
        phrase.head = head.head


def _is_noun_beside(phrase: Phrase | None, other: Phrase) -> bool:
    """Whether a phrase is a noun that does not itself depend on another one."""
    is_noun = phrase is not None and phrase.kind == "noun"
    while phrase is not None and phrase is not other:
        phrase = phrase.head
    return is_noun and phrase is None


def _belongs_higher(phrase: Phrase, head: Phrase) -> bool:
    """Whether a noun belongs to the predicate above the noun that the parser chose."""
    if phrase.mark == "ト":
        is_company = is_animate(phrase.word.text) and not is_animate(head.word.text)
        # 友達と一緒に遊ぶ is 友達と遊ぶ; and 犬と公園を散歩する: nobody walks a dog and a park.
        return head.word.text == "一緒" or (is_company and head.mark not in ("ガ", "ハ", "ノ", "ト"))
    is_said = head.is_copular or (head.mark == "ノ" and is_quality(head.word.text))  # 髪が茶色の女性
    return phrase.mark not in ("", "ノ") and not is_said


def _mend_predicate(phrase: Phrase) -> None:
    """A continuing form never modifies a noun (被り、ボードに乗る), and no clause a number (作る二人の子供)."""
    while (head := phrase.head) is not None and head.kind == "noun" and head.position > phrase.position:
        if phrase.mark != "連用" and not (head.mark == "ノ" and is_quantity(head.word.text)):
            return
        phrase.head = head.head


def _lift_subject(phrase: Phrase) -> None:
    """少女が黒いピアノの前に座る: not she is black. GiNZA likes to give a subject to the first predicate it meets.

    Somebody who is the subject of a relative clause moves to the clause above if that one has no subject, and if the
    relative clause can do without: it is an adjective (not one like 好き, and 髪が長い is not about somebody), or it
    has an object of its own and modifies somebody else who can be its subject (男性が赤い服を着た女性を見る).
    """
    clause = phrase.head
    if phrase.mark != "ガ" or clause is None or clause.kind != "predicate" or clause.mark != "連体":
        return
    modified = above = clause.head
    while above is not None and above.kind == "noun" and above.mark not in ("ガ", "ハ"):
        above = above.head
    if modified is None or above is None or above.kind != "predicate" or not is_animate(phrase.word.text):
        return
    if any(child.mark in ("ガ", "ハ") for child in above.children if child.kind == "noun"):
        return
    has_object = any(child.mark == "ヲ" for child in clause.children if child.kind == "noun")
    is_adjective = clause.is_quality and clause.word.text not in ABOUT
    if is_adjective or (has_object and is_animate(modified.word.text)):
        clause.children.remove(phrase)
        above.children.append(phrase)
        above.children.sort(key=lambda child: child.position)
        phrase.head = above
