"""Which words mean the same: none, Sudachi's groups, a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from kataribe.captions.synonyms import open_synonyms
from kataribe.core.errors import InputError


def test_none_knows_only_the_word_itself() -> None:
    assert open_synonyms("none").among(["少女", "女の子"]) == {"少女": {"少女"}, "女の子": {"女の子"}}


def test_sudachi_knows_that_a_girl_is_a_girl() -> None:
    same = open_synonyms("sudachi").among(["少女", "女の子", "犬"])
    assert same["少女"] == {"少女", "女の子"}
    assert same["犬"] == {"犬"}


def test_a_table_is_read_in_any_spelling_and_keeps_voices_apart(tmp_path: Path) -> None:
    table = tmp_path / "sets.tsv"
    table.write_text("# ours\nソファ\t長椅子\n\n置く\t載せる\n置く\t据える\n", encoding="utf-8")
    synonyms = open_synonyms(str(table))
    same = synonyms.among(["ソファー", "長椅子", "置く", "乗せる", "据える", "置く+れる", "乗せる+れる"])
    assert same["ソファー"] == {"ソファー", "長椅子"}
    assert same["置く"] == {"置く", "乗せる", "据える"}
    assert same["乗せる"] == {"置く", "乗せる"}, "載せる, as Sudachi spells it"
    assert same["置く+れる"] == {"置く+れる", "乗せる+れる"}
    assert synonyms.signature.startswith("sets.tsv-")


def test_another_table_has_another_signature(tmp_path: Path) -> None:
    one, other = tmp_path / "sets.tsv", tmp_path / "b" / "sets.tsv"
    other.parent.mkdir()
    one.write_text("犬\tわんこ\n", encoding="utf-8")
    other.write_text("犬\t猫\n", encoding="utf-8")
    assert open_synonyms(str(one)).signature != open_synonyms(str(other)).signature


@pytest.mark.parametrize(
    ("content", "says"),
    [("犬 わんこ\n", r"sets\.tsv: line 1 has one word"), (None, "there is no such file")],
    ids=["spaces", "absent"],
)
def test_a_bad_table_costs_one_line(tmp_path: Path, content: str | None, says: str) -> None:
    table = tmp_path / "sets.tsv"
    if content is not None:
        table.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        open_synonyms(str(table))
