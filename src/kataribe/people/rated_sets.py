"""Rating files as sets that a metric is trained and tested on: one or several files, with what their captions show.

Files that are joined keep their items apart: FILE:ITEM. A picture of the same name is the same picture in all of them;
where no picture is named, an item of the same name is. If they were rated on different scales, each rating counts as a
share of its own scale.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from kataribe.captions.files import Source
from kataribe.captions.media import Media
from kataribe.captions.suisei.material import RatedSet
from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError
from kataribe.formats.results import system_names
from kataribe.people.judged_captions import read_judged
from kataribe.people.pictures import find_features, find_pictures
from kataribe.people.rated import RatedCaptions, Scale, read_rated
from kataribe.people.ratings import Judgement, Rating, Ratings, Vote
from kataribe.people.result import Text

GUESSED = "guessed-scale"
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class RatedFile:
    """What people said about captions, and the same as a set to learn from; `set` has its media."""

    rated: RatedCaptions
    set: RatedSet

    @property
    def name(self) -> str:
        return self.set.name

    @property
    def warnings(self) -> tuple[Caution, ...]:
        return self.set.examples.warnings

    def only(self, ids: Collection[str], name: str) -> RatedFile:
        """The captions with these ids (ITEM#NUMBER), under another name."""
        kept = set(ids)
        rows = np.array([row for row, id in enumerate(self.set.examples.ids) if id in kept], dtype=np.int64)
        examples, media = self.set.examples[rows], self.set.media
        return RatedFile(_only(self.rated, kept), RatedSet(name, examples, media and media.only(examples.ids)))


def read_sets(
    paths: Sequence[Path],
    *,
    references: Source | None = None,
    images: Path | None = None,
    features: Path | None = None,
    scale: Scale | None = None,
    captions: Sequence[str | Path] = (),
    dimension: str | None = None,
) -> RatedFile:
    """One or several files as one set; without a `scale`, each file's is what its ratings span.

    With `captions`, files of systems, the files are tables of ratings alone, and `dimension` is one of theirs.
    """
    if images is not None and features is not None:
        problem = "<images> and <features> both say what the captions show"
        raise UsageError(problem, hint="give one of them", options=["images", "features"])
    guessed: tuple[Caution, ...] = ()
    if captions:
        rated = read_judged(paths, captions, references, dimension)
    else:
        files = [read_rated(path, references=references) for path in paths]
        rated, scale, guessed = _joined(dict(zip(system_names(paths), files, strict=True)), scale)
    examples = rated.examples(scale)
    examples = replace(examples, warnings=(*examples.warnings, *guessed))
    media = None
    if images is not None:
        media = Media(images={text.system: found for text, found in find_pictures(rated, images).items()})
    if features is not None:
        media = Media(features=find_features(rated, features))
    if media is not None:
        media = media.only(examples.ids)
    return RatedFile(rated, RatedSet(" + ".join(path.name for path in paths), examples, media))


def read_tests(
    paths: Sequence[Path],
    *,
    references: Sequence[Path | None] = (),
    images: Sequence[Path | None] = (),
    features: Sequence[Path | None] = (),
) -> list[RatedFile]:
    """Each file as a set of its own. Correlations do not ask for the scale, so that its guess needs no warning."""
    of_references = one_for_each(references, len(paths), "test_references")
    of_images = one_for_each(images, len(paths), "test_images")
    of_features = one_for_each(features, len(paths), "test_features")
    tests = []
    for path, written, shown, vectors in zip(paths, of_references, of_images, of_features, strict=True):
        test = read_sets([path], references=written, images=shown, features=vectors)
        warnings = tuple(caution for caution in test.warnings if caution.id != GUESSED)
        tests.append(replace(test, set=test.set._replace(examples=replace(test.set.examples, warnings=warnings))))
    names = [test.name for test in tests]
    if len(set(names)) < len(names):
        names = [str(path) for path in paths]
    return [replace(test, set=test.set._replace(name=name)) for name, test in zip(names, tests, strict=True)]


def one_for_each(given: Sequence[T | None], count: int, option: str) -> Sequence[T | None]:
    """
    >>> one_for_each(["a"], 2, "test_images"), one_for_each([], 2, "test_images")
    (['a', 'a'], [None, None])
    """
    if not given:
        return [None] * count
    if len(given) == 1:
        return [given[0]] * count
    if len(given) != count:
        problem = f"<{option}> is given {len(given)} times beside {count} test files"
        raise UsageError(problem, hint="give it once, or once for each of them", options=[option])
    return given


def _joined(
    files: Mapping[str, RatedCaptions], scale: Scale | None
) -> tuple[RatedCaptions, Scale | None, tuple[Caution, ...]]:
    """All files as one, the scale of that, and what is to be said about scales."""
    if len(files) == 1:
        (rated,) = files.values()
        return rated, scale, ()
    kinds = {rated.ratings.kind for rated in files.values()}
    if len(kinds) > 1:
        raise UsageError(f"files of {' and '.join(sorted(kinds))} cannot be joined", hint="train on one kind of them")
    examples = {name: rated.examples(scale) for name, rated in files.items()}
    scales = {name: (each.lowest, each.highest) for name, each in examples.items()}
    guessed = tuple(
        caution.about(name) for name, each in examples.items() for caution in each.warnings if caution.id == GUESSED
    )
    is_shared = len(set(scales.values())) == 1
    whole = RatedCaptions()
    rows: list[Judgement] = []
    for name, rated in files.items():
        texts = {text: Text(f"{name}:{text.item}", f"{name}:{text.system}") for text in rated.captions}
        whole.captions |= {texts[text]: caption for text, caption in rated.captions.items()}
        whole.references |= {texts[text]: found for text, found in rated.references.items()}
        whole.pictures |= {texts[text]: rated.pictures.get(text, text.item) for text in rated.captions}
        whole.warnings += [caution.about(name) for caution in rated.warnings]
        rows += [_renamed(row, name, None if is_shared else scales[name]) for row in rated.ratings.rows]
    whole.ratings = Ratings(kinds.pop(), tuple(rows))
    return whole, scales.popitem()[1] if is_shared else (0.0, 1.0), guessed


def _renamed(row: Judgement, name: str, scale: Scale | None) -> Judgement:
    item = f"{name}:{row.item}"
    if isinstance(row, Vote):
        return row._replace(item=item, system_a=f"{name}:{row.system_a}", system_b=f"{name}:{row.system_b}")
    row = row._replace(item=item, system=f"{name}:{row.system}")
    if scale is None or not isinstance(row, Rating):
        return row
    return row._replace(value=(row.value - scale[0]) / (scale[1] - scale[0]))


def _only(rated: RatedCaptions, systems: Collection[str]) -> RatedCaptions:
    def is_kept(row: Judgement) -> bool:
        return all(
            name in systems for name in ((row.system_a, row.system_b) if isinstance(row, Vote) else (row.system,))
        )

    texts = [text for text in rated.captions if text.system in systems]
    return replace(
        rated,
        captions={text: rated.captions[text] for text in texts},
        references={text: rated.references[text] for text in texts},
        ratings=Ratings(rated.ratings.kind, tuple(row for row in rated.ratings.rows if is_kept(row))),
        pictures={text: rated.pictures[text] for text in texts if text in rated.pictures},
    )
