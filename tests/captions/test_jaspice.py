"""JaSPICE: what holds for any captions, and what it says about some."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.captions.items import Captions
from kataribe.captions.jaspice import JaSpice
from kataribe.captions.result import SceneTuple, SceneTuples
from kataribe.core.errors import InputError
from kataribe.core.registry import parse
from tests.text.scene_graph.graphs import GRAPHS

CAPTION = st.sampled_from([*GRAPHS, ""])
REFERENCES = st.lists(CAPTION, min_size=1, max_size=3)
METRICS = [JaSpice(), JaSpice(synonyms="sudachi")]


@pytest.fixture(scope="module", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory):
    """Every caption is parsed here, once, whatever earlier runs have left behind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KATARIBE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def rows(metric: JaSpice, *items: tuple[str, list[str]]) -> np.ndarray:
    captions = Captions([str(i) for i in range(len(items))], [c for c, _ in items], [r for _, r in items])
    return metric.rows(captions)


def score(candidate: str, *references: str, metric: JaSpice = METRICS[0]) -> float:
    return float(rows(metric, (candidate, list(references)))[0, 1])


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_identical_captions_score_one(metric: JaSpice) -> None:
    values = rows(metric, *((caption, [caption]) for caption in GRAPHS))
    np.testing.assert_array_equal(values, np.ones_like(values))


@pytest.mark.parametrize(
    ("caption", "paraphrase", "unrelated"),
    [
        ("犬が公園を走っている", "公園を犬が走る", "女性がピアノを弾いている"),
        ("赤い車が道路に止まっている", "道路に赤い車が止まる", "子供が砂浜で遊んでいる"),
        ("ソファで寝ている猫", "猫がソファで寝ている", "男性がギターを弾いている"),
        ("帽子をかぶった男性が魚を釣っている", "男性が帽子をかぶって魚を釣る", "皿の上にケーキがある"),
    ],
)
def test_another_word_order_scores_above_another_scene(caption: str, paraphrase: str, unrelated: str) -> None:
    assert score(caption, paraphrase) == 1
    assert score(caption, unrelated) == 0


def test_precision_and_recall_are_counted_by_hand() -> None:
    """犬, 犬-走る against 犬, 公園, 犬-白い, 犬-走る-公園, and in the second reference 犬-走る."""
    [row] = rows(JaSpice(), ("犬が走る", ["白い犬が公園を走る", "犬が走っている"]))
    assert row.tolist() == [1, pytest.approx(4 / 7), 1, pytest.approx(2 / 5)]


@pytest.mark.parametrize("metric", METRICS, ids=str)
@given(one=CAPTION, other=CAPTION)
@settings(max_examples=50, deadline=None)
def test_swapping_candidate_and_reference_swaps_precision_and_recall(metric: JaSpice, one: str, other: str) -> None:
    there, back = rows(metric, (one, [other]), (other, [one]))
    assert there.tolist() == back[[0, 1, 3, 2]].tolist()


@given(candidate=CAPTION, references=REFERENCES, further=CAPTION)
@settings(max_examples=50, deadline=None)
def test_a_further_reference_never_lowers_precision(candidate: str, references: list[str], further: str) -> None:
    few, many = rows(JaSpice(), (candidate, references), (candidate, [*references, further]))
    assert many[2] >= few[2]


@given(candidate=CAPTION, references=REFERENCES)
@settings(max_examples=50, deadline=None)
def test_synonyms_only_add_and_values_are_fractions(candidate: str, references: list[str]) -> None:
    plain, with_synonyms = (rows(metric, (candidate, references))[0] for metric in METRICS)
    assert (with_synonyms >= plain).all()
    assert (plain >= 0).all()
    assert (with_synonyms <= 1).all()


@given(candidate=CAPTION, references=REFERENCES)
@settings(max_examples=30, deadline=None)
def test_a_reference_twice_counts_once(candidate: str, references: list[str]) -> None:
    once, twice = rows(JaSpice(), (candidate, references), (candidate, [*references, references[0]]))
    assert once.tolist() == twice.tolist()


@given(items=st.lists(st.tuples(CAPTION, REFERENCES), min_size=1, max_size=5))
@settings(max_examples=20, deadline=None)
def test_the_corpus_value_is_the_mean_of_the_items_in_any_shards(items: list[tuple[str, list[str]]]) -> None:
    metric = JaSpice()
    captions = Captions([str(i) for i in range(len(items))], [c for c, _ in items], [r for _, r in items])
    facts = metric.facts(captions)
    whole = metric.rows(captions)
    cut = len(items) // 2
    shards = np.concatenate([metric.stats(s, metric.prepare(s, facts)) for s in (captions[:cut], captions[cut:])])
    np.testing.assert_array_equal(shards, whole)
    assert metric.reduce(whole).value == pytest.approx(metric.per_item(whole).value.mean())


def test_synonyms_match_what_means_the_same(tmp_path: Path) -> None:
    pair = ("女の子がソファに座る", "少女が長椅子に座る")
    assert score(*pair) == 0
    assert score(*pair, metric=JaSpice(synonyms="sudachi")) == pytest.approx(1 / 3), "the girl alone"
    table = tmp_path / "sets.tsv"
    table.write_text("女の子\t少女\nソファ\t長椅子\n", encoding="utf-8")
    assert score(*pair, metric=JaSpice(synonyms=str(table))) == 1


def test_texts_without_tuples_score_zero_even_against_themselves() -> None:
    values = rows(JaSpice(), ("", [""]), ("。", ["。"]), ("", ["犬が走る"]), ("犬が走る", [""]))
    assert values[:, 1:].tolist() == [[0, 0, 0]] * 4


def test_what_a_reader_should_know_is_said() -> None:
    result = kataribe.evaluate("captions", {"1": "A dog runs", "2": "。"}, {"1": "犬", "2": "猫"}, ["jaspice"])
    said = [warning for warning in result.warnings if warning.id in ("no-japanese", "no-tuples")]
    assert [warning.partition(" distinct")[0] for warning in said] == [
        "jaspice: 2",
        "jaspice: 1",
    ]


def test_the_result_names_the_parser_and_shows_the_tuples() -> None:
    result = kataribe.evaluate("captions", {"1": "犬が走る"}, {"1": "白い犬が走る"}, ["jaspice"], details=True)
    scored = result["jaspice"]
    assert scored.metric == "jaspice(ginza)"
    assert scored.signature.startswith("jaspice|parser:ginza")
    assert "|synonyms:none|" in scored.signature
    assert scored.details == [
        SceneTuples(
            candidate_tuples=[
                SceneTuple(words=["犬"], matched=True),
                SceneTuple(words=["犬", "走る"], matched=True),
            ],
            reference_tuples=[
                SceneTuple(words=["犬"], matched=True),
                SceneTuple(words=["犬", "走る"], matched=True),
                SceneTuple(words=["犬", "白い"], matched=False),
            ],
        )
    ]


def test_it_prints_and_parses_as_the_same_text() -> None:
    assert str(parse("jaspice")) == "jaspice(ginza)"
    assert parse("jaspice(ginza, synonyms=sudachi)") == JaSpice(synonyms="sudachi")
    assert str(JaSpice(synonyms="sudachi")) == "jaspice(ginza, synonyms=sudachi)"


def test_a_caption_that_cannot_be_parsed_is_an_error_not_a_zero() -> None:
    with pytest.raises(InputError, match="cannot parse the caption"):
        score("犬" * 30_000, "犬が走る")


def test_soda_takes_it_for_its_sentences() -> None:
    references = {
        "v": {
            "duration": 20.0,
            "timestamps": [[0, 10], [10, 20]],
            "sentences": ["犬が公園を走る", "猫がソファで寝る"],
        }
    }
    same = {
        "v": [
            {"timestamp": [0, 10], "sentence": "公園を犬が走る"},
            {"timestamp": [10, 20], "sentence": "猫がソファで寝る"},
        ]
    }
    swapped = {
        "v": [entry | {"sentence": other["sentence"]} for entry, other in zip(same["v"], same["v"][::-1], strict=True)]
    }
    metric = "soda(c, paper, text=jaspice)"
    perfect, wrong = (kataribe.evaluate("stories", story, [references], [metric])[metric] for story in (same, swapped))
    assert perfect.value == pytest.approx(1)
    assert wrong.value == 0
    assert "|text:jaspice|text.parser:ginza" in perfect.signature
