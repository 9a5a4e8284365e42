"""Scripts: which texts have no spaces between words."""

from __future__ import annotations

import pytest

from kataribe.text.scripts import count_letters, is_mostly_unspaced


@pytest.mark.parametrize("text", ["老李回头。", "彼は笑う。", "그가웃는다", "เขายิ้ม", "Maria在屋内喊道他还在"])
def test_unspaced_texts(text: str) -> None:
    assert is_mostly_unspaced([text])


@pytest.mark.parametrize("text", ["", "Maria waits.", "Мария ждёт.", "Maria 老李 waits", "12345"])
def test_spaced_texts(text: str) -> None:
    assert not is_mostly_unspaced([text])


def test_marks_and_spaces_are_not_heard() -> None:
    assert count_letters("好，好！ …14") == 4
