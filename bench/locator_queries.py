"""Queries about single events of a film world: who does what, in the words of the world, and nothing of the place.

The clips of a corpus tell several events and name places, so that a locator may find them without knowing anybody. An
event whose action somebody else does too, in the same window, can only be found by who does it: these are the queries
`echo`. Events that the same person does twice in the window have two answers and are left out of it.

    python -m bench.locator_queries WORLD CORPUS FEATURES QUERIES
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.types import Narration, Segment
from kataribe.films.clips import name_of
from kataribe.films.movie101 import as_lines, narrations_document
from kataribe.films.seen import SeenCorpus, read_seen_corpus
from kataribe.films.windows import window_of
from kataribe.films.world.languages import WORDS, Words

TEMPOS = ("slow", "usual", "quick")


def write_event_queries(world: Path, corpus: SeenCorpus, folder: Path) -> None:
    """train.json, val.json and test.json with every told event of somebody with a name, and test-echo.json."""
    words = WORDS["zh" if json.loads((world / "about.json").read_bytes())["language"] == "zh" else "en"]
    folder.mkdir(parents=True, exist_ok=True)
    for part, films in corpus.split.items():
        queries, echoes = [], []
        for film in films:
            events = json.loads((world / "gold" / f"{film}.json").read_bytes())["events"]
            span = corpus.documents[film].corpus.span
            for number, event in enumerate(events):
                if event["clip"] is None or event["actor"] is None:
                    continue
                query = _query(film, number, event, words)
                queries.append(query)
                if is_echo(event, events, window_of(query, span)):
                    echoes.append(query)
        (folder / f"{part}.json").write_text(as_lines(narrations_document(queries)), encoding="utf-8")
        if part != "train":
            (folder / f"{part}-echo.json").write_text(as_lines(narrations_document(echoes)), encoding="utf-8")


def is_echo(event: Mapping[str, Any], events: list[Mapping[str, Any]], window: Segment) -> bool:
    """Whether somebody else does the same in the window, and nobody the very same again."""
    others = [
        other
        for other in events
        if other is not event
        and other["action"] == event["action"]
        and other["start"] < window.end
        and other["end"] > window.start
    ]
    return bool(others) and all(other["actor"] != event["actor"] for other in others)


def _query(film: str, number: int, event: Mapping[str, Any], words: Words) -> Narration:
    rng = np.random.default_rng([number, *film.encode()])
    verbs = words.actions[event["action"]]
    verb = verbs[int(rng.integers(len(verbs)))].format(b=event["target"] or _somebody(words, rng))
    span = Segment(event["start"], event["end"])
    text = f"{event['actor']}{words.space}{verb}{words.stop}"
    return Narration(name_of(film, span), film, span, text)


def _somebody(words: Words, rng: np.random.Generator) -> str:
    strangers = words.strangers["man"] if "man" in words.strangers else next(iter(words.strangers.values()))
    return str(strangers[int(rng.integers(len(strangers)))])


if __name__ == "__main__":
    given = [Path(argument) for argument in sys.argv[1:5]]
    write_event_queries(given[0], read_seen_corpus(given[1], given[2]), given[3])
