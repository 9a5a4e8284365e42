"""What a narrator says of clips, by the metrics of the registry: the same numbers that `score narration` prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kataribe.core.options import RunOptions
from kataribe.core.result import Result
from kataribe.core.task import OpenReferences
from kataribe.engines.local import LocalEngine
from kataribe.films.seen import SeenClip, SeenFilm
from kataribe.narration.narrators.protocol import Narrator, Told
from kataribe.narration.task import TASK, NarrationOptions
from kataribe.text.scripts import is_mostly_unspaced


@dataclass(frozen=True)
class ClipReferences:
    """Clips whose texts are references, read and scanned once for all narrators."""

    clips: Sequence[SeenClip]
    metrics: Sequence[str]
    bootstrap: int = 0
    seed: int = 0
    videos: Any = None

    def __post_init__(self) -> None:
        TASK.parse(self.metrics, NarrationOptions())  # a wrong name is refused at once

    @cached_property
    def _open(self) -> OpenReferences[Any, Any, Any, Any]:
        lines = [
            {
                "id": clip.id,
                "film": clip.film.film,
                "start": clip.span.start,
                "end": clip.span.end,
                "text": clip.text,
            }
            for clip in self.clips
        ]
        casts = [film.cast for film in films_of(self.clips) if film.cast.roles]
        tok = "char" if is_mostly_unspaced([clip.text for clip in self.clips]) else None
        options = NarrationOptions(cast=casts or None, videos=self.videos, tok=tok)
        run = RunOptions(engine=LocalEngine(), bootstrap=self.bootstrap, seed=self.seed)
        return OpenReferences(TASK, lines, list(self.metrics), options, run)

    def score(self, texts: Sequence[str]) -> Result:
        """One text for each clip."""
        return self._open.score({clip.id: text for clip, text in zip(self.clips, texts, strict=True)})


def films_of(clips: Sequence[SeenClip]) -> list[SeenFilm]:
    return list({clip.film.film: clip.film for clip in clips}.values())


def tell_clips(narrator: Narrator, clips: Sequence[SeenClip]) -> list[Told]:
    """What a narrator says of each clip, film by film in order of time."""
    told: dict[str, Told] = {}
    for film in films_of(clips):
        own = sorted((clip for clip in clips if clip.film.film == film.film), key=lambda clip: clip.span)
        found = narrator.tell(film, [clip.span for clip in own])
        told |= {clip.id: each for clip, each in zip(own, found, strict=True)}
    return [told[clip.id] for clip in clips]
