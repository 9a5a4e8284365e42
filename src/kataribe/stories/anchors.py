"""What people and chance score on the same data: how high a score can be, and how low.

human      each annotator's stories, scored against the other annotators' stories of the same videos
null       the captions of another video, on segments of equal length, as many as it has
system     the predictions
normalised (system - null) / (human - null)

All three are scored against the same references: one annotator is left out at a time, the others are the references
for the videos that this one described, and the scores are the means over these rounds. Scores depend on the number of
references, so a system scored against all annotators could not be compared with one of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from kataribe.core.signature import fingerprint_by_id
from kataribe.core.types import Caption, Segment, Story
from kataribe.formats.storytable import StoryTable


@dataclass(frozen=True, eq=False)
class Round:
    """One annotator left out, and the others as references, for the videos that this one described."""

    left_out: StoryTable
    references: list[StoryTable]


def rounds(references: Sequence[StoryTable], predicted: Collection[str]) -> list[Round]:
    """One for each annotator who shares videos with another annotator and with the predictions."""
    found = []
    for number, person in enumerate(references):
        names = person.captioned_videos()
        others = [table.only(names) for table in [*references[:number], *references[number + 1 :]]]
        shared = {video for table in others for video in table.captioned_videos()}
        if shared & set(predicted):
            found.append(Round(person, [table for table in others if len(table)]))
    return found


def describe_rounds(annotators: int, count: int) -> str:
    """What people, chance and the system were scored against, as a text.

    >>> describe_rounds(annotators=2, count=2)
    'one annotator at a time, on the videos that both told; means of 2 rounds'
    """
    if not count:
        return "all references; people cannot be scored"
    if annotators == 2:
        return f"one annotator at a time, on the videos that both told; means of {count} rounds"
    return f"all annotators but one at a time, on the videos that this one told; means of {count} rounds"


def null_predictions(references: Sequence[StoryTable], seed: int) -> StoryTable:
    """For each video the captions of another one, by its first annotator, on uniform segments.

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
    # By id, so that chance does not depend on the order of the file.
    by_id = [stories[video] for video in sorted(stories)]
    drawn = [by_id[index] for index in np.random.default_rng(seed).permutation(len(by_id))]
    # Each video gets the captions of the next one, never its own (except if there is only one video).
    return StoryTable.of(_retell(story, other) for story, other in zip(drawn, [*drawn[1:], *drawn[:1]], strict=True))


def describe_chance(null: StoryTable, count: int, seed: int) -> str:
    """For the signature: what changes the scores of people and chance, besides the references (they have a hash)."""
    durations = zip(null.videos, map(float.hex, null.durations.tolist()), strict=True)
    return f"rounds-{count}+seed-{seed}+durations-{fingerprint_by_id(durations)}"


def _retell(story: Story, other: Story) -> Story:
    duration = _length(story)
    cuts = np.linspace(0, duration, len(other.captions) + 1).tolist()
    captions = zip(cuts, cuts[1:], other.in_time_order(), strict=False)
    return Story(story.video, duration, tuple(Caption(Segment(a, b), caption.text) for a, b, caption in captions))


def _length(story: Story) -> float:
    """The duration or, if the file does not have it, the end of the last caption."""
    ends = [caption.segment.end for caption in story.captions if np.isfinite(caption.segment.end)]
    return story.duration or max(ends, default=0.0)
