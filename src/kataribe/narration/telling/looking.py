"""A film made ready for a narrator: what it sees, and what is said.

a video      frames with the encoder that the narrator was trained with, faces, portraits of the cast and burnt-in
             subtitles are looked for and kept in the film's feature file; what is there already is not looked for
a feature file (.npz)   is taken as it is
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kataribe.core.caution import remark
from kataribe.core.errors import Location, UsageError, shorten, some
from kataribe.core.types import Caption, Cast
from kataribe.encoders.pictures import open_pictures
from kataribe.films.casts import portrait_files, read_casts
from kataribe.films.feature_file import look, read_features
from kataribe.films.features import FeatureOptions, look_at_film
from kataribe.films.line_files import read_lines
from kataribe.films.seen import SeenFilm, read_seen
from kataribe.media.subtitles import Subtitles
from kataribe.narration.narrators.protocol import Narrator

FEATURES = ".npz"

# Encoders whose names a signature begins with; others must be named.
_KNOWN = ("histogram", "efficientnet-lite0")
_UPSAMPLE = re.compile(r"\bupsample=(\d)")


@dataclass(frozen=True)
class FilmSource:
    """Where a film is: a video with the feature file that is to be filled, or a feature file alone.

    `cast` and `dialogue` are files of the film's roles and of what is said; `encoder` is another than the narrator's.
    """

    film: str
    features: Path
    video: Path | None = None
    cast: Path | None = None
    genres: tuple[str, ...] = ()
    dialogue: Path | None = None
    encoder: str | None = None


def see(source: FilmSource, narrator: Narrator) -> SeenFilm:
    """The film as this narrator sees it; mistakes are found before the film is looked at."""
    cast = cast_of(source)
    said = list(read_lines(source.dialogue).lines) if source.dialogue is not None else None
    if source.video is not None:
        options = _options(narrator, source)
        portraits = portrait_files(cast, source.cast) if source.cast is not None else {}
        for path in portraits.values():
            if not path.is_file():
                raise Location(path).error("there is no such portrait", hint=f"{source.cast} names it")
        remark(*look_at_film(source.video, source.features, portraits, options))
    return read_seen(source.features, cast, source.genres, said if said is not None else _subtitles(source))


def cast_of(source: FilmSource) -> Cast:
    """The film's own cast; without a file nobody has a name."""
    if source.cast is None:
        return Cast(source.film, ())
    casts = read_casts(source.cast)
    if source.film not in casts:
        raise Location(source.cast).error(
            f"has no cast of {shorten(source.film)!r}; it has {some(casts)}",
            hint="is it the cast of another film? <film NAME> says what this one is called",
            options=["film"],
        )
    return casts[source.film]


def _options(narrator: Narrator, source: FilmSource) -> FeatureOptions:
    """How the film must be looked at: as the narrator's films were."""
    recipes = wanted_recipes(narrator)
    wanted = recipes.get("frames", {}).get("encoder")
    if not recipes and source.features.exists():
        recipes = read_features(source.features).stages
    frames, faces = recipes.get("frames", {}), recipes.get("faces", {})
    name = source.encoder or _encoder_name(frames.get("encoder")) or FeatureOptions.encoder
    made = open_pictures(name).signature
    if wanted is not None and made != wanted:
        raise UsageError(
            f"<encoder {name}>: the narrator was trained with {shorten(wanted)}, this is {shorten(made)}",
            hint="name the encoder that its features were made with",
            options=["encoder"],
        )
    upsample = _UPSAMPLE.search(str(faces.get("finder", "")))
    rate = float(frames.get("rate", FeatureOptions.rate))
    return FeatureOptions(encoder=name, rate=rate, upsample=int(upsample[1]) if upsample else FeatureOptions.upsample)


def wanted_recipes(narrator: Narrator) -> Mapping[str, Mapping[str, Any]]:
    """How the features of a narrator's training were made, by stage; nothing for one that never looks."""
    described = getattr(narrator, "described", None)
    return described.recipes if described is not None else {}


def _encoder_name(signature: str | None) -> str | None:
    return next((name for name in _KNOWN if signature and re.fullmatch(f"{name}(-.*)?", signature)), None)


def _subtitles(source: FilmSource) -> Sequence[Caption]:
    """What is burnt into the film, from its feature file or read now."""
    stage = Subtitles()
    if source.video is not None:
        return look(stage, source.video, source.features)
    held = read_features(source.features)
    if stage.name not in held.stages:
        raise Location(source.features).error(
            "has no subtitles, so nobody knows where somebody speaks",
            hint=f"<dialogue FILE> says it, or `kataribe media subtitles VIDEO -o {source.features}` reads them",
            options=["dialogue"],
        )
    return stage.value(held.arrays(stage.name))
