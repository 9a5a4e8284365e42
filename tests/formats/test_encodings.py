"""Encodings: told apart on a dozen lines, named, and refused where nothing can be told."""

from __future__ import annotations

import pytest

from kataribe.core.errors import InputError, Location, UsageError
from kataribe.formats.encodings import decode

WHERE = Location("film.srt")

CHINESE = "束手无策的蒋亮亮亲眼看着自己的车被砸。\n晚上回到家，他没有立刻打开灯。\n你是谁？\n"
TRADITIONAL = "今天你來得真早。\n這種天氣沒有船會出海。\n誰在那裡？\n把手舉起來。\n"
JAPANESE = "彼女は門を開けて、ゆっくり歩き出した。\nどこへ行くの？\nちょっと待ってくれ。\n"
KOREAN = "어디 가니?\n집에 가요.\n오늘은 일찍 왔네요.\n"
FRENCH = "Où vas-tu, ma chérie ?\nÀ la maison, bien sûr.\nC'est déjà l'été.\n"
RUSSIAN = "Куда ты идёшь?\nЯ иду домой, мама.\nСегодня очень холодно.\n"


@pytest.mark.parametrize(
    ("text", "encoding", "named"),
    [
        (CHINESE, "utf-8", "utf-8"),
        (CHINESE, "utf-8-sig", "utf-8"),
        (CHINESE, "utf-16", "utf-16"),
        (f"1\n00:00:01,000 --> 00:00:04,000\n{CHINESE}", "utf-16-le", "utf-16-le"),
        (f"1\n00:00:01,000 --> 00:00:04,000\n{CHINESE}", "utf-16-be", "utf-16-be"),
        (CHINESE, "utf-32", "utf-32"),
        (CHINESE, "gb18030", "gb18030"),
        (CHINESE, "gb2312", "gb18030"),
        (TRADITIONAL, "big5", "big5"),
        (JAPANESE, "shift_jis", "cp932"),
        (JAPANESE, "euc_jp", "euc_jp"),
        (KOREAN, "euc_kr", "cp949"),
        (FRENCH, "latin-1", "cp1252"),
        (RUSSIAN, "cp1251", "cp1251"),
        (RUSSIAN, "koi8_r", "koi8_r"),
    ],
)
def test_an_encoding_is_told_and_named(text: str, encoding: str, named: str) -> None:
    assert decode(text.encode(encoding), WHERE) == (text, named)


@pytest.mark.parametrize("line", ["He can’t go alone!", "I dropped it at the café.", "“Stop him!”", "It cost £5."])
def test_one_mark_among_many_english_lines_is_western(line: str) -> None:
    text = "You are early today.\nNo boat goes out.\n" * 40 + line
    assert decode(text.encode("cp1252"), WHERE) == (text, "cp1252")


def test_an_encoding_that_is_named_is_not_doubted() -> None:
    assert decode("Żółty dom".encode("cp1250"), WHERE, "windows-1250") == ("Żółty dom", "cp1250")


def test_bytes_that_are_no_text_are_refused_in_one_line() -> None:
    with pytest.raises(InputError, match=r"film\.srt: is no text, or its encoding cannot be told"):
        decode(bytes(range(256)) * 4, WHERE)


def test_the_wrong_name_is_refused() -> None:
    with pytest.raises(InputError, match=r"film\.srt: is not text in utf-8 - name another encoding"):
        decode(CHINESE.encode("gb18030"), WHERE, "utf-8")


@pytest.mark.parametrize("name", ["klingon", "base64"])
def test_an_unknown_encoding_is_refused_with_the_usual_ones(name: str) -> None:
    with pytest.raises(UsageError, match=f"no encoding is called '{name}' - usual ones are utf-8"):
        decode(b"", WHERE, name)
