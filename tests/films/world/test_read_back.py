"""What is known of a film can be read back from its pixels and its sound: subtitles, speech, shots and faces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import world_checks as checks
from kataribe.core.types import Caption, Segment
from kataribe.films.world.building import build_world
from kataribe.films.world.languages import WORDS
from kataribe.films.world.options import Language, WorldOptions, random_stream
from kataribe.films.world.people import random_people
from kataribe.films.world.pictures import frames
from kataribe.films.world.plot import plan_film
from kataribe.films.world.video_file import write_mp4
from kataribe.media.shots import cuts
from tests.films.world.conftest import skip_unless_it_can_be_made

BOTH = pytest.mark.parametrize("language", ["zh", "en"])


def _world(language: Language, request: pytest.FixtureRequest) -> Path:
    return request.getfixturevalue("chinese_world" if language == "zh" else "english_world")


@BOTH
def test_shots_are_found_where_the_cuts_were_made(language: Language, request: pytest.FixtureRequest) -> None:
    world = _world(language, request)
    for film in ("w000", "w001", "w002"):
        found = checks.cuts_found(checks.gold_of(world, film), cuts(world / "videos" / f"{film}.mp4"))
        assert (found.found.share, found.right.share) == (1.0, 1.0), film


@BOTH
def test_speech_is_found_within_half_a_second(language: Language, request: pytest.FixtureRequest) -> None:
    pytest.importorskip("onnxruntime", reason="needs kataribe[films]")
    from kataribe.media.speech import speech_regions

    world = _world(language, request)
    for film in ("w000", "w002"):
        found = checks.speech_found(checks.gold_of(world, film), speech_regions(world / "videos" / f"{film}.mp4"))
        assert (found.starts.share, found.ends.share) == (1.0, 1.0), film
        assert found.alike.share > 0.9


@BOTH
def test_a_watched_film_gives_back_its_clips(language: Language, request: pytest.FixtureRequest) -> None:
    """From the sound of a film with narration: what has no subtitle is told, and the rules make clips of it."""
    pytest.importorskip("onnxruntime", reason="needs kataribe[films]")
    from kataribe.films.watching import watch

    world, heard = _world(language, request), checks.NONE
    for film in ("w000", "w001", "w002"):
        gold = checks.gold_of(world, film)
        said = [Caption(Segment(line["start"], line["end"]), line["text"]) for line in gold["lines"]]
        lines = watch(world / "videos" / f"{film}.mp4", subtitles=said)
        heard += checks.clips_heard(gold, lines.narration, WORDS[language].most)
    assert heard.share >= 0.85, heard


@BOTH
def test_subtitles_of_a_dialogue_are_read_letter_by_letter(language: Language, tmp_path: Path) -> None:
    """The opening of a film only: reading takes as long as looking."""
    pytest.importorskip("rapidocr_onnxruntime", reason="needs kataribe[films]")
    skip_unless_it_can_be_made(language)
    from kataribe.films.world import gold
    from kataribe.media.subtitles import read_subtitles

    film = plan_film(WorldOptions("smoke", language=language), 1)
    end = film.dialogues[0][1] + 8
    drawn = frames(film, language, random_stream(0, "pixels", 1))
    opening = [frame for number, frame in enumerate(drawn) if number < end]
    write_mp4(tmp_path / "film.mp4", opening, np.zeros(end * 2756, np.float32), 22050)
    known = gold.document_of(film, language)
    read = checks.lines_read(known, read_subtitles(tmp_path / "film.mp4"), until=end / 8)
    assert read.exact.all >= 2
    assert (read.exact.share, read.timed.share) == (1.0, 1.0), read.missed


def test_a_detector_finds_nearly_all_faces_and_tells_unseen_people_apart(chinese_world: Path) -> None:
    finder = _finder()
    seen = checks.FacesFound()
    checks.see_faces(chinese_world, "w002", finder, seen, every=12)
    assert seen.all.all > 20
    assert seen.all.share >= 0.9
    assert checks.verify(seen.vectors).right > 0.95


def test_a_detector_finds_portraits(chinese_world: Path) -> None:
    from kataribe.media.pictures import open_picture

    finder = _finder()
    portraits = sorted((chinese_world / "portraits").rglob("*.png"))[:12]
    found = [len(finder.find(open_picture(path))) for path in portraits]
    assert found == [1] * len(portraits)


def _finder() -> Any:
    pytest.importorskip("dlib", reason="needs kataribe[films]")
    from kataribe.media.faces import DlibFaces

    return DlibFaces()


def test_people_of_the_world_are_found_whoever_they_are() -> None:
    """Heads alone, drawn from another seed than any world of the tests."""
    pytest.importorskip("PIL.Image", reason="needs kataribe[films]")
    from PIL import Image

    from kataribe.films.world.heads import draw_head

    finder = _finder()
    found = 0
    for person in random_people(20, np.random.default_rng(99)):
        ground = Image.new("RGB", (240, 240), (120, 140, 160))
        head = draw_head(person)
        ground.paste(head, (24, 24), head)
        found += len(finder.find(np.asarray(ground))) == 1
    assert found >= 18


@pytest.mark.slow
@BOTH
def test_a_small_world_is_read_back(language: Language, tmp_path: Path) -> None:
    skip_unless_it_can_be_made(language)
    from kataribe.media.speech import speech_regions
    from kataribe.media.subtitles import read_subtitles

    films = build_world(tmp_path / "world", WorldOptions("small", language=language))
    exact = timed = found = right = starts = ends = checks.NONE
    seen = checks.FacesFound()
    for film in films:
        gold, video = checks.gold_of(tmp_path / "world", film.id), tmp_path / "world" / "videos" / f"{film.id}.mp4"
        read = checks.lines_read(gold, read_subtitles(video))
        exact, timed = exact + read.exact, timed + read.timed
        cut = checks.cuts_found(gold, cuts(video))
        found, right = found + cut.found, right + cut.right
        heard = checks.speech_found(gold, speech_regions(video))
        starts, ends = starts + heard.starts, ends + heard.ends
        if film.split == "test":
            checks.see_faces(tmp_path / "world", film.id, _finder(), seen, every=16)
    assert exact.share > 0.95
    assert timed.share > 0.95
    assert min(found.share, right.share) > 0.98
    assert min(starts.share, ends.share) > 0.95
    assert seen.all.share >= 0.9
    assert checks.verify(seen.vectors).right > 0.95
