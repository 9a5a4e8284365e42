"""A film as it was planned: everything that is said, told, done and shown in it, and when.

Times are whole frames inside and seconds outside, so that every cut, line and event lies on a frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kataribe.core.types import Caption, Segment
from kataribe.films.world.casting import Company, Player
from kataribe.films.world.options import Split

FPS = 8


def seconds(frame: int) -> float:
    return frame / FPS


@dataclass(frozen=True)
class Line:
    """A line of dialogue: spoken, and burnt in as a subtitle for as long."""

    start: int
    end: int
    speaker: Player
    text: str


@dataclass(frozen=True)
class Fragment:
    """A part of a sentence of the narrator, as a recogniser of speech would hand it out."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Clip:
    """Fragments of one paragraph (G); `gap` is the number of the gap between dialogues that it lies in."""

    gap: int
    fragments: tuple[Fragment, ...]
    named: tuple[str, ...]

    @property
    def start(self) -> int:
        return self.fragments[0].start

    @property
    def end(self) -> int:
        return self.fragments[-1].end


@dataclass(frozen=True)
class Event:
    """Who does what to whom, where and when. `clip` is the number of the clip that tells it, if one does.

    `echoes` is the number of an earlier event with the same action by somebody else: a distractor.
    """

    start: int
    end: int
    actor: Player
    action: str
    target: Player | None
    place: str
    tempo: int
    bystanders: tuple[Player, ...]
    clip: int | None
    echoes: int | None


Kind = Literal["title", "talk", "action", "end"]


@dataclass(frozen=True)
class Staged:
    """Somebody in a shot: `x` is the middle of the body as a part of the width, `head` the size in pixels."""

    player: Player
    x: float
    head: int
    part: Literal["actor", "target", "bystander", "speaker", "listener"]


@dataclass(frozen=True)
class Shot:
    """What one camera shows without a cut; `event` or `line` is the number of what happens in it."""

    start: int
    end: int
    kind: Kind
    place: str
    camera: int
    staged: tuple[Staged, ...] = ()
    event: int | None = None
    line: int | None = None


@dataclass(frozen=True)
class Film:
    """The whole plan of a film."""

    company: Company
    split: Split
    length: int
    lines: tuple[Line, ...]
    dialogues: tuple[tuple[int, int], ...]
    clips: tuple[Clip, ...]
    events: tuple[Event, ...]
    shots: tuple[Shot, ...]

    @property
    def id(self) -> str:
        return self.company.film

    @property
    def duration(self) -> float:
        return seconds(self.length)


def caption(start: int, end: int, text: str) -> Caption:
    return Caption(Segment(seconds(start), seconds(end)), text)
