"""Stories in columns: a million captions are a few arrays, and each text is kept once."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from kataribe.core.errors import Location, shorten
from kataribe.core.ragged import Ragged, Rows
from kataribe.core.types import Caption, Floats, Int64s, Segment, Story
from kataribe.formats.source import MAX_CAPTION_CHARACTERS, has_only_characters
from kataribe.text.sentences import numbering

# Which of the field's two JSON forms a file has; most other forms serve for either side.
Form = Literal["submission", "references", ""]


@dataclass(frozen=True, eq=False)
class CaptionTable:
    """The captions of each video in the order of the file: `segments` are rows of start and end, `texts` indices of
    texts that are kept elsewhere.

    >>> table = CaptionTable.grouped(np.array([[0.0, 4.0], [5.0, 9.0]]), np.array([7, 8]), np.array([1, 1]), videos=2)
    >>> table.counts.tolist(), table[1:].texts.values.tolist()
    ([0, 2], [7, 8])
    """

    segments: Ragged
    texts: Ragged

    @classmethod
    def grouped(cls, segments: Floats, texts: Int64s, video_of: Int64s, videos: int) -> CaptionTable:
        """Captions in any order of videos; those of one video keep their order."""
        order = np.argsort(video_of, kind="stable")
        by_video = Ragged.counted(texts[order], np.bincount(video_of, minlength=videos))
        return cls(by_video.with_values(segments[order]), by_video)

    def __getitem__(self, videos: Rows) -> CaptionTable:
        return CaptionTable(self.segments[videos], self.texts[videos])

    def with_texts(self, texts: Int64s) -> CaptionTable:
        """The same segments with other texts."""
        return CaptionTable(self.segments, self.texts.with_values(texts))

    @property
    def total(self) -> int:
        """How many captions all videos have together."""
        return len(self.texts.values)

    @property
    def counts(self) -> Int64s:
        return self.texts.counts

    @property
    def offsets(self) -> Int64s:
        return self.texts.offsets

    @property
    def video_of(self) -> Int64s:
        """For each caption the row of its video."""
        return self.texts.owners


@dataclass(frozen=True, eq=False)
class StoryTable:
    """Stories by video; the texts of `captions` are indices into `texts`, in which each text is once.

    >>> table = StoryTable.of([Story("v", 9.0, (Caption(Segment(0, 4), "A dog."), Caption(Segment(4, 9), "A dog.")))])
    >>> table.texts, table.captions.texts.values.tolist(), table.captions.segments.values.tolist()
    (['A dog.'], [0, 0], [[0.0, 4.0], [4.0, 9.0]])
    >>> table["v"].captions[1]
    Caption(segment=Segment(start=4.0, end=9.0), text='A dog.')
    """

    source: str
    videos: list[str]
    durations: Floats
    captions: CaptionTable
    texts: list[str]
    form: Form = ""

    @classmethod
    def of(cls, stories: Iterable[Story], source: str = "") -> StoryTable:
        builder = StoryBuilder(source)
        for story in stories:
            builder.add_story(story)
        return builder.table()

    def __len__(self) -> int:
        return len(self.videos)

    def __getitem__(self, video: str) -> Story:
        return self._story(self.videos.index(video))

    def __iter__(self) -> Iterator[Story]:
        return map(self._story, range(len(self)))

    def _story(self, row: int) -> Story:
        duration = float(self.durations[row])
        captions = tuple(Caption(Segment(*segment.tolist()), text) for segment, text in self._captions_of(row))
        return Story(self.videos[row], None if np.isnan(duration) else duration, captions)

    def _captions_of(self, row: int) -> Iterator[tuple[Floats, str]]:
        captions = slice(*self.captions.offsets[row : row + 2].tolist())
        texts = (self.texts[index] for index in self.captions.texts.values[captions].tolist())
        return zip(self.captions.segments.values[captions], texts, strict=True)

    def only(self, names: Iterable[str]) -> StoryTable:
        """Those of the named videos that the table has, in the order of the names; no text that none of them has."""
        rows = {video: row for row, video in enumerate(self.videos)}
        kept = np.array([rows[name] for name in names if name in rows], dtype=np.int64)
        captions = self.captions[kept]
        used, texts = np.unique(captions.texts.values, return_inverse=True)
        return replace(
            self,
            videos=[self.videos[row] for row in kept.tolist()],
            durations=self.durations[kept],
            captions=captions.with_texts(texts.astype(np.int64)),
            texts=[self.texts[index] for index in used.tolist()],
        )

    def captioned_videos(self) -> list[str]:
        """The videos that have a caption."""
        return [video for video, count in zip(self.videos, self.captions.counts.tolist(), strict=True) if count]

    def shared_videos(self, other: StoryTable) -> list[str]:
        """The videos of which both have captions."""
        theirs = set(other.captioned_videos())
        return [video for video in self.captioned_videos() if video in theirs]

    def has_captions_of(self, other: StoryTable, videos: Collection[str]) -> bool:
        """Whether the captions of these videos are the same, whatever their order and their white space."""
        mine = {video: row for row, video in enumerate(self.videos)}
        theirs = {video: row for row, video in enumerate(other.videos)}
        return all(self._sorted_captions(mine[video]) == other._sorted_captions(theirs[video]) for video in videos)

    def _sorted_captions(self, row: int) -> list[tuple[bytes, str]]:
        """The bytes of a segment are equal to themselves, those of not-a-number too."""
        return sorted((segment.tobytes(), " ".join(text.split())) for segment, text in self._captions_of(row))


class StoryBuilder:
    """Collects captions in any order of videos, checking each; `table` puts them in columns."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.form: Form = ""
        self._rows: dict[str, int] = {}
        self._durations = array("d")
        self._video_of = array("q")
        self._times = array("d")
        self._text_indices = array("q")
        self._index_of = numbering()

    def __contains__(self, video: str) -> bool:
        return video in self._rows

    def open(self, video: str, duration: Any = None) -> int:
        """The row of a video, new or known."""
        row = self._rows.setdefault(video, len(self._rows))
        if row == len(self._durations):
            self._durations.append(float("nan"))
        if duration is not None:
            self._durations[row] = seconds(duration, Location(self.source, video, "duration"))
        return row

    def add(self, row: int, start: float, end: float, text: str) -> None:
        self._video_of.append(row)
        self._times.append(start)
        self._times.append(end)
        self._text_indices.append(self._index_of[text])

    def add_story(self, story: Story) -> None:
        row = self.open(story.video, story.duration)
        for caption in story.captions:
            self.add(row, caption.segment.start, caption.segment.end, caption.text)

    def add_all(self, row: int, times: Sequence[Any], texts: Sequence[Any]) -> bool:
        """Add a whole story at once if nothing about it is odd; if not, add nothing."""
        if not (set(map(type, times)) <= {list, tuple} and set(map(len, times)) <= {2}):
            return False
        flat = [time for pair in times for time in pair]
        if not (set(map(type, flat)) <= {float, int} and set(map(type, texts)) <= {str}):
            return False
        new = [text for text in texts if text not in self._index_of]
        if max(map(len, new), default=0) > MAX_CAPTION_CHARACTERS or not all(map(has_only_characters, new)):
            return False
        try:
            times_found = array("d", flat)
        except OverflowError:
            return False
        self._video_of.extend([row] * len(times))
        self._times.extend(times_found)
        self._text_indices.extend(map(self._index_of.__getitem__, texts))
        return True

    def table(self) -> StoryTable:
        return StoryTable(
            source=self.source,
            videos=list(self._rows),
            durations=np.array(self._durations),
            captions=CaptionTable.grouped(
                np.array(self._times).reshape(-1, 2),
                np.array(self._text_indices, dtype=np.int64),
                np.array(self._video_of, dtype=np.int64),
                len(self._rows),
            ),
            texts=list(self._index_of),
            form=self.form,
        )


def seconds(value: Any, location: Location) -> float:
    """A time. NaN and infinity are accepted: the task's policy decides about such segments."""
    if type(value) is float:
        return value
    if isinstance(value, int | np.integer | np.floating) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            pass
    raise location.error(
        f"is {shorten(repr(value), 30)}, not a number of seconds", hint="write times as numbers, like 12.5"
    )


def parse_seconds(text: str, location: Location) -> float:
    """A time from a table or from a file that has its numbers as text."""
    try:
        return float(text)
    except ValueError:
        raise location.error(f"is {shorten(text, 30)!r}, not a number of seconds") from None


def timestamp(value: Any, location: Location) -> tuple[float, float]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise location.error(f"is {shorten(repr(value), 30)}, not [start, end]", hint="give two numbers of seconds")
    return seconds(value[0], location), seconds(value[1], location)
