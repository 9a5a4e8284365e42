"""What can be done to a submission without making its stories any better. Each attack: stories in, stories out.

The stories are in columns; `table.durations` must be known, for nothing may leave its video.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kataribe.core.types import Floats, Int64s
from kataribe.formats.storytable import CaptionTable, StoryTable

# Each end of a copied segment moves by this share of the segment's length, in standard deviations.
JITTER = 0.25

Surplus = Callable[[StoryTable, Int64s, np.random.Generator], StoryTable]


def share(table: StoryTable, counts: Int64s, surplus: Surplus, rng: np.random.Generator) -> StoryTable:
    """So many random captions of each video; where it has fewer, all of them and a surplus that is made."""
    captions = table.captions
    rank = _ranks(captions, rng.random(captions.total))
    kept = select(table, rank < counts[captions.video_of])
    lacking = np.maximum(counts - captions.counts, 0)
    return together(kept, surplus(table, lacking, rng)) if lacking.any() else kept


def jittered_copies(table: StoryTable, counts: Int64s, rng: np.random.Generator) -> StoryTable:
    """So many copies of random captions of each video, with their segments moved a little."""
    captions = table.captions
    owner = np.repeat(np.arange(len(table)), np.where(captions.counts, counts, 0))
    copied = captions.offsets[owner] + rng.integers(0, captions.counts[owner])
    return arranged(table, owner, jittered(table, copied, rng), captions.texts.values[copied])


def strangers(table: StoryTable, counts: Int64s, rng: np.random.Generator) -> StoryTable:
    """So many captions of other videos, each at the same relative time as in its own."""
    captions = table.captions
    others = captions.total - captions.counts
    owner = np.repeat(np.arange(len(table)), np.where(others, counts, 0))
    drawn = rng.integers(0, others[owner])
    drawn += np.where(drawn >= captions.offsets[owner], captions.counts[owner], 0)
    stretch = table.durations[owner] / table.durations[captions.video_of[drawn]]
    segments = captions.segments.values[drawn] * stretch[:, None]
    return arranged(table, owner, segments, captions.texts.values[drawn])


def duplicates(table: StoryTable, times: int, rng: np.random.Generator) -> StoryTable:
    """Every caption `times` times: as it is, and copied with its segment moved a little."""
    captions = table.captions
    copied = np.tile(np.arange(captions.total), times - 1)
    segments = jittered(table, copied, rng)
    return together(table, arranged(table, captions.video_of[copied], segments, captions.texts.values[copied]))


def one_caption(table: StoryTable, cuts: int) -> StoryTable:
    """The first caption of each video, nothing else, on every stretch between any two of `cuts` + 1 even cuts.

    A submission's first caption is the one that it is most confident of, if it is ranked at all.
    """
    captions = table.captions
    videos = np.flatnonzero(captions.counts)
    starts, ends = np.triu_indices(cuts + 1, k=1)
    grid = np.column_stack([starts, ends]) / cuts
    owner = np.repeat(videos, len(grid))
    segments = np.tile(grid, (len(videos), 1)) * table.durations[owner][:, None]
    return arranged(table, owner, segments, captions.texts.values[captions.offsets[owner]])


def whole_video(table: StoryTable) -> StoryTable:
    """Every caption describes everything: from the beginning of its video to the end."""
    captions = table.captions
    ends = table.durations[captions.video_of]
    segments = captions.segments.with_values(np.column_stack([np.zeros_like(ends), ends]))
    return replace(table, captions=CaptionTable(segments, captions.texts))


def best(table: StoryTable, at_most: int, worth: Floats) -> StoryTable:
    """The captions of each video that are worth most, so many at most, in the order they had."""
    return select(table, _ranks(table.captions, -worth) < at_most)


def swap(table: StoryTable, rng: np.random.Generator) -> StoryTable:
    """In every video the texts of two neighbouring captions exchanged; the segments stay."""
    table = in_time_order(table)
    captions = table.captions
    videos = np.flatnonzero(captions.counts > 1)
    first = captions.offsets[videos] + rng.integers(0, captions.counts[videos] - 1)
    texts = captions.texts.values.copy()
    texts[first], texts[first + 1] = captions.texts.values[first + 1], captions.texts.values[first]
    return replace(table, captions=captions.with_texts(texts))


def shuffle(table: StoryTable, rng: np.random.Generator) -> StoryTable:
    """In every video the texts in random order; the segments stay."""
    table = in_time_order(table)
    captions = table.captions
    order = np.lexsort((rng.random(captions.total), captions.video_of))
    return replace(table, captions=captions.with_texts(captions.texts.values[order]))


def jittered(table: StoryTable, copied: Int64s, rng: np.random.Generator) -> Floats:
    """The segments of some captions, their ends moved a little, inside the video."""
    segments = table.captions.segments.values[copied]
    with np.errstate(invalid="ignore"):  # a segment may be anything in a real file
        length = np.nan_to_num(np.abs(segments[:, 1] - segments[:, 0]), posinf=0.0)
    moved = np.sort(segments + rng.normal(0.0, JITTER, segments.shape) * length[:, None], axis=1)
    ends = table.durations[table.captions.video_of[copied]]
    return np.asarray(np.clip(moved, 0.0, ends[:, None]))


def in_time_order(table: StoryTable) -> StoryTable:
    start, end = table.captions.segments.values.T
    return select(table, np.lexsort((end, start, table.captions.video_of)))


def select(table: StoryTable, chosen: np.ndarray) -> StoryTable:
    """Only the captions that a mask or indices name; a video that is left without any stays."""
    captions = table.captions
    segments, texts = captions.segments.values[chosen], captions.texts.values[chosen]
    return arranged(table, captions.video_of[chosen], segments, texts)


def together(one: StoryTable, other: StoryTable) -> StoryTable:
    """Two tables of the same videos and texts, the second's captions after the first's."""
    both = one.captions, other.captions
    return arranged(
        one,
        np.concatenate([captions.video_of for captions in both]),
        np.concatenate([captions.segments.values for captions in both]),
        np.concatenate([captions.texts.values for captions in both]),
    )


def arranged(table: StoryTable, owner: Int64s, segments: Floats, texts: Int64s) -> StoryTable:
    """The same videos with other captions, given in any order of videos."""
    return replace(table, captions=CaptionTable.grouped(segments, texts, owner, len(table)))


def _ranks(captions: CaptionTable, keys: Floats) -> Int64s:
    """For each caption its rank among those of its video, from 0, by ascending keys."""
    rank = np.empty(captions.total, dtype=np.int64)
    by_key = np.lexsort((keys, captions.video_of))
    rank[by_key] = captions.texts.within(np.arange(captions.total))
    return rank
