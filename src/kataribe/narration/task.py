"""The task: predicted narrations and references -> joined items -> scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from kataribe.captions.cautions import cautions
from kataribe.captions.media import ImageSource, read_media
from kataribe.captions.task import CaptionOptions
from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.join import Joined, data_fields
from kataribe.core.metric import Metric
from kataribe.core.options import option, same_as
from kataribe.core.task import Defaults, Evaluation, Files, Names, Task
from kataribe.core.types import Narration
from kataribe.films import casts as cast_files
from kataribe.formats import stories as dialogue_files
from kataribe.formats.features import Source as FeatureSource
from kataribe.formats.source import Paths
from kataribe.narration.by_time import by_time
from kataribe.narration.doubts import doubts
from kataribe.narration.files import read_narrations, read_predictions
from kataribe.narration.items import Film, Narrations
from kataribe.narration.join import films, join
from kataribe.narration.result import ScoredNarration
from kataribe.narration.videos import find_clips

TEXT_METRICS = ("bleu", "meteor", "rouge_l", "cider")


@dataclass(frozen=True)
class NarrationOptions(CaptionOptions):
    """References, casts and dialogue may each be spread over several files; every line, and film, is in one of them.

    Any caption metric may be asked for; `videos`, `images`, `features` and `text_features` are for those that look at
    the film.
    """

    videos: Path | str | None = option(
        None, "A folder of the films, FILM.mp4: ten frames of each line's gap.", metavar="DIR"
    )

    images: ImageSource | None = same_as(CaptionOptions, "images", help="A folder of folders of frames, named by id.")
    features: FeatureSource | None = same_as(
        CaptionOptions, "features", help="Vectors of frames by id: npz, safetensors, hdf5."
    )
    text_features: FeatureSource | None = same_as(
        CaptionOptions, "text_features", help="Vectors of the lines, if no model here can make them."
    )
    cast: cast_files.Source | Paths | None = option(
        None, "The films' roles in billing order: JSON, JSONL, CSV, TSV; repeatable.", metavar="CAST", many=True
    )
    dialogue: dialogue_files.Source | Paths | None = option(
        None,
        "What is said in the films: VTT, SRT, ASS, JSON, JSONL, CSV or a folder; repeatable.",
        metavar="FILE",
        many=True,
    )
    join: Literal["id", "time"] = option(
        "id",
        "How predictions find their reference: by its id, or by the time that they share with it.",
        noun="join",
    )


class References(NamedTuple):
    """The lines, and what is known of their films."""

    lines: Mapping[str, Narration]
    films: Mapping[str, Film]


def _read_references(source: Any, options: NarrationOptions) -> References:
    return References(read_narrations(source), films(options.cast, options.dialogue))


def _join(
    predictions: Mapping[str, Narration], references: References, options: NarrationOptions, seed: int
) -> Joined[Narrations]:
    if options.join == "time":
        predictions = by_time(predictions, references.lines)
    items, coverage, warnings = join(predictions, references.lines, references.films, options.missing)
    clips = find_clips(Path(options.videos), items) if options.videos is not None else None
    media = read_media(items.ids, options.images, options.features, options.text_features, clips)
    how = {"join": "time"} if options.join == "time" else {}
    fields = how | data_fields(options.missing, coverage, _content_of_references(items))
    return Joined(replace(items, media=media), coverage, warnings, fields)


def _content_of_references(items: Narrations) -> Iterable[tuple[str, ...]]:
    """What tells one set of references from another, line by line."""
    for id, film, gap, text in zip(items.ids, items.films, items.gaps, items.written, strict=True):
        yield id, film or "", f"{gap.start!r} {gap.end!r}" if gap else "", text


def _parse(names: Names, options: NarrationOptions) -> dict[str, Metric]:
    return registry.parse_all(
        names, "narration", also=("captions",), protocol=options.protocol, defaults=options.metric_defaults
    )


def _default_metrics(items: Narrations, options: NarrationOptions) -> Defaults:
    """The usual set. Whoever gives a cast or dialogue wants it used: a film without dialogue is then an error."""
    timed = ("speech_rate",) if all(items.gaps) else ()
    heard = ("dialogue_overlap",) if options.dialogue is not None else ()
    usual = (*TEXT_METRICS, *timed, *heard, "repetition")
    if options.cast is not None:
        return Defaults(("role_f1", *usual))
    text = "role_f1 was left out: who is named can be told only by the films' casts, and no cast is given"
    return Defaults(usual, [Caution("metric-left-out", text)])


_Evaluation = Evaluation[NarrationOptions, dict[str, Narration], References, Narrations]


def _cautions(evaluation: _Evaluation) -> Iterable[Caution]:
    metrics, items = evaluation.metrics.values(), evaluation.items
    return [*cautions(metrics, items), *doubts(metrics, items)]


def _content(evaluation: _Evaluation) -> dict[str, ScoredNarration]:
    """What was scored, by id, for whoever wants to show it."""
    items = evaluation.items
    return {
        id: ScoredNarration(
            candidate=items.candidates[row],
            references=list(items.references[row]),
            film=items.films[row],
            segment=(gap.start, gap.end) if (gap := items.gaps[row]) else None,
            spoken=(spoken.start, spoken.end) if (spoken := items.spoken[row]) else None,
        )
        for row, id in enumerate(items.ids)
    }


TASK = Task(
    name="narration",
    help="Score narrations of films: RoleF1, caption metrics, speech rate and repetition unless -m says otherwise.",
    options=NarrationOptions,
    predictions=Files("PRED", "The lines to score: JSON, JSONL, CSV, TSV, VTT, SRT, ASS; gz."),
    references=Files("REF", "The reference lines; repeatable."),
    read_predictions=lambda source, options: read_predictions(source),
    read_references=_read_references,
    join=_join,
    parse=_parse,
    default_metrics=_default_metrics,
    cautions=_cautions,
    content=_content,
)
