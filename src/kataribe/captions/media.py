"""What the items of a captions evaluation show: pictures or frames in files, moments of videos, or vectors extracted
elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kataribe.core.errors import UsageError, some
from kataribe.formats.features import Features, read_features
from kataribe.formats.features import Source as FeatureSource
from kataribe.formats.images import find_images
from kataribe.media.moments import Clip

# A folder of pictures named by id, or the files of each id.
ImageSource = str | Path | Mapping[str, tuple[Path, ...]]


@dataclass(frozen=True)
class Media:
    """Each part may be absent.

    `texts` are vectors of the captions themselves, for models that only their makers can run: under `ID/candidate`
    one vector (or one for each token), under `ID/reference/0`, `ID/reference/1` ... those of the references.
    """

    images: Mapping[str, tuple[Path, ...]] | None = None
    features: Features | None = None
    texts: Features | None = None
    clips: Mapping[str, Clip] | None = None

    @property
    def is_seen(self) -> bool:
        """Whether there are pictures, or frames of videos, that a model looks at."""
        return self.images is not None or self.clips is not None

    def only(self, ids: Collection[str]) -> Media:
        """What these items show; features in a file stay there."""
        images = None if self.images is None else {id: self.images[id] for id in ids}
        features = None if self.features is None else self.features.only(ids)
        chosen = set(ids)
        texts = None if self.texts is None else self.texts.only(n for n in self.texts.ids if _id_of(n) in chosen)
        clips = None if self.clips is None else {id: self.clips[id] for id in ids}
        return Media(images, features, texts, clips)


def _id_of(name: str) -> str:
    """
    >>> _id_of("clip/1/candidate"), _id_of("clip/1/reference/0")
    ('clip/1', 'clip/1')
    """
    return name.removesuffix("/candidate") if name.endswith("/candidate") else name.rpartition("/reference/")[0]


def read_media(
    ids: Sequence[str],
    images: ImageSource | None,
    features: FeatureSource | None,
    text_features: FeatureSource | None,
    clips: Mapping[str, Clip] | None = None,
) -> Media | None:
    """The media of these items; every item must have its own. `clips` are moments of `videos`."""
    shown = {"images": images, "features": features, "videos": clips}
    given = [name for name, source in shown.items() if source is not None]
    if len(given) > 1:
        problem = f"<{given[0]}> and <{given[1]}> both say what the items show"
        raise UsageError(problem, hint="give one of them", options=given)
    if not given and text_features is None:
        return None
    vectors = read_features(features) if features is not None else None
    if vectors is not None:
        vectors.refuse_missing(ids)
    texts = read_features(text_features) if text_features is not None else None
    if texts is not None:
        texts.refuse_missing(f"{id}/candidate" for id in ids)
    return Media(None if images is None else _files(images, ids), vectors, texts, clips)


def _files(images: ImageSource, ids: Sequence[str]) -> Mapping[str, tuple[Path, ...]]:
    if isinstance(images, str | Path):
        return find_images(Path(images), ids)
    absent = [id for id in ids if not images.get(id)]
    if absent:
        raise UsageError(f"no picture was given for {len(absent):,} of {len(ids):,} items: {some(absent)}")
    return {id: images[id] for id in ids}
