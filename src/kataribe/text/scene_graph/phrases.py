"""A dependency tree as the rules read it: phrases - nouns with their case, predicates with how they join.

GiNZA's tree is one of words. Here compounds become one word, particles and auxiliaries a property of what they
follow, and verbs that only carry another one (蹴ろうとする, 上がってくる, 青くなる) give way to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from kataribe.text.scene_graph.categories import FORMAL, LOCATIONS, count_key, is_animate, is_quantity, is_time
from kataribe.text.scene_graph.graph import Word

Kind = Literal["noun", "predicate", "modifier", "adverb"]

# What belongs to the phrase of the word it depends on.
_PARTS = frozenset("case aux mark fixed punct cop compound nummod clf det cc".split())
_CASES = dict(zip("が を に から より と へ で の まで".split(), "ガ ヲ ニ カラ ヨリ ト ヘ デ ノ マデ".split(), strict=True))
_LISTING = frozenset("や とか か".split())
_VOICES = frozenset("れる られる せる させる".split())
_DENIALS = frozenset("ない ぬ ず".split())
_CHAINING = frozenset("て で ながら つつ たり だり".split())
# After て or で these say how something is done, not what.
_CARRIERS = frozenset("いる ある くる いく ゆく おく しまう みる もらう くれる あげる やる いただく くださる".split())
# After another verb's continuing form these say that it begins, goes on or ends.
_PHASES = frozenset("始める 出す 続ける 続く 終わる 終える かける".split())
_PEOPLE = frozenset(("男", "女"))
_BECOMING = frozenset("なる する ない".split())
_ADNOMINAL = {"大きな": "大きい", "小さな": "小さい", "おかしな": "おかしい"}


@dataclass(eq=False)
class Phrase:
    """`mark` is a noun's case (ガ, ヲ, ノ ...) or how a predicate joins its head: 連体, 連用, or nothing."""

    word: Word
    kind: Kind
    mark: str
    place: int
    head: Phrase | None = None
    quantity: Word | None = None
    is_formal: bool = False
    is_verbal_noun: bool = False
    is_copular: bool = False
    is_listed: bool = False
    children: list[Phrase] = field(default_factory=list, repr=False)

    @property
    def is_location(self) -> bool:
        return self.kind == "noun" and self.word.text in LOCATIONS


def read_phrases(document: Any) -> list[Phrase]:
    """The phrases of a parsed text, in its order, linked to their heads."""
    carried_by = {light.i: content for light in document if (content := _carried(light)) is not None}

    def content(token: Any) -> Any:
        while token.i in carried_by:
            token = carried_by[token.i]
        return token

    tails = {carried.i: light for light in document if (carried := carried_by.get(light.i)) is not None}

    def tail(token: Any) -> Any:
        """The last verb that carries this one: what depends on others, and what says how it joins."""
        while token.i in tails:
            token = tails[token.i]
        return token

    phrases: dict[int, Phrase] = {}
    for token in document:
        if token.i not in carried_by and (phrase := _phrase(token, tail)) is not None:
            phrases[token.i] = phrase
    for place, phrase in phrases.items():
        last = tail(document[place])
        above = content(_above(last))
        if above.i != place:
            phrase.head = phrases.get(above.i)
    found = _merge_people(list(phrases.values()))
    _mend(found)
    for phrase in found:
        if phrase.head is not None:
            phrase.head.children.append(phrase)
    return found


def _is_part(token: Any) -> bool:
    """Whether a word belongs to the phrase of the word it depends on; 合う of じゃれ合う depends on what is before it."""
    return token.dep_ in _PARTS or _is_second_verb(token)


def _is_second_verb(token: Any) -> bool:
    head = token.head
    return head.i == token.i - 1 and token.tag_.startswith("動詞") and head.tag_.startswith("動詞")


def _carried(token: Any) -> Any | None:
    """The word that a verb only carries: 蹴る of 蹴ろうとする, 上がる of 上がってくる, 青い of 青くなる or 青くない."""
    if _is_part(token) or token.i == 0 or not token.tag_.startswith(("動詞", "形容詞-非自立可能")):
        return None
    before = token.nbor(-1)
    for child in token.lefts:
        run = list(_run(child))
        if _is_part(child) or run[-1].i != before.i:
            continue
        if token.lemma_ in _CARRIERS and before.tag_ == "助詞-接続助詞" and before.text in ("て", "で"):
            return child
        if token.lemma_ == "する" and before.text == "と" and any("意志推量形" in _inflection(part) for part in run):
            return child
        if token.lemma_ in _BECOMING and child.tag_.startswith("形容詞") and "連用形" in _inflection(before):
            return child
        if token.lemma_ in _BECOMING and child.tag_.startswith("形状詞") and before.text == "に":
            return child
    return None


def _above(token: Any) -> Any:
    """What a word depends on, past the parts of other phrases that the parser sometimes names."""
    head = token.head
    while _is_part(head) and head.head.i != head.i:
        head = head.head
    return head


def _run(token: Any) -> Iterator[Any]:
    """A word and the particles, auxiliaries and marks that directly follow it."""
    yield token
    for following in token.doc[token.i + 1 :]:
        if not _is_part(following) or following.dep_ in ("compound", "nummod", "det"):
            return
        if following.pos_ != "PUNCT":
            yield following


def _inflection(token: Any) -> str:
    return "".join(token.morph.get("Inflection"))


def _phrase(token: Any, tail: Callable[[Any], Any]) -> Phrase | None:
    if _is_part(token) or token.pos_ in ("PUNCT", "SYM", "CCONJ", "INTJ") or token.is_space:
        return None
    tag = token.tag_
    if tag.startswith("連体詞"):
        if token.pos_ == "DET" or not token.text.endswith("な"):
            return None
        text = _ADNOMINAL.get(token.text, token.text)
        return Phrase(Word(text, text), "modifier", "連体", token.i)
    if tag.startswith(("動詞", "形容詞")) or (token.pos_ == "VERB" and "サ変" in tag):
        return _predicate(token, tail)
    if tag.startswith("形状詞"):
        marks = [part.text for part in list(_run(token))[1:]]
        if "の" in marks:
            return Phrase(_word(_compound(token)), "modifier", "連体", token.i)
        return _predicate(token, tail)
    if tag.startswith("副詞"):
        return Phrase(_word([token]), "adverb", "", token.i)
    return _noun(token)


def _word(parts: list[Any]) -> Word:
    return Word("".join(part.norm_ for part in parts), "".join(part.text for part in parts))


def _noun(token: Any) -> Phrase:
    parts = _compound(token)
    word, quantity = _without_quantity(parts)
    return Phrase(
        _single(word),
        "noun",
        _case(token),
        token.i,
        quantity=quantity,
        is_formal=word.text in FORMAL,
        is_verbal_noun=len(parts) == 1 and "サ変" in token.tag_,
        is_copular=any(child.dep_ == "cop" for child in token.children),
        is_listed=not _particles(token) and token.i + 1 < len(token.doc) and token.nbor(1).text in "、,，・",
    )


def _compound(token: Any) -> list[Any]:
    """サッカーボール is one word, 3匹 another."""
    parts = [child for child in token.children if child.dep_ in ("compound", "nummod", "clf")]
    return sorted([token, *(part for child in parts for part in _compound(child))], key=lambda part: part.i)


def _single(word: Word) -> Word:
    """子供たち are counted with 子供."""
    for plural in ("たち", "達"):
        if word.text.endswith(plural) and word.text not in ("友達", "友だち", plural):
            return Word(word.key.removesuffix("達").removesuffix("たち"), word.text.removesuffix(plural))
    return word


def _without_quantity(parts: list[Any]) -> tuple[Word, Word | None]:
    """男性2人 is one word to the parser; it is a man, and two of them."""
    for start in range(len(parts)):
        count = "".join(part.text for part in parts[start:])
        if is_quantity(count):
            quantity = Word(count_key(count), count)
            return (_word(parts[:start]), quantity) if start else (quantity, None)
    return _word(parts), None


def _particles(token: Any) -> list[Any]:
    # By their tag: the parser now and then calls a plain が a conjunction.
    return [part for part in _run(token) if part.tag_.startswith("助詞") and part.tag_ != "助詞-接続助詞"]


def _case(token: Any) -> str:
    particles = _particles(token)
    for particle in particles:
        if particle.text in _LISTING:
            return "ト"
        if particle.text in _CASES:
            return _CASES[particle.text]
    if particles:  # は, も and the like: a topic is the subject unless the parser says otherwise
        return "ヲ" if token.dep_ == "obj" else "ハ"
    if token.dep_ in ("nsubj", "obj"):
        return "ガ" if token.dep_ == "nsubj" else "ヲ"
    return "ト" if token.dep_ in ("nmod", "conj") else ""


def _predicate(token: Any, tail: Callable[[Any], Any]) -> Phrase:
    run = list(_run(token))
    last = tail(token)
    ending = run if last.i == token.i else [*run, *_run(last)]
    return Phrase(_predicate_word(token, run, ending), _predicate_kind(token, ending), _join(last, ending), token.i)


def _predicate_kind(token: Any, ending: list[Any]) -> Kind:
    """楽しく and 静かに before a verb say how, as adverbs do; 空は青く, with something to say it of, is a predicate."""
    is_quality = token.tag_.startswith(("形容詞", "形状詞"))
    is_continuing = "連用形" in _inflection(ending[-1]) or ending[-1].text == "に"
    has_own = any(child.dep_ in ("nsubj", "obj", "obl", "nmod") for child in token.children)
    return "adverb" if is_quality and is_continuing and not has_own else "predicate"


def _predicate_word(token: Any, run: list[Any], ending: list[Any]) -> Word:
    text, key = token.lemma_, token.norm_
    if token.tag_.startswith("名詞"):  # 散歩 + する
        word = _word(_compound(token))
        text, key = f"{word.text}する", f"{word.key}する"
    second = next((part for part in run if _is_second_verb(part) and part.lemma_ not in _PHASES), None)
    if second is not None:
        text, key = f"{token.text}{second.lemma_}", f"{token.text}{second.norm_}"
    voices = [place for place, part in enumerate(run) if part.dep_ == "aux" and part.lemma_ in _VOICES]
    if voices:
        stem = "".join(part.text for part in run[: voices[-1]])
        text = stem + run[voices[-1]].lemma_
        key = "+".join([key, *(run[place].lemma_ for place in voices)])
    if any(part.lemma_ in _DENIALS and part.i != token.i for part in ending):
        text, key = f"{text}+ない", f"{key}+ない"
    return Word(key, text)


def _join(token: Any, ending: list[Any]) -> str:
    last = next((part for part in reversed(ending) if part.pos_ != "PUNCT"), token)
    if last.dep_ == "mark" or (last.dep_ == "case" and last.i != token.i):
        return "連用" if last.text in _CHAINING else ""
    inflected = next((part for part in reversed(ending) if _inflection(part)), token)
    if "連用形" in _inflection(inflected):
        return "連用"
    return "連体" if token.dep_ == "acl" else ""


def _merge_people(phrases: list[Phrase]) -> list[Phrase]:
    """男の人 is one word, as 男の子 is."""
    merged = []
    for phrase in phrases:
        person = phrase.head
        if phrase.word.text in _PEOPLE and phrase.mark == "ノ" and person is not None and person.word.text == "人":
            person.word = Word(f"{phrase.word.key}の人", f"{phrase.word.text}の人")
            merged.append(phrase)
    return [phrase for phrase in phrases if phrase not in merged]


def _mend(phrases: list[Phrase]) -> None:
    """What GiNZA often attaches to the next noun though grammar forbids it."""
    for phrase, following in zip(phrases, [*phrases[1:], None], strict=True):
        if phrase.kind == "noun":
            _mend_noun(phrase, following)
        elif phrase.kind == "predicate":
            _mend_predicate(phrase)


def _mend_noun(phrase: Phrase, following: Phrase | None) -> None:
    is_counted = is_quantity(phrase.word.text) or is_time(phrase.word.text)
    if phrase.is_listed and not is_counted and following is not None and following.kind == "noun":
        phrase.mark, phrase.head = "ト", following  # 犬、猫、鳥が
    while (head := phrase.head) is not None and head.kind == "noun" and head.head is not None:
        if phrase.mark == "ト" and head.word.text == "一緒":
            pass  # 友達と一緒に遊ぶ is 友達と遊ぶ
        elif phrase.mark == "ト" and is_animate(phrase.word.text) and not is_animate(head.word.text):
            if head.mark in ("ガ", "ハ", "ノ", "ト"):
                return
            # 犬と公園を散歩する: nobody walks a dog and a park
        elif phrase.mark in ("", "ノ", "ト") or head.is_copular or head.mark == "ノ":
            return
        phrase.head = head.head


def _mend_predicate(phrase: Phrase) -> None:
    while (head := phrase.head) is not None and head.kind == "noun" and head.place > phrase.place:
        # A continuing form never modifies a noun (被り→ボードに乗る), and no clause modifies a number (作る→二人の子供).
        if phrase.mark != "連用" and not (head.mark == "ノ" and is_quantity(head.word.text)):
            return
        phrase.head = head.head
