"""Who is scored beside the system: people, and two players who never look at the video.

    system      the predictions
    comparable  the predictions once more, against the annotators that people are compared with: each left out in turn
    human       each annotator in turn, against the others (leave-one-out)
    uniform     as many boundaries as the system has in that video, at equal distances: M of them cut it in M + 1
    random      as many different frames drawn at random, several times

Draws depend on the seed and the video's id only, not on which other videos are scored.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from kataribe import _native
from kataribe.boundaries.items import Videos
from kataribe.boundaries.times import scaled
from kataribe.core.ragged import Ragged, offsets_of, spans
from kataribe.core.types import Floats, Int64s

# The paper repeats Random a hundred times.
PAPER_TRIALS = 100
PLAYERS = ("system", "human", "uniform", "random")

NOBODY = -1
# Without a frame rate, random draws come from this many slots of the video: finer than any tolerance.
_SLOTS = 1 << 20


@dataclass(frozen=True)
class Entries:
    """Lists of boundaries to be scored. Entry i is for the video video[i] and never meets the annotator without[i]."""

    lists: Ragged
    video: Int64s
    without: Int64s

    def __len__(self) -> int:
        return len(self.video)

    def are_one_each(self, videos: Videos) -> bool:
        """Whether there is one entry for each video, to be compared with all its annotators."""
        if len(self) != len(videos):
            return False
        return bool(np.all(self.without == NOBODY) and np.all(self.video == np.arange(len(videos))))

    def keep(self, chosen: Int64s) -> Entries:
        return Entries(self.lists[chosen], self.video[chosen], self.without[chosen])


def enter(player: str, videos: Videos, trials: int) -> Entries:
    """A player's entries, in the order of the videos."""
    if player == "comparable":
        return as_people(once(videos.predictions), videos)
    if player == "human":
        return human(videos)
    if player == "uniform":
        return once(uniform_lists(videos.durations, videos.predictions.counts))
    if player == "random":
        return random_entries(videos, videos.predictions.counts, trials)
    return once(videos.predictions)


def once(lists: Ragged) -> Entries:
    """One entry for each video."""
    return Entries(lists, np.arange(len(lists)), np.full(len(lists), NOBODY))


def as_people(entries: Entries, videos: Videos) -> Entries:
    """The entries, one for each video, compared as people are: once for each annotator, who is left out."""
    left_out = videos.annotators.with_values(np.arange(len(videos.truth)))[entries.video]
    return Entries(entries.lists[left_out.owners], entries.video[left_out.owners], left_out.values)


def human(videos: Videos) -> Entries:
    return Entries(videos.truth, videos.annotators.owners, np.arange(len(videos.truth)))


def uniform_lists(durations: Floats, counts: Int64s) -> Ragged:
    """
    >>> uniform_lists(np.array([10.0]), np.array([4])).values
    array([2., 4., 6., 8.])
    """
    numbers = spans(np.ones_like(counts), counts)
    values = np.repeat(durations, counts) * numbers / np.repeat(counts + 1, counts)
    return Ragged(values, offsets_of(counts))


def random_entries(videos: Videos, counts: Int64s, trials: int) -> Entries:
    """`trials` entries for each video, of counts[video] different frames each."""
    video = np.repeat(np.arange(len(videos)), trials)
    lists = random_lists(videos, video, counts[video], np.tile(np.arange(trials), len(videos)))
    return Entries(lists, video, np.full(len(video), NOBODY))


def random_lists(videos: Videos, video: Int64s, counts: Int64s, draw: Int64s) -> Ragged:
    """List i is draw number draw[i] for the video video[i]: counts[i] different frames, in seconds."""
    known = videos.frames > 0
    slots = np.where(known, videos.frames, _SLOTS)
    seconds_each = np.where(known, 1 / videos.fps, videos.durations / _SLOTS)
    names = np.array([zlib.crc32(id.encode("utf-8", "surrogatepass")) for id in videos.ids], dtype=np.uint64)
    # Streams of different videos are far apart: the id takes the upper bits, seed and draw the lower ones.
    low = (np.uint64(videos.seed % (1 << 20)) << np.uint64(12)) ^ draw.astype(np.uint64)
    seeds = (names[video] << np.uint64(32)) ^ low
    drawn = Ragged(*_native.draw_slots(seeds, slots[video].astype(np.int64), counts.astype(np.int64)))
    return scaled(drawn, seconds_each[video])


def index_in_video(entries: Entries, videos: int) -> Int64s:
    """Which of its video's entries each one is, from 0."""
    counts = np.bincount(entries.video, minlength=videos)
    return np.arange(len(entries)) - (np.cumsum(counts) - counts)[entries.video]
