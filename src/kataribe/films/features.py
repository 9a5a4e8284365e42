"""The feature files of all films of a corpus: what models see of them.

FEATURES/FILM.npz     frames as vectors, faces, portraits of the cast; see `feature_file.py`

Films that are there for the same video with the same options are not looked at again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kataribe.core.caution import Caution, remark, remarking
from kataribe.core.errors import Location, OutputError, some
from kataribe.core.options import Options, option
from kataribe.core.progress import report
from kataribe.core.types import Cast
from kataribe.encoders.pictures import open_pictures
from kataribe.films.casts import portrait_files, read_casts
from kataribe.films.feature_file import look
from kataribe.films.folder import film_ids
from kataribe.films.frames import FrameStage
from kataribe.films.videos import find_videos
from kataribe.films.workers import film_by_film
from kataribe.media.faces import DlibFaces, FaceStage
from kataribe.media.portraits import PortraitStage


@dataclass(frozen=True)
class FeatureOptions(Options):
    """What models are to see of a film."""

    encoder: str = option(
        "efficientnet-lite0", "Frames as vectors: histogram, efficientnet-lite0, timm:NAME or transformers:NAME."
    )
    rate: float = option(1.0, "Frames looked at a second, for pictures and for faces.")
    upsample: int = option(0, "Look for smaller faces: each step takes four times as long.", minimum=0)


def build_features(
    corpus: Path,
    videos: Path,
    output: Path,
    cast: Path | None = None,
    options: FeatureOptions | None = None,
    processes: int | None = None,
) -> list[Path]:
    """Look at every film of a corpus. `cast` names portraits; without it faces are seen, and nobody knows whose."""
    options = options or FeatureOptions()
    films = find_videos(videos, film_ids(corpus))
    portraits = _portraits(films, cast)
    open_pictures(options.encoder)  # what is missing is said before the first film
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{output}: cannot be written ({error.strerror})", hint="choose another place") from None
    calls = [(films[film], output / f"{film}.npz", portraits[film], options) for film in films]
    report("films", 0, len(calls))
    for done, cautions in enumerate(film_by_film(look_at_film, calls, processes), start=1):
        remark(*cautions)
        report("films", done, len(calls))
    return [features for _, features, _, _ in calls]


def look_at_film(
    video: Path, features: Path, portraits: Mapping[str, Path], options: FeatureOptions
) -> tuple[Caution, ...]:
    """Frames, faces and portraits of one film into its feature file; returns what was remarked on the way."""
    finder = DlibFaces(options.upsample)
    with remarking() as remarks:
        look(FrameStage(open_pictures(options.encoder), options.rate), video, features)
        look(FaceStage(finder, options.rate), video, features)
        look(PortraitStage(portraits, finder), video, features)
    return tuple(remarks)


def _portraits(films: Mapping[str, Path], cast: Path | None) -> dict[str, dict[str, Path]]:
    casts: Mapping[str, Cast] = read_casts(cast) if cast is not None else {}
    found = {film: portrait_files(casts[film], cast) if cast and film in casts else {} for film in films}
    if cast is not None:
        if strangers := [film for film in films if film not in casts]:
            raise Location(cast).error(f"has no cast of {some(strangers)}", hint="is it the cast of these films?")
        if not any(found.values()):
            raise Location(cast).error("names no portrait", hint='write {"name": "Maria", "portrait": "maria.png"}')
        for path in _pictures(found):
            if not path.is_file():
                raise Location(path).error("there is no such portrait", hint=f"{cast} names it; paths start there")
    return found


def _pictures(portraits: Mapping[str, Mapping[str, Path]]) -> Iterator[Path]:
    for of_film in portraits.values():
        yield from of_film.values()
