"""What a result of captions has to show: the texts, the words that METEOR matched, the tuples that JaSPICE matched."""

from __future__ import annotations

import msgspec

from kataribe.core.document import Document


class ScoredCaption(Document, frozen=True, tag="caption"):
    """A caption and its references, as they were scored."""

    candidate: str
    references: list[str]


class WordMatch(msgspec.Struct, frozen=True):
    """Words of the candidate and of the reference that were matched, each as (first token, number of tokens)."""

    candidate: tuple[int, int]
    reference: tuple[int, int]
    stage: str


class WordAlignment(Document, frozen=True, tag="word-alignment"):
    """A candidate aligned with the reference that counted, which is given by its index."""

    reference: int
    candidate_tokens: list[str]
    reference_tokens: list[str]
    matches: list[WordMatch]


class SceneTuple(msgspec.Struct, frozen=True):
    """One object, attribute or relation of a scene graph, and whether the other side has it too."""

    words: list[str]
    matched: bool


class SceneTuples(Document, frozen=True, tag="scene-tuples"):
    """The scene graphs of a candidate and of all its references."""

    candidate_tuples: list[SceneTuple]
    reference_tuples: list[SceneTuple]
