"""Pictures and vectors of a rating file's texts: by the name of the picture, or else by the item."""

from __future__ import annotations

from pathlib import Path

from kataribe.core.errors import Location, some
from kataribe.formats.features import Features, read_features
from kataribe.formats.features import Source as FeatureSource
from kataribe.formats.images import find_named
from kataribe.formats.picture_names import names_of, plain_name
from kataribe.people.rated import RatedCaptions
from kataribe.people.result import Text


def find_pictures(rated: RatedCaptions, folder: str | Path) -> dict[Text, tuple[Path, ...]]:
    """The picture of each text, or the frames of its clip; every text must have one."""
    named = {text.system: text for text in rated.captions}
    found = find_named(Path(folder), {text.system: _names(rated, text) for text in rated.captions})
    return {named[id]: files for id, files in found.items()}


def find_features(rated: RatedCaptions, source: FeatureSource) -> Features:
    """The vectors of what each text describes, by the name of the text (ITEM#NUMBER); every text must have some."""
    features = read_features(source)
    by_plain_name = {plain_name(id): id for id in sorted(features.ids)}
    names: dict[str, str] = {}
    absent: dict[str, None] = {}
    for text in rated.captions:
        known = _names(rated, text)
        exact = next((name for name in known if name in features), None)
        name = exact or next((by_plain_name[name] for name in known if name in by_plain_name), None)
        if name is None:
            absent[known[0]] = None
        else:
            names[text.system] = name
    if absent:
        raise Location(features.file).error(
            f"has no features for {len(absent):,} pictures: {some(absent)}",
            hint=f"it has {some(sorted(features.ids))}; name them by picture or by item",
        )
    return features.renamed(names)


def _names(rated: RatedCaptions, text: Text) -> tuple[str, ...]:
    picture = rated.pictures.get(text)
    return tuple(dict.fromkeys((*(names_of(picture) if picture else ()), *names_of(text.item))))
