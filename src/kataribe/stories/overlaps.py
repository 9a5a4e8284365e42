"""The pairs that the ActivityNet Captions scorers compare, in the order in which they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kataribe.core.types import Bools, Floats, Int64s
from kataribe.stories.items import Stories
from kataribe.text.pool import TextPool
from kataribe.text.tokenizers import tokenizer


@dataclass(frozen=True, eq=False)
class OverlapPairs:
    """Texts to compare, by video, then prediction, then reference.

    `iou` is the pair's or, where a filler stands in for the reference, the best that its prediction reaches.
    """

    video: Int64s
    candidates: Int64s
    references: Int64s
    is_filler: Bools
    iou: Floats

    def at(self, threshold: float) -> Int64s:
        """Which pairs are compared at a threshold: those that reach it, and fillers where nothing does."""
        return np.flatnonzero((self.iou >= threshold) != self.is_filler)


def overlap_pairs(
    items: Stories, ious: Floats, thresholds: Sequence[float], fillers: Int64s | None, *, plain: bool
) -> OverlapPairs:
    """All pairs for any of the thresholds; with `fillers` (a text for each video) also the unmatched predictions."""
    predictions = items.predictions
    pairs = items.cell_captions(np.flatnonzero(ious >= min(thresholds)))
    prediction, reference = pairs.prediction, items.references.texts.values[pairs.reference]
    iou = ious[pairs.cells]
    is_filler = np.zeros(len(prediction), dtype=np.bool_)
    if fillers is not None:
        best = np.zeros(predictions.total)
        np.maximum.at(best, prediction, iou)
        alone = np.flatnonzero(best < max(thresholds))
        prediction = np.concatenate([prediction, alone])
        reference = np.concatenate([reference, fillers[predictions.video_of[alone]]])
        iou = np.concatenate([iou, best[alone]])
        is_filler = np.concatenate([is_filler, np.ones(len(alone), dtype=np.bool_)])
    order = np.argsort(prediction, kind="stable")
    candidate = predictions.texts.values[prediction[order]]
    return OverlapPairs(
        predictions.video_of[prediction[order]],
        items.versions(candidate, plain=plain),
        items.versions(reference[order], plain=plain),
        is_filler[order],
        iou[order],
    )


def open_endings(pool: TextPool) -> dict[int, list[int]]:
    """Texts of which the tokenizer cuts the end in one way or another, depending on what follows; all the ways."""
    _, sentence_of = pool.tokens("ptb")
    endings = {index: [index, *others] for index, others in pool.endings.items()}
    return {index: ways for index, ways in endings.items() if len(set(sentence_of[ways].tolist())) > 1}


def read_as_one_text(pool: TextPool, indices: Int64s, video: Int64s, endings: dict[int, list[int]]) -> Int64s:
    """The same texts as they are cut when a video's come in one text, each followed by the next.

    That matters to a handful of texts in a hundred thousand; the others keep their indices.
    """
    open_ended = np.flatnonzero(np.isin(indices, list(endings)))
    if not len(open_ended):
        return indices
    sentences, sentence_of = pool.tokens("ptb")
    texts = pool.texts
    read = indices.copy()
    for row in open_ended.tolist():
        end = int(np.searchsorted(video, video[row], side="right"))
        following = [texts[index] for index in indices[row + 1 : end].tolist()]
        # Blank lines are skipped, so that the next text with something in it decides.
        until_said = next((n + 1 for n, text in enumerate(following) if text.strip()), len(following))
        tokens = tokenizer("ptb")([texts[indices[row]], *following[:until_said]])[0]
        ways = endings[int(indices[row])]
        read[row] = next(way for way in ways if sentences.texts[sentence_of[way]] == tokens)
    return read
