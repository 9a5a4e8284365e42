"""Locators learn, go on where they were stopped, and are read from their folders."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kataribe.core.caution import remarking
from kataribe.core.errors import InputError, KataribeError, UsageError
from kataribe.core.types import Segment
from kataribe.films.seen import SeenFilm
from kataribe.grounding.locators.ablation import VARIANTS, ablate
from kataribe.grounding.locators.joint import FilmShot, Moment, joint_hits, joint_search, reranked
from kataribe.grounding.locators.model import Locator, open_locator
from kataribe.grounding.locators.options import LocatorOptions
from kataribe.grounding.locators.training import Material, train
from kataribe.learning.folder import Card, write_model
from tests.grounding.locators.toys import PIECE, toy_film, toy_films

pytest.importorskip("torch")

SMALL = LocatorOptions(width=16, heads=2, rounds=1, dropout=0.0, epochs=2, batch=8, window=12.0, clips=12, map_width=8)


@pytest.fixture(scope="module")
def material() -> Material:
    return Material.of(toy_films())


@pytest.fixture(scope="module")
def model(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "rnl"
    train(material, SMALL).save(folder, {})
    return folder


@pytest.fixture
def film() -> SeenFilm:
    return toy_film(50)[0]


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("network", ["rnl", "2d-tan"])
def test_what_can_be_learned_is_learned(network: Any) -> None:
    few = replace_asked(Material.of(toy_films(learned=2, window=12.0)))
    options = replace(SMALL, model=network, width=32, epochs=120, batch=12, rate=1e-2, schedule="constant")
    assert train(few, options).hits["learned"].means["R@1, IoU@0.5"] > 0.7
    assert train(few, replace(options, epochs=1)).hits["learned"].means["R@1, IoU@0.5"] < 0.5


def replace_asked(material: Material) -> Material:
    """Tested on what is learned: nothing is chosen, and what is learned shows."""
    asked = replace(material.asked, validated=(), tested={"learned": material.asked.learned})
    return replace(material, asked=asked)


def test_the_same_seed_gives_the_same_model_and_another_seed_another(material: Material) -> None:
    one, again, other = (train(material, replace(SMALL, epochs=1, seed=seed, warp=True)) for seed in (0, 0, 1))
    assert same(one.tensors, again.tensors)
    assert not same(one.tensors, other.tensors)


def test_a_run_that_was_stopped_comes_to_the_same_end(material: Material, tmp_path: Path) -> None:
    whole = train(material, SMALL)
    state = tmp_path / "state"
    with pytest.raises(KeyboardInterrupt):
        train(stopping(material, after=1), SMALL, state=state)
    resumed = train(material, SMALL, state=state)
    assert resumed.courses[0].epochs == whole.courses[0].epochs
    assert same(resumed.tensors, whole.tensors)


def stopping(material: Material, after: int) -> Material:
    """Material of which the validation is interrupted once it has been called so often."""

    class Stopping(Material):
        calls = 0

        def hits(self, *arguments: Any) -> Any:
            Stopping.calls += 1
            if Stopping.calls > after:
                raise KeyboardInterrupt
            return super().hits(*arguments)

    return Stopping(material.asked, material.senses, material.rows, material.questions, material.encoders)


def test_of_several_seeds_the_best_is_kept(material: Material) -> None:
    trained = train(material, replace(SMALL, epochs=1, seeds=2))
    scores = {seed: course.best_scores["mIoU"] for seed, course in trained.courses.items()}
    assert scores[trained.seed] == max(scores.values())
    assert len(trained.trials) == 2


def test_the_card_has_scores_with_intervals(model: Path) -> None:
    card = open_locator(model).model.card
    by_measure = {score.measure: score for score in card.scores}
    assert by_measure["mIoU"].count == 6
    assert by_measure["R@5, IoU@0.1"].value is not None
    assert card.options["faces"] == "both"


def test_a_locator_finds_what_its_training_found(material: Material, model: Path, film: SeenFilm) -> None:
    locator = open_locator(model)
    asked = material.asked.tested["clips"]
    found = [locator.locate(material.asked.films[each.film], each.text, each.window) for each in asked]
    first = [spans[0].span.iou(each.span) for spans, each in zip(found, asked, strict=True)]
    expected = material.hits(locator.network, asked, 1)
    np.testing.assert_allclose(first, expected.values["mIoU"], atol=1e-5)


def test_candidates_lie_in_the_window_surest_first_and_do_not_repeat_each_other(model: Path, film: SeenFilm) -> None:
    found = open_locator(model).locate(film, "Anna paints.", Segment(4, 16))
    assert len(found) > 1
    assert [each.confidence for each in found] == sorted((each.confidence for each in found), reverse=True)
    assert all(4 <= each.span.start < each.span.end <= 16 for each in found)
    assert all(a.span.iou(b.span) <= 0.5 for a in found for b in found if a is not b)


def test_a_window_longer_than_those_of_training_is_looked_at_in_parts(model: Path, film: SeenFilm) -> None:
    found = open_locator(model).locate(film, "Anna paints.", Segment(0, 24))
    assert 0 < len(found) <= 10
    assert max(each.span.end for each in found) > 12


def test_a_film_shorter_than_the_window_is_its_own_window(model: Path) -> None:
    short, _ = toy_film(7, pieces=1)
    found = open_locator(model).locate(short, "Anna paints.", Segment(0, 200))
    assert found
    assert all(0 <= each.span.start < each.span.end <= PIECE for each in found)


def test_a_film_without_a_cast_or_a_query_without_names_works(model: Path, film: SeenFilm) -> None:
    assert open_locator(model).locate(film, "Somebody paints.", Segment(0, 12))
    nobody = replace(
        film, cast=replace(film.cast, roles=()), portraits=film.portraits[:0], has_portrait=np.zeros(0, bool)
    )
    assert open_locator(model).locate(nobody, "Anna paints.", Segment(0, 12))


@pytest.mark.parametrize("query", ["", "  ", "..."])
def test_an_empty_query_is_refused(model: Path, film: SeenFilm, query: str) -> None:
    with pytest.raises(UsageError, match="nothing in it to look for"):
        open_locator(model).locate(film, query, Segment(0, 12))


def test_of_a_query_that_is_too_long_is_said_how_much_is_read(model: Path, film: SeenFilm) -> None:
    locator = open_locator(model)
    with remarking() as remarks:
        assert locator.locate(film, "Anna paints. " * 400, Segment(0, 12))
    assert [remark for remark in remarks if f"longer than {locator.text_encoder.longest} tokens" in remark]


def test_a_window_outside_the_film_is_refused(model: Path, film: SeenFilm) -> None:
    with pytest.raises(UsageError, match="there is nothing of f50 from 500 to 520 s"):
        open_locator(model).locate(film, "Anna paints.", Segment(500, 520))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"frames": {"encoder": "other-2", "rate": 1.0}}, "frames by the encoder toy-1, and f50 has other-2"),
        ({"frames": {"encoder": "toy-1", "rate": 2.0}}, "frames in a second: 1.0, and f50 has 2.0"),
        ({"faces": {"finder": "other"}}, "faces by toy, and f50 has other"),
    ],
)
def test_films_seen_by_others_are_refused(model: Path, film: SeenFilm, change: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        open_locator(model).locate(replace(film, recipes={**film.recipes, **change}), "Anna.", Segment(0, 12))


def test_frames_of_another_width_are_refused(model: Path, film: SeenFilm) -> None:
    wide = replace(film, frames=replace(film.frames, vector=np.zeros((24, 9), dtype=np.float32)))
    with pytest.raises(InputError, match="numbers of a frame: 6, and f50 has 9"):
        open_locator(model).locate(wide, "Anna.", Segment(0, 12))


def test_a_damaged_folder_or_one_of_another_kind_is_one_line(model: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such model folder"):
        open_locator(tmp_path / "nowhere")
    write_model(tmp_path / "other", Card(kind="retriever", title="another"), {"a": np.zeros(1, dtype=np.float32)})
    with pytest.raises(InputError, match="is a model of the kind 'retriever', not 'locator'"):
        open_locator(tmp_path / "other")
    write_model(tmp_path / "older", Card(kind="locator", title="older"), {"a": np.zeros(1, dtype=np.float32)})
    with pytest.raises(InputError, match="is no locator of this version"):
        open_locator(tmp_path / "older")


def test_films_that_were_seen_differently_cannot_be_learned_from_together() -> None:
    asked = toy_films()
    film = asked.films["f0"]
    other = replace(film, recipes={**film.recipes, "frames": {"encoder": "other", "rate": 1.0}})
    with pytest.raises(UsageError, match="the films were seen differently: frames"):
        Material.of(replace(asked, films={**asked.films, "f0": other}))


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"model": "ia-net", "faces": "video"}, "does not go with"),
        ({"model": "rnl", "faces": "none"}, "does not go with"),
        ({"kernel": 4}, "must be odd"),
        ({"width": 10, "heads": 4}, "no multiple"),
        ({"window": 0.0}, "at least one second"),
    ],
)
def test_options_that_make_no_sense_are_refused(given: Any, problem: str) -> None:
    with pytest.raises(KataribeError, match=problem):
        LocatorOptions(**given)


def test_a_table_is_made_of_every_variant_and_taken_up_again(
    material: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = replace(SMALL, epochs=1)
    table = ablate(material, options, tmp_path / "table")
    assert set(table.runs) == set(VARIANTS)
    assert "rnl - ia-net" in (tmp_path / "table" / "table.md").read_text()
    monkeypatch.setattr("kataribe.grounding.locators.ablation.train", None)  # all is there already
    again = ablate(material, options, tmp_path / "table")
    for name in VARIANTS:
        assert again.runs[name][0]["clips"].means == pytest.approx(table.runs[name][0]["clips"].means)


def test_joint_search_looks_round_each_of_the_first_shots(model: Path, film: SeenFilm) -> None:
    locator = open_locator(model)
    shots = [FilmShot(film, Segment(16, 20)), FilmShot(film, Segment(0, 4))]
    one, two = (joint_search(locator, shots, "Anna paints.", k) for k in (1, 2))
    assert {moment.shot for moment in one} == {Segment(16, 20)}
    assert all(moment.span.start >= 12 for moment in one)
    assert [moment.confidence for moment in two] == sorted((moment.confidence for moment in two), reverse=True)
    assert two[0].confidence >= one[0].confidence


def test_joint_search_over_whole_films_is_scored_by_k(material: Material, model: Path) -> None:
    asked = material.asked.tested["clips"]
    spans = {each.text: each.span for each in asked}

    def oracle(film: SeenFilm, query: str) -> list[Segment]:
        return [spans[query], Segment(0, 4), Segment(20, 24)]

    found = joint_hits(open_locator(model), material.asked.films, asked, oracle)
    assert list(found) == [1, 2, 3]
    assert all(len(hits) == len(asked) for hits in found.values())


def test_moments_of_two_films_are_ranked_together_and_repeat_nobody() -> None:
    def moment(film: str, start: float, confidence: float) -> Moment:
        return Moment(film, Segment(start, start + 10), confidence, Segment(0, 20))

    first = [moment("a", 0, 0.9), moment("a", 50, 0.2)]
    second = [moment("a", 1, 0.8), moment("b", 1, 0.7)]
    assert reranked([first, second]) == [first[0], second[1], first[1]]
    assert reranked([first, second], top=1) == [first[0]]


def test_a_locator_says_what_it_was_trained_with(model: Path) -> None:
    locator = Locator(model)
    assert locator.signature.startswith("locator-")
    assert (locator.wiring.frames, locator.wiring.text) == ("toy-1", "minilm")
