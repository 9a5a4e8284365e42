"""What every reader shares: several files as one, and text that is text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kataribe.boundaries.files import read_predictions as read_boundaries
from kataribe.captions.files import read_predictions, read_references
from kataribe.core.errors import InputError
from kataribe.films.casts import read_casts
from kataribe.formats.source import read_joined
from kataribe.formats.stories import read_stories
from kataribe.narration.files import read_narrations
from kataribe.people.rated import read_rated
from kataribe.people.ratings import read_ratings

HALF = "contains half of a surrogate pair, which is not a character"


@pytest.mark.parametrize(
    ("read", "name", "content", "where"),
    [
        (read_predictions, "p.json", r'{"\ud800": "a dog"}', r"id '\ud800': "),
        (read_predictions, "p.json", r'{"7": "a \udc00 dog"}', "id '7': "),
        (read_predictions, "p.json", r'[{"image_id": "\uD83D", "caption": "a"}]', r"id '\ud83d': image_id: "),
        (read_predictions, "p.jsonl", r'{"id": 7, "caption": "\ud800"}', "id '7': line 1, caption: "),
        (read_references, "r.json", r'{"annotations": [{"image_id": 7, "caption": "\ud800"}]}', "id '7': caption: "),
        (read_stories, "s.json", r'{"\ud800": {"timestamps": [[0, 1]], "sentences": ["x"]}}', r"id '\ud800': "),
        (read_stories, "s.json", r'{"v": {"timestamps": [[0, 1]], "sentences": ["\ud800"]}}', "id 'v': sentences: "),
        (read_boundaries, "b.json", r'{"\ud800": [1.0]}', r"id '\ud800': "),
        (read_narrations, "n.json", r'[{"film": "\ud800", "start": 0, "end": 1, "text": "x"}]', "film: "),
        (read_narrations, "n.json", r'{"7": {"text": "\ud800"}}', "id '7': text: "),
        (read_casts, "c.json", r'{"f": ["\ud800"]}', "id 'f': "),
        (read_casts, "c.json", r'{"f": {"1": {"name": "\ud800", "rolename": "Maria"}}}', "id 'f': name: "),
        (read_ratings, "h.jsonl", r'{"rater": "\ud800", "item": 7, "value": 1}', "id '7': line 1, rater: "),
        (
            read_rated,
            "d.jsonl",
            r'{"id": 7, "caption": "\ud800", "references": ["x"], "rating": 1}',
            "line 1, caption: ",
        ),
    ],
)
def test_half_a_character_is_refused_when_it_is_read(
    tmp_path: Path, read: Callable[[Path], Any], name: str, content: str, where: str
) -> None:
    """It could be scored, but the result could not be written."""
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read(tmp_path / name)
    line = str(caught.value)
    assert line.startswith(f"{tmp_path / name}: ")
    assert f"{where}{HALF} - write the text as UTF-8" in line
    assert line.isprintable()


def test_plain_values_are_checked_as_files_are() -> None:
    with pytest.raises(InputError, match=rf"id '\\ud800': {HALF}"):
        read_predictions({"\ud800": "a dog"})
    with pytest.raises(InputError, match=f"id '7': caption: {HALF}"):
        read_predictions({"7": "\ud800"})


def test_whole_pairs_and_spelled_backslashes_are_text(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(r'{"7": "\ud83d\ude00 \\ud800"}', encoding="utf-8")
    assert read_predictions(tmp_path / "p.json") == {"7": "😀 \\ud800"}


def test_a_subtitle_file_gives_its_film_a_name_that_can_be_written(tmp_path: Path) -> None:
    file = tmp_path / "film\udcff.srt"
    file.write_text("1\n00:00:01,000 --> 00:00:04,000\nMaria waits.\n", encoding="utf-8")
    with pytest.raises(InputError, match="the name of the file is not UTF-8 - rename it"):
        read_narrations(file)


def test_an_id_belongs_to_one_of_several_files() -> None:
    content = {"a": {"1": "x", "2": "y"}, "b": {"3": "z"}, "c": {"2": "another"}}
    assert read_joined(["a", "b"], content.__getitem__) == {"1": "x", "2": "y", "3": "z"}
    with pytest.raises(InputError, match="c: id '2': is in another of the files too - keep it in one of them"):
        read_joined(["a", "b", "c"], content.__getitem__)
    with pytest.raises(InputError, match="a: holds the same as a"):
        read_joined(["a", "b", "a"], content.__getitem__)
