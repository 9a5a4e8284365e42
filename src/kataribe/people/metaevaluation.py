"""Metrics of captions against a data set of rated captions, in one go.

Every rated caption is scored beside its own references as an item of its own, so that a corpus-wide quantity such as
CIDEr's idf counts a picture's references once for each of its captions. This is how the published figures on
Flickr8k-Expert were made, and it reproduces them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kataribe.captions.task import DEFAULT_METRICS, TASK, CaptionOptions
from kataribe.core.metric import Metric
from kataribe.core.options import RunOptions
from kataribe.core.task import evaluate
from kataribe.people.rated import RatedCaptions, read_rated
from kataribe.people.ratings import Ratings
from kataribe.people.scores import Scores, of_result


def score_rated(
    source: str | Path | RatedCaptions,
    metrics: Sequence[str | Metric] = DEFAULT_METRICS,
    *,
    options: CaptionOptions | None = None,
    run: RunOptions | None = None,
) -> tuple[Scores, Ratings]:
    """Scores and ratings of the same captions.

    >>> from kataribe.people.rated import RatedCaptions
    >>> from kataribe.people.ratings import Rating
    >>> from kataribe.people.result import Text
    >>> text = Text("1", "1#1")
    >>> ratings = Ratings("ratings", (Rating("rater 1", "1", "1#1", "overall", 4.0),))
    >>> rated = RatedCaptions({text: "a dog runs"}, {text: ["a dog runs fast"]}, ratings)
    >>> score_rated(rated, ["rouge_l"])[0].values["rouge_l"].round(3).tolist()
    [0.836]
    """
    rated = source if isinstance(source, RatedCaptions) else read_rated(source)
    texts = list(rated.captions)
    captions = {text.system: rated.captions[text] for text in texts}
    references = {text.system: rated.references[text] for text in texts}
    result = evaluate(TASK, captions, references, metrics, options=options, run=run)
    named = {text.system: text for text in texts}
    scores = of_result("", result)  # as items of their own, captions go by their systems' names
    own = [named[text.item] for text in scores.texts]
    return replace(scores, texts=own, results={}, warnings=(*rated.warnings, *result.warnings)), rated.ratings
