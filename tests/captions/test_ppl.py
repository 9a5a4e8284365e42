"""Perplexity: the n-gram model is a distribution and equals its formula; causal models equal their own logits."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kataribe
from kataribe.core.errors import UsageError
from kataribe.text.kneser_ney import KneserNey
from tests.encoders.tiny import SENTENCES, WORDS

SENTENCE = st.lists(st.sampled_from("abcde"), max_size=6)
CORPUS = st.lists(SENTENCE, min_size=1, max_size=8)


def naive(corpus: list[list[str]], order: int):
    """The same formula with dictionaries and recursion."""
    ngrams = Counter()
    for sentence in corpus:
        padded = ["<s>"] * (order - 1) + sentence + ["</s>"]
        ngrams.update(tuple(padded[end - order : end]) for end in range(order, len(padded) + 1))
    tables = {order: ngrams}
    for n in range(order - 1, 0, -1):
        tables[n] = Counter(ngram[1:] for ngram in tables[n + 1])
    vocabulary = {word for sentence in corpus for word in sentence}

    def probability(history: tuple[str, ...], word: str) -> float:
        n = len(history) + 1
        lower = probability(history[1:], word) if n > 1 else 1 / (len(vocabulary) + 2)
        counts = tables[n].values()
        once, twice = sum(c == 1 for c in counts), sum(c == 2 for c in counts)
        discount = once / (once + 2 * twice) if once and twice else 0.75
        following = {ngram[-1]: count for ngram, count in tables[n].items() if ngram[:-1] == history}
        total = sum(following.values())
        if not total:
            return lower
        return (max(following.get(word, 0) - discount, 0) + discount * len(following) * lower) / total

    return vocabulary, probability


@given(corpus=CORPUS, sentence=SENTENCE.map(lambda words: [*words, "z"]), order=st.integers(1, 3))
def test_ngram_model_is_its_formula(corpus: list[list[str]], sentence: list[str], order: int) -> None:
    vocabulary, probability = naive(corpus, order)
    known = [word if word in vocabulary else "<unk>" for word in sentence]
    padded = ["<s>"] * (order - 1) + known + ["</s>"]
    expected = sum(
        np.log(probability(tuple(padded[end - order : end - 1]), padded[end - 1]))
        for end in range(order, len(padded) + 1)
    )
    words, log = KneserNey(corpus, order).score([sentence])
    assert words.tolist() == [len(sentence) + 1]
    assert log[0] == pytest.approx(expected)


@given(corpus=CORPUS, history=st.lists(st.sampled_from("abz"), max_size=3), order=st.integers(1, 3))
def test_probabilities_of_all_next_words_sum_to_one(corpus: list[list[str]], history: list[str], order: int) -> None:
    model = KneserNey(corpus, order)
    ends = model.score([history]).log[0]
    nexts = [[*history, word] for word in [*model.vocabulary, "unheard of"]]
    # Each next word, then the end; dividing by the end after it leaves the word's own probability.
    begun = model.score(nexts).log - np.array([end_after(model, words) for words in nexts])
    before = ends - end_after(model, history)
    assert np.exp(begun - before).sum() + np.exp(end_after(model, history)) == pytest.approx(1)


def end_after(model: KneserNey, words: list[str]) -> float:
    """log p(end | words): what is left of the whole when every word before it is taken away."""
    from kataribe.text import kneser_ney

    ngrams, _ = model._ngrams([words])
    probabilities = np.full(1, 1 / (len(model.vocabulary) + 2))
    for n, order in enumerate(model._orders, start=1):
        probabilities = order.probabilities(ngrams[-1:] & ((1 << (kneser_ney._BITS * n)) - 1), probabilities)
    return float(np.log(probabilities[0]))


def test_fluent_captions_surprise_less() -> None:
    references = {str(i): [text] for i, text in enumerate(SENTENCES)}
    fluent = {id: texts[0] for id, texts in references.items()}
    shuffled = {id: " ".join(sorted(text.split())) for id, text in fluent.items()}
    one, other = (kataribe.evaluate("captions", told, references, ["ppl"])["ppl"] for told in (fluent, shuffled))
    assert 1 < one.value < other.value


@pytest.mark.parametrize("protocol", ["official", "paper"])
def test_it_is_the_mean_over_candidates_unless_tokens_are_pooled(protocol: str) -> None:
    references = {str(i): [text] for i, text in enumerate(SENTENCES)}
    told = {id: " ".join(texts[0].split()[:2]) for id, texts in references.items()} | {"0": SENTENCES[0]}
    result = kataribe.evaluate("captions", told, references, ["ppl", "ppl(over=corpus)"], protocol=protocol)
    each, pooled = result["ppl"], result["ppl(over=corpus)"]
    tokens, log = each.statistics[:, 0], each.statistics[:, 1]
    np.testing.assert_allclose(each.item_values, np.exp(-log / tokens))
    np.testing.assert_allclose(pooled.item_values, each.item_values)
    assert each.value == pytest.approx(each.item_values.mean())
    assert pooled.value == pytest.approx(np.exp(-log.sum() / tokens.sum()))
    assert each.value != pytest.approx(pooled.value)
    assert "ppl|model:kneser-ney3-refs|over:items|tok:ptb|" in each.signature
    assert "|over:corpus|" in pooled.signature


def test_silence_has_no_perplexity_and_gains_nothing() -> None:
    references = {str(i): [text] for i, text in enumerate(SENTENCES)}
    told = {id: texts[0] for id, texts in references.items()}
    half = dict(list(told.items())[: len(told) // 2])
    for metric in ("ppl", "ppl(over=corpus)"):
        whole = kataribe.evaluate("captions", told, references, [metric])[metric]
        result = kataribe.evaluate("captions", half, references, [metric], missing="zero")
        said = [whole.items[id].value for id in half]
        assert [result[metric].items[id].value for id in half] == pytest.approx(said)
        assert np.isnan([result[metric].items[id].value for id in told if id not in half]).all()
        assert [warning.id for warning in result.warnings if warning.id == "left-out"]
    silent = kataribe.evaluate("captions", half, references, ["ppl"], missing="zero")["ppl"]
    assert silent.value == pytest.approx(np.mean([whole.items[id].value for id in half]), rel=1e-6)


def test_lower_is_better_everywhere(tmp_path: Path) -> None:
    references = {str(i): [text] for i, text in enumerate(SENTENCES)}
    fluent = {id: texts[0] for id, texts in references.items()}
    shuffled = {id: " ".join(sorted(text.split())) for id, text in fluent.items()}
    results = {
        name: kataribe.evaluate("captions", told, references, ["ppl"], bootstrap=20)
        for name, told in (("fluent", fluent), ("shuffled", shuffled))
    }
    comparison = kataribe.compare(results, replicates=300)
    assert comparison.lower_is_better == ("ppl",)
    assert comparison.tests[0].difference < 0
    assert comparison.tests[0].outcomes.wins > comparison.tests[0].outcomes.losses
    assert comparison.beaten_by("fluent", "ppl") == ["shuffled"]
    from kataribe.report.comparison import render_comparison

    table = render_comparison(comparison)
    value = results["fluent"]["ppl"].value
    assert f"*{value:.2f} b" in table
    assert table.count("*") == 2, "one best value, and the legend's star"
    assert "lower is better: ppl" in table
    assert f"ppl      {value:.2f}" in results["fluent"].table()


def tiny_gpt(folder: Path) -> str:
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    vocabulary = {word: place for place, word in enumerate(["<s>", "<unk>", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", unk_token="<unk>", model_max_length=16
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=len(vocabulary), n_positions=16, n_embd=32, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=0
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
    return str(folder)


def test_causal_model_gives_its_own_loss_and_needs_no_references(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs kataribe[models]")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = tiny_gpt(tmp_path / "tiny-gpt")
    captions = {str(i): text for i, text in enumerate([*SENTENCES, ""])}
    metric = f"ppl({folder})"
    result = kataribe.evaluate("captions", captions, metrics=[metric])[metric]
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder).eval()
    for id, text in captions.items():
        ids = torch.tensor([[tokenizer.bos_token_id, *tokenizer(text)["input_ids"]]])
        if text:
            with torch.inference_mode():
                loss = model(input_ids=ids, labels=ids).loss.item()
            assert result.items[id].value == pytest.approx(np.exp(loss), rel=1e-4)
        else:
            assert np.isnan(result.items[id].value)
    assert result.value == pytest.approx(np.nanmean(result.item_values)), "who says nothing is left out"
    assert "|model:tiny-gpt-" in result.signature


def test_texts_too_long_for_the_model_are_counted(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs kataribe[models]")
    metric = f"ppl({tiny_gpt(tmp_path / 'tiny-gpt')})"
    result = kataribe.evaluate("captions", {"1": "a dog runs " * 9, "2": "a cat"}, metrics=[metric])
    assert result.warnings == ("1 text is longer than 16 tokens, the most that tiny-gpt takes, and cut there",)


def test_ngram_model_asks_for_references() -> None:
    with pytest.raises(UsageError, match="ppl compares captions with references, and there are none"):
        kataribe.evaluate("captions", {"1": "a dog"}, metrics=["ppl"])
    with pytest.raises(UsageError, match="n-grams of 1 to 3"):
        kataribe.evaluate("captions", {"1": "a dog"}, {"1": "a dog"}, metrics=["ppl(order=4)"])
