"""Captions become the graphs that the rules and the meaning of the sentence ask for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.core.errors import InputError, UsageError
from kataribe.text.scene_graph import categories, ginza
from kataribe.text.scene_graph.ginza import open_parser
from kataribe.text.scene_graph.graph import NOBODY, SceneGraph, tuple_text
from tests.text.scene_graph.graphs import GRAPHS, KNOWN_PARSER_ERRORS

FRAGMENTS = sorted({part for caption in GRAPHS for part in caption.replace("、", "、 ").split()})


def parse(text: str) -> SceneGraph:
    [graph] = open_parser().graphs([text])
    return graph


def spelled(text: str) -> set[str]:
    return {tuple_text(entry) for entry in parse(text)}


@pytest.fixture(scope="module")
def graphs() -> dict[str, SceneGraph]:
    """All captions parsed as one batch."""
    return dict(zip(GRAPHS, open_parser().graphs(list(GRAPHS)), strict=True))


@pytest.mark.parametrize("caption", GRAPHS)
def test_caption_has_the_graph_of_its_meaning(caption: str, graphs: dict[str, SceneGraph]) -> None:
    assert {tuple_text(entry) for entry in graphs[caption]} == set(GRAPHS[caption].split())


def test_a_caption_alone_has_the_graph_that_it_has_in_a_batch(graphs: dict[str, SceneGraph]) -> None:
    for caption in list(GRAPHS)[::10]:
        assert parse(caption) == graphs[caption]


@pytest.mark.parametrize("caption", KNOWN_PARSER_ERRORS)
@pytest.mark.xfail(strict=True, reason="GiNZA attaches a phrase to the wrong predicate")
def test_caption_that_the_parser_misreads(caption: str) -> None:
    assert spelled(caption) == set(KNOWN_PARSER_ERRORS[caption].split())


PAGE = Path(__file__).parents[3] / "docs" / "metrics" / "jaspice.md"
TABLE = PAGE.read_text(encoding="utf-8").partition("## The rules")[2].partition("\n## ")[0]
EXAMPLES = [line.split(" | ")[-2:] for line in TABLE.splitlines() if line.startswith("| ") and "`" in line]


@pytest.mark.parametrize(("captions", "tuples"), EXAMPLES, ids=[captions for captions, _ in EXAMPLES])
def test_the_page_about_the_rules_is_true(captions: str, tuples: str) -> None:
    promised = set(re.findall("`(.+?)`", tuples))
    given = set().union(*(spelled(caption) for caption in captions.split("、")))
    assert {entry for entry in given if "-" in entry} == promised


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ソファに犬がいる", "ソファーにいぬがいる"),
        ("二人の男性が歩く", "２人の男性が歩く"),
        ("大きな船が港に入る", "大きい船が港に入る"),
        ("犬 が 公園 を 走る", "犬が公園を走る"),
        ("犬が公園を走る。", "公園を犬が走っている"),
        ("老人が散歩をしている", "老人が散歩している"),
        ("犬が走り始めた", "犬が走っていました"),
        ("女の子と男の子が歌う", "男の子と女の子が歌う"),
    ],
)
def test_another_spelling_or_order_is_the_same_graph(one: str, other: str) -> None:
    assert set(parse(one)) == set(parse(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("女性が犬を引っ張る", "女性が犬に引っ張られる"),
        ("男性が傘をさしている", "男性が傘をさしていない"),
        ("犬が猫を追う", "猫が犬を追う"),
        ("犬は猫より大きい", "猫は犬より大きい"),
        ("棚の上の本", "棚の下の本"),
    ],
)
def test_another_meaning_is_another_graph(one: str, other: str) -> None:
    assert set(parse(one)) != set(parse(other))


@pytest.mark.parametrize("text", ["", "  ", "。", "!?", "😀"])
def test_what_names_nothing_has_no_tuples(text: str) -> None:
    assert list(parse(text)) == []


def test_nobody_is_never_an_object(graphs: dict[str, SceneGraph]) -> None:
    assert not any(NOBODY in graph.objects for graph in graphs.values())


@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=4).map("".join))
@settings(max_examples=40, deadline=None)
def test_any_text_has_a_graph_whose_tuples_are_about_its_objects(text: str) -> None:
    graph = parse(text)
    known = {*graph.objects, NOBODY}
    attributes = {attribute for _, attribute in graph.attributes}
    assert {owner for owner, _ in graph.attributes} <= known | attributes
    assert {word for s, _, o in graph.relations for word in (s, o)} <= known | attributes
    assert len(set(graph)) == len(list(graph))


def test_a_text_that_cannot_be_parsed_is_an_error_that_shows_it() -> None:
    with pytest.raises(InputError, match=r"cannot parse the caption '犬犬犬.*of 30,000 characters"):
        open_parser().graphs(["猫が寝る", "犬" * 30_000])


def test_an_absent_model_is_named_with_the_way_out() -> None:
    with pytest.raises(UsageError, match=r"'ja_nowhere' cannot be loaded .* pip install 'kataribe\[ja\]'"):
        open_parser("ja_nowhere")


def test_a_model_of_another_language_is_refused(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "english")
    with pytest.raises(UsageError, match="is not one of Japanese"):
        open_parser(str(tmp_path / "english"))


def test_an_absent_package_is_named_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("kataribe.core.need.import_module", absent)
    with pytest.raises(UsageError, match=r"needs the package spacy - pip install 'kataribe\[ja\]'"):
        ginza.open_parser.__wrapped__("ja_ginza")
    with pytest.raises(UsageError, match="needs the package fugashi"):
        categories._tagger.__wrapped__()


def test_the_signature_names_every_version_that_can_move_an_edge() -> None:
    assert set(open_parser().signature) == {"parser", "model", "spacy", "dictionary", "categories"}
    assert all(any(character.isdigit() for character in value) for value in open_parser().signature.values())
