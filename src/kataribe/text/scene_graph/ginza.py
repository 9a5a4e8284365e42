"""Texts -> scene graphs, with GiNZA as the parser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

from kataribe.core.errors import InputError, UsageError, shorten
from kataribe.core.need import need, remedy
from kataribe.text.scene_graph import categories
from kataribe.text.scene_graph.graph import SceneGraph
from kataribe.text.scene_graph.phrases import read_phrases
from kataribe.text.scene_graph.rules import build_graph

# Small enough that progress moves, large enough that a batch's overhead does not show.
BATCH = 128
# Captions are often published with their words set apart; the parser does its own segmentation.
_SPACE_INSIDE = re.compile(r"(?<=[^\x00-\x7f])\s+(?=[^\x00-\x7f])")
_JAPANESE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


def has_japanese(text: str) -> bool:
    return _JAPANESE.search(text) is not None


@dataclass(frozen=True)
class GinzaParser:
    """
    >>> from kataribe.text.scene_graph.graph import tuple_text
    >>> [graph] = open_parser().graphs(["デニムパンツをはいた少女がサッカーボールを蹴ろうとしている"])
    >>> [tuple_text(entry) for entry in graph.relations]
    ['少女-はく-デニムパンツ', '少女-蹴る-サッカーボール']
    """

    nlp: Any
    model: str

    @property
    def signature(self) -> dict[str, str]:
        """Everything whose version can move an edge."""
        return {
            "parser": f"ginza{version('ginza')}",
            "model": f"{self.model}{self.nlp.meta['version']}",
            "spacy": version("spacy"),
            "dictionary": f"sudachi{version('sudachipy')}-core{version('sudachidict_core')}",
            "categories": categories.signature(),
        }

    def graphs(self, texts: Sequence[str]) -> list[SceneGraph]:
        """The graph of each text. A text that cannot be parsed is an error that shows it."""
        documents = self._documents([_SPACE_INSIDE.sub("", text.strip()) for text in texts])
        return [build_graph(read_phrases(document)) for document in documents]

    def _documents(self, texts: Sequence[str]) -> list[Any]:
        try:
            return list(self.nlp.pipe(texts, batch_size=BATCH))
        except Exception:  # the parser says what was wrong, but not with which text
            return [self._document(text) for text in texts]

    def _document(self, text: str) -> Any:
        try:
            return self.nlp(text)
        except Exception as error:
            raise InputError(
                f"GiNZA cannot parse the caption {shorten(text, 30)!r} of {len(text):,} characters ({error})",
                hint="shorten it, or leave it out",
            ) from None


@cache
def open_parser(model: str = "ja_ginza") -> GinzaParser:
    """A GiNZA model by its name; it is loaded once."""
    spacy = need("spacy", extra="ja", purpose="parsing Japanese captions")
    need("ginza", extra="ja", purpose="parsing Japanese captions")
    try:
        nlp = spacy.load(model, exclude=["ner"])
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the GiNZA model {shorten(model)!r} cannot be loaded ({shorten(error, 90)})",
            hint=f"{remedy('ja')} brings ja_ginza",
        ) from None
    if nlp.lang != "ja":
        raise UsageError(f"the model {shorten(model)!r} is not one of Japanese", hint="use ja_ginza")
    return GinzaParser(nlp, model)
