"""RoleF1: the published scorer's number, the clean one, and what trivial narrators score."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import kataribe
from kataribe.core import registry
from kataribe.core.errors import InputError, UsageError
from kataribe.core.types import Cast, Role
from kataribe.films.casts import read_casts
from kataribe.narration.files import read_narrations
from kataribe.narration.result import NamedRoles
from kataribe.narration.role_f1 import BANNED, RoleF1
from kataribe.stats.bootstrap import resample_weights

from .corpora import CAST, corpora, in_two_films, narrations, rows_by_film, score

SAMPLES = Path(__file__).parents[2] / "src" / "kataribe" / "samples"
CLEAN = registry.parse("role_f1", protocol="paper")
OFFICIAL = registry.parse("role_f1")
METRICS = [OFFICIAL, CLEAN, registry.parse("role_f1(micro)", protocol="paper"), registry.parse("role_f1(micro)")]


def published(predicted: str, reference: str, names: set[str]) -> float:
    """One clip as the published scorer reads it, written from its description."""
    told = {name for name in names if name in predicted} - BANNED
    written = {name for name in names if name in reference} - BANNED
    if not told or not written:
        return 0.0
    precision, recall = len(told & written) / len(told), len(told & written) / len(written)
    return 2 * precision * recall / (precision + recall) if told & written else 0.0


@given(corpora)
def test_official_is_the_mean_of_the_published_scorers_clips(lines) -> None:
    names = {role.name for role in CAST.roles}
    expected = np.mean([published(told, written, names) for told, written in lines])
    assert score(OFFICIAL, narrations(lines)).value == pytest.approx(expected)


@pytest.mark.parametrize("metric", METRICS, ids=str)
@given(corpora)
def test_swapping_the_sides_swaps_precision_and_recall(metric, lines) -> None:
    there = score(metric, narrations(lines))
    back = score(metric, narrations([(written, told) for told, written in lines]))
    assert there.value == pytest.approx(back.value, nan_ok=True)
    assert there.parts["precision"] == pytest.approx(back.parts["recall"], nan_ok=True)
    assert there.parts["recall"] == pytest.approx(back.parts["precision"], nan_ok=True)


@given(corpora)
def test_a_text_agrees_with_itself(lines) -> None:
    items = narrations([(told, told) for told, _ in lines])
    found = score(CLEAN, items)
    assert np.isnan(found.value) or found.value == pytest.approx(1.0)
    assert CLEAN.per_item(CLEAN.rows(items)).value == pytest.approx(1.0)
    # The reference's own score is the ceiling, and officially that is the share of clips with a role.
    ceiling = score(OFFICIAL, items)
    assert ceiling.value == pytest.approx(ceiling.parts["reference itself"])


@pytest.mark.parametrize("metric", METRICS, ids=str)
@given(corpora)
def test_everything_lies_between_0_and_1(metric, lines) -> None:
    found = score(metric, narrations(lines))
    for value in (found.value, *found.parts.values()):
        assert np.isnan(value) or 0 <= value <= 1 + 1e-12


@pytest.mark.parametrize("metric", METRICS, ids=str)
@given(corpora)
def test_a_baseline_scores_what_its_submission_would(metric, lines) -> None:
    found = score(metric, narrations(lines))
    always = {"first-billed always": CAST.first_billed, "whole cast always": ", ".join(CAST.names)}
    for baseline, said in always.items():
        submitted = score(metric, narrations([(said, written) for _, written in lines]))
        assert found.parts[baseline] == pytest.approx(submitted.value, nan_ok=True)


def test_a_random_member_is_the_mean_over_the_cast() -> None:
    lines = [("", "Maria waits."), ("", "Odysseus and Maria")]
    each = [score(CLEAN, narrations([(name, written) for _, written in lines])).value for name in CAST.names]
    assert score(CLEAN, narrations(lines)).parts["random member"] == pytest.approx(np.mean(each))


def test_the_most_frequent_role_is_the_films_own() -> None:
    casts = Cast("f", (Role("Maria"), Role("Anna"))), Cast("g", (Role("Maria"), Role("Tomas")))
    lines = [("", "Anna"), ("", "Anna and Maria"), ("", "Tomas"), ("", "Tomas")]
    found = score(CLEAN, narrations(lines, casts, ["f", "f", "g", "g"]))
    assert found.parts["most frequent always"] == pytest.approx((1 + 2 / 3 + 1 + 1) / 4)
    assert found.parts["first-billed always"] == pytest.approx((0 + 2 / 3 + 0 + 0) / 4)


def test_clips_without_roles() -> None:
    """Officially they score 0 whatever is said; cleanly they are left out unless somebody is invented."""
    silent = [("waits", "waits"), ("Maria", "Maria")]
    assert score(OFFICIAL, narrations(silent)).value == 0.5
    assert score(CLEAN, narrations(silent)).value == 1.0
    invented = [("Odysseus", "waits"), ("Maria", "Maria")]
    assert score(OFFICIAL, narrations(invented)).value == 0.5
    assert score(CLEAN, narrations(invented)).value == 0.5


def test_nobody_named_anywhere_is_no_clean_score() -> None:
    assert np.isnan(score(CLEAN, narrations([("waits", "waits")])).value)


def test_names_of_other_films_count_as_invented_only_officially() -> None:
    casts = Cast("f", (Role("Maria"),)), Cast("g", (Role("Tomas"),))
    items = narrations([("Maria, Tomas", "Maria")], casts)
    assert score(OFFICIAL, items).value == pytest.approx(2 / 3)
    assert score(CLEAN, items).value == 1.0


def test_banned_names_count_only_cleanly() -> None:
    items = narrations([("时分", "时分")], (Cast("f", (Role("时分"),)),))
    assert score(OFFICIAL, items).value == 0.0
    assert score(CLEAN, items).value == 1.0
    assert score(RoleF1(ban="none"), items).value == 1.0


def test_shards_and_bootstrap_reduce_to_the_same_formula() -> None:
    items = in_two_films([("Maria", "Maria"), ("Mar", "Maria"), ("waits", "waits"), ("Ulysses", "Odysseus")] * 3)
    whole = CLEAN.rows(items)
    assert np.array_equal(rows_by_film(CLEAN, items), whole)
    weights = next(resample_weights(len(items), 4, np.random.default_rng(0)))
    repeated = [CLEAN.reduce(np.repeat(whole, row.astype(int), axis=0)).value for row in weights]
    assert CLEAN.replicates(whole, weights) == pytest.approx(repeated)


def test_details_name_the_roles_and_where_they_are_named() -> None:
    items = narrations([("Maria and Mar", "Maria and Ulysses")])
    assert CLEAN.details(items, CLEAN.prepare(items, CLEAN.facts(items))) == [
        NamedRoles(
            found=["Maria"],
            lost=["Odysseus"],
            invented=["Mar"],
            said=((0, 5, True), (10, 13, False)),
            written=((0, 5, True), (10, 17, False)),
        )
    ]


def test_the_signature_names_every_choice_and_the_casts() -> None:
    items = narrations([("Maria", "Maria")])
    fields = CLEAN.signature(CLEAN.facts(items))
    assert {
        "avg": "macro",
        "match": "longest",
        "ban": "none",
        "empty": "drop",
        "aliases": "yes",
    }.items() <= fields.items()
    other = narrations([("Maria", "Maria")], (Cast("f", (Role("Maria"),)),))
    assert CLEAN.signature(CLEAN.facts(other))["cast"] != fields["cast"]


def test_without_casts_or_films_there_is_one_clear_line() -> None:
    with pytest.raises(UsageError, match="needs the films' casts - give them with cast"):
        kataribe.evaluate("narration", {"1": "x"}, {"1": "x"}, metrics=["role_f1"])
    with pytest.raises(InputError, match="1 reference does not say which film is told: '1'"):
        kataribe.evaluate("narration", {"1": "x"}, {"1": "x"}, metrics=["role_f1"], cast={"f": ["Maria"]})
    written = {"1": {"film": "g", "text": "x"}}
    with pytest.raises(InputError, match="no cast for 1 film: 'g'"):
        kataribe.evaluate("narration", {"1": "x"}, written, metrics=["role_f1"], cast={"f": ["Maria"]})


@pytest.mark.data
@pytest.mark.parametrize(
    ("part", "expected"),
    [("N", (0.7500, 0.4036, 0.3020, 0.1566, 0.4157)), ("G", (0.6738, 0.3594, 0.2498, 0.1356, 0.3721))],
)
def test_movie101s_ceiling_and_baselines(data_folder, part: str, expected: tuple[float, ...]) -> None:
    """The validation split; on the test split, which is not public, the reference scores .66 and first-billed .364."""
    folder = data_folder / "movie101"
    lines = folder / part / "val.json"
    found = kataribe.evaluate("narration", lines, lines, metrics=["role_f1"], cast=folder / "cast.json")["role_f1"]
    names = ("reference itself", "first-billed always", "whole cast always", "random member", "most frequent always")
    assert [found.parts[name] for name in names] == pytest.approx(list(expected), abs=5e-5)
    assert found.value == found.parts["reference itself"]


SOME_CAST = {"f": ["Maria", "Odysseus"], "h": ["Anna"]}
OF_TWO_FILMS = {
    "1": {"film": "f", "text": "Maria waits."},
    "2": {"film": "f", "text": "Snow falls."},
    "3": {"film": "g", "text": "Maria leaves, and Anna stays."},
}


def of_two_films(metric: str = "role_f1", told=OF_TWO_FILMS, **options):
    return kataribe.evaluate("narration", told, OF_TWO_FILMS, metrics=[metric], cast=SOME_CAST, **options)


def test_a_film_without_a_cast_has_no_roles_as_in_the_published_scorer() -> None:
    result = of_two_films()
    found = result["role_f1"]
    assert [found.items[id].value for id in "123"] == [1.0, 0.0, 0.0], "other films' names are not found in it either"
    assert found.value == pytest.approx(1 / 3)
    assert "|uncast:empty(1)|" in found.signature
    caution = next(warning for warning in result.warnings if warning.id == "no-cast")
    assert caution == "1 clip of 1 film without a cast, scored 0 in role_f1, as clips without roles are: 'g'"


def test_a_film_without_a_cast_may_be_left_out_or_refused() -> None:
    result = of_two_films(protocol="paper", details=True)
    found = result["role_f1"]
    assert found.value == 1.0
    assert (found.items["2"].value, np.isnan(found.items["3"].value)) == (1.0, True)
    assert found.details[2] == NamedRoles(found=[], lost=[], invented=[])
    assert "|uncast:drop(1)|" in found.signature
    assert "1 clip of 1 film without a cast, left out of role_f1: 'g'" in result.warnings
    assert of_two_films("role_f1(uncast=drop)")["role_f1(uncast=drop)"].value == pytest.approx(1 / 2)
    with pytest.raises(InputError, match="role_f1: no cast for 1 film: 'g' - add their casts"):
        of_two_films("role_f1(uncast=error)")


def test_complete_casts_are_not_counted() -> None:
    fields = OFFICIAL.signature(OFFICIAL.facts(narrations([("Maria", "Maria")])))
    assert fields["uncast"] == "empty"


def test_casts_are_the_same_in_whatever_order_films_come() -> None:
    signatures = [
        kataribe.evaluate("narration", OF_TWO_FILMS, OF_TWO_FILMS, metrics=["role_f1"], cast=cast)["role_f1"].signature
        for cast in (SOME_CAST, dict(reversed(SOME_CAST.items())), SOME_CAST | {"f": ["Odysseus", "Maria"]})
    ]
    assert signatures[0] == signatures[1]
    assert signatures[1] != signatures[2], "who is billed first matters"


@pytest.mark.parametrize("change", [str.lower, str.upper])
def test_names_in_other_capitals_are_not_found_and_said(change) -> None:
    lines = ["Maria waits for Ulysses.", "Snow falls.", "Odysseus opens the door."]
    changed = narrations([(change(line), line) for line in lines])
    assert score(OFFICIAL, changed).value == 0.0
    (caution,) = OFFICIAL.warnings(OFFICIAL.facts(changed))
    assert caution.id == "other-capitals"
    assert caution.startswith(
        "2 of 2 predictions that name a role, where their reference does, write it in other capitals"
    )
    assert not OFFICIAL.warnings(OFFICIAL.facts(narrations([(line, line) for line in lines])))


def test_some_lines_in_other_capitals_are_said() -> None:
    line = "Maria waits for Ulysses."

    def ids(lowered: int, of: int) -> list[str]:
        lines = [(line.lower() if row < lowered else line, line) for row in range(of)]
        items = narrations([*lines, ("Snow falls.", "Snow falls.")])
        return [caution.id for caution in OFFICIAL.warnings(OFFICIAL.facts(items))]

    assert ids(3, of=6) == ids(2, of=10) == ["other-capitals"]
    assert ids(1, of=10) == ids(0, of=10) == []


@pytest.mark.parametrize("kept", [0, 1])
def test_every_other_line_in_other_capitals_is_said(kept: int) -> None:
    """Also where the names that are lost are mostly wrong ones."""
    told, written = (json.loads((SAMPLES / f"narration_{name}.json").read_text("utf-8")) for name in ("pred", "refs"))
    half = [line | {"text": line["text"].lower()} if row % 2 != kept else line for row, line in enumerate(told)]
    for lines, expected in ((half, ["other-capitals"]), (told, [])):
        result = kataribe.evaluate("narration", lines, written, ["role_f1"], cast=SAMPLES / "narration_cast.json")
        assert [warning.id for warning in result.warnings] == expected


def test_a_word_that_is_also_a_name_raises_no_alarm() -> None:
    cast = (Cast("f", (Role("Will"), Role("Maria"))),)
    lines = [("Will waits.", "Will waits."), ("Maria will leave.", "Maria and Will leave.")]
    assert not OFFICIAL.warnings(OFFICIAL.facts(narrations(lines, cast)))
    nameless = [("She will leave.", "Maria leaves."), ("A man waits.", "Will waits.")]
    assert not OFFICIAL.warnings(OFFICIAL.facts(narrations(nameless, cast)))


@pytest.mark.data
def test_movie101_with_one_film_missing_from_the_casts(data_folder) -> None:
    """As the published scorer does on its test split, whose cast file lacks a film."""
    folder = data_folder / "movie101"
    casts = read_casts(folder / "cast.json")
    lines = read_narrations(folder / "N" / "val.json")
    lost = next(iter(lines.values())).film
    known = {film: cast for film, cast in casts.items() if film != lost}
    names = {role.name for cast in known.values() for role in cast.roles}
    # A copy in which every third line is the one before it.
    texts = [line.text for line in lines.values()]
    told = {id: texts[row - 1] if row % 3 == 0 else texts[row] for row, id in enumerate(lines)}
    expected = [0.0 if line.film == lost else published(told[id], line.text, names) for id, line in lines.items()]
    result = kataribe.evaluate("narration", told, lines.values(), metrics=["role_f1"], cast=known)
    np.testing.assert_allclose(result["role_f1"].item_values, expected)
    assert result["role_f1"].value == pytest.approx(np.mean(expected))
    assert [warning.id for warning in result.warnings] == ["no-cast"]
    whole = kataribe.evaluate("narration", told, lines.values(), cast=casts, tok="char", protocol="paper")
    assert not whole.warnings, "no false alarm"
