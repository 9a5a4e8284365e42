"""BERTScore equals bert_score's on the same model, and holds its own laws."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import numpy as np
import pytest

import kataribe
from kataribe.captions.bertscore import BertScore
from kataribe.captions.items import Captions
from kataribe.core.errors import ResourceError, UsageError
from tests.encoders.tiny import SENTENCES

pytestmark = pytest.mark.usefixtures("own_cache")


def corpus(items: int = 40, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """Captions with repeats, odd white space, and one to four references each."""
    rng = random.Random(seed)
    candidates = [f" {rng.choice(SENTENCES)}" for _ in range(items)]
    return candidates, [rng.sample(SENTENCES, rng.randint(1, 4)) for _ in range(items)]


def score(candidates: list[str], references: list[list[str]], metric: str):
    ids = [str(place) for place in range(len(candidates))]
    return kataribe.evaluate(
        "captions", dict(zip(ids, candidates, strict=True)), dict(zip(ids, references, strict=True)), [metric]
    )[metric]


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("layer", [0, 1, 3])
def test_equals_bert_score(bert: str, layer: int, idf: bool) -> None:
    original = pytest.importorskip("bert_score")
    candidates, references = corpus()
    pooled = [text for texts in references for text in texts]
    scorer = original.BERTScorer(
        model_type=bert, num_layers=layer, idf=idf, idf_sents=pooled if idf else None, device="cpu", nthreads=0
    )
    precision, recall, f = (values.numpy() for values in scorer.score(candidates, references))
    ours = score(candidates, references, f"bertscore({bert}, layer={layer}, idf={str(idf).lower()})")
    np.testing.assert_allclose(ours.item_values, f, atol=1e-6)
    np.testing.assert_allclose(ours.item_parts["precision"], precision, atol=1e-6)
    np.testing.assert_allclose(ours.item_parts["recall"], recall, atol=1e-6)
    assert ours.value == pytest.approx(f.mean(), abs=1e-6)


def test_rescaling_uses_the_tables_of_bert_score(bert: str, tmp_path: Path) -> None:
    """A model that goes by the name of one that has a table is rescaled by that table."""
    original = pytest.importorskip("bert_score")
    table = Path(original.__file__).parent / "rescale_baseline" / "en" / "roberta-base.tsv"
    row = list(csv.DictReader(table.open()))[2]
    candidates, references = corpus()
    plain, rescaled = (
        score(candidates, references, f"bertscore({model}, layer=2{more})")
        for model, more in ((bert, ""), (copy_of(bert, tmp_path / "copy" / "roberta-base"), ", rescale=table"))
    )
    for part, column in (("precision", "P"), ("recall", "R")):
        base = float(row[column])
        np.testing.assert_allclose(rescaled.item_parts[part], (plain.item_parts[part] - base) / (1 - base))
    assert "|rescale:en-table|" in rescaled.signature


def copy_of(model: str, folder: Path) -> str:
    import shutil

    return str(shutil.copytree(model, folder))


def test_own_baseline_does_not_depend_on_the_order_of_items(bert: str) -> None:
    metric = f"bertscore({bert}, rescale=own)"
    candidates, references = (dict(enumerate(side)) for side in corpus())
    turned = dict(reversed(references.items()))
    one, other = (kataribe.evaluate("captions", candidates, side, [metric])[metric] for side in (references, turned))
    assert one.signature == other.signature
    assert one.value == pytest.approx(other.value, abs=1e-6)


def test_own_baseline_is_what_unrelated_references_score(bert: str) -> None:
    candidates, references = corpus()
    plain, rescaled = (score(candidates, references, f"bertscore({bert}{more})") for more in ("", ", rescale=own"))
    base = (plain.value - rescaled.value) / (1 - rescaled.value)
    pairs = [(one, [other]) for one in SENTENCES for other in SENTENCES if one != other]
    unrelated = score([one for one, _ in pairs], [other for _, other in pairs], f"bertscore({bert})")
    # References are drawn by their frequency, and some items share one; the mean over all pairs is near.
    assert base == pytest.approx(unrelated.value, abs=0.1)
    assert "|rescale:own-5000|" in rescaled.signature


def test_a_text_matches_itself_and_references_only_help(bert: str) -> None:
    alone = score(SENTENCES, [[text] for text in SENTENCES], f"bertscore({bert})")
    np.testing.assert_allclose(alone.item_values, 1.0, atol=1e-6)
    candidates, references = corpus()
    fewer = score(candidates, [texts[:1] for texts in references], f"bertscore({bert})")
    more = score(candidates, references, f"bertscore({bert})")
    assert (more.item_values >= fewer.item_values - 1e-9).all()


def test_best_reference_gives_precision_and_recall_together(bert: str) -> None:
    candidates, references = corpus()
    together = score(candidates, references, f"bertscore({bert}, refs=best)")
    p, r = together.item_parts["precision"], together.item_parts["recall"]
    np.testing.assert_allclose(together.item_values, 2 * p * r / (p + r))


def test_empty_texts_score_zero(bert: str) -> None:
    assert score(["", "a dog", ""], [["a dog"], [""], [""]], f"bertscore({bert})").item_values.tolist() == [0, 0, 0]


def test_shards_add_up(bert: str) -> None:
    candidates, references = corpus()
    metric = BertScore(bert)
    items = Captions([str(i) for i in range(len(candidates))], candidates, references)
    facts = metric.facts(items)
    halves = [metric.stats(half, metric.prepare(half, facts)) for half in (items[:17], items[17:])]
    rows = metric.rows(items)
    np.testing.assert_allclose(np.concatenate(halves), rows, atol=1e-6)


def test_too_many_tokens_are_said(bert: str) -> None:
    long = "a dog runs " * 20
    result = kataribe.evaluate(
        "captions", {"1": long, "2": "a cat"}, {"1": "a dog", "2": "a cat"}, [f"bertscore({bert})"]
    )
    assert result.warnings == ("1 text is longer than 24 tokens, the most that tiny-bert takes, and cut there",)
    again = kataribe.evaluate(
        "captions", {"1": long, "2": "a cat"}, {"1": "a dog", "2": "a cat"}, [f"bertscore({bert})"]
    )
    assert again.warnings == result.warnings, "also when all came from the cache"


@pytest.mark.parametrize(
    ("metric", "error", "says"),
    [
        ("bertscore(layer=middle)", UsageError, "layer=middle is no layer"),
        ("bertscore({bert}, layer=9)", UsageError, "tiny-bert has no layer 9 - 0 "),
        ("bertscore({bert}, layer=table)", UsageError, "chose no layer for 'tiny-bert'"),
        ("bertscore({bert}, rescale=table)", UsageError, "no en table for 'tiny-bert' - rescale=own"),
        ("bertscore({bert}, rescale=table, lang=xx)", UsageError, "no tables for lang=xx"),
        ("bertscore({bert}, rescale=own)", UsageError, "there is only one item"),
        ("bertscore(/nowhere/model)", ResourceError, "/nowhere/model: there is no such folder of a model"),
    ],
)
def test_mistakes_cost_one_line(bert: str, metric: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        kataribe.evaluate("captions", {"1": "a dog"}, {"1": "a cat"}, [metric.format(bert=bert)])


def test_is_a_text_metric_of_stories(bert: str) -> None:
    story = {"v": {"duration": 10, "timestamps": [[0, 5], [5, 10]], "sentences": SENTENCES[:2]}}
    other = {"v": {"duration": 10, "timestamps": [[0, 5], [5, 10]], "sentences": SENTENCES[1:3]}}
    metric = f"soda(c, text=bertscore({bert}))"
    same, different = (kataribe.evaluate("stories", told, story, [metric])[metric] for told in (story, other))
    assert same.value == pytest.approx(1, abs=1e-6)
    assert 0 < different.value < 1
    assert "|text:bertscore|text.model:tiny-bert-" in same.signature


def test_stories_say_that_captions_were_cut(bert: str) -> None:
    story = {"v": {"duration": 10, "timestamps": [[0, 9]], "sentences": ["a dog runs " * 20]}}
    for metric in (f"soda(c, text=bertscore({bert}))", f"paragraph(bertscore({bert}))"):
        warnings = kataribe.evaluate("stories", story, story, [metric]).warnings
        assert any("longer than 24 tokens" in warning for warning in warnings)
