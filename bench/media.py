"""The stages of `kataribe media`: seconds of film in a second on a short film, memory on one of two hours."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.process import in_child, peak_memory
from bench.report import Options, Row, Section

SECONDS, HOURS = 60, 2
SIZE, FPS = (640, 360), 24
SMALL_SIZE, SMALL_FPS = (320, 180), 8
STAGES = ("shots", "speech", "subtitles", "faces", "frames")
# On the long film few frames go through the networks: time depends on how many, memory only on what is kept of them.
SPARSE = 0.05


class Run(NamedTuple):
    seconds: float
    memory: int


def measure(options: Options) -> Section:
    with tempfile.TemporaryDirectory() as folder:
        short = _film(Path(folder) / "short.mp4", SECONDS, SIZE, FPS)
        piece = _film(Path(folder) / "piece.mp4", SECONDS, SMALL_SIZE, SMALL_FPS)
        copies = max(2, round(HOURS * 3600 / SECONDS * options.fraction))
        long = _repeated(Path(folder) / "long.mp4", piece, copies)
        rows = []
        for stage in STAGES:
            runs = [in_child(_look, stage, short, folder, 1.0) for _ in range(options.repeats)]
            rate = SECONDS / min(run.seconds for run in runs)
            rows.append(Row(f"{stage}, seconds of film in a second", rate, None, "s/s"))
        for stage in STAGES:
            brief = in_child(_look, stage, piece, folder, SPARSE)
            whole = in_child(_look, stage, long, folder, SPARSE)
            said = f"one minute: {brief.memory / 1e6:,.0f} MB"
            rows.append(Row(f"{stage}, memory on the long film", whole.memory, None, "B", agreement=said))
    notes = [
        f"Speed: a made film of {SECONDS} s, {SIZE[0]} x {SIZE[1]}, {FPS} frames a second, a subtitle for two thirds "
        "of the time over a picture that moves, noise for sound, no faces; usual options, with loading the models.",
        f"Memory: {copies * SECONDS / 3600:.1f} hours of {SMALL_SIZE[0]} x {SMALL_SIZE[1]}, into a feature file; "
        f"subtitles, faces and frames at {SPARSE} frames a second: more take more time, and memory only "
        "for what is kept of them (0.6 kB a face, 1.2 kB a frame here).",
        f"Each stage in a process of its own; speed is the best of {options.repeats}.",
    ]
    return Section("Media stages", rows, notes)


def _look(stage: str, film: Path, folder: str, rate: float) -> Run:
    from kataribe.films.feature_file import look

    start = time.perf_counter()
    features = Path(folder) / f"{stage}-{film.stem}.npz"
    features.unlink(missing_ok=True)
    look(_stages(rate)[stage](), film, features)
    return Run(time.perf_counter() - start, peak_memory() or 0)


def _stages(rate: float) -> dict[str, Callable[[], Any]]:
    from kataribe.encoders.histogram import HistogramEncoder
    from kataribe.films.frames import FrameStage
    from kataribe.media.faces import FaceStage
    from kataribe.media.shots import Shots
    from kataribe.media.speech import Speech
    from kataribe.media.strip import Strip
    from kataribe.media.subtitles import RATE, Subtitles

    return {
        "shots": Shots,
        "speech": Speech,
        "subtitles": lambda: Subtitles(Strip(0.8, 1.0), rate * (RATE if rate == 1 else 1)),
        "faces": lambda: FaceStage(rate=rate),
        "frames": lambda: FrameStage(HistogramEncoder(), rate),
    }


def _film(path: Path, seconds: int, size: tuple[int, int], fps: int) -> Path:
    import av

    sound = np.random.default_rng(0).normal(0, 500, seconds * 16_000).astype(np.int16)
    with av.open(str(path), "w") as container:
        video, audio = container.add_stream("h264", rate=fps), container.add_stream("aac", rate=16_000)
        video.width, video.height, video.pix_fmt = *size, "yuv420p"
        audio.layout = "mono"
        for number in range(seconds * fps):
            frame = av.VideoFrame.from_image(_picture(number / fps, size))
            frame.pts, frame.time_base = number, Fraction(1, fps)
            container.mux(video.encode(frame))
        container.mux(video.encode())
        for first in range(0, len(sound), 1024):
            heard = av.AudioFrame.from_ndarray(sound[None, first : first + 1024], format="s16", layout="mono")
            heard.sample_rate, heard.pts = 16_000, first
            container.mux(audio.encode(heard))
        container.mux(audio.encode())
    return path


def _picture(time: float, size: tuple[int, int]) -> Any:
    from PIL import Image, ImageDraw, ImageFont

    width, height = size
    # Another place every five seconds, through which the camera moves.
    blocks = np.random.default_rng(int(time / 5)).integers(0, 200, (9, 24, 3)).astype(np.uint8)
    ground = Image.fromarray(blocks).resize((2 * width, height), Image.Resampling.BICUBIC)
    left = int(time % 5 * width / 10)
    picture = ground.crop((left, 0, left + width, height))
    if time % 3 < 2:
        draw, font = ImageDraw.Draw(picture), ImageFont.load_default(height // 16)
        text = f"This is line {int(time / 3)} of the film."
        at = ((width - draw.textlength(text, font=font)) / 2, 0.86 * height)
        draw.text(at, text, font=font, fill="white", stroke_width=2, stroke_fill="black")
    return picture


def _repeated(path: Path, piece: Path, copies: int) -> Path:
    """The same packets again and again, at later times: two hours without encoding two hours."""
    import av

    with av.open(str(path), "w") as target:
        targets: dict[int, Any] = {}
        for copy in range(copies):
            with av.open(str(piece)) as source:
                if not copy:
                    targets = {stream.index: target.add_stream_from_template(stream) for stream in source.streams}
                for packet in source.demux():
                    if packet.dts is None:
                        continue
                    # A second more than its length: the last packet of sound reaches over the end.
                    later = int(copy * (SECONDS + 1) / packet.time_base)
                    packet.pts, packet.dts = packet.pts + later, packet.dts + later
                    packet.stream = targets[packet.stream.index]
                    target.mux(packet)
    return path
