"""What media stages find in a generated film, beside what is known of it. Tests use the same counts as the bench."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.types import Caption, Floats, Segment
from kataribe.films.clips import narration_clips
from kataribe.films.joining import join_texts
from kataribe.media.faces import FoundFace
from kataribe.media.video import pictures

Gold = Mapping[str, Any]

NEAR = 0.5  # seconds
# Speech with shorter pauses is one region: the narrator breathes between parts of a sentence.
BREATH = 0.8
SLOT = 0.1
# Pixels between the middle of a face that was drawn and one that was found; whoever acts may walk about.
_OFF, _WALKED = 45, 260
_PER_PERSON = 12


def gold_of(world: Path, film: str) -> Gold:
    return dict(json.loads((world / "gold" / f"{film}.json").read_text(encoding="utf-8")))


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    good: int
    all: int

    @property
    def share(self) -> float:
        return self.good / self.all if self.all else 1.0

    def __add__(self, other: Share) -> Share:
        return Share(self.good + other.good, self.all + other.all)

    def __str__(self) -> str:
        return f"{self.good:,} of {self.all:,} ({self.share:.1%})"


NONE = Share(0, 0)


@dataclass(frozen=True)
class LinesRead:
    """`exact`: lines whose text is right letter by letter; `timed`: whose times are right too; `extra`: nobody said."""

    exact: Share
    timed: Share
    extra: tuple[str, ...]
    missed: tuple[str, ...]


def lines_read(gold: Gold, read: Sequence[Caption], until: float = np.inf) -> LinesRead:
    lines = [line for line in gold["lines"] if line["end"] <= until]
    free = [caption for caption in read if caption.segment.start < until]
    exact = timed = 0
    missed = []
    for line in lines:
        same = [caption for caption in free if caption.text == line["text"]]
        if not same:
            missed.append(line["text"])
            continue
        nearest = min(same, key=lambda caption: abs(caption.segment.start - line["start"]))
        free.remove(nearest)
        exact += 1
        timed += _is_near(nearest.segment, line["start"], line["end"])
    total = len(lines)
    return LinesRead(Share(exact, total), Share(timed, total), tuple(c.text for c in free), tuple(missed))


def _is_near(segment: Segment, start: float, end: float) -> bool:
    return abs(segment.start - start) <= NEAR and abs(segment.end - end) <= NEAR


@dataclass(frozen=True)
class TimesFound:
    """`found` of what is known, and `right` of what was found."""

    found: Share
    right: Share


def cuts_found(gold: Gold, cuts: Sequence[float], until: float = np.inf) -> TimesFound:
    known = [shot["start"] for shot in gold["shots"][1:] if shot["start"] < until]
    return TimesFound(_near(known, cuts), _near(cuts, known))


@dataclass(frozen=True)
class SpeechFound:
    """Edges of speech that were found within half a second, and the tenths of a second that are judged alike."""

    starts: Share
    ends: Share
    alike: Share


def speech_found(gold: Gold, regions: Sequence[Segment], until: float = np.inf) -> SpeechFound:
    spoken = [Segment(each["start"], each["end"]) for each in gold["lines"]]
    spoken += [Segment(part["start"], part["end"]) for clip in gold["clips"] for part in clip["fragments"]]
    spoken = sorted(each for each in spoken if each.end <= until)
    joined = _joined(spoken)
    slots = np.arange(0, min(gold["duration"], until), SLOT) + SLOT / 2
    same = _inside(slots, spoken) == _inside(slots, regions)
    return SpeechFound(
        _near([each.start for each in joined], [each.start for each in regions]),
        _near([each.end for each in joined], [each.end for each in regions]),
        Share(int(same.sum()), len(same)),
    )


def _joined(spoken: Iterable[Segment]) -> list[Segment]:
    joined: list[Segment] = []
    for each in spoken:
        if joined and each.start - joined[-1].end < BREATH:
            joined[-1] = joined[-1] | each
        else:
            joined.append(each)
    return joined


def _near(wanted: Sequence[float], there: Sequence[float]) -> Share:
    close = [bool(len(there)) and float(np.abs(np.array(there) - time).min()) <= NEAR for time in wanted]
    return Share(sum(close), len(close))


def _inside(slots: Floats, segments: Iterable[Segment]) -> Any:
    inside = np.zeros(len(slots), bool)
    for each in segments:
        inside |= (slots >= each.start) & (slots < each.end)
    return inside


@dataclass
class FacesFound:
    """Faces that were drawn and found, by what their owners do in the shot; vectors of those who have a name."""

    found: dict[str, Share] = field(default_factory=lambda: defaultdict(lambda: NONE))
    actions: dict[str, Share] = field(default_factory=lambda: defaultdict(lambda: NONE))
    nobody: int = 0
    frames: int = 0
    vectors: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))

    @property
    def all(self) -> Share:
        return sum(self.found.values(), NONE)

    def see(self, gold: Gold, shot: Mapping[str, Any], found: Sequence[FoundFace]) -> None:
        self.frames += 1
        free = list(found)
        for person in shot["people"]:
            is_actor = person["part"] == "actor"
            hit = _whose(person["face"], free, _WALKED if is_actor else _OFF)
            good = Share(int(hit is not None), 1)
            self.found[person["part"]] += good
            if is_actor:
                self.actions[gold["events"][shot["event"]]["action"]] += good
            if hit is not None:
                free.remove(hit)
                if person["name"]:
                    self.vectors[f"{gold['film']} {person['name']}"].append(hit.vector)
        self.nobody += len(free)


def _whose(box: Sequence[float], found: Sequence[FoundFace], reach: float) -> FoundFace | None:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2

    def off(face: FoundFace) -> tuple[float, float]:
        return abs((face.box.left + face.box.right) / 2 - x), abs((face.box.top + face.box.bottom) / 2 - y)

    near = [face for face in found if off(face)[0] < reach and off(face)[1] < 70]
    return min(near, key=lambda face: off(face)[0]) if near else None


def see_faces(world: Path, film: str, finder: Any, seen: FacesFound, every: int, until: int = 10**9) -> None:
    """Look at one frame in `every`; the first ones only, if `until` says so."""
    gold = gold_of(world, film)
    rate = 8
    for picture in pictures(world / "videos" / f"{film}.mp4"):
        if picture.number >= until:
            break
        time = picture.number / rate
        shot = next(shot for shot in gold["shots"] if shot["start"] <= time < shot["end"])
        if picture.number % every == 0 and shot["people"]:
            seen.see(gold, shot, finder.find(picture.rgb(None)))


@dataclass(frozen=True)
class Verified:
    """Distances of vectors of the same person and of different ones, and how well one threshold parts them."""

    same: Floats
    other: Floats
    threshold: float
    right: float


def verify(vectors: Mapping[str, Sequence[Any]]) -> Verified:
    """Everybody against themselves and everybody else; same and other count the same."""
    kept = [np.array(each[:_PER_PERSON]) for each in vectors.values()]
    same = np.array([np.linalg.norm(a - b) for each in kept for a, b in combinations(each, 2)])
    other = np.array([np.linalg.norm(a - b) for one, two in combinations(kept, 2) for a in one for b in two])
    thresholds = np.arange(0.1, 0.8, 0.005)
    rights = [(np.mean(same < at) + np.mean(other >= at)) / 2 for at in thresholds]
    best = int(np.argmax(rights))
    return Verified(same, other, float(thresholds[best]), float(rights[best]))


def counted(texts: Iterable[str]) -> str:
    return ", ".join(f"{text!r} {count}" for text, count in Counter(texts).most_common(5))


def clips_heard(gold: Gold, narration: Sequence[Caption], most: int) -> Share:
    """Clips that come back with their times when a film is watched, given what is said in each region of speech.

    Recognising words is not counted: a part of a sentence is taken as heard in the region that holds its middle.
    """
    parts = [part for clip in gold["clips"] for part in clip["fragments"]]
    heard = [
        Caption(
            region.segment,
            join_texts(
                part["text"]
                for part in parts
                if region.segment.start <= (part["start"] + part["end"]) / 2 < region.segment.end
            ),
        )
        for region in narration
    ]
    clips = narration_clips(heard, most=most)
    good = [
        any(clip.text == known["text"] and _is_near(clip.segment, known["start"], known["end"]) for clip in clips)
        for known in gold["clips"]
    ]
    return Share(sum(good), len(good))
