"""References that stand in a file of their own, by the picture they describe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kataribe.captions.files import Source, read_references
from kataribe.core.errors import Location
from kataribe.formats.picture_names import names_of, plain_name
from kataribe.formats.source import extension
from kataribe.people.flickr8k import FlickrTexts, read_token_file, references_of


@dataclass(frozen=True)
class SeparateReferences:
    """`captions` are the single texts of a file such as Flickr8k.token.txt, by PICTURE#NUMBER."""

    file: Path | None
    by_name: dict[str, list[str]]
    captions: FlickrTexts | None = None

    def of(self, item: str, picture: str | None, dataset: Path) -> list[str]:
        """The references of an item, found by the name of its picture or by its own."""
        for name in _names(item, picture):
            if name in self.by_name:
                return self.by_name[name]
        raise Location(dataset, item).error(
            f"has no references, and {self.file or 'those that were given'} has none for {picture or item}",
            hint="name pictures alike in both",
        )


def read_separate(source: Source | SeparateReferences) -> SeparateReferences:
    """A token file (.txt), any file of reference captions, or a plain dictionary.

    >>> found = read_separate({"42.jpg": ["a dog"]})
    >>> found.of("1", "pictures/42.jpg", Path("ratings.csv")), found.of("flickr8k_42", None, Path("ratings.csv"))
    (['a dog'], ['a dog'])
    """
    if isinstance(source, SeparateReferences):
        return source
    file = Path(source) if isinstance(source, str | Path) else None
    captions = read_token_file(file) if file is not None and extension(file) == ".txt" else None
    by_name = references_of(captions) if captions is not None else read_references(source)
    # The file's own names come last, so that they win.
    return SeparateReferences(file, {plain_name(id): texts for id, texts in by_name.items()} | by_name, captions)


def _names(item: str, picture: str | None) -> Iterator[str]:
    for name in (picture, item):
        if name is not None:
            yield from names_of(name)
