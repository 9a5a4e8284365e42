"""A film that already has narration, watched and heard: its dialogue and its narration as lines of a corpus.

    dialogue    the subtitles burnt into the picture, or those that are given
    narration   speech without a subtitle, or speech in the narrator's voice where a sample of it is given
    texts       narration gets its text from a speech recogniser, where one is given, else it is empty

A film without subtitles needs the narrator's voice: everything else that is spoken is its dialogue then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kataribe.core.caution import Caution, remark
from kataribe.core.errors import counted
from kataribe.core.types import Caption, Segment
from kataribe.films.feature_file import look
from kataribe.films.lines import FilmLines
from kataribe.media.sound import has_sound
from kataribe.media.speech import Speech
from kataribe.media.subtitles import Subtitles
from kataribe.media.transcripts import Transcriber, transcribe
from kataribe.media.video import describe
from kataribe.media.voices import read_voice, spoken_by, without_subtitles


@dataclass(frozen=True)
class Watching:
    """How to watch a film: `narrator` is a sound file in which only the narrator speaks."""

    subtitles: Subtitles | None = None
    speech: Speech | None = None
    narrator: Path | None = None
    transcriber: Transcriber | None = None


def watch(
    video: Path,
    options: Watching | None = None,
    subtitles: Sequence[Caption] | None = None,
    features: Path | None = None,
) -> FilmLines:
    """The lines of a film from its video file; given `subtitles` take the place of burnt-in ones.

    `features` is the film's feature file: what it has is not looked for again, what it lacks is added.
    """
    options = options or Watching()
    burnt_in = look(options.subtitles or Subtitles(), video, features) if subtitles is None else list(subtitles)
    duration = describe(video).duration
    if not has_sound(video):
        remark(Caution("no-sound", f"{video.name} has no sound, so it has no narration"))
        return FilmLines(video.stem, duration, burnt_in, [])
    speech = look(options.speech or Speech(), video, features)
    if options.narrator is not None:
        narration = spoken_by(video, speech, read_voice(options.narrator))
    else:
        narration = without_subtitles(speech, burnt_in)
    dialogue = burnt_in or _rest(video, speech, narration, options)
    _remark(video, burnt_in, narration, options)
    return FilmLines(video.stem, duration, dialogue, _lines(video, narration, options.transcriber))


def _rest(video: Path, speech: Sequence[Segment], narration: Sequence[Segment], options: Watching) -> list[Caption]:
    """Without subtitles, what is spoken and not by the narrator."""
    return _lines(video, [region for region in speech if region not in narration], options.transcriber)


def _lines(video: Path, regions: Sequence[Segment], transcriber: Transcriber | None) -> list[Caption]:
    if transcriber is None:
        return [Caption(region, "") for region in regions]
    return transcribe(video, regions, transcriber)


def _remark(video: Path, burnt_in: Sequence[Caption], narration: Sequence[Segment], options: Watching) -> None:
    if not burnt_in and options.narrator is None and narration:
        told = f"{video.name} has no subtitles, so all that is spoken counts as narration"
        remark(Caution("no-subtitles", f"{told}; a sample of the narrator's voice tells it apart"))
    if options.transcriber is None and narration:
        told = f"{counted(len(narration), 'stretch', 'stretches')} of narration in {video.name} have no text"
        remark(Caution("no-transcript", f"{told}; a speech recogniser would give it"))
