"""What people change in the clips that the rules found: a file that survives a rebuild.

JSON lines, one change each, applied in the order of the file:

    {"film": "ithaca", "do": "cut", "start": 92, "end": 5400}                       opening and ending are left out
    {"film": "ithaca", "do": "correct", "text": "Penelopy weeves", "to": "Penelope weaves"}
    {"film": "ithaca", "do": "move", "text": "A dog barks", "start": 61, "end": 64.5}
    {"film": "ithaca", "do": "merge", "text": "It rains", "through": "A dog barks"}    all clips from one to the other
    {"film": "ithaca", "do": "split", "text": "The door opens", "time": 57.2}          the second clip begins with it
    {"film": "ithaca", "do": "remove", "text": "Starring"}

A clip is named by a piece of its text, not by a number, so that other clips may come and go. The piece must stand in
one clip only; `near`, a time in seconds, chooses among those within 30 seconds of it. A split without `time` divides
the clip's time as it divides its letters. What cannot be applied changes nothing and is reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError, Location, shorten, some
from kataribe.core.types import Caption, Segment
from kataribe.films.clips import join_clips
from kataribe.films.line_files import ROUNDING
from kataribe.formats.source import check_id, check_number, check_text, read_json_lines

NEAR = 30.0

# What each change needs beside the film, and what it may have.
_FIELDS = {
    "cut": ((), ("start", "end")),
    "correct": (("text", "to"), ("near",)),
    "move": (("text", "start", "end"), ("near",)),
    "merge": (("text", "through"), ("near",)),
    "split": (("text",), ("time", "near")),
    "remove": (("text",), ("near",)),
}
_TEXTS = ("text", "to", "through")


@dataclass(frozen=True)
class Override:
    """One change; fields that its kind does not have are empty."""

    film: str
    do: str
    text: str = ""
    to: str = ""
    through: str = ""
    start: float | None = None
    end: float | None = None
    time: float | None = None
    near: float | None = None


@dataclass(frozen=True)
class Unapplied:
    """A change that does not fit the clips any more, and why."""

    override: Override
    why: str

    def __str__(self) -> str:
        about = f" {shorten(self.override.text, 40)!r}" if self.override.text else ""
        return f"film {self.override.film!r}: {self.override.do}{about}: {self.why}"


class _DoesNotFit(Exception):
    """Why a change cannot be applied."""


def read_overrides(path: Path) -> tuple[Override, ...]:
    return tuple(_override(entry, location) for location, entry in read_json_lines(path))


def cut_of(overrides: Sequence[Override]) -> Segment:
    """What is kept of a film: from the last opening to the first ending that somebody named.

    >>> cut_of([Override("ithaca", "cut", start=92)])
    Segment(start=92, end=inf)
    """
    cuts = [each for each in overrides if each.do == "cut"]
    starts = [cut.start for cut in cuts if cut.start is not None]
    ends = [cut.end for cut in cuts if cut.end is not None]
    return Segment(max(starts, default=0.0), min(ends, default=float("inf")))


def apply(overrides: Sequence[Override], clips: Sequence[Caption]) -> tuple[tuple[Caption, ...], list[Unapplied]]:
    """The clips with every change that fits, and the changes that do not.

    >>> clips = [Caption(Segment(0, 2), "It rains."), Caption(Segment(2, 4), "A dog barks.")]
    >>> apply([Override("f", "merge", text="It rains", through="A dog"), Override("f", "remove", text="cat")], clips)[0]
    (Caption(segment=Segment(start=0, end=4), text='It rains. A dog barks.'),)
    """
    unapplied = []
    for override in overrides:
        if override.do == "cut":
            continue
        try:
            clips = _CHANGES[override.do](override, clips)
        except _DoesNotFit as reason:
            unapplied.append(Unapplied(override, str(reason)))
    return tuple(clips), unapplied


def _correct(override: Override, clips: Sequence[Caption]) -> Sequence[Caption]:
    if not any(override.text in clip.text for clip in clips) and any(override.to in clip.text for clip in clips):
        raise _DoesNotFit("the text is corrected already; the change is no longer needed")
    index = _find(override.text, override.near, clips)
    corrected = replace(clips[index], text=clips[index].text.replace(override.text, override.to, 1).strip())
    if not corrected.text:
        raise _DoesNotFit("no text would be left; remove the clip instead")
    return [*clips[:index], corrected, *clips[index + 1 :]]


def _move(override: Override, clips: Sequence[Caption]) -> Sequence[Caption]:
    index = _find(override.text, override.near, clips)
    if override.start is None or override.end is None:
        raise _DoesNotFit("it names no times")
    moved = replace(clips[index], segment=Segment(override.start, override.end))
    changed = sorted([*clips[:index], moved, *clips[index + 1 :]], key=lambda clip: clip.segment)
    for one, following in pairwise(changed):
        if moved in (one, following) and following.segment.start < one.segment.end - ROUNDING:
            other = one if following == moved else following
            raise _DoesNotFit(f"it would overlap {shorten(other.text, 30)!r}")
    return changed


def _merge(override: Override, clips: Sequence[Caption]) -> Sequence[Caption]:
    first, last = _find(override.text, override.near, clips), _find(override.through, override.near, clips)
    if first == last:
        raise _DoesNotFit("both texts are in one clip; the change is no longer needed")
    if first > last:
        raise _DoesNotFit(f"{shorten(override.through, 30)!r} comes before it")
    return [*clips[:first], join_clips(clips[first : last + 1]), *clips[last + 1 :]]


def _split(override: Override, clips: Sequence[Caption]) -> Sequence[Caption]:
    index = _find(override.text, override.near, clips)
    clip = clips[index]
    at = clip.text.index(override.text)
    if not clip.text[:at].strip():
        raise _DoesNotFit("a clip begins with it; the change is no longer needed")
    time = override.time
    if time is None:
        time = round(clip.segment.start + clip.segment.length * at / len(clip.text), 3)
    if not clip.segment.start < time < clip.segment.end:
        raise _DoesNotFit(f"{time:g} s is not inside the clip, {clip.segment.start:g} to {clip.segment.end:g} s")
    before = Caption(Segment(clip.segment.start, time), clip.text[:at].strip())
    after = Caption(Segment(time, clip.segment.end), clip.text[at:].strip())
    return [*clips[:index], before, after, *clips[index + 1 :]]


def _remove(override: Override, clips: Sequence[Caption]) -> Sequence[Caption]:
    index = _find(override.text, override.near, clips)
    return [*clips[:index], *clips[index + 1 :]]


_CHANGES = {"correct": _correct, "move": _move, "merge": _merge, "split": _split, "remove": _remove}


def _find(text: str, near: float | None, clips: Sequence[Caption]) -> int:
    """The index of the one clip that has this text."""
    found = [index for index, clip in enumerate(clips) if text in clip.text]
    if near is not None:
        found = [index for index in found if _distance(clips[index].segment, near) <= NEAR]
    if len(found) == 1:
        return found[0]
    where = f" within {NEAR:g} s of {near:g} s" if near is not None else ""
    if not found:
        raise _DoesNotFit(f"no clip{where} has the text {shorten(text, 40)!r}")
    raise _DoesNotFit(f"{len(found)} clips{where} have the text {shorten(text, 40)!r}; give near, or more of the text")


def _distance(segment: Segment, time: float) -> float:
    return max(segment.start - time, time - segment.end, 0.0)


def _override(entry: Any, location: Location) -> Override:
    kinds = ", ".join(_FIELDS)
    if not isinstance(entry, Mapping) or "film" not in entry or "do" not in entry:
        hint = 'write {"film": "ithaca", "do": "cut", "start": 92} on each line'
        raise InputError(f"{location} is {shorten(repr(entry), 40)}, not a change of a film", hint=hint)
    film = check_id(entry["film"], location)
    location = location.at(id=film)
    if entry["do"] not in _FIELDS:
        raise location.within("do").error(f"is {shorten(repr(entry['do']), 30)}", hint=f"there are: {kinds}")
    needed, possible = _FIELDS[entry["do"]]
    given = {name: value for name, value in entry.items() if name not in ("film", "do")}
    missing, unknown = [name for name in needed if name not in given], sorted(given.keys() - {*needed, *possible})
    if missing or unknown or not given:
        problem = f"lacks {some(missing or possible)}" if not unknown else f"has {some(unknown)}, which means nothing"
        raise location.error(f"{entry['do']} {problem}", hint=f"it has {', '.join((*needed, *possible))}")
    values = {name: _value(name, value, location.within(name)) for name, value in given.items()}
    made = Override(film, entry["do"], **values)
    if made.start is not None and made.end is not None and made.end <= made.start:
        raise location.error(f"{made.do} from {made.start:g} to {made.end:g}", hint="the end comes after the start")
    return made


def _value(name: str, value: Any, location: Location) -> Any:
    if name not in _TEXTS:
        number = check_number(value, location, hint="give seconds")
        if number < 0:
            raise location.error(f"is {number:g}", hint="times start at 0")
        return number
    text = check_text(value, location)
    if not text.strip() and name != "to":
        raise location.error("is empty", hint="name a clip by a piece of its text")
    return text.strip()
