"""Metrics of captions against a data set of rated captions, in one go.

Every rated caption is scored beside its own references as an item of its own, so that a corpus-wide quantity such as
CIDEr's idf counts a picture's references once for each of its captions. This is how the published figures on
Flickr8k-Expert were made, and it reproduces them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from kataribe.captions.files import Source
from kataribe.captions.task import DEFAULT_METRICS, TASK, CaptionOptions
from kataribe.core.metric import Metric
from kataribe.core.options import RunOptions
from kataribe.core.task import evaluate
from kataribe.formats.features import Source as FeatureSource
from kataribe.people.pictures import find_features, find_pictures
from kataribe.people.rated import RatedCaptions, read_rated
from kataribe.people.ratings import Ratings
from kataribe.people.result import Text
from kataribe.people.scores import Scores, of_result


def score_rated(
    source: str | Path | RatedCaptions,
    metrics: Sequence[str | Metric] = DEFAULT_METRICS,
    *,
    references: Source | None = None,
    images: str | Path | Mapping[Text, tuple[Path, ...]] | None = None,
    features: FeatureSource | None = None,
    options: CaptionOptions | None = None,
    run: RunOptions | None = None,
) -> tuple[Scores, Ratings]:
    """Scores and ratings of the same captions.

    `references` is where they stand if the data set has none. `images` is a folder of pictures (or what `find_pictures`
    found there) and `features` a file of vectors, for metrics that look at what is described: by picture or by item.

    >>> from kataribe.people.ratings import Rating
    >>> text = Text("1", "1#1")
    >>> ratings = Ratings("ratings", (Rating("rater 1", "1", "1#1", "overall", 4.0),))
    >>> rated = RatedCaptions({text: "a dog runs"}, {text: ["a dog runs fast"]}, ratings)
    >>> score_rated(rated, ["rouge_l"])[0].values["rouge_l"].round(3).tolist()
    [0.836]
    """
    rated = source if isinstance(source, RatedCaptions) else read_rated(source, references=references)
    texts = list(rated.captions)
    options = _with_media(rated, options or CaptionOptions(), images, features)
    captions = {text.system: rated.captions[text] for text in texts}
    written = {text.system: rated.references[text] for text in texts}
    result = evaluate(TASK, captions, written, metrics, options=options, run=run)
    named = {text.system: text for text in texts}
    scores = of_result("", result)  # as items of their own, captions go by their systems' names
    own = [named[text.item] for text in scores.texts]
    return replace(scores, texts=own, results={}, warnings=(*rated.warnings, *result.warnings)), rated.ratings


def _with_media(
    rated: RatedCaptions,
    options: CaptionOptions,
    images: str | Path | Mapping[Text, tuple[Path, ...]] | None,
    features: FeatureSource | None,
) -> CaptionOptions:
    """Options whose media are those of single texts: each text is an item, and several share a picture."""
    if images is not None:
        files = images if isinstance(images, Mapping) else find_pictures(rated, images)
        options = replace(options, images={text.system: found for text, found in files.items()})
    if features is not None:
        options = replace(options, features=find_features(rated, features))
    return options
