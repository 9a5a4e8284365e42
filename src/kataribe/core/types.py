"""The small frozen values that every task shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kataribe.core.unit import Unit
from kataribe.stats.arrays import Array as Array
from kataribe.stats.arrays import Bools as Bools
from kataribe.stats.arrays import Float32s as Float32s
from kataribe.stats.arrays import Floats as Floats
from kataribe.stats.arrays import Int32s as Int32s
from kataribe.stats.arrays import Int64s as Int64s
from kataribe.stats.arrays import UInt64s as UInt64s


@dataclass(frozen=True)
class Score:
    """One number and the parts it is made of. Values are fractions; tables show them times 100.

    >>> Score(0.5, {"precision": 0.4, "recall": 0.667}).parts["precision"]
    0.4
    """

    value: float
    parts: Mapping[str, float] = field(default_factory=dict)

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True)
class Anchors:
    """What people and chance score on the same data, so that a score can be judged.

    A person cannot be scored against themselves, so people meet fewer references than a system does. `system` is the
    system's score against exactly the references that people and chance were scored `against`.

    >>> Anchors(human=0.75, null=0.25, system=0.5, against="one annotator at a time").normalised
    0.5
    """

    human: float | None
    null: float
    system: float
    against: str

    @property
    def normalised(self) -> float | None:
        """0 is chance, 1 is people; nothing where people are unknown or no better than chance."""
        if self.human is None or self.human <= self.null:
            return None
        return (self.system - self.null) / (self.human - self.null)


@dataclass(frozen=True)
class Coverage:
    """How much of the data was there to be scored; nothing partial is scored silently."""

    references: int
    predicted: int
    scored: int
    missing: int = 0
    extra: int = 0
    empty: int = 0


@dataclass(frozen=True, order=True)
class Segment:
    """A stretch of time in seconds. Reversed and empty segments exist in real files; they are falsy.

    >>> a, b = Segment(0, 6), Segment(4, 10)
    >>> a & b, a | b, (a & b).length
    (Segment(start=4, end=6), Segment(start=0, end=10), 2)
    >>> a.iou(b)
    0.2
    >>> bool(a & Segment(8, 9))
    False
    """

    start: float
    end: float

    @property
    def length(self) -> float:
        return max(0, self.end - self.start)

    def __bool__(self) -> bool:
        return self.end > self.start

    def __and__(self, other: Segment) -> Segment:
        """What both cover; falsy where they do not meet."""
        return Segment(max(self.start, other.start), min(self.end, other.end))

    def __or__(self, other: Segment) -> Segment:
        """The hull: from the first start to the last end."""
        return Segment(min(self.start, other.start), max(self.end, other.end))

    def iou(self, other: Segment) -> float:
        """Intersection over union; 0 where either is empty."""
        overlap = (self & other).length
        return overlap / (self | other).length if overlap else 0.0


@dataclass(frozen=True)
class Caption:
    """A sentence about a stretch of a video."""

    segment: Segment
    text: str


@dataclass(frozen=True)
class Story:
    """What a person or a model says about one video, in the order of the file.

    >>> story = Story("v", 10.0, (Caption(Segment(5, 9), "He falls."), Caption(Segment(0, 5), "He runs.")))
    >>> [caption.text for caption in story.in_time_order()]
    ['He runs.', 'He falls.']
    """

    video: str
    duration: float | None
    captions: tuple[Caption, ...]

    def in_time_order(self) -> tuple[Caption, ...]:
        return tuple(sorted(self.captions, key=lambda caption: caption.segment))


@dataclass(frozen=True)
class Role:
    """A part in a film: the name it goes by, what else it is called, who plays it, and a picture of them.

    `portrait` is a file, as the cast's own file names it: a path that starts there.

    >>> Role("Odysseus", aliases=("Ulysses",)).names
    ('Odysseus', 'Ulysses')
    """

    name: str
    aliases: tuple[str, ...] = ()
    actor: str = ""
    portrait: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


@dataclass(frozen=True)
class Cast:
    """The roles of one film in billing order: the first is the one on the poster.

    >>> Cast("film", (Role("Penelope"), Role("Odysseus"))).first_billed
    'Penelope'
    """

    film: str
    roles: tuple[Role, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(role.name for role in self.roles)

    @property
    def first_billed(self) -> str:
        return self.roles[0].name


@dataclass(frozen=True)
class Narration:
    """What the narrator says in one gap of a film. Predictions may leave film and segment to their references.

    >>> Narration("1", "film", Segment(3, 8), "Penelope weaves.").segment.length
    5
    """

    id: str
    film: str | None
    segment: Segment | None
    text: str


@dataclass(frozen=True)
class Curve:
    """How scores change as one thing grows: an audit's attack, a number of guesses. One line for each name.

    >>> Curve("duplicated captions", "copies", {"soda(c)": ((1, 0.06), (2, 0.04))}).lines["soda(c)"][0]
    (1, 0.06)
    """

    title: str
    x: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    unit: Unit = "fraction"


@dataclass(frozen=True)
class Boundaries:
    """Where one video changes, in seconds and in order; `scores`, if there are any, say how sure each one is.

    >>> Boundaries("clip", 10.0, (2.0, 7.5)).relative
    (0.2, 0.75)
    """

    video: str
    duration: float
    times: tuple[float, ...]
    scores: tuple[float, ...] | None = None

    @property
    def relative(self) -> tuple[float, ...]:
        """The times as fractions of the video."""
        return tuple(time / self.duration for time in self.times)

    def __len__(self) -> int:
        return len(self.times)


@dataclass(frozen=True)
class Query:
    """A sentence to be found in a video; where the video's length is unknown, `duration` is None.

    >>> Query("7", "film", "Penelope weaves.", 5400.0).video
    'film'
    """

    id: str
    video: str
    text: str
    duration: float | None = None


@dataclass(frozen=True)
class Moment:
    """A stretch of a video that a system offers for a query; the higher the score, the surer it is.

    >>> Moment(Segment(12, 20), 0.9).segment.length
    8
    """

    segment: Segment
    score: float | None = None
