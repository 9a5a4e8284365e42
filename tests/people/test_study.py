"""A study is read whole or refused with one line that names file and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kataribe.core.errors import KataribeError
from kataribe.core.types import Story
from kataribe.people.judge.study import read_study
from kataribe.people.judge.templates import TEMPLATES, write_template
from tests.people.judging import made_study, write_study


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_is_a_study_that_can_be_read(name: str, tmp_path: Path) -> None:
    study = read_study(write_template(name, tmp_path / "study"))
    assert len(study.items) >= 3
    assert len(study.planted) == (0 if study.settings.kind == "labels" else 1)
    assert all(item.clip is not None and item.clip.file.is_file() for item in study.items.values())


def test_template_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(KataribeError, match="not an empty folder"):
        write_template("soda", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"titel": "x"}, r"STUDY\.toml: titel: there is no such field - did you mean 'title'\?"),
        ({"kind": "duel"}, r"STUDY\.toml: kind: "),
        ({"seed": "one"}, r"STUDY\.toml: seed: expected `int`, got `str`"),
        ({"title": None}, r"STUDY\.toml: title: is missing"),
        ({"scale": 11}, r"STUDY\.toml: scale: "),
        ({"language": "fr"}, r"STUDY\.toml: language: "),
        ({"items": ["item0", "nowhere"]}, r"systems\.alpha: nothing for 1 of 2 items: 'nowhere'"),
        ({"sample": 9}, r"sample: is 9, but only 4 items"),
        ({"sample": 2, "items": ["item0"]}, r"sample: is given beside items"),
        ({"pairs": [["alpha", "betta"]]}, r"pairs: no system is called 'betta' - did you mean 'beta'\?"),
        ({"pairs": [["alpha", "beta"], ["beta", "alpha"]]}, r"pairs: the same two systems"),
        ({"show_references": True}, r"show_references: there are no references"),
        ({"media": "nowhere"}, r"media: there is no such folder"),
        ({"clips": "clips.csv"}, r"clips: needs media"),
        ({"references": "nowhere.json"}, r"nowhere\.json: there is no such file"),
        ({"checks": {"count": 5}}, r"checks\.count: is 5, but the study has 4 items"),
        ({"checks": {"dimension": "overal"}}, r"checks\.dimension: .* did you mean 'overall'"),
        ({"checks": {"counts": 5}}, r"counts: there is no such field - did you mean 'count'\?"),
        ({"checks": {"at_most": 5}}, r"checks\.at_most: is 5, which a scale to 5 can never fail"),
        ({"dimensions": ["one", "one"]}, r"dimensions: two have the same name"),
    ],
)
def test_mistake_in_a_study_is_one_line_with_its_field(changes: Any, complaint: str, tmp_path: Path) -> None:
    path = write_study(tmp_path, **changes)
    with pytest.raises(KataribeError, match=complaint) as caught:
        read_study(path)
    assert "\n" not in str(caught.value)


def test_broken_toml_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "STUDY.toml"
    path.write_text("title = = 1\n")
    with pytest.raises(KataribeError, match=r"STUDY\.toml: is not TOML .*line 1"):
        read_study(path)


@pytest.mark.parametrize("name", ["../secret.mp4", "/etc/passwd.mp4", "sub/../../secret.mp4", "link.mp4"])
def test_no_clip_lies_outside_the_media_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret.mp4").write_bytes(b"secret")
    media = tmp_path / "media"
    (media / "sub").mkdir(parents=True)
    (media / "link.mp4").symlink_to(tmp_path / "secret.mp4")
    (tmp_path / "clips.csv").write_text(f"id,file\nitem0,{name}\n")
    path = write_study(tmp_path, media="media", clips="clips.csv", count=1)
    with pytest.raises(KataribeError, match=r"item0.*file: .* is not in the folder"):
        read_study(path)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("item0,film.webm,5,4", "ends at 4, not after its start"),
        ("item0,film.webm,x,4", "'x', not a time in seconds"),
        ("item0,film.webm,-1,4", "not a time in seconds"),
        ("item0,nowhere.webm,0,4", "there is no file 'nowhere.webm'"),
        ("item0,film.avi,0,4", "browsers do not show 'film.avi'"),
    ],
)
def test_mistake_in_clips_names_the_item(row: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "media").mkdir()
    for film in ("film.webm", "film.avi"):
        (tmp_path / "media" / film).write_bytes(b"film")
    (tmp_path / "clips.csv").write_text(f"id,file,start,end\n{row}\n")
    with pytest.raises(KataribeError, match=f"clips.csv: id 'item0': .*{complaint}"):
        read_study(write_study(tmp_path, media="media", clips="clips.csv", count=1))


def test_sample_is_drawn_from_what_every_file_holds_and_stays_the_same(tmp_path: Path) -> None:
    path = write_study(tmp_path, count=40, sample=10)
    beta = json.loads((tmp_path / "beta.json").read_text())
    (tmp_path / "beta.json").write_text(json.dumps(dict(list(beta.items())[5:])))
    study = read_study(path)
    assert len(study.items) == 10
    assert set(study.items) <= set(beta)
    assert not {f"item{number}" for number in range(5)} & set(study.items)
    assert list(read_study(path).items) == list(study.items)


def test_planted_texts_belong_to_other_items(tmp_path: Path) -> None:
    study = made_study(tmp_path, checks={"count": 4})
    for item, text in study.planted.items():
        assert text not in study.items[item].texts.values()
        assert text in {words for other in study.items.values() for words in other.texts.values()}


def test_planted_story_is_stretched_to_its_new_video(tmp_path: Path) -> None:
    for name, length in (("alpha", 10), ("beta", 10)):
        stories = {
            "short": {"duration": length, "timestamps": [[0, length]], "sentences": [f"{name} short"]},
            "long": {"duration": 10 * length, "timestamps": [[50, 100]], "sentences": [f"{name} long"]},
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(stories))
    text = 'title = "t"\nkind = "pairs"\ntexts = "stories"\n[systems]\nalpha = "alpha.json"\nbeta = "beta.json"\n'
    (tmp_path / "STUDY.toml").write_text(text + '[[dimensions]]\nname = "overall"\n[checks]\ncount = 2\n')
    planted = read_study(tmp_path / "STUDY.toml").planted
    assert isinstance(planted["short"], Story)
    assert isinstance(planted["long"], Story)
    assert [(c.segment.start, c.segment.end) for c in planted["short"].captions] == [(5, 10)]
    assert [(c.segment.start, c.segment.end) for c in planted["long"].captions] == [(0, 100)]


def test_fingerprint_follows_the_texts_and_not_the_title(tmp_path: Path) -> None:
    one = made_study(tmp_path).fingerprint()
    assert made_study(tmp_path, title="Another title").fingerprint() == one
    assert made_study(tmp_path, seed=4).fingerprint() != one
    (tmp_path / "alpha.json").write_text((tmp_path / "alpha.json").read_text().replace("about 0", "of 0"))
    assert read_study(tmp_path / "STUDY.toml").fingerprint() != one
