"""Which speech is the narrator's: two simple rules, each as good as what it is given.

By subtitles: dialogue has subtitles and narration has none. What is left of the speech regions once the subtitles,
0.3 s wider on both sides, are taken away is narration, if it lasts 0.8 s.

By a sample of the narrator's voice (6 s or more, nobody else in it): a voice is a vector of 13 numbers,

    v = (means of the mel cepstrum's coefficients 1 to 12 over the louder half of the frames, log2 of the median pitch)

The sample, in pieces of 2 s, gives the mean m and the deviation s of each number (at least 0.35, of the pitch 0.06);
a region is the narrator's if sqrt(mean(((v - m) / s)^2)) is at most 2. Music under the voice moves the vector: take
the sample from the film itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy.fft import dct, irfft, rfft

from kataribe.core.errors import InputError
from kataribe.core.types import Caption, Float32s, Floats, Segment
from kataribe.media.sound import RATE, sound, sound_of

MARGIN, SHORTEST, AT_MOST = 0.3, 0.8, 2.0
_FRAME, _HOP, _FFT, _BANDS, _COEFFICIENTS = 400, 160, 512, 26, 12
_LOWEST, _HIGHEST = 60, 400  # Hz, of the pitch
_PIECE, _LEAST_SAMPLE = 2 * RATE, 6.0
_LEAST_DEVIATION = np.array([0.35] * _COEFFICIENTS + [0.06])


def without_subtitles(
    speech: Sequence[Segment], subtitles: Sequence[Caption], margin: float = MARGIN, shortest: float = SHORTEST
) -> list[Segment]:
    """Speech that no subtitle accompanies.

    >>> said = [Caption(Segment(10.2, 12), "Who is there?")]
    >>> without_subtitles([Segment(2, 6), Segment(10, 12.1), Segment(12.2, 15)], said)
    [Segment(start=2, end=6), Segment(start=12.3, end=15)]
    """
    left = list(speech)
    for line in subtitles:
        start, end = line.segment.start - margin, line.segment.end + margin
        left = [
            rest
            for region in left
            for rest in (Segment(region.start, min(region.end, start)), Segment(max(region.start, end), region.end))
            if rest
        ]
    return [region for region in sorted(left) if region.length >= shortest]


@dataclass(frozen=True)
class Voice:
    """A voice as a sample has it: mean and deviation of the numbers above."""

    mean: Floats
    deviation: Floats

    @classmethod
    def of(cls, samples: Float32s) -> Voice:
        pieces = [samples[start : start + _PIECE] for start in range(0, len(samples) - _PIECE // 2, _PIECE)]
        vectors = np.array([voice_vector(piece) for piece in pieces])
        return cls(vectors.mean(axis=0), np.maximum(vectors.std(axis=0), _LEAST_DEVIATION))

    def distance(self, samples: Float32s) -> float:
        """1 is about as far as the sample's own pieces are; regions over four seconds are heard in their middle."""
        middle = max(0, len(samples) - 2 * _PIECE) // 2
        z = (voice_vector(samples[middle : middle + 2 * _PIECE]) - self.mean) / self.deviation
        return float(np.sqrt(np.mean(z**2)))


def read_voice(sample: Path) -> Voice:
    """The voice in a sound or video file."""
    samples = np.concatenate([np.zeros(0, dtype=np.float32), *sound(sample)])
    if len(samples) < _LEAST_SAMPLE * RATE:
        problem = f"has {len(samples) / RATE:.1f} s of sound; a sample of a voice needs {_LEAST_SAMPLE:.0f} s"
        raise InputError(problem, file=sample, hint="cut out a longer stretch in which only the narrator speaks")
    return Voice.of(samples)


def spoken_by(video: Path, speech: Sequence[Segment], voice: Voice, at_most: float = AT_MOST) -> list[Segment]:
    """The speech regions of a film that are in this voice."""
    regions = sorted(speech)
    return [
        region
        for region, samples in zip(regions, sound_of(video, regions), strict=True)
        if len(samples) >= _FRAME and voice.distance(samples) <= at_most
    ]


def voice_vector(samples: Float32s) -> Floats:
    """The 13 numbers of the module's docstring."""
    frames = _framed(samples)
    energies = (frames**2).sum(axis=1)
    loud = frames[energies >= np.median(energies)]
    spectrum = np.abs(rfft(loud * np.hamming(_FRAME), _FFT)) ** 2
    bands = np.log(spectrum @ _mel_bands().T + 1e-9)
    cepstrum = dct(bands, norm="ortho")[:, 1 : _COEFFICIENTS + 1].mean(axis=0)
    return np.append(cepstrum, np.log2(_pitch(loud)))


def _framed(samples: Float32s) -> Floats:
    padded = np.pad(samples.astype(np.float64), (0, max(0, _FRAME - len(samples))))
    return np.lib.stride_tricks.sliding_window_view(padded, _FRAME)[::_HOP]


def _pitch(frames: Floats) -> float:
    """The median over frames of the lag at which a frame is most like itself, as Hz."""
    centred = frames - frames.mean(axis=1, keepdims=True)
    correlation = irfft(np.abs(rfft(centred, 2 * _FRAME)) ** 2)[:, :_FRAME]
    lags = slice(RATE // _HIGHEST, min(RATE // _LOWEST, _FRAME - 1))
    # Longer lags overlap less; without this the pitch would come out too high.
    correlation = correlation / np.maximum(1e-9, correlation[:, :1]) * _FRAME / (_FRAME - np.arange(_FRAME))
    best = correlation[:, lags].argmax(axis=1) + lags.start
    voiced = correlation[np.arange(len(best)), best] > 0.5
    return float(RATE / np.median(best[voiced] if voiced.any() else best))


@lru_cache(maxsize=1)
def _mel_bands() -> Floats:
    """Triangles that are equally wide in mel, from 80 to 7,600 Hz."""
    low, high = (2595 * np.log10(1 + hertz / 700) for hertz in (80, 7600))
    edges = 700 * (10 ** (np.linspace(low, high, _BANDS + 2) / 2595) - 1)
    hertz = np.fft.rfftfreq(_FFT, 1 / RATE)
    rising = (hertz - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - hertz) / (edges[2:] - edges[1:-1])[:, None]
    return np.clip(np.minimum(rising, falling), 0, None)
