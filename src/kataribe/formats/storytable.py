"""Stories in columns: a million captions are a few arrays, and each text is kept once."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kataribe.core.errors import InputError, shorten
from kataribe.core.types import Caption, Floats, Int64s, Segment, Story
from kataribe.formats.source import MAX_CAPTION_CHARACTERS, check_text, has_only_characters
from kataribe.text.sentences import numbering

# Which of the field's two JSON forms a file has; most other forms serve for either side.
Form = Literal["submission", "references", ""]


@dataclass(frozen=True, eq=False)
class StoryTable:
    """Video v has the captions bounds[v]:bounds[v + 1], each a segment and the place of its text in `texts`.

    >>> table = StoryTable.of([Story("v", 9.0, (Caption(Segment(0, 4), "A dog."), Caption(Segment(4, 9), "A dog.")))])
    >>> table.texts, table.places.tolist(), table.segments.tolist()
    (['A dog.'], [0, 0], [[0.0, 4.0], [4.0, 9.0]])
    >>> table["v"].captions[1]
    Caption(segment=Segment(start=4.0, end=9.0), text='A dog.')
    """

    source: str
    videos: list[str]
    durations: Floats
    bounds: Int64s
    segments: Floats
    places: Int64s
    texts: list[str]
    form: Form = ""

    @classmethod
    def of(cls, stories: Iterable[Story], source: str = "") -> StoryTable:
        builder = StoryBuilder(source)
        for story in stories:
            row = builder.open(story.video, story.duration)
            for caption in story.captions:
                builder.add(row, caption.segment.start, caption.segment.end, caption.text)
        return builder.table()

    def __len__(self) -> int:
        return len(self.videos)

    def __getitem__(self, video: str) -> Story:
        return self._story(self.videos.index(video))

    def __iter__(self) -> Iterator[Story]:
        return map(self._story, range(len(self)))

    def _story(self, row: int) -> Story:
        captions = range(self.bounds[row], self.bounds[row + 1])
        duration = float(self.durations[row])
        return Story(
            self.videos[row],
            None if np.isnan(duration) else duration,
            tuple(Caption(Segment(*self.segments[c].tolist()), self.texts[self.places[c]]) for c in captions),
        )

    def only(self, names: Iterable[str]) -> StoryTable:
        """Those of the named videos that the table has, in the order of the names; no text that none of them has."""
        rows = {video: row for row, video in enumerate(self.videos)}
        kept = np.array([rows[name] for name in names if name in rows], dtype=np.int64)
        counts = np.diff(self.bounds)[kept]
        bounds = np.concatenate([[0], np.cumsum(counts)])
        captions = np.repeat(self.bounds[kept] - bounds[:-1], counts) + np.arange(bounds[-1])
        used, places = np.unique(self.places[captions], return_inverse=True)
        return StoryTable(
            source=self.source,
            videos=[self.videos[row] for row in kept.tolist()],
            durations=self.durations[kept],
            bounds=bounds,
            segments=self.segments[captions],
            places=places.astype(np.int64),
            texts=[self.texts[place] for place in used.tolist()],
            form=self.form,
        )

    def told_videos(self) -> list[str]:
        """The videos that have a caption."""
        return [video for video, count in zip(self.videos, np.diff(self.bounds), strict=True) if count]

    def shared_videos(self, other: StoryTable) -> list[str]:
        """The videos that both tell something about."""
        theirs = set(other.told_videos())
        return [video for video in self.told_videos() if video in theirs]

    def tells_the_same_as(self, other: StoryTable, videos: Collection[str]) -> bool:
        """Whether the captions of these videos are the same, whatever their order and their white space."""
        mine = {video: row for row, video in enumerate(self.videos)}
        theirs = {video: row for row, video in enumerate(other.videos)}
        return all(self._captions_of(mine[video]) == other._captions_of(theirs[video]) for video in videos)

    def _captions_of(self, row: int) -> list[tuple[bytes, str]]:
        """A video's captions, sorted. The bytes of a segment are equal to themselves, those of not-a-number too."""
        captions = range(self.bounds[row], self.bounds[row + 1])
        return sorted((self.segments[c].tobytes(), " ".join(self.texts[self.places[c]].split())) for c in captions)


class StoryBuilder:
    """Collects captions in any order of videos, checking each; `table` puts them in columns."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.form: Form = ""
        self._rows: dict[str, int] = {}
        self._durations = array("d")
        self._row_of = array("q")
        self._times = array("d")
        self._places = array("q")
        self._texts = numbering()

    def __contains__(self, video: str) -> bool:
        return video in self._rows

    def open(self, video: str, duration: Any = None) -> int:
        """The row of a video, new or known."""
        row = self._rows.setdefault(video, len(self._rows))
        if row == len(self._durations):
            self._durations.append(float("nan"))
        if duration is not None:
            self._durations[row] = seconds(duration, self.source, video, "duration")
        return row

    def add(self, row: int, start: float, end: float, text: str) -> None:
        self._row_of.append(row)
        self._times.append(start)
        self._times.append(end)
        self._places.append(self._texts[text])

    def add_all(self, row: int, times: Sequence[Any], texts: Sequence[Any]) -> bool:
        """Add a whole story at once if nothing about it is odd; if not, add nothing."""
        if not (set(map(type, times)) <= {list, tuple} and set(map(len, times)) <= {2}):
            return False
        flat = [time for pair in times for time in pair]
        if not (set(map(type, flat)) <= {float, int} and set(map(type, texts)) <= {str}):
            return False
        if max(map(len, texts), default=0) > MAX_CAPTION_CHARACTERS or not all(map(has_only_characters, texts)):
            return False
        try:
            times_found = array("d", flat)
        except OverflowError:
            return False
        self._row_of.extend([row] * len(times))
        self._times.extend(times_found)
        self._places.extend(map(self._texts.__getitem__, texts))
        return True

    def table(self) -> StoryTable:
        row_of = np.array(self._row_of, dtype=np.int64)
        in_video_order = np.argsort(row_of, kind="stable")
        return StoryTable(
            source=self.source,
            videos=list(self._rows),
            durations=np.array(self._durations),
            bounds=np.searchsorted(row_of[in_video_order], np.arange(len(self._rows) + 1)),
            segments=np.array(self._times).reshape(-1, 2)[in_video_order],
            places=np.array(self._places, dtype=np.int64)[in_video_order],
            texts=list(self._texts),
            form=self.form,
        )


def seconds(value: Any, source: str, video: str, field: str) -> float:
    """A time. Not-a-number and infinity pass: what becomes of such a segment is the task's policy."""
    if type(value) is float:
        return value
    if isinstance(value, int | np.integer | np.floating) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            pass
    raise InputError(
        f"is {shorten(repr(value), 30)}, not a number of seconds",
        file=source or None,
        id=video,
        field=field,
        hint="write times as numbers, like 12.5",
    )


def timestamp(value: Any, source: str, video: str, field: str) -> tuple[float, float]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise InputError(
            f"is {shorten(repr(value), 30)}, not [start, end]",
            file=source or None,
            id=video,
            field=field,
            hint="give two numbers of seconds",
        )
    return seconds(value[0], source, video, field), seconds(value[1], source, video, field)


def sentence(value: Any, source: str, video: str, field: str) -> str:
    return check_text(value, file=source or None, id=video, field=field)
