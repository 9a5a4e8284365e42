"""Studies made of somebody's data: what is written is a study, whatever the data are called and say."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kataribe.core.errors import InputError, OutputError, UsageError
from kataribe.core.types import Caption, Segment, Story
from kataribe.people.judge.making import Draft, check_names, drawn, filled, shared_items, write_draft
from kataribe.people.judge.media import Clip
from kataribe.people.judge.study import Context, read_study
from kataribe.people.judge.templates import TEMPLATES, read_template

NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(str.strip)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    systems=st.lists(NAMES, min_size=2, max_size=4, unique=True),
    ids=st.lists(st.text("abc12_.é片", min_size=1, max_size=6), min_size=1, max_size=4, unique=True),
    text=st.text(st.characters(exclude_categories=("Cs",)), max_size=30),
)
def test_any_names_and_texts_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, systems: list[str], ids: list[str], text: str
) -> None:
    folder = tmp_path_factory.mktemp("made") / "study"
    texts = {system: {id: f"{text}{place}{id}" for id in ids} for place, system in enumerate(systems)}
    study = write_draft(folder, Draft("movie101", texts, seed=5))
    assert list(study.settings.systems) == systems
    assert {id: dict(item.texts) for id, item in study.items.items()} == {
        id: {system: texts[system][id] for system in systems} for id in ids
    }
    assert (study.settings.seed, study.settings.media, study.settings.references) == (5, "", "")


@pytest.mark.parametrize("template", sorted(set(TEMPLATES) - {"shichimi"}))
def test_every_template_keeps_its_words_and_takes_the_data(template: str, tmp_path: Path) -> None:
    """Fields of a template that its data do not have must be gone, or the study would name files that are not there."""
    story = Story("v", 9.0, (Caption(Segment(0, 4), "A dog."),))
    text = story if template.startswith("soda") else "A dog."
    names = ["one"] if template == "movie101-clips" else ["one", "two"]
    study = write_draft(tmp_path / "study", Draft(template, {name: {"v": text} for name in names}, seed=3))
    from_template = read_study_of(template, tmp_path)
    assert study.settings.kind == from_template.settings.kind
    assert study.settings.instructions == from_template.settings.instructions
    assert study.settings.dimensions == from_template.settings.dimensions
    assert (study.settings.seed, study.settings.media, study.settings.clips, study.settings.context) == (3, "", "", "")
    assert not study.planted


def read_study_of(template: str, tmp_path: Path) -> object:
    from kataribe.people.judge.templates import write_template

    return read_study(write_template(template, tmp_path / "template"))


def test_videos_stay_where_they_are(tmp_path: Path) -> None:
    films = tmp_path / "films"
    films.mkdir()
    (films / "f.mp4").write_bytes(b"a film")
    clips = {"1": Clip(films / "f.mp4", 3.5, 9.0)}
    study = write_draft(tmp_path / "study", Draft("movie101", {"a": {"1": "x"}, "b": {"1": "y"}}, clips=clips))
    assert study.settings.media == "../films"
    assert study.items["1"].clip == Clip((films / "f.mp4").resolve(), 3.5, 9.0)
    (films / "f.avi").write_bytes(b"a film")
    unshown = Draft("movie101", {"a": {"1": "x"}, "b": {"1": "y"}}, clips={"1": Clip(films / "f.avi")})
    with pytest.raises(InputError, match="browsers do not show"):
        write_draft(tmp_path / "other", unshown)
    assert not (tmp_path / "other").exists()


def test_context_and_places_are_kept(tmp_path: Path) -> None:
    draft = Draft(
        "movie101-clips",
        {"narration": {"1": "It snows."}},
        fields={"1": {"film": "f", "start": 1.0, "end": 2.0}},
        context={"1": Context('before, "quoted"\nline', "")},
        text_language="zh",
    )
    study = write_draft(tmp_path / "study", draft)
    assert study.items["1"].context == Context('before, "quoted"\nline', "")
    assert study.settings.text_language == "zh"
    written = (tmp_path / "study" / "texts" / "narration.json").read_text()
    assert written == '[\n  {"id": "1", "film": "f", "start": 1.0, "end": 2.0, "text": "It snows."}\n]\n'


def test_a_folder_with_answers_is_never_replaced(tmp_path: Path) -> None:
    draft = Draft("movie101", {"a": {"1": "x"}, "b": {"1": "y"}})
    write_draft(tmp_path / "study", draft)
    (tmp_path / "study" / "answers.sqlite").write_bytes(b"answers")
    with pytest.raises(OutputError, match="holds other things"):
        write_draft(tmp_path / "study", draft)
    assert (tmp_path / "study" / "answers.sqlite").read_bytes() == b"answers"


def test_comments_and_other_fields_stay() -> None:
    text = read_template("soda")
    made = filled(text, {"seed": 9, "language": None, "text_language": "ja", "media": None}, {"x": "x.json"}, 4)
    assert 'text_language = "ja"\n# Which of two' in made, "a field that the template lacks stands above all tables"
    assert "seed = 9              # of every random order" in made
    assert "# tasks_per_rater = 25" in made
    assert "\nmedia =" not in made
    assert '[systems]\nx = "x.json"\n\n[[dimensions]]' in made
    assert made.endswith("count = 4\n")


def test_items_are_drawn_by_the_seed_alone() -> None:
    items = [f"clip {number}" for number in range(40)]
    once = drawn(items, 10, seed=1)
    assert len(once) == 10
    assert once == [item for item in items if item in set(drawn(items[::-1], 10, seed=1))]
    assert once != drawn(items, 10, seed=2)


def test_nothing_shared_is_named() -> None:
    with pytest.raises(InputError, match="nothing is in all of them: a has '1', b has '2'"):
        shared_items({"a": ["1"], "b": ["2"]})


def test_names_of_degraded_references_are_taken() -> None:
    with pytest.raises(UsageError, match="'wrong_names' is what the study calls a degraded reference"):
        check_names(["vt", "wrong_names"], ["wrong_names", "wrong_words"])
