"""Texts that nobody meant to score are counted and said; ordinary ones are not."""

import pytest

from kataribe.text.oddities import odd_texts, unspaced_texts


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("nan", "missing-values"),
        (" None ", "missing-values"),
        ("<s> a dog", "model-marks"),
        ("a dog [PAD][PAD]", "model-marks"),
        ("a dog<|endoftext|>", "model-marks"),
        ("<start> a dog", "model-marks"),
        ("a dog <END>", "model-marks"),
        ("[START] a dog [END]", "model-marks"),
        ("<|im_start|>a dog", "model-marks"),
        ("<|0.00|> a dog", "model-marks"),
        ("?!...", "wordless-texts"),
        ("", "empty-references"),
        (" \n", "empty-references"),
    ],
)
def test_odd_text_is_named_with_its_id(text: str, id: str) -> None:
    (caution,) = odd_texts([("good", "A dog runs."), ("odd", text)], "references")
    assert caution.id == id
    assert caution.startswith("1 reference ")
    assert caution.endswith("'odd'")


def test_empty_prediction_is_counted_elsewhere() -> None:
    assert odd_texts([("1", "")], "predictions") == []


@pytest.mark.parametrize(
    "text",
    [
        "None of them runs.",
        "A nan bread.",
        "a < b > c",
        "[laughs] He sings.",
        "The end.",
        "a <- start | end ->",
        "[The end]",
        "犬が走る。",
        "7",
    ],
)
def test_ordinary_text_raises_no_alarm(text: str) -> None:
    assert odd_texts([("1", text)], "predictions") == []


def test_text_without_spaces_names_the_option() -> None:
    assert "tok=zh" in unspaced_texts(["老李回头。"], "tok=zh")[0]
    assert unspaced_texts(["Maria looks back."], "tok=zh") == []


@pytest.mark.parametrize("text", ["한 남자가 바다에서 개와 놀고 있다", "老李 回头 朝 屋内 喊道 。", "男 が 走る"])
def test_text_that_has_spaces_raises_no_alarm(text: str) -> None:
    assert unspaced_texts([text], "tok=zh") == []
