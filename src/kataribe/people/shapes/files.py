"""The folder of a set: pictures, the table of rated captions, its two parts, and what it is.

images/ID.png   the pictures
ratings.csv     every caption with its picture, references and ratings
train.csv       four pictures of five with their captions
test.csv        the others: no picture and no text of train.csv
about.json      the rule, the options, counts, the version
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import msgspec

import kataribe
from kataribe.core.folders import whole_folder
from kataribe.core.progress import report
from kataribe.people.shapes.dataset import PICTURES, Part, Picture, ShapeSet, random_stream
from kataribe.people.shapes.description import BARE, ENOUGH, HIGHEST, LOWEST, SEVERITY
from kataribe.people.shapes.drawing import draw_png
from kataribe.people.shapes.raters import LAPSES, NOISE, RATERS
from kataribe.people.shapes.summary import summarise
from kataribe.people.shapes.telling import REFERENCES

FORMAT = "kataribe shapes 1"
_ABOUT, _IMAGES = "about.json", "images"
_PARTS: tuple[Part, ...] = ("train", "test")
_TABLES = ("ratings.csv", *(f"{part}.csv" for part in _PARTS))

RULE = (
    f"rating = {LOWEST:g} + {HIGHEST - LOWEST:g} * share^{SEVERITY:g} * ({BARE:g} + {1 - BARE:g} * telling); "
    f"share = true / said details; telling = min(1, true / {ENOUGH})"
)
RATER_RULE = (
    f"each of {RATERS} raters has a strictness and own numbers in the rule; normal noise of {NOISE:g}, rounded to the "
    f"scale; {LAPSES:.0%} of the ratings are any number"
)


def write_shapes(folder: Path, made: ShapeSet) -> None:
    """Draw the pictures and write everything, or nothing."""
    with whole_folder(folder, is_ours) as new:
        (new / _IMAGES).mkdir()
        for number, picture in enumerate(made.pictures, start=1):
            pixels = random_stream(made.options.seed, "pixels", picture.index)
            (new / _IMAGES / f"{picture.id}.png").write_bytes(draw_png(picture.scene, pixels))
            report("drawing", number, len(made.pictures))
        (new / "ratings.csv").write_text(_table(made.pictures), encoding="utf-8")
        for part in _PARTS:
            pictures = [picture for picture in made.pictures if picture.part == part]
            (new / f"{part}.csv").write_text(_table(pictures), encoding="utf-8")
        (new / _ABOUT).write_bytes(_about(made))


def is_ours(folder: Path) -> bool:
    """A set that was written here, with nothing added to it."""
    try:
        about = msgspec.json.decode((folder / _ABOUT).read_bytes())
        is_set = isinstance(about, dict) and str(about.get("format")).startswith("kataribe shapes ")
        pictures = {f"s{number:04d}.png" for number in range(max(PICTURES.values()))}
        return (
            is_set
            and {entry.name for entry in folder.iterdir()} <= {_ABOUT, _IMAGES, *_TABLES}
            and {entry.name for entry in (folder / _IMAGES).iterdir()} <= pictures
        )
    except (OSError, msgspec.DecodeError):
        return False


def _table(pictures: Sequence[Picture]) -> str:
    """Rated captions as `kataribe.people.rated` reads them; `kind` and `rule` are for those who look inside."""
    references = [f"reference_{number}" for number in range(1, REFERENCES[1] + 1)]
    raters = [f"rating_{number}" for number in range(1, RATERS + 1)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["item", "image", "caption", *references, *raters, "kind", "rule"])
    for picture in pictures:
        padded = [*picture.references, *[""] * (len(references) - len(picture.references))]
        for caption in picture.captions:
            row = [picture.id, f"{picture.id}.png", caption.text, *padded, *caption.ratings]
            writer.writerow([*row, caption.kind, f"{caption.rule:.4f}"])
    return out.getvalue()


def _about(made: ShapeSet) -> bytes:
    options, summary = made.options, summarise(made)
    document = {
        "format": FORMAT,
        "kataribe": kataribe.__version__,
        "what": "generated pictures of shapes with captions; the raters are simulated",
        "size": options.size,
        "language": options.language,
        "seed": options.seed,
        "rule": RULE,
        "raters": RATER_RULE,
        "pictures": {part: summary.parts[part].pictures for part in _PARTS},
        "captions": {part: summary.parts[part].captions for part in _PARTS},
        "kinds": {kind: found.captions for kind, found in summary.kinds.items()},
        "texts_of_train_in_test": summary.leaked,
        "texts_with_two_pictures": made.shared,
        "pearson_of_one_rater_with_the_others": round(summary.ceiling, 4),
        "pearson_of_the_rule_with_the_mean_of_raters": round(summary.oracle, 4),
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
