"""Predicted and reference lines -> items by id, beside what is known of their films."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kataribe.captions.join import Missing
from kataribe.captions.join import join as join_captions
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, counted, some
from kataribe.core.types import Coverage, Narration, Segment, Story
from kataribe.films import casts as cast_files
from kataribe.formats import stories as dialogue_files
from kataribe.formats.source import Paths, read_joined
from kataribe.narration.items import Film, Narrations


def films(cast: cast_files.Source | Paths | None, dialogue: dialogue_files.Source | Paths | None) -> dict[str, Film]:
    """What is known about each film."""
    known = {name: Film(cast=cast) for name, cast in cast_files.read_casts(cast).items()} if cast is not None else {}
    for film, story in read_joined(dialogue, _dialogues).items() if dialogue is not None else ():
        known[film] = replace(known.get(film, Film()), dialogue=_speech(story))
    return known


def _dialogues(source: dialogue_files.Source) -> dict[str, Story]:
    return {story.video: story for story in dialogue_files.read_stories(source)}


def _speech(dialogue: Story) -> tuple[Segment, ...]:
    """When somebody speaks: lines that overlap or touch are one stretch."""
    stretches: list[Segment] = []
    for line in dialogue.in_time_order():
        if not line.segment:
            continue
        if stretches and line.segment.start <= stretches[-1].end:
            stretches[-1] |= line.segment
        else:
            stretches.append(line.segment)
    return tuple(stretches)


def join(
    predictions: Mapping[str, Narration],
    references: Mapping[str, Narration],
    known: Mapping[str, Film],
    missing: Missing,
) -> tuple[Narrations, Coverage, list[Caution]]:
    """Items by id, in the references' order, with what does not fit counted and said."""
    captions, coverage, warnings = join_captions(
        {id: line.text for id, line in predictions.items()},
        {id: [line.text] for id, line in references.items()},
        missing,
    )
    lines = [(predictions.get(id), references[id]) for id in captions.ids]
    astray = [written.id for predicted, written in lines if _is_of_another_film(predicted, written)]
    if astray:
        raise InputError(
            f"{counted(len(astray), 'prediction tells', 'predictions tell')} another film than in the references: "
            f"{some(astray)}",
            hint="were these files made for each other?",
        )
    items = Narrations(
        captions.ids,
        captions.candidates,
        captions.references,
        films=[written.film or None for _, written in lines],
        gaps=[written.segment for _, written in lines],
        spoken=[(predicted.segment if predicted else None) or written.segment for predicted, written in lines],
        known=known,
    )
    return items, coverage, warnings


def _is_of_another_film(predicted: Narration | None, written: Narration) -> bool:
    return bool(predicted and predicted.film and written.film and predicted.film != written.film)
