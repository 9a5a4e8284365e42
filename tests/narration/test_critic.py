"""CRITIC: identities by name and pronoun, and somebody else's function kept at arm's length."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.core import registry
from kataribe.core.errors import UsageError
from kataribe.core.types import Cast, Role
from kataribe.narration.critic import identities, load_coreference, role_names

from . import coreference
from .corpora import narrations, score

CAST = Cast("f", (Role("Anna"), Role("Tom"), Role("Odysseus", ("Ulysses",))))
MODULE = "tests.narration.coreference"


def critic(function: str = "names_and_pronouns", **options: str):
    written = "".join(f", {key}={value}" for key, value in options.items())
    return registry.parse(f"critic({MODULE}:{function}{written})")


def scored(lines: list[tuple[str, str]], **options: str) -> list[float]:
    metric = critic(**options)
    return metric.per_item(metric.rows(narrations(lines, (CAST,)))).value.tolist()


def test_a_pronoun_stands_for_whom_it_refers_to() -> None:
    found = scored([("Anna waits.", "Anna waits."), ("She runs.", "Anna runs."), ("Tom runs.", "She runs.")])
    assert found == [1.0, 1.0, 0.0]


def test_lines_whose_reference_names_nobody_are_left_out() -> None:
    lines = [("Anna waits.", "It rains."), ("It rains.", "Tom waits."), ("Anna and Tom", "Tom sleeps.")]
    assert np.isnan(scored(lines)).tolist() == [True, False, False]
    found = score(critic(), narrations(lines, (CAST,)))
    assert found.value == pytest.approx((0 + 1 / 2) / 2)
    assert found.parts == {"precision": 1 / 2, "recall": 1 / 2}


def test_an_alias_names_its_role_only_on_request() -> None:
    lines = [("Odysseus sails.", "Ulysses sails.")]
    assert np.isnan(scored(lines)).all()
    assert scored(lines, aliases="true") == [1.0]


def test_a_cluster_with_two_names_is_nobody() -> None:
    names = role_names(CAST, aliases=False)
    assert identities(["Anna waits. Tom runs."], names, CAST, coreference.one_for_all, "x") == [frozenset()]


def test_the_cast_is_introduced_and_its_sentence_is_no_line() -> None:
    texts: list[str] = []

    def find(text: str):
        texts.append(text)
        return [[(0, 4)], [(6, 9), (len(text) - 8, len(text) - 5)]]

    assert identities(["It rains.", "Tom runs."], role_names(CAST, False), CAST, find, "x") == [frozenset(), {"Tom"}]
    assert texts == ["Anna, Tom and Odysseus. It rains. Tom runs."]


def test_a_mention_across_two_lines_is_of_neither() -> None:
    text = "Anna, Tom and Odysseus. Anna runs. Away"
    start = text.index("runs")
    found = identities(
        ["Anna runs.", "Away"], role_names(CAST, False), CAST, lambda _: [[(0, 4), (start, len(text))]], "x"
    )
    assert found == [frozenset(), frozenset()]


def test_chinese_lines_are_joined_without_spaces() -> None:
    cast = Cast("f", (Role("李白"), Role("李白龙")))
    texts: list[str] = []

    def find(text: str):
        texts.append(text)
        return coreference.names_and_pronouns(text)

    found = identities(["李白龙笑了。", "他走了。"], role_names(cast, False), cast, find, "x")
    assert texts == ["李白和李白龙。李白龙笑了。他走了。"]
    assert found == [{"李白龙"}, {"李白龙"}]


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["Anna", "Tom runs.", "he waits", "", "It rains.", "Odysseus"]), min_size=1, max_size=6)
)
def test_a_narration_agrees_with_itself(lines: list[str]) -> None:
    values = scored([(line, line) for line in lines])
    assert all(value == 1.0 or np.isnan(value) for value in values)


def test_the_signature_names_the_function_and_its_source() -> None:
    items = narrations([("Anna waits.", "Anna waits.")], (CAST,))
    plain, versioned = (critic(name) for name in ("names_and_pronouns", "versioned"))
    assert versioned.signature(versioned.facts(items))["coref"] == f"{MODULE}:versioned-model2.1"
    named, _, digits = plain.signature(plain.facts(items))["coref"].rpartition("-")
    assert (named, len(digits)) == (f"{MODULE}:names_and_pronouns", 8)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "critic needs a coreference function - critic(module:function) names"),
        ("no_such_module_here:f", "there is no module no_such_module_here - is its folder in PYTHONPATH?"),
        (f"{MODULE}:absent", f"the module {MODULE} has no function absent"),
        (f"{MODULE}:NOT_A_FUNCTION", f"{MODULE}:NOT_A_FUNCTION is not a function"),
    ],
)
def test_a_function_that_is_not_there_is_one_line(name: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        load_coreference(name)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("failing", "film 'f': the coreference function failed (RuntimeError: out of memory)"),
        ("shapeless", "the coreference function failed (ValueError"),
        ("outside", "film 'f': a mention is at (35, 38), in a text of 35 characters"),
    ],
)
def test_a_function_that_breaks_is_one_line(function: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        score(critic(function), narrations([("Anna waits.", "Anna waits.")], (CAST,)))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["os", "os:system;x", "os:", ":f", "a b:c", "../x:f"])
def test_what_names_no_function_is_refused_when_it_is_written(name: str) -> None:
    with pytest.raises(UsageError):
        registry.parse(f'critic("{name}")')


def test_reading_the_name_of_a_metric_imports_nothing() -> None:
    """A result file of somebody else's names functions too."""
    code = (
        "import sys\n"
        "from kataribe.core import registry\n"
        "print(registry.find('critic(antigravity:geohash)'), 'antigravity' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["critic(antigravity:geohash)", "False"]


def test_films_without_a_cast_are_left_out_and_said() -> None:
    items = narrations([("Anna waits.", "Anna waits."), ("Tom", "Tom")], (CAST,), ["f", "g"])
    metric = critic()
    assert metric.warnings(metric.facts(items))[0] == "1 clip of 1 film without a cast, left out of critic: 'g'"
    assert np.isnan(metric.per_item(metric.rows(items)).value).tolist() == [False, True]
