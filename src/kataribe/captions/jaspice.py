"""JaSPICE: which objects, attributes and relations of a scene candidate and references both name, in Japanese.

    T(s)      = tuples of the scene graph of s: (object), (object, attribute), (subject, relation, object)
    precision = |matched| / |T(candidate)|,  recall = |matched| / |union of T(reference)|,  F1 their harmonic mean

    A tuple is matched when the other side has it, or has it with synonyms in the place of some words: the words of
    the smaller set are replaced, and each of its tuples counts once.

Wada, Y., Kaneda, K., Sugiura, K. (2023). JaSPICE: automatic evaluation metric using predicate-argument structures for
image captioning models. CoNLL.

Quirks. The rules that make a graph are the original's, the parser is not: GiNZA in the place of JUMAN++ and KNP, hence
`jaspice(ginza)`. The numbers are not comparable with those of the original, nor with those of another version of the
parser or its model, all of which the signature names. The original has synonyms from the Japanese WordNet; here there
are none unless `synonyms` says `sudachi` or names a table. A caption without tuples (an empty one, an interjection)
matches nothing and scores 0, even against itself. The original gives a text that it cannot parse an empty graph; here
it is an error. The corpus value is the mean over items, as in the original.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from kataribe.captions.items import Captions, TokenizedCaptions
from kataribe.captions.result import SceneTuple, SceneTuples
from kataribe.captions.synonyms import Synonyms, open_synonyms
from kataribe.core.caution import Caution, remark
from kataribe.core.errors import counted
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.types import Array, Floats, Int64s
from kataribe.text.scene_graph.cache import cached_graphs
from kataribe.text.scene_graph.ginza import has_japanese, open_parser
from kataribe.text.scene_graph.graph import SceneGraph, Tuple

Numbers = frozenset[int]

_one_parser = threading.Lock()


@dataclass(frozen=True)
class _Scenes:
    """The scene graph of each distinct text, its tuples numbered, and which tuples mean the same."""

    tuples: list[Tuple]
    sets: list[Numbers]
    equal: dict[int, Numbers]

    def sides(self, captions: TokenizedCaptions) -> Iterator[tuple[Numbers, Numbers]]:
        """The tuples of each item's candidate, and of its references together."""
        for candidate, references in zip(captions.candidates.tolist(), captions.references, strict=True):
            yield self.sets[candidate], frozenset().union(*(self.sets[index] for index in references.tolist()))

    def matches(self, one: Numbers, other: Numbers) -> int:
        """How many tuples of the smaller set the larger one has.

        Of two sets of one size the one with fewer matches counts, so that the order of the two never does.
        """
        pairs = [(one, other), (other, one)]
        return min(len(self.found(*pair)) for pair in pairs if len(pair[0]) <= len(pair[1]))

    def found(self, sought: Numbers, among: Numbers) -> Numbers:
        if not self.equal:
            return sought & among
        return frozenset(number for number in sought if not self.equal[number].isdisjoint(among))

    def show(self, shown: Numbers, other: Numbers) -> list[SceneTuple]:
        found = self.found(shown, other)
        return [
            SceneTuple(words=[str(word) for word in self.tuples[number]], matched=number in found)
            for number in sorted(shown)
        ]


@dataclass(frozen=True)
class _OddTexts:
    """Texts without a Japanese character and texts without tuples."""

    foreign: frozenset[str] = frozenset()
    bare: frozenset[str] = frozenset()

    def __add__(self, other: _OddTexts) -> _OddTexts:
        return _OddTexts(self.foreign | other.foreign, self.bare | other.bare)


class _Facts(NamedTuple):
    signature: dict[str, str]
    warnings: tuple[Caution, ...]


@dataclass(frozen=True)
class JaSpice(Metric):
    name: ClassVar[str] = "jaspice"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "JaSPICE"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: ClassVar[tuple[str, ...]] = ("items", "f1", "precision", "recall")

    # No default of its own, so that the parser is always printed: `jaspice` is read and prints as jaspice(ginza).
    parser: Literal["ginza"] = option(None, "the parser; default: ginza", positional=True)
    model: str = option("ja_ginza", "the GiNZA model")
    synonyms: str = option("none", "none, sudachi (the groups in its dictionary) or a table file")

    def __post_init__(self) -> None:
        if self.parser is None:
            object.__setattr__(self, "parser", "ginza")

    def scan_references(self, items: Captions) -> _OddTexts:
        """Texts are parsed here, each once; `prepare` finds their graphs again."""
        return self._odd(items, items.tokens("none").references.values)

    def scan_predictions(self, items: Captions) -> _OddTexts:
        return self._odd(items, items.tokens("none").candidates)

    def conclude(self, references: _OddTexts | None, predictions: _OddTexts | None) -> _Facts:
        signature = {**open_parser(self.model).signature, "synonyms": open_synonyms(self.synonyms).signature}
        return _Facts(signature, _warnings((references or _OddTexts()) + (predictions or _OddTexts())))

    def prepare(self, items: Captions, facts: _Facts) -> _Scenes:
        return _number(self._graphs(items), open_synonyms(self.synonyms))

    def _graphs(self, items: Captions) -> list[SceneGraph]:
        """The graph of each distinct text."""
        texts = items.tokens("none").sentences.texts

        def parse() -> list[SceneGraph]:
            remarks: list[Caution] = []
            with _one_parser:  # it is not made for several threads
                graphs = cached_graphs(open_parser(self.model), texts, remarks)
            remark(*remarks)
            return graphs

        return items.memo.keep(("graphs", self.model), parse)

    def _odd(self, items: Captions, indices: Int64s) -> _OddTexts:
        texts, graphs = items.tokens("none").sentences.texts, self._graphs(items)
        used = [index for index in np.unique(indices).tolist() if texts[index]]
        return _OddTexts(
            frozenset(texts[index] for index in used if not has_japanese(texts[index])),
            frozenset(texts[index] for index in used if not any(graphs[index])),
        )

    def stats(self, items: Captions, context: _Scenes) -> Array:
        rows = np.ones((len(items), len(self.columns)))
        for item, (candidate, references) in enumerate(context.sides(items.tokens("none"))):
            matched = context.matches(candidate, references)
            # 2 m / (c + r) is the harmonic mean of m / c and m / r.
            rows[item, 1:] = (
                2 * matched / max(len(candidate) + len(references), 1),
                matched / max(len(candidate), 1),
                matched / max(len(references), 1),
            )
        return rows

    def measure(self, totals: Floats) -> Measured:
        f1, precision, recall = (totals[..., column] / totals[..., 0] for column in (1, 2, 3))
        return Measured(f1, {"precision": precision, "recall": recall})

    def signature(self, facts: _Facts) -> dict[str, str]:
        return facts.signature

    def warnings(self, facts: _Facts) -> Sequence[Caution]:
        return facts.warnings

    def details(self, items: Captions, context: _Scenes) -> list[SceneTuples]:
        """For each item the tuples of both sides, and whether the other side has them."""
        return [
            SceneTuples(
                candidate_tuples=context.show(candidate, references),
                reference_tuples=context.show(references, candidate),
            )
            for candidate, references in context.sides(items.tokens("none"))
        ]


def _number(graphs: Sequence[SceneGraph], synonyms: Synonyms) -> _Scenes:
    numbers: dict[Tuple, int] = {}
    sets = [frozenset(numbers.setdefault(entry, len(numbers)) for entry in graph) for graph in graphs]
    equal: dict[int, Numbers] = {}
    if synonyms.signature != "none":
        by_keys = {tuple(word.key for word in entry): number for entry, number in numbers.items()}
        same = synonyms.among({key for keys in by_keys for key in keys})
        for keys, number in by_keys.items():
            variants = product(*(sorted(same[key]) for key in keys))
            equal[number] = frozenset(by_keys[variant] for variant in variants if variant in by_keys)
    return _Scenes(list(numbers), sets, equal)


def _warnings(odd: _OddTexts) -> tuple[Caution, ...]:
    said = []
    if odd.foreign:
        found = counted(len(odd.foreign), "distinct caption has", "distinct captions have")
        said.append(Caution("no-japanese", f"jaspice: {found} no Japanese character"))
    if odd.bare:
        found = counted(len(odd.bare), "distinct caption has", "distinct captions have")
        said.append(Caution("no-tuples", f"jaspice: {found} no tuples to match"))
    return tuple(said)
