"""Where is the ceiling, where is the floor? The same data, told by people and by chance.

human      each annotator's stories scored against the other annotators', the mean over annotators
null       the captions of another video on segments of equal length, as many as it has
normalised (score - null) / (human - null)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kataribe.core.types import Caption, Segment, Story
from kataribe.formats.storytable import StoryTable


def human_predictions(references: Sequence[StoryTable]) -> Iterator[tuple[StoryTable, list[StoryTable]]]:
    """Each annotator's stories beside those of all others; nothing where there is only one annotator."""
    for place, stories in enumerate(references):
        others = [*references[:place], *references[place + 1 :]]
        if others:
            yield stories, others


def null_predictions(references: Sequence[StoryTable], seed: int) -> StoryTable:
    """For each video the captions that the first annotator to tell it gave to another one, on uniform segments.

    >>> def story(video, *texts):
    ...     return Story(video, 10.0, tuple(Caption(Segment(0, 9), text) for text in texts))
    >>> null = null_predictions([StoryTable.of([story("v", "A dog."), story("w", "A cat.", "It sleeps.")])], seed=0)
    >>> null["v"].captions[1]
    Caption(segment=Segment(start=5.0, end=10.0), text='It sleeps.')
    """
    stories: dict[str, Story] = {}
    for table in references:
        for story in table:
            if story.captions:
                stories.setdefault(story.video, story)
    order = np.random.default_rng(seed).permutation(len(stories))
    told = [list(stories.values())[place] for place in order]
    # Everybody takes the next one's captions: nobody keeps their own, unless there is only one.
    return StoryTable.of(_retell(story, other) for story, other in zip(told, [*told[1:], *told[:1]], strict=True))


def _retell(story: Story, other: Story) -> Story:
    duration = _length(story)
    cuts = np.linspace(0, duration, len(other.captions) + 1).tolist()
    captions = zip(cuts, cuts[1:], other.in_time_order(), strict=False)
    return Story(story.video, duration, tuple(Caption(Segment(a, b), caption.text) for a, b, caption in captions))


def _length(story: Story) -> float:
    """The duration or, where the file does not tell it, the last moment that is talked about."""
    ends = [caption.segment.end for caption in story.captions if np.isfinite(caption.segment.end)]
    return story.duration or max(ends, default=0.0)
