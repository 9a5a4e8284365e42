"""The voices of a film: lines and narration spoken by espeak-ng, each fitted into the time that was planned for it.

The plan says when somebody speaks; the synthesiser is asked for the speed that fills this time, and the rest, a few
per cent, is done by playing it a little faster or slower. So the times of a film do not depend on the synthesiser.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import wave
from dataclasses import dataclass

import numpy as np

from kataribe.core.errors import ResourceError
from kataribe.core.types import Float32s
from kataribe.films.world.film import Film, seconds
from kataribe.films.world.languages import WORDS
from kataribe.films.world.options import Language, Sound

RATE = 22050
NARRATOR, NARRATOR_PITCH = "m3", 38
_SPEED, _SLOWEST, _FASTEST = 300, 80, 450
_STRETCH = 1.15  # played faster or slower by so much, a voice is still itself
_LEAD = 0.04  # seconds of silence before a voice
_LOUDNESS = 0.32
_ROOM = 0.0006  # nowhere is it quite silent
_PROGRAM = "espeak-ng"


@dataclass(frozen=True)
class _Spoken:
    start: float
    end: float
    text: str
    voice: str
    pitch: int


def check_voices() -> str:
    """The synthesiser, or one line that says how to get it."""
    program = shutil.which(_PROGRAM)
    if program is None:
        raise ResourceError(
            "speech needs the program espeak-ng, which was not found",
            hint="install the package espeak-ng, or make films without speech: <sound silent>",
            options=["sound"],
        )
    return program


def soundtrack(film: Film, language: Language, sound: Sound, rng: np.random.Generator) -> Float32s:
    """The sound of a whole film, mono, from -1 to 1."""
    track = rng.normal(0, _ROOM, round(film.duration * RATE)).astype(np.float32)
    for spoken in _all_spoken(film, sound):
        samples = _say(spoken, WORDS[language].voice)
        start = round((spoken.start + _LEAD) * RATE)
        track[start : start + len(samples)] += samples[: len(track) - start]
    return np.clip(track, -1, 1)


def _all_spoken(film: Film, sound: Sound) -> list[_Spoken]:
    if sound == "silent":
        return []
    lines = [
        _Spoken(seconds(line.start), seconds(line.end), line.text, line.speaker.person.voice, line.speaker.person.pitch)
        for line in film.lines
    ]
    told = [
        _Spoken(seconds(part.start), seconds(part.end), part.text, NARRATOR, NARRATOR_PITCH)
        for clip in film.clips
        for part in clip.fragments
    ]
    return lines + (told if sound == "narrated" else [])


def _say(spoken: _Spoken, language: str) -> Float32s:
    """The words in exactly the time that there is."""
    room = spoken.end - spoken.start - 2 * _LEAD
    # Speech is about as fast as the language is usually; a second try mends what is off by much.
    speed = _SPEED
    for _ in range(3):
        samples = _synthesise(spoken, language, speed)
        takes = len(samples) / RATE / room
        if 1 / _STRETCH <= takes <= _STRETCH or speed == (better := int(np.clip(speed * takes, _SLOWEST, _FASTEST))):
            break
        speed = better
    wanted = round(min(room, room * takes * _STRETCH) * RATE)
    fitted = np.interp(np.linspace(0, len(samples) - 1, wanted), np.arange(len(samples)), samples)
    loudest = float(np.abs(fitted).max()) or 1.0
    return (fitted * (_LOUDNESS / loudest)).astype(np.float32)


def _synthesise(spoken: _Spoken, language: str, speed: int) -> Float32s:
    """Samples without the silence at both ends."""
    command = [
        check_voices(),
        "-v",
        f"{language}+{spoken.voice}",
        "-s",
        str(speed),
        "-p",
        str(spoken.pitch),
        "--stdin",
        "--stdout",
    ]
    ran = subprocess.run(command, input=spoken.text.encode(), capture_output=True, check=False)
    if ran.returncode or len(ran.stdout) < 100:
        reason = " ".join(ran.stderr.decode(errors="replace").split())[:120]
        raise ResourceError(f"espeak-ng did not speak ({reason or ran.returncode})", hint="try it: espeak-ng hello")
    samples = _decode(ran.stdout)
    loud = np.flatnonzero(np.abs(samples) > 0.02 * max(1e-6, float(np.abs(samples).max())))
    return samples[loud[0] : loud[-1] + 1] if len(loud) else samples


def _decode(data: bytes) -> Float32s:
    with wave.open(io.BytesIO(data)) as file:
        rate = file.getframerate()
    # The program writes to a pipe and cannot go back: the header does not know how long the sound is.
    samples = np.frombuffer(data[44 : len(data) - len(data) % 2], dtype="<i2") / 32768
    if rate != RATE:
        samples = np.interp(np.arange(0, len(samples), rate / RATE), np.arange(len(samples)), samples)
    return samples.astype(np.float32)
