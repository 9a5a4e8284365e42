"""One picture goes by several names: in a rating file, in a folder, in a file of references."""

from __future__ import annotations

from pathlib import PurePosixPath

from kataribe.formats.images import SUFFIXES

# Composite puts the name of the data set before that of the picture.
_DATA_SETS = ("flickr8k_", "flickr30k_")


def names_of(picture: str) -> tuple[str, ...]:
    """The names to look for, the most exact first.

    >>> names_of("Flickr8k_Dataset/42_ab.jpg")
    ('Flickr8k_Dataset/42_ab.jpg', '42_ab.jpg', '42_ab')
    >>> names_of("flickr8k_42_ab")
    ('flickr8k_42_ab', '42_ab')
    """
    file = PurePosixPath(picture.replace("\\", "/")).name or picture
    return tuple(dict.fromkeys((picture, file, _without_ending(file), plain_name(picture))))


def plain_name(picture: str) -> str:
    """The name without folder, ending and data set: what two files call a picture if they mean the same one.

    >>> plain_name("Flickr8k_Dataset/42_ab.jpg") == plain_name("flickr8k_42_ab") == "42_ab"
    True
    """
    name = _without_ending(PurePosixPath(picture.replace("\\", "/")).name or picture)
    return next((name[len(before) :] for before in _DATA_SETS if name.startswith(before) and name != before), name)


def _without_ending(file: str) -> str:
    stem, dot, ending = file.rpartition(".")
    return stem if stem and f"{dot}{ending}".lower() in SUFFIXES else file
