"""The task: predicted narrations and references -> joined items -> scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kataribe.captions.cautions import cautions
from kataribe.captions.media import read_media
from kataribe.captions.task import MISSING, Missing
from kataribe.captions.task import join as join_captions
from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, UsageError, counted, shorten, some
from kataribe.core.join import missing_field
from kataribe.core.metric import Metric
from kataribe.core.progress import Progress
from kataribe.core.result import Result
from kataribe.core.run import run
from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Coverage, Narration, Segment, Story
from kataribe.engines.local import LocalEngine
from kataribe.formats import stories as dialogue_files
from kataribe.formats.features import Source as FeatureSource
from kataribe.formats.source import Paths, read_joined
from kataribe.narration import casts as cast_files
from kataribe.narration.doubts import doubts
from kataribe.narration.files import Source, read_narrations
from kataribe.narration.items import Film, Narrations

TEXT_METRICS = ("bleu", "meteor", "rouge_l", "cider")


def evaluate(
    predictions: Source,
    references: Source | Paths,
    metrics: Sequence[str | Metric] | None = None,
    *,
    cast: cast_files.Source | Paths | None = None,
    dialogue: dialogue_files.Source | Paths | None = None,
    images: str | Path | None = None,
    features: FeatureSource | None = None,
    text_features: FeatureSource | None = None,
    protocol: str = "official",
    missing: Missing = "error",
    tok: str | None = None,
    engine: LocalEngine | None = None,
    bootstrap: int = 0,
    seed: int = 0,
    details: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Score predicted narrations against their references, from files or plain dictionaries.

    >>> written = {"1": {"film": "f", "text": "Maria leaves."}, "2": {"film": "f", "text": "Odysseus sleeps."}}
    >>> predicted = {"1": "Maria goes.", "2": "Maria sleeps."}
    >>> evaluate(predicted, written, ["role_f1"], cast={"f": ["Maria", "Odysseus"]})["role_f1"].value
    0.5

    Any caption metric may be asked for; `images`, `features` and `text_features` are for those that look at the film.
    Without `metrics`, those are used that the given data can serve. References, casts and dialogue may each be spread
    over several files; every line, and every film, is in one of them.
    """
    if missing not in MISSING:
        raise UsageError(f"no policy is called {shorten(missing)!r}", hint=f"--missing {', '.join(MISSING)}")

    def parse(names: Sequence[str | Metric]) -> dict[str, Metric]:
        defaults = {"tok": tok} if tok else {}
        return registry.parse_all(names, "narration", also=("captions",), protocol=protocol, defaults=defaults)

    chosen = parse(metrics or ())  # a wrong name is refused before the files are read
    known = films(cast, dialogue)
    items, coverage, warnings = join(read_narrations(predictions), read_narrations(references), known, missing)
    items = replace(items, media=read_media(items.ids, images, features, text_features))
    if metrics is None:
        chosen = parse(default_metrics(items, with_cast=cast is not None, with_dialogue=dialogue is not None))
        if cast is None:
            text = "role_f1 was left out: who is named can be told only by the films' casts, and no cast is given"
            warnings.append(Caution("metric-left-out", text))
    warnings += [*cautions(chosen.values(), items), *doubts(chosen.values(), items)]
    result = run(
        "narration",
        chosen,
        items,
        coverage=coverage,
        fields={
            "missing": missing_field(missing, coverage.missing),
            "data": f"{coverage.scored}/{coverage.references}",
            "hash": fingerprint_by_id(_content_of_references(items)),
        },
        warnings=warnings,
        engine=engine or LocalEngine(),
        bootstrap=bootstrap,
        seed=seed,
        details=details,
        progress=progress,
    )
    return replace(result, content=content(items)) if details else result


def default_metrics(items: Narrations, *, with_cast: bool, with_dialogue: bool) -> tuple[str, ...]:
    """The usual set. Whoever gives a cast or dialogue wants it used: a film without dialogue is then an error."""
    timed = ("speech_rate",) if all(items.gaps) else ()
    heard = ("dialogue_overlap",) if with_dialogue else ()
    return (*(("role_f1",) if with_cast else ()), *TEXT_METRICS, *timed, *heard, "repetition")


def films(cast: cast_files.Source | Paths | None, dialogue: dialogue_files.Source | Paths | None) -> dict[str, Film]:
    """What is known about each film."""
    known = {name: Film(cast=cast) for name, cast in cast_files.read_casts(cast).items()} if cast is not None else {}
    for film, story in read_joined(dialogue, _dialogues).items() if dialogue is not None else ():
        known[film] = replace(known.get(film, Film()), dialogue=_speech(story))
    return known


def _dialogues(source: dialogue_files.Source) -> dict[str, Story]:
    return {story.video: story for story in dialogue_files.read_stories(source)}


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
    predicted = [predictions.get(id) for id in captions.ids]
    written = [references[id] for id in captions.ids]
    pairs = list(zip(predicted, written, strict=True))
    astray = [reference.id for prediction, reference in pairs if _is_of_another_film(prediction, reference)]
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
        films=[line.film or None for line in written],
        gaps=[line.segment for line in written],
        spoken=[(prediction and prediction.segment) or reference.segment for prediction, reference in pairs],
        known=known,
    )
    return items, coverage, warnings


def content(items: Narrations) -> dict[str, Any]:
    """What was scored, by id, for whoever wants to show it."""
    return {
        id: {
            "candidate": items.candidates[row],
            "references": list(items.references[row]),
            "film": items.films[row],
            "segment": [gap.start, gap.end] if (gap := items.gaps[row]) else None,
        }
        for row, id in enumerate(items.ids)
    }


def _is_of_another_film(prediction: Narration | None, reference: Narration) -> bool:
    return bool(prediction and prediction.film and reference.film and prediction.film != reference.film)


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


def _content_of_references(items: Narrations) -> Iterable[tuple[str, ...]]:
    """What tells one set of references from another, line by line."""
    for id, film, gap, text in zip(items.ids, items.films, items.gaps, items.written, strict=True):
        yield id, film or "", f"{gap.start!r} {gap.end!r}" if gap else "", text
