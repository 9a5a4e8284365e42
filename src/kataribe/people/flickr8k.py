"""The original files of Flickr8k and, as it is, of other sets that were published like it.

    Flickr8k.token.txt           1000268201_693b08cb0e.jpg#0 TAB A child in a pink dress ...
    ExpertAnnotations.txt        picture.jpg TAB other.jpg#2 TAB 1 TAB 1 TAB 2            three ratings, 1 to 4
    CrowdFlowerAnnotations.txt   picture.jpg TAB other.jpg#2 TAB 0.33 TAB 1 TAB 2         share, number of yes, of no

The annotations name captions; the texts are in the token file, which has the references too. A caption of
CrowdFlower's file gets one rating, the share of people who said that it describes the picture, as the field reads it.
Experts' ratings stand in ascending order, so that nobody knows whose each is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from kataribe.core.errors import InputError, Location, UsageError, shorten
from kataribe.formats.source import check_number, check_text, open_text

# The text of each caption, by PICTURE#NUMBER.
FlickrTexts = Mapping[str, str]

_TOKEN_LINE = re.compile(r"(.+?#\d+)[\t ](.*)")


class Annotation(NamedTuple):
    picture: str
    caption: str
    ratings: list[float]


def read_token_file(path: Path) -> dict[str, str]:
    """The text of each caption, by PICTURE#NUMBER.

    Two lines of the published file have a space for the tab.
    """
    captions: dict[str, str] = {}
    with open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            entry = _TOKEN_LINE.fullmatch(line.rstrip("\r\n"))
            if entry is None:
                raise InputError(
                    f"{path}: line {number} is not PICTURE#NUMBER, a tab and a caption",
                    hint="is this a token file like Flickr8k's? references are also read from JSON, CSV and TSV",
                )
            name, text = entry.groups()
            if name in captions:
                raise Location(path, name).error("is there twice", hint="keep one of the two")
            captions[name] = check_text(text.strip(), Location(path, name))
    if not captions:
        raise Location(path).error("holds no captions", hint="did the program that wrote it stop early?")
    return captions


def references_of(captions: FlickrTexts) -> dict[str, list[str]]:
    """The captions of each picture. The published file calls one 2258277193_586949ec62.jpg.1, which is a picture too.

    >>> references_of({"a.jpg#0": "a dog", "b.jpg.1#0": "rain", "a.jpg#1": "one dog"})
    {'a.jpg': ['a dog', 'one dog'], 'b.jpg': ['rain']}
    """
    references: dict[str, list[str]] = {}
    for name, text in captions.items():
        picture = name.rpartition("#")[0]
        stem, _, ending = picture.rpartition(".")
        references.setdefault(stem if ending.isdigit() and "." in stem else picture, []).append(text)
    return references


def read_annotations(path: Path, captions: FlickrTexts | None) -> Iterator[Annotation]:
    if captions is None:
        raise UsageError(
            f"{path} names captions and does not hold them",
            hint="they are in Flickr8k.token.txt: give it as <references>",
            options=["references"],
        )
    with open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            location = Location(path, field=f"line {number}")
            cells = line.rstrip("\r\n").split("\t")
            if len(cells) != 5 or "#" not in cells[1]:
                raise InputError(
                    f"{location} is not a picture, PICTURE#NUMBER and three numbers, with tabs between them",
                    hint="it should be ExpertAnnotations.txt or CrowdFlowerAnnotations.txt",
                )
            picture, name, *numbers = cells
            if name not in captions:
                raise location.error(f"the caption {shorten(name)!r} is not among the references")
            values = [check_number(value, location, hint="a rating, a share or a number of votes") for value in numbers]
            yield Annotation(picture, captions[name], _ratings(*values))


def _ratings(one: float, two: float, three: float) -> list[float]:
    """A share of yes and its two numbers are one rating; three ratings from 1 on can never look like that.

    >>> _ratings(1, 1, 2), _ratings(0.333, 1, 2), _ratings(0, 0, 3)
    ([1, 1, 2], [0.333], [0])
    """
    is_share = abs(one * (two + three) - two) < 0.05 * (two + three)
    return [one] if is_share else [one, two, three]
