"""What the texts of an evaluation say about themselves: mistakes that would otherwise only show as an odd number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kataribe.captions.items import Captions
from kataribe.core.caution import Caution
from kataribe.core.errors import counted, some
from kataribe.core.metric import Metric
from kataribe.text.oddities import odd_texts, unspaced_texts
from kataribe.text.scripts import bare_letters, says_something

# Fewer predictions than this may be word for word a reference by chance.
_SEVERAL = 3

_OTHER_TOKENIZERS = "<tok zh>, ja or char"


def cautions(metrics: Iterable[Metric], items: Captions) -> list[Caution]:
    """Everything that the texts of both sides, and what the metrics make of them, give reason to say."""
    chosen = list(metrics)
    references = [(id, text) for id, texts in zip(items.ids, items.references, strict=True) for text in texts]
    return [
        *odd_texts(zip(items.ids, items.candidates, strict=True), "predictions"),
        *odd_texts(references, "references"),
        *_unspaced(chosen, items.candidates, [text for _, text in references]),
        *_copied(chosen, items),
        *_left_out(chosen, items),
    ]


def cut_by(metric: Metric) -> str | None:
    """The tokenizer that a metric cuts texts with: its option, unless the metric works it out."""
    return getattr(metric, "tokenizer_name", getattr(metric, "tok", None))


def _unspaced(metrics: Iterable[Metric], *sides: Sequence[str]) -> list[Caution]:
    if not any(cut_by(metric) == "ptb" for metric in metrics):
        return []
    return next(filter(None, (unspaced_texts(texts, _OTHER_TOKENIZERS) for texts in sides)), [])


def _copied(metrics: Iterable[Metric], items: Captions) -> list[Caution]:
    """Said where every prediction is one of its references: people's own texts score what no system can.

    Capitals and punctuation are no difference, as tokenizers take them away.
    """
    if not any(metric.needs_references for metric in metrics):
        return []
    both = zip(items.candidates, items.references, strict=True)
    said = [(text, texts) for text, texts in both if says_something(text)]
    if len(said) < _SEVERAL or not all(_is_among(text, texts) for text, texts in said):
        return []
    text = f"all {len(said):,} predictions have the words of one of their references"
    return [Caution("references-as-predictions", f"{text}: were references given to be scored?")]


def _is_among(text: str, texts: Sequence[str]) -> bool:
    return text in texts or bare_letters(text) in map(bare_letters, texts)


def _left_out(metrics: Iterable[Metric], items: Captions) -> list[Caution]:
    ignoring = [str(metric) for metric in metrics if metric.ignores_empty]
    if not ignoring:
        return []
    silent = [id for id, text in zip(items.ids, items.candidates, strict=True) if not says_something(text)]
    if not silent:
        return []
    said = counted(
        len(silent), "prediction says nothing and is left out of", "predictions say nothing and are left out of"
    )
    return [Caution("left-out", f"{said} {', '.join(ignoring)}: {some(silent)}")]
