"""Phrases -> scene graph, by the rules of JaSPICE.

1. ガ: argument -> predicate. は and も are ガ unless the parser calls the noun an object.
2. ヲ ニ カラ ヨリ ト ヘ: predicate -> argument.
3. A relative clause takes the noun it modifies as its subject, or as an argument if it has a subject.
4. NP の NP: a location word is a relation; parts, places, shapes, colours, quantities and times are attributes;
   everything else is the relation の.
5. NP と NP share their predicates.
6. Chained predicates share the subject.
7. A relation without a subject borrows one from another relation on the same object, else it has the subject φ.
8. デ and time come last, when subjects are known: デ is one more argument, a time an attribute of the subject.
A predicate without arguments is an attribute of its subject.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kataribe.text.scene_graph.categories import is_attribute, is_quality, is_quantity, is_time
from kataribe.text.scene_graph.graph import NOBODY, SceneGraph, Word
from kataribe.text.scene_graph.lexicon import ATTENDANT, MOTIONS
from kataribe.text.scene_graph.phrases import Phrase

_ARGUMENTS = ("ヲ", "ニ", "カラ", "ヨリ", "ト", "ヘ")
_SUBJECTS = ("ガ", "ハ")
_COUNTED = ("ガ", "ハ", "ヲ")


@dataclass(eq=False)
class _Relation:
    """A predicate or a location word, on its way to tuples."""

    word: Word
    subjects: list[Word] = field(default_factory=list)
    topics: list[Word] = field(default_factory=list)
    arguments: list[Word] = field(default_factory=list)
    late_arguments: list[Word] = field(default_factory=list)
    subject_is: list[Word] = field(default_factory=list)
    direct: list[Word] = field(default_factory=list)


def build_graph(phrases: list[Phrase]) -> SceneGraph:
    return _Builder(phrases).graph()


class _Builder:
    def __init__(self, phrases: list[Phrase]) -> None:
        self.phrases = phrases
        self.objects: dict[Word, None] = {}
        self.attributes: dict[tuple[Word, Word], None] = {}
        self.relations: dict[tuple[Word, Word, Word], None] = {}
        self.predicates = {phrase: _Relation(phrase.word) for phrase in phrases if phrase.kind == "predicate"}
        self.locations: list[_Relation] = []

    def graph(self) -> SceneGraph:
        self._fold_doing()
        for phrase in self.phrases:
            if phrase.kind == "noun":
                self._noun(phrase)
            elif phrase.kind == "modifier" and phrase.head is not None and _is_thing(phrase.head):
                self._attribute(phrase.head.word, phrase.word)
            elif phrase.kind == "adverb" and phrase.head is not None and is_quantity(phrase.word.text):
                self._count(phrase.head, phrase.word, phrase.position)
            elif phrase.kind == "predicate" and phrase.quantity is not None:
                self._count(phrase, phrase.quantity, phrase.position)
        self._relative_clauses()
        self._share_subjects()
        self._place()
        self._borrow_subjects()
        for relation in [*self.predicates.values(), *self.locations]:
            self._emit(relation)
        return SceneGraph(tuple(self.objects), tuple(self.attributes), tuple(self.relations))

    def _fold_doing(self) -> None:
        """散歩をする is 散歩する, unless something is said of the walk."""
        for phrase, relation in self.predicates.items():
            if phrase.word.text.partition("+")[0] != "する":
                continue
            for noun in phrase.children:
                if noun.kind == "noun" and noun.is_verbal_noun and noun.mark == "ヲ" and not noun.children:
                    denied = phrase.word.text.removeprefix("する")
                    relation.word = Word(f"{noun.word.key}する{denied}", f"{noun.word.text}する{denied}")
                    noun.kind = "adverb"
                    break

    # Nouns

    def _noun(self, phrase: Phrase) -> None:
        if phrase.is_formal or self._lead(phrase) is not phrase:
            return
        head = phrase.head
        if phrase.is_location and self._is_relation(phrase):
            return  # placed when the arguments around it are known
        if self._is_quality(phrase):
            return
        if head is None:
            self._things(phrase)
        elif head.kind == "predicate":
            self._argument(phrase, head)
        elif head.kind == "noun" and phrase.mark == "ノ":
            self._possessor(phrase, head)
        elif head.kind == "noun" and phrase.mark in _SUBJECTS:
            for subject in self._things(phrase):
                self._attribute(subject, head.word)
        else:
            self._things(phrase)

    def _argument(self, phrase: Phrase, head: Phrase) -> None:
        relation = self.predicates[head]
        text = phrase.word.text
        if is_time(text) and phrase.mark in ("ニ", "ハ", ""):
            relation.subject_is += [member.word for member in self._members(phrase)]
        elif is_quantity(text) and phrase.mark in ("", "デ"):
            # 三人で歩く counts who walks, whoever that is.
            if phrase.mark == "デ" or not self._count(head, phrase.word, phrase.position):
                relation.subject_is.append(phrase.word)
        elif phrase.mark in _SUBJECTS or (phrase.mark == "ノ" and head.mark == "連体"):
            things = self._things(phrase)
            relation.subjects += things
            relation.topics += things if phrase.mark == "ハ" else []
        else:
            self._case(relation, phrase.mark, self._things(phrase))

    def _case(self, relation: _Relation, mark: str, things: list[Word]) -> None:
        if mark == "ヨリ":
            relation.word = Word(f"より{relation.word.key}", f"より{relation.word.text}")
        if mark in _ARGUMENTS:
            relation.arguments += things
        elif mark == "デ":
            relation.late_arguments += things
        if mark == "ヲ":
            relation.direct += things

    def _possessor(self, phrase: Phrase, head: Phrase) -> None:
        if head.is_formal or (head.is_location and self._is_relation(head)):
            self._things(phrase)
            return
        for member in self._members(phrase):
            if is_attribute(member.word.text):
                self._attribute(head.word, member.word)
            else:
                self._thing(member)
                self._relation(member.word, Word("の", "の"), head.word)

    def _count(self, predicate: Phrase, quantity: Word, position: int) -> bool:
        """魚を3匹釣る: a quantity on its own counts the nearest subject or object before it, else the one after."""
        counted = [noun for noun in predicate.children if _is_thing(noun) and noun.mark in _COUNTED]
        before = [noun for noun in counted if noun.position < position]
        if counted:
            self._attribute((before[-1] if before else counted[0]).word, quantity)
        return bool(counted)

    def _is_quality(self, phrase: Phrase) -> bool:
        """スカートは緑です: what a subject is said to be is its attribute; a colour or a number is nothing besides."""
        is_said = any(child.kind == "noun" and child.mark in _SUBJECTS for child in phrase.children)
        return is_said and is_quality(phrase.word.text)

    # Things

    def _lead(self, phrase: Phrase) -> Phrase:
        """The last of coordinated nouns; the others share what happens to it."""
        head = phrase.head
        if phrase.mark == "ト" and head is not None and head.kind == "noun" and not head.is_formal:
            return self._lead(head)
        return phrase

    def _members(self, phrase: Phrase) -> list[Phrase]:
        listed = [child for child in phrase.children if child.kind == "noun" and self._lead(child) is not child]
        return [member for child in listed for member in self._members(child)] + [phrase]

    def _things(self, phrase: Phrase) -> list[Word]:
        """A noun and those coordinated with it, as objects."""
        members = [member for member in self._members(phrase) if _is_thing(member)]
        for member in members:
            self._thing(member)
        return [member.word for member in members]

    def _thing(self, phrase: Phrase) -> None:
        self.objects.setdefault(phrase.word)
        if phrase.quantity is not None:
            self._attribute(phrase.word, phrase.quantity)

    def _attribute(self, thing: Word, attribute: Word) -> None:
        self.attributes.setdefault((thing, attribute))

    def _relation(self, subject: Word, relation: Word, thing: Word) -> None:
        self.relations.setdefault((subject, relation, thing))

    # Clauses

    def _relative_clauses(self) -> None:
        for phrase, relation in self.predicates.items():
            head = phrase.head
            if phrase.mark != "連体" or head is None or not _is_thing(head) or is_time(head.word.text):
                continue
            if head.is_location and self._is_relation(head):
                continue
            if relation.subjects:
                relation.arguments.append(head.word)
            else:
                relation.subjects.append(head.word)

    def _share_subjects(self) -> None:
        chained = [
            (self.predicates[phrase], self.predicates[after])
            for phrase in self.predicates
            if (after := _next_in_chain(phrase)) in self.predicates
        ]
        changed = True
        while changed:
            changed = False
            for one, other in chained:
                if bool(one.subjects) != bool(other.subjects):
                    giver, taker = (one, other) if one.subjects else (other, one)
                    # 女の子は眼鏡をかけ、髪が短い: the girl wears them, not her hair.
                    taker.subjects = list(giver.topics or giver.subjects)
                    taker.topics = list(giver.topics)
                    changed = True

    # Places

    def _is_relation(self, location: Phrase) -> bool:
        """A location word relates what is before の to something; on its own it only does before の (右の男性)."""
        return bool(self._landmarks(location)) or (
            location.mark == "ノ" and location.head is not None and _is_thing(location.head)
        )

    def _landmarks(self, location: Phrase) -> list[Phrase]:
        landmarks: list[Phrase] = []
        for child in location.children:
            if child.kind == "noun" and child.mark == "ノ" and not child.is_formal:
                landmarks += self._landmarks(child) if child.is_location else self._members(child)
        return landmarks

    def _place(self) -> None:
        for phrase in self.phrases:
            if not (phrase.is_location and self._is_relation(phrase)):
                continue
            landmarks = [landmark.word for landmark in self._landmarks(phrase)]
            located: list[Word] = []
            if phrase.head is None or phrase.head.kind == "noun":
                if phrase.mark == "ノ" and phrase.head is not None and not phrase.head.is_location:
                    located = [phrase.head.word]
            elif (clause := self.predicates.get(phrase.head)) is not None:
                located = _located(clause, phrase.mark)
                if phrase.mark in _SUBJECTS:
                    clause.subjects += landmarks
                self._case(clause, phrase.mark, landmarks)
            self.locations.append(_Relation(phrase.word, subjects=landmarks, arguments=located))

    # What is left open

    def _borrow_subjects(self) -> None:
        known = [relation for relation in [*self.predicates.values(), *self.locations] if relation.subjects]
        for relation in [*self.predicates.values(), *self.locations]:
            if relation.subjects:
                continue
            lenders = [other for other in known if not set(other.arguments).isdisjoint(relation.arguments)]
            relation.subjects = list(lenders[0].subjects) if lenders else [NOBODY]

    def _emit(self, relation: _Relation) -> None:
        arguments = relation.arguments + relation.late_arguments
        for subject in relation.subjects:
            for argument in arguments:
                self._relation(subject, relation.word, argument)
            if not arguments:
                self._attribute(subject, relation.word)
            for attribute in relation.subject_is:
                self._attribute(subject, attribute)


def _is_thing(phrase: Phrase) -> bool:
    return phrase.kind == "noun" and not phrase.is_formal


def _next_in_chain(phrase: Phrase) -> Phrase | None:
    """The predicate that a predicate shares its subject with."""
    head = phrase.head
    if phrase.mark == "連体" and head is not None and head.word.text in ATTENDANT:
        return head.head
    return head if phrase.mark == "連用" else None


def _located(clause: _Relation, mark: str) -> list[Word]:
    """Who or what is at the location that a predicate names: who walks in it, what is put into it."""
    if mark in ("ニ", "ヘ"):
        return clause.direct or clause.subjects
    is_way = mark == "ヲ" and clause.word.text in MOTIONS
    return clause.subjects if is_way or mark == "デ" else []
