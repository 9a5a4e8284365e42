"""The task: predictions and references -> joined items -> scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from kataribe.captions.cautions import cautions
from kataribe.captions.files import JoinedReferences, join_references, read_predictions
from kataribe.captions.items import Captions
from kataribe.captions.join import Missing, join
from kataribe.captions.media import ImageSource, read_media
from kataribe.captions.result import ScoredCaption
from kataribe.core import registry
from kataribe.core.caution import Caution
from kataribe.core.errors import counted, some
from kataribe.core.join import Joined, data_fields
from kataribe.core.metric import Metric
from kataribe.core.options import TaskOptions, option
from kataribe.core.task import Defaults, Evaluation, Files, Names, Task
from kataribe.formats.features import Source as FeatureSource

DEFAULT_METRICS = ("bleu", "meteor", "rouge_l", "cider")

Uncertainty = Literal["ensemble", "dropout"]


@dataclass(frozen=True)
class CaptionOptions(TaskOptions):
    """`text_features` are the captions' own vectors, where no model here can make them."""

    missing: Missing = option("error", "References without prediction: error, zero or drop.", noun="policy")
    tok: str | None = option(None, "Tokenizer for all metrics: ptb, ja, ja-mecab, zh, char, letters, none.")
    images: ImageSource | None = option(None, "A folder of pictures, or of folders of frames, named by id.")
    features: FeatureSource | None = option(None, "Vectors of pictures or frames by id: npz, safetensors, hdf5.")
    text_features: FeatureSource | None = option(None, "Vectors of the captions, if no model here can make them.")
    uncertainty: Uncertainty | None = option(
        None, "Of metrics that learned from ratings, an interval for each item: ensemble or dropout.", noun="way"
    )

    @property
    def metric_defaults(self) -> dict[str, Any]:
        """What the options of the metrics are, where they are not written."""
        given = {"tok": self.tok, "uncertainty": self.uncertainty}
        return {name: value for name, value in given.items() if value}


# What the references' files hold; nothing where none are given, which some metrics do not mind.
References = JoinedReferences | None


def _read_references(source: Any, options: CaptionOptions) -> References:
    return join_references(source) if source is not None else None


def _join(
    predictions: Mapping[str, str], references: References, options: CaptionOptions, seed: int
) -> Joined[Captions]:
    # Without references each prediction is an item of its own: nothing can be missing or left over.
    written = references.captions if references else {id: [] for id in predictions}
    items, coverage, warnings = join(predictions, written, options.missing)
    if references is None:
        coverage = replace(coverage, references=0)
    else:
        warnings += _of_repeated(references.repeated)
    media = read_media(items.ids, options.images, options.features, options.text_features)
    texts = ((id, *sorted(texts)) for id, texts in zip(items.ids, items.references, strict=True))
    fields = data_fields(options.missing, coverage, texts)
    return Joined(replace(items, media=media), coverage, warnings, fields)


def _of_repeated(ids: Sequence[str]) -> list[Caution]:
    if not ids:
        return []
    text = f"{counted(len(ids), 'item has', 'items have')} the same reference in several files: {some(ids)}"
    return [Caution("repeated-references", f"{text}; did annotators write the same words, or was something copied?")]


def _parse(names: Names, options: CaptionOptions) -> dict[str, Metric]:
    return registry.parse_all(names, "captions", protocol=options.protocol, defaults=options.metric_defaults)


_Evaluation = Evaluation[CaptionOptions, dict[str, str], References, Captions]


def _cautions(evaluation: _Evaluation) -> Iterable[Caution]:
    yield from cautions(evaluation.metrics.values(), evaluation.items)
    if evaluation.options.uncertainty and not any(hasattr(m, "uncertainty") for m in evaluation.metrics.values()):
        yield Caution(
            "no-uncertainty", "<uncertainty>: none of these metrics has an interval for each item", ["uncertainty"]
        )


def _content(evaluation: _Evaluation) -> dict[str, ScoredCaption]:
    """What was scored, by id, for whoever wants to show it."""
    items = evaluation.items
    return {
        id: ScoredCaption(candidate=candidate, references=list(references))
        for id, candidate, references in zip(items.ids, items.candidates, items.references, strict=True)
    }


TASK = Task(
    name="captions",
    help="Score captions of pictures or clips: BLEU, METEOR, ROUGE-L and CIDEr unless -m says otherwise.",
    options=CaptionOptions,
    predictions=Files("PRED", "The captions to score: JSON, JSONL, CSV, TSV; gz."),
    references=Files("REFS", "The reference captions; some metrics need none. Repeatable.", is_required=False),
    read_predictions=lambda source, options: read_predictions(source),
    read_references=_read_references,
    join=_join,
    parse=_parse,
    default_metrics=lambda items, options: Defaults(DEFAULT_METRICS),
    cautions=_cautions,
    content=_content,
)
