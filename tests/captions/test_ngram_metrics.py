"""BLEU, ROUGE-L and CIDEr: what holds for any captions. Equality with the original tool is in tests/differential."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kataribe
from kataribe.captions.bleu import Bleu
from kataribe.captions.cider import Cider, count_idf
from kataribe.captions.idf import read_idf, write_idf
from kataribe.captions.items import Captions
from kataribe.captions.rouge import RougeL
from kataribe.core.errors import InputError, UsageError
from kataribe.core.metric import Metric

CAPTION = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), max_size=8).map(" ".join)
ITEMS = st.lists(st.tuples(CAPTION, st.lists(CAPTION, min_size=1, max_size=3)), min_size=1, max_size=6)
METRICS = [
    Bleu(tok="none"),
    RougeL(tok="none"),
    RougeL(tok="none", refs="best"),
    Cider(tok="none"),
    Cider("plain", tok="none"),
]


def captions(items: list[tuple[str, list[str]]]) -> Captions:
    return Captions([str(i) for i in range(len(items))], [c for c, _ in items], [r for _, r in items])


def statistics(metric: Metric, items: Captions) -> np.ndarray:
    return metric.rows(items)


@pytest.mark.parametrize("metric", METRICS, ids=str)
@given(items=ITEMS)
def test_statistics_add_up_across_shards(metric: Metric, items: list[tuple[str, list[str]]]) -> None:
    whole = captions(items)
    facts, rows = metric.facts(whole), metric.rows(whole)
    cut = len(items) // 2
    shards = [metric.stats(shard, metric.prepare(shard, facts)) for shard in (whole[:cut], whole[cut:])]
    if metric.name == "cider":  # the order in which weights are added up follows the numbering of n-grams
        np.testing.assert_allclose(np.concatenate(shards), rows, rtol=1e-12)
    else:
        np.testing.assert_array_equal(np.concatenate(shards), rows)
    summed = metric.measure(shards[0].sum(axis=0) + shards[1].sum(axis=0)).value
    assert summed == pytest.approx(metric.reduce(rows).value)


@pytest.mark.parametrize("metric", METRICS, ids=str)
@given(items=ITEMS, seed=st.integers(0, 99))
def test_the_order_of_items_does_not_matter(metric: Metric, items: list[tuple[str, list[str]]], seed: int) -> None:
    shuffled = [items[i] for i in np.random.default_rng(seed).permutation(len(items))]
    one, other = (metric.reduce(statistics(metric, captions(order))).value for order in (items, shuffled))
    assert one == pytest.approx(other, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS[:3], ids=str)
@given(items=ITEMS)
def test_values_are_fractions(metric: Metric, items: list[tuple[str, list[str]]]) -> None:
    values = metric.per_item(statistics(metric, captions(items))).value
    assert ((values >= 0) & (values <= 1 + 1e-9)).all()


@given(ITEMS)
def test_cider_stays_between_zero_and_ten(items: list[tuple[str, list[str]]]) -> None:
    for variant in ("d", "plain"):
        values = statistics(Cider(variant, tok="none"), captions(items))[:, 1]
        assert ((values >= 0) & (values <= 10 + 1e-9)).all()


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_a_perfect_caption_scores_highest(metric: Metric) -> None:
    items = captions([("a b c d e", ["a b c d e"]), ("f e d c b", ["f e d c b"]), ("a c e", ["b d f"])])
    values = metric.per_item(statistics(metric, items)).value
    assert values[0] == pytest.approx(10.0 if isinstance(metric, Cider) else 1.0)
    assert values[2] == pytest.approx(0.0, abs=1e-3)


def test_bleu_clips_repeated_words() -> None:
    """The classic example: seven times "the" matches the reference's two."""
    rows = statistics(Bleu(1, tok="none"), captions([("the the the the the the the", ["the cat is on the mat"])]))
    assert dict(zip(Bleu.columns, rows[0].tolist(), strict=True))["correct_1"] == 2
    assert Bleu(1, smooth="none").measure(rows[0].astype(float)).value == pytest.approx(2 / 7)


def test_bleu_takes_the_shorter_of_two_equally_close_lengths() -> None:
    rows = statistics(Bleu(tok="none"), captions([("a b c", ["a b", "a b c d"])]))
    assert rows[0, 1] == 2


def test_rouge_takes_precision_and_recall_from_different_references_only_officially() -> None:
    items = captions([("a b c", ["a b c x y z", "c"])])
    separate, best = (statistics(RougeL(refs=refs, tok="none"), items)[0] for refs in ("separate", "best"))
    assert (separate[2], separate[3]) == (1.0, 1.0)
    assert (best[2], best[3]) == (1.0, 0.5)


def test_one_item_alone_has_no_cider() -> None:
    assert (
        kataribe.evaluate("captions", {"1": "a b"}, {"1": "a b"}, metrics=["cider(tok=none)"])["cider(tok=none)"].value
        == 0
    )


def test_a_saved_idf_table_makes_a_part_comparable_with_the_whole(tmp_path: Path) -> None:
    words = ["one", "two", "three", "four", "five", "one"]
    references = {str(place): [f"a {word} b", f"the {word} c d"] for place, word in enumerate(words)}
    predictions = {id: texts[1].replace("c", "b") for id, texts in references.items()}
    path = tmp_path / "idf.json.gz"
    write_idf(count_idf(references, "none"), path)
    assert read_idf(path) == count_idf(references, "none")
    whole = kataribe.evaluate("captions", predictions, references, ["cider(tok=none)"])["cider(tok=none)"]
    saved = f"cider(idf={path}, tok=none)"
    part = kataribe.evaluate("captions", {"3": predictions["3"]}, {"3": references["3"]}, [saved])[saved]
    assert part.value == pytest.approx(whole.items["3"].value, abs=1e-12)
    assert part.value > 0
    assert "|idf:6-" in part.signature


def test_an_idf_table_of_another_tokenizer_is_refused(tmp_path: Path) -> None:
    write_idf(count_idf({"1": ["a b"]}, "none"), tmp_path / "idf.json")
    with pytest.raises(UsageError, match="was counted with tok:none, not tok:char"):
        kataribe.evaluate("captions", {"1": "a"}, {"1": "a"}, [f"cider(idf={tmp_path / 'idf.json'}, tok=char)"])


def test_a_file_that_is_no_idf_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"a": 1}')
    with pytest.raises(InputError, match=r"x\.json: is not an idf table"):
        read_idf(tmp_path / "x.json")
