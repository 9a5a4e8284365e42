"""A corpus folder from files: what it holds, what a second run does again, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kataribe.core.errors import InputError, OutputError
from kataribe.films import building
from kataribe.films.building import BuildOptions, Built, build_corpus
from kataribe.films.folder import write_corpus
from kataribe.films.movie101 import read_movie101
from kataribe.films.sources import read_sources


def srt(*lines: tuple[float, float, str]) -> str:
    def clock(seconds: float) -> str:
        return f"{int(seconds) // 3600:02}:{int(seconds) // 60 % 60:02}:{seconds % 60:06.3f}".replace(".", ",")

    return "".join(f"{n}\n{clock(a)} --> {clock(b)}\n{text}\n\n" for n, (a, b, text) in enumerate(lines, start=1))


@pytest.fixture
def films(tmp_path: Path) -> Path:
    folder = tmp_path / "films"
    folder.mkdir()
    for film in ("a", "b", "c"):
        (folder / f"{film}.dialogue.srt").write_text(srt((5, 11, "You are early."), (20, 30, "Who is there?")))
        told = srt((12, 16, f"Ines of {film} climbs down"), (16.3, 19, "and looks back."), (31, 38, "Tomas waits."))
        (folder / f"{film}.narration.srt").write_text(told)
    (folder / "cast.json").write_text(json.dumps({film: ["Ines", "Tomas"] for film in "abc"}))
    return folder


def make(films: Path, out: Path, **given: Any) -> Built:
    options = BuildOptions(
        **{name: given.pop(name) for name in list(given) if name in BuildOptions.__dataclass_fields__}
    )
    built = build_corpus(read_sources(films), options, last=out, **given)
    write_corpus(built.corpus, out)
    return built


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_corpus_holds_every_set_and_reads_as_movie101(films: Path, tmp_path: Path) -> None:
    built = make(films, tmp_path / "out", cast=films / "cast.json")
    read = read_movie101(tmp_path / "out")
    part = built.corpus.split["test"][0]
    assert [clip.text for clip in read.g["test"]] == [f"Ines of {part} climbs down and looks back.", "Tomas waits."]
    assert [clip.text for clip in read.n["test"]] == [clip.text for clip in read.g["test"]]
    assert [shot.segment.start for shot in read.gsr["test"][part]] == [0, 20]
    assert read.casts["a"].names == ("Ines", "Tomas")
    assert {name: list(members) for name, members in read.split.items()} == dict(built.corpus.split)
    windows = json.loads((tmp_path / "out" / "LTG" / "test.json").read_text())
    assert [entry["window"] for entry in windows] == [[0, 40], [0, 40]]
    about = json.loads((tmp_path / "out" / "corpus.json").read_text())
    assert about["films"]["a"]["files"][0] == {"name": "a.dialogue.srt", "encoding": "utf-8", "lines": 2}


def test_a_second_run_computes_only_what_changed(films: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    make(films, out, cast=films / "cast.json")
    before = content(out)
    computed: list[str] = []
    true_build = building.build

    def noted(film: Any, rules: Any) -> Any:
        computed.append(film.lines.film)
        return true_build(film, rules)

    monkeypatch.setattr(building, "build", noted)
    assert make(films, out, cast=films / "cast.json").unchanged == ("a", "b", "c")
    assert computed == []
    assert content(out) == before
    (films / "b.narration.srt").write_text(srt((12, 16, "Something else.")))
    make(films, out, cast=films / "cast.json")
    assert computed == ["b"]
    make(films, out, cast=films / "cast.json", clip_gap=2.0)
    assert computed == ["b", "a", "b", "c"]


def test_a_change_of_cast_or_of_people_concerns_its_film_alone(films: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(films, out, cast=films / "cast.json")
    (films / "cast.json").write_text(json.dumps({"a": ["Ines"], "b": ["Ines", "Tomas"], "c": ["Ines", "Tomas"]}))
    assert make(films, out, cast=films / "cast.json").unchanged == ("b", "c")
    changes = tmp_path / "changes.jsonl"
    changes.write_text('{"film": "c", "do": "correct", "text": "waits", "to": "sleeps"}\n')
    assert make(films, out, cast=films / "cast.json", overrides=changes).unchanged == ("a", "b")


def test_a_damaged_film_of_the_last_run_is_made_again(films: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(films, out)
    (out / "films" / "b.json").write_text("{")
    assert make(films, out).unchanged == ("a", "c")


def test_changes_that_do_not_apply_are_told_every_time(films: Path, tmp_path: Path) -> None:
    out, changes = tmp_path / "out", tmp_path / "changes.jsonl"
    changes.write_text('{"film": "a", "do": "remove", "text": "A cat"}\n{"film": "z", "do": "cut", "start": 3}\n')
    for _ in range(2):
        built = make(films, out, cast=films / "cast.json", overrides=changes)
        told = [str(caution) for caution in built.cautions if caution.id == "override-not-applied"]
        assert told == [
            "a change was not applied: film 'z': cut: no such film is in the corpus",
            "a change was not applied: film 'a': remove 'A cat': no clip has the text 'A cat'",
        ]
    assert json.loads((out / "corpus.json").read_text())["changes_not_applied"] == [
        "film 'a': remove 'A cat': no clip has the text 'A cat'"
    ]


def test_nested_names_missing_casts_and_overlapping_dialogue_are_told(films: Path, tmp_path: Path) -> None:
    (films / "cast.json").write_text(json.dumps({"a": ["Tomas", "Old Tomas"]}))
    (films / "a.dialogue.srt").write_text(srt((5, 11, "You are early."), (10, 12, "So are you.")))
    built = make(films, tmp_path / "out", cast=films / "cast.json")
    told = {caution.id: str(caution) for caution in built.cautions}
    assert told["uncast-films"].startswith("no cast for 2 films: 'b', 'c'")
    assert "('Tomas' of 'Old Tomas' in 'a')" in told["nested-names"]
    assert told["overlapping-dialogue"].startswith("1 line of dialogue starts before the line before has ended")


def test_one_bad_film_leaves_the_last_corpus_as_it_was(films: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(films, out)
    before = content(out)
    (films / "c.narration.srt").write_text(srt((12, 16, "One."), (13, 15, "Two.")))
    with pytest.raises(InputError, match=r"c\.narration\.srt: 'Two\.' starts at 13 s"):
        make(films, out)
    assert content(out) == before


def test_a_folder_of_somebody_else_is_never_replaced(films: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(films, out)
    (out / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match="holds other things, which would be lost"):
        make(films, out)
    assert (out / "notes.txt").exists()


def test_a_list_of_films_names_their_files_genres_and_length(films: Path, tmp_path: Path) -> None:
    path = films / "films.csv"
    path.write_text(
        "film,dialogue,narration,genres,duration\nx,a.dialogue.srt,a.narration.srt,drama|sea,61\ny,,b.narration.srt,,\n"
    )
    built = make(path, tmp_path / "out")
    x, y = built.corpus.films
    assert (x.genres, x.corpus.seconds, len(x.corpus.dialogues)) == (("drama", "sea"), 61, 2)
    assert (y.corpus.dialogues, y.corpus.long_clips, len(y.corpus.clips)) == ((), (), 2)


def test_lines_of_another_cut_of_the_film_are_refused(films: Path, tmp_path: Path) -> None:
    path = films / "films.json"
    path.write_text('[{"film": "x", "narration": "a.narration.srt", "duration": 20}]')
    with pytest.raises(InputError, match="id 'x': lasts 20 s, but a line ends at 38 s"):
        make(path, tmp_path / "out")


def test_descriptions_in_a_table_are_clips(tmp_path: Path) -> None:
    path = tmp_path / "cmdad.csv"
    path.write_text(
        "vid,imdbid,start,end,text_gt,text_gen\nv1,tt1,2,4,She waits.,A woman.\nv1,tt1,4.2,6,She runs.,She.\n"
    )
    built = make(path, tmp_path / "out")
    (film,) = built.corpus.films
    assert (film.film, film.title) == ("v1", "tt1")
    assert [clip.text for clip in film.corpus.clips] == ["She waits.", "She runs."]


def test_movie101_v2_is_a_source(tmp_path: Path) -> None:
    for folder in ("v2-short-zh", "v2-meta"):
        (tmp_path / "in" / folder).mkdir(parents=True)
    (tmp_path / "in" / "v2-short-zh" / "7.txt").write_text("0:0:5|0:0:9|[李]走了。\n", encoding="utf-8")
    meta = {"id": "7", "title": "t", "genre": ["剧情"], "role": {"1": {"actor": "a", "role": "李"}}}
    (tmp_path / "in" / "v2-meta" / "7.json").write_text(json.dumps(meta))
    (film,) = make(tmp_path / "in", tmp_path / "out").corpus.films
    assert (film.corpus.clips[0].text, film.genres, film.g.roles) == ("李走了。", ("剧情",), (1,))


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ('{"film": "../x", "narration": "a.narration.srt"}', "id '../x': cannot name a file"),
        ('{"film": "x"}', "id 'x': has no narration - name its file"),
        ('{"film": "x", "narration": "a.srt", "clips": "b.srt"}', "has both narration and clips"),
        ('{"film": "x", "narration": "a.srt", "genre": []}', "has 'genre', which means nothing - there are: film"),
        ('{"film": "x", "narration": "a.srt", "genres": "drama"}', "genres: is not a list"),
        ('{"film": "x", "narration": "a.srt", "duration": 0}', "duration: is 0 - give seconds"),
        ('{"narration": "a.srt"}', "not a film - write"),
        ('{"film": "x", "narration": "nowhere.srt"}', r"nowhere\.srt: cannot be read \(No such file or directory\)"),
    ],
)
def test_what_is_no_list_of_films_is_refused(films: Path, tmp_path: Path, entry: str, problem: str) -> None:
    path = films / "films.jsonl"
    path.write_text(entry + "\n")
    with pytest.raises(InputError, match=problem):
        make(path, tmp_path / "out")


def test_a_film_twice_and_an_empty_folder_are_refused(films: Path, tmp_path: Path) -> None:
    (films / "a.dialogue.vtt").write_text("WEBVTT\n")
    with pytest.raises(InputError, match="id 'a': has its dialogue twice"):
        read_sources(films)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="names no film"):
        read_sources(tmp_path / "empty")
