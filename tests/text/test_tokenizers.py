from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.errors import UsageError
from kataribe.text import tokenizers
from kataribe.text.tokenizers import tokenizer

EXAMPLES = {
    "ptb": ("A man's dog isn't here.", "a man 's dog is n't here"),
    "ja": ("少女がサッカーボールを蹴る。", "少女 が サッカー ボール を 蹴る 。"),
    "ja-mecab": ("少女がボールを蹴る。", "少女 が ボール を 蹴る 。"),
    "zh": ("他们在公园里跑步。", "他们 在 公园 里 跑步 。"),
    "char": ("他们 run", "他 们 r u n"),
    "letters": ("A man's dog-house, 2 cafés.The end", "a man s dog house caf s the end"),
    "none": ("already  cut\tHere .", "already cut Here ."),
}


def test_there_is_an_example_for_every_tokenizer() -> None:
    assert set(EXAMPLES) == set(tokenizers.names())


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_cuts_its_language(name: str) -> None:
    text, tokens = EXAMPLES[name]
    assert tokenizer(name)([text, "", text]) == [tokens, "", tokens]


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("ptb", "ptb"),
        ("ja", r"ja-sudachi\d.*-core\d+"),
        ("ja-mecab", r"ja-mecab\d.*-unidic-lite\d"),
        ("zh", r"zh-jieba\d"),
        ("char", "char"),
        ("letters", "letters"),
        ("none", "none"),
    ],
)
def test_each_names_itself_and_its_dictionary(name: str, signature: str) -> None:
    assert re.match(signature, tokenizer(name).signature)


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"])), max_size=4))
@pytest.mark.parametrize("name", EXAMPLES)
def test_one_line_of_tokens_for_each_text_whatever_it_holds(name: str, texts: list[str]) -> None:
    lines = tokenizer(name)(texts)
    assert len(lines) == len(texts)
    assert all("" not in line.split(" ") for line in lines if line)


@pytest.mark.parametrize("separator", ["\r", "\u2028", "\v", "\f", "\n", "\u0085"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_line_separator_inside_a_caption_shifts_no_other(name: str, separator: str) -> None:
    text, tokens = EXAMPLES[name]
    assert tokenizer(name)([f"a{separator}b", text])[1] == tokens


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'ptb'"):
        tokenizer("pbt")


def test_a_missing_package_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("kataribe.core.need.import_module", absent)
    tokenizer.cache_clear()
    try:
        with pytest.raises(UsageError, match=r"needs the package jieba - pip install 'kataribe\[zh\]'"):
            tokenizer("zh")
    finally:
        tokenizer.cache_clear()
