"""What can be done to a submission without telling its stories any better. Each attack: stories in, stories out.

The stories are in columns; `table.durations` must be known, for nothing may leave its video.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kataribe.core.types import Floats, Int64s
from kataribe.formats.storytable import StoryTable

# Each end of a copied segment moves by this share of the segment's length, in standard deviations.
JITTER = 0.25

Surplus = Callable[[StoryTable, Int64s, np.random.Generator], StoryTable]


def video_of(table: StoryTable) -> Int64s:
    """For each caption the row of its video."""
    return np.repeat(np.arange(len(table)), np.diff(table.bounds))


def share(table: StoryTable, counts: Int64s, surplus: Surplus, rng: np.random.Generator) -> StoryTable:
    """So many random captions of each video; where it has fewer, all of them and a surplus that is made."""
    owner = video_of(table)
    drawn = np.lexsort((rng.random(len(owner)), owner))
    rank = np.empty(len(owner), dtype=np.int64)
    rank[drawn] = np.arange(len(owner)) - table.bounds[owner]
    kept = select(table, rank < counts[owner])
    lacking = np.maximum(counts - np.diff(table.bounds), 0)
    return together(kept, surplus(table, lacking, rng)) if lacking.any() else kept


def jittered_copies(table: StoryTable, counts: Int64s, rng: np.random.Generator) -> StoryTable:
    """So many copies of random captions of each video, with their segments moved a little."""
    available = np.diff(table.bounds)
    owner = np.repeat(np.arange(len(table)), np.where(available, counts, 0))
    copied = table.bounds[owner] + rng.integers(0, available[owner])
    return arranged(table, owner, jittered(table, copied, rng), table.places[copied])


def strangers(table: StoryTable, counts: Int64s, rng: np.random.Generator) -> StoryTable:
    """So many captions of other videos, each at the same relative place as in its own."""
    available = np.diff(table.bounds)
    others = len(table.places) - available
    owner = np.repeat(np.arange(len(table)), np.where(others, counts, 0))
    drawn = rng.integers(0, others[owner])
    drawn += np.where(drawn >= table.bounds[owner], available[owner], 0)
    stretch = table.durations[owner] / table.durations[video_of(table)[drawn]]
    return arranged(table, owner, table.segments[drawn] * stretch[:, None], table.places[drawn])


def duplicates(table: StoryTable, times: int, rng: np.random.Generator) -> StoryTable:
    """Every caption `times` times: as it is, and copied with its segment moved a little."""
    copied = np.tile(np.arange(len(table.places)), times - 1)
    copies = arranged(table, video_of(table)[copied], jittered(table, copied, rng), table.places[copied])
    return together(table, copies)


def one_caption(table: StoryTable, cuts: int) -> StoryTable:
    """The first caption of each video, nothing else, on every stretch between any two of `cuts` + 1 even cuts.

    A submission's first caption is the one that it is most confident of, if it is ranked at all.
    """
    told = np.flatnonzero(np.diff(table.bounds))
    starts, ends = np.triu_indices(cuts + 1, k=1)
    grid = np.column_stack([starts, ends]) / cuts
    owner = np.repeat(told, len(grid))
    segments = np.tile(grid, (len(told), 1)) * table.durations[owner][:, None]
    return arranged(table, owner, segments, table.places[table.bounds[owner]])


def whole_video(table: StoryTable) -> StoryTable:
    """Every caption said of everything: from the beginning of its video to the end."""
    ends = table.durations[video_of(table)]
    return replace(table, segments=np.column_stack([np.zeros_like(ends), ends]))


def best(table: StoryTable, at_most: int, worth: Floats) -> StoryTable:
    """The captions of each video that are worth most, so many at most, in the order they had."""
    owner = video_of(table)
    by_worth = np.lexsort((-worth, owner))
    rank = np.empty(len(owner), dtype=np.int64)
    rank[by_worth] = np.arange(len(owner)) - table.bounds[owner]
    return select(table, rank < at_most)


def swap(table: StoryTable, rng: np.random.Generator) -> StoryTable:
    """In every video the texts of two neighbouring captions exchanged; the segments stay."""
    table = in_time_order(table)
    counts = np.diff(table.bounds)
    videos = np.flatnonzero(counts > 1)
    first = table.bounds[videos] + rng.integers(0, counts[videos] - 1)
    places = table.places.copy()
    places[first], places[first + 1] = table.places[first + 1], table.places[first]
    return replace(table, places=places)


def shuffle(table: StoryTable, rng: np.random.Generator) -> StoryTable:
    """In every video the texts in random order; the segments stay."""
    table = in_time_order(table)
    order = np.lexsort((rng.random(len(table.places)), video_of(table)))
    return replace(table, places=table.places[order])


def jittered(table: StoryTable, captions: Int64s, rng: np.random.Generator) -> Floats:
    """The captions' segments, their ends moved a little, inside the video."""
    segments = table.segments[captions]
    with np.errstate(invalid="ignore"):  # a segment may be anything in a real file
        length = np.nan_to_num(np.abs(segments[:, 1] - segments[:, 0]), posinf=0.0)
    moved = np.sort(segments + rng.normal(0.0, JITTER, segments.shape) * length[:, None], axis=1)
    ends = table.durations[video_of(table)[captions]]
    return np.asarray(np.clip(moved, 0.0, ends[:, None]))


def in_time_order(table: StoryTable) -> StoryTable:
    start, end = table.segments.T
    order = np.lexsort((end, start, video_of(table)))
    return replace(table, segments=table.segments[order], places=table.places[order])


def select(table: StoryTable, captions: np.ndarray) -> StoryTable:
    """Only the captions that a mask or sorted numbers name; no video is lost, be it left without any."""
    return arranged(table, video_of(table)[captions], table.segments[captions], table.places[captions])


def together(one: StoryTable, other: StoryTable) -> StoryTable:
    """Two tables of the same videos and texts, the second's captions after the first's."""
    return arranged(
        one,
        np.concatenate([video_of(one), video_of(other)]),
        np.concatenate([one.segments, other.segments]),
        np.concatenate([one.places, other.places]),
    )


def arranged(table: StoryTable, owner: Int64s, segments: Floats, places: Int64s) -> StoryTable:
    """The same videos with other captions, given in any order of videos."""
    order = np.argsort(owner, kind="stable")
    bounds = np.searchsorted(owner[order], np.arange(len(table) + 1))
    return replace(table, bounds=bounds, segments=segments[order], places=places[order])
