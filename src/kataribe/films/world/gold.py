"""What is known of a film: its gold files. They follow from the options alone, byte for byte, not from any program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from kataribe.films.movie101 import plain
from kataribe.films.world.actions import ACTIONS
from kataribe.films.world.casting import Player
from kataribe.films.world.film import Clip, Event, Film, Shot, seconds
from kataribe.films.world.languages import WORDS
from kataribe.films.world.options import SPLITS, Language
from kataribe.films.world.pictures import face_box


def as_json(document: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def text_of(clips: Sequence[Clip], language: Language) -> str:
    """The text of one clip, or of all clips of a gap."""
    return WORDS[language].space.join(part.text for clip in clips for part in clip.fragments)


def short_clips(film: Film, language: Language) -> list[dict[str, Any]]:
    """Movie101-G: every clip is a query with its time."""
    return [_narration(film, [clip], language) for clip in film.clips]


def long_clips(film: Film, language: Language) -> list[dict[str, Any]]:
    """Movie101-N: all clips of a gap between two dialogues are one."""
    gaps = sorted({clip.gap for clip in film.clips})
    return [_narration(film, [clip for clip in film.clips if clip.gap == gap], language) for gap in gaps]


def _narration(film: Film, clips: Sequence[Clip], language: Language) -> dict[str, Any]:
    start, end = plain(seconds(clips[0].start)), plain(seconds(clips[-1].end))
    return {"movie_id": film.id, "start_time": start, "end_time": end, "content": text_of(clips, language)}


def cast_of(film: Film) -> list[dict[str, Any]]:
    """In billing order, as `score narration --cast` reads it."""
    return [
        {
            "name": player.role.name,
            "aliases": list(player.role.aliases),
            "actor": player.role.actor,
            "gender": player.gender,
            "portrait": portrait_path(film, number),
        }
        for number, player in enumerate(film.company.players)
        if player.role is not None
    ]


def portrait_path(film: Film, number: int) -> str:
    return f"portraits/{film.id}/{number + 1:02d}.png"


def film_entry(film: Film, language: Language) -> dict[str, Any]:
    """A film in a list of films, as `build movie` reads it; paths are relative to the list."""
    return {
        "film": film.id,
        "title": film.company.title,
        "genres": [WORDS[language].genres[genre] for genre in film.company.genres],
        "duration": film.duration,
        "dialogue": f"dialogue/{film.id}.srt",
        "narration": f"narration/{film.id}.vtt",
    }


def splits_of(films: Iterable[Film]) -> dict[str, list[str]]:
    members: dict[str, list[str]] = {split: [] for split in SPLITS}
    for film in films:
        members[film.split].append(film.id)
    return members


def document_of(film: Film, language: Language) -> dict[str, Any]:
    """Everything that is known of a film."""
    return {
        **film_entry(film, language),
        "split": film.split,
        "cast": cast_of(film),
        "dialogues": [{"start": seconds(start), "end": seconds(end)} for start, end in film.dialogues],
        "lines": [
            {**_times(line.start, line.end), "speaker": name_of(line.speaker), "text": line.text} for line in film.lines
        ],
        "clips": [_clip(clip, language) for clip in film.clips],
        "long_clips": [
            {"start": each["start_time"], "end": each["end_time"], "text": each["content"]}
            for each in long_clips(film, language)
        ],
        "events": [_event(event) for event in film.events],
        "shots": [_shot(shot) for shot in film.shots],
    }


def name_of(player: Player | None) -> str | None:
    """A passer-by has no name."""
    return player.role.name if player is not None and player.role is not None else None


def _times(start: int, end: int) -> dict[str, float]:
    return {"start": seconds(start), "end": seconds(end)}


def _clip(clip: Clip, language: Language) -> dict[str, Any]:
    return {
        **_times(clip.start, clip.end),
        "gap": clip.gap,
        "text": text_of([clip], language),
        "roles": list(clip.named),
        "fragments": [{**_times(part.start, part.end), "text": part.text} for part in clip.fragments],
    }


def _event(event: Event) -> dict[str, Any]:
    return {
        **_times(event.start, event.end),
        "actor": name_of(event.actor),
        "action": event.action,
        "object": ACTIONS[event.action].thing,
        "target": name_of(event.target),
        "place": event.place,
        "tempo": ("slow", "usual", "quick")[event.tempo],
        "bystanders": [name_of(player) for player in event.bystanders],
        "clip": event.clip,
        "echoes": event.echoes,
    }


def _shot(shot: Shot) -> dict[str, Any]:
    return {
        **_times(shot.start, shot.end),
        "kind": shot.kind,
        "place": shot.place or None,
        "camera": shot.camera,
        "event": shot.event,
        "line": shot.line,
        "people": [
            {"name": name_of(staged.player), "part": staged.part, "face": [round(edge, 1) for edge in face_box(staged)]}
            for staged in shot.staged
        ],
    }


def srt(film: Film) -> str:
    """The dialogue as players read it."""
    cues = [
        f"{number}\n{_stamp(line.start, ',')} --> {_stamp(line.end, ',')}\n{line.text}\n"
        for number, line in enumerate(film.lines, start=1)
    ]
    return "\n".join(cues)


def vtt(film: Film) -> str:
    """The fragments of the narration."""
    parts = [part for clip in film.clips for part in clip.fragments]
    cues = [f"{_stamp(part.start, '.')} --> {_stamp(part.end, '.')}\n{part.text}\n" for part in parts]
    return "WEBVTT\n\n" + "\n".join(cues)


def _stamp(frame: int, point: str) -> str:
    total = round(seconds(frame) * 1000)
    return f"{total // 3600000:02d}:{total // 60000 % 60:02d}:{total // 1000 % 60:02d}{point}{total % 1000:03d}"
