"""What is said, as text: with a speech recogniser that the user has.

A recogniser is anything with a `name` and `transcribe(samples)`. `FasterWhisper` is one for models in the format of
faster-whisper, from a folder. No model comes with this package.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from kataribe.core.errors import ResourceError, shorten
from kataribe.core.need import need
from kataribe.core.progress import report
from kataribe.core.types import Caption, Float32s, Segment
from kataribe.media.sound import sound_of


class Transcriber(Protocol):
    """Turns 16,000 samples a second into what is said in them; times count from the first sample."""

    @property
    def name(self) -> str: ...
    def transcribe(self, samples: Float32s) -> Sequence[Caption]: ...


@dataclass(frozen=True)
class FasterWhisper:
    """A Whisper model in faster-whisper's format; without a `language` the model guesses it from each region."""

    model: Path
    language: str | None = None

    @property
    def name(self) -> str:
        return f"faster-whisper:{self.model.name}" + (f":{self.language}" if self.language else "")

    def check(self) -> None:
        """Load the model, or say at once why it cannot be."""
        _model(self.model)

    def transcribe(self, samples: Float32s) -> list[Caption]:
        # Each region stands alone: what was said before would otherwise be heard again where nothing is clear.
        found, _ = _model(self.model).transcribe(samples, language=self.language, condition_on_previous_text=False)
        return [Caption(Segment(float(part.start), float(part.end)), part.text.strip()) for part in found]


@lru_cache(maxsize=1)
def _model(folder: Path) -> Any:
    package = need("faster_whisper", extra="transcripts", purpose="speech to text")
    if not folder.is_dir():
        raise ResourceError(
            f"{folder}: there is no such folder",
            hint="name the folder of a model of faster-whisper, with its model.bin",
        )
    try:
        return package.WhisperModel(str(folder), device="cpu", compute_type="int8")
    except (RuntimeError, ValueError, OSError) as error:
        problem = f"{folder}: does not load as a model of faster-whisper ({shorten(error)})"
        raise ResourceError(problem, hint="it needs model.bin, config.json and tokenizer.json") from None


def transcribe(video: Path, regions: Sequence[Segment], transcriber: Transcriber) -> list[Caption]:
    """What is said in each region; a region of which nothing is understood stays, with an empty text.

    Times never leave the region, though some models invent a longer end.
    """
    regions = sorted(regions)
    captions: list[Caption] = []
    for number, (region, samples) in enumerate(zip(regions, sound_of(video, list(regions)), strict=True), start=1):
        parts = [part for part in transcriber.transcribe(samples) if part.text] if len(samples) else []
        heard = [Caption(_shifted(part.segment, region), part.text) for part in parts]
        captions += [part for part in heard if part.segment] or [Caption(region, " ".join(p.text for p in parts))]
        report(f"speech to text with {transcriber.name}", number, len(regions))
    return captions


def _shifted(part: Segment, region: Segment) -> Segment:
    return Segment(region.start + part.start, region.start + part.end) & region
