"""Text in an unknown encoding: detected, and named, so that whoever reads it can see what was assumed.

1. A byte order mark decides: UTF-8, UTF-16, UTF-32.
2. Bytes that are UTF-8 are UTF-8; every other byte being 0 makes UTF-16.
3. Bytes that give at least a tenth of hiragana as Shift-JIS are Shift-JIS; no other encoding does that by accident.
4. Of the encodings below, charset-normalizer chooses the one whose text reads most like text. Korean without hanguls
   and Japanese without kana are passed over: a few Chinese lines often look like them.

Latin-1 is read as Windows-1252, which holds it. Encodings that a few lines cannot tell from these (Windows-1250, say)
have to be named.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from kataribe.core.errors import Location, UsageError, shorten

CANDIDATES = ("gb18030", "big5", "cp932", "euc_jp", "cp949", "cp1252", "cp1251", "koi8_r")

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Letters without which a text is not of the encoding's language, and the least share they have of letters beyond ASCII.
_TYPICAL = {
    "cp932": (re.compile("[\u3041-\u3096]"), 0.1),
    "euc_jp": (re.compile("[\u3041-\u30fa]"), 0.1),
    "cp949": (re.compile("[\uac00-\ud7a3]"), 0.9),
}
# Text in UTF-16 without a mark: in subtitles digits and line ends alone make this many zeros.
_ENOUGH_ZEROS = 0.1
_UNNAMED = "name it with <encoding gb18030>, or save the file as UTF-8"


class Decoded(NamedTuple):
    text: str
    encoding: str


def decode(data: bytes, location: Location, encoding: str | None = None) -> Decoded:
    """The text of a file and the encoding it is in; `encoding`, if somebody knows it, is not doubted.

    >>> decode("老李回头朝屋内喊道。".encode("gb18030"), Location("film.srt"))
    Decoded(text='老李回头朝屋内喊道。', encoding='gb18030')
    """
    name = canonical(encoding) if encoding else _detect(data)
    if name is None:
        raise location.error("its encoding cannot be told", hint=_UNNAMED, options=["encoding"])
    try:
        text = data.decode(name)
    except UnicodeError:
        raise location.error(f"is not text in {name}", hint="name another <encoding>", options=["encoding"]) from None
    return Decoded(text.removeprefix("\ufeff"), name.removesuffix("-sig"))


def canonical(encoding: str) -> str:
    """
    >>> canonical("GBK"), canonical("UTF8")
    ('gbk', 'utf-8')
    """
    try:
        info = codecs.lookup(encoding)
    except LookupError:
        info = None
    if info is None or not info._is_text_encoding:
        hint = f"usual ones are utf-8, utf-16, {', '.join(CANDIDATES)}"
        raise UsageError(f"<encoding>: no encoding is called {shorten(encoding)!r}", hint=hint, options=["encoding"])
    return info.name


def _detect(data: bytes) -> str | None:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    return _zeros(data) or (_readable(data, "utf-8") and "utf-8") or _east_or_west(data)


def _zeros(data: bytes) -> str | None:
    """UTF-16 without a mark: characters below 256 leave a zero in every other byte."""
    even, odd = data[::2].count(0), data[1::2].count(0)
    if max(even, odd) <= _ENOUGH_ZEROS * len(data) / 2:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _east_or_west(data: bytes) -> str | None:
    if _is_typical(_readable(data, "cp932"), "cp932"):
        return "cp932"
    from charset_normalizer import from_bytes

    matches = from_bytes(data, cp_isolation=list(CANDIDATES))
    return next((match.encoding for match in matches if _is_typical(str(match), match.encoding)), None)


def _is_typical(text: str, encoding: str) -> bool:
    if encoding not in _TYPICAL:
        return True
    letters, least = _TYPICAL[encoding]
    foreign = sum(character.isalpha() and not character.isascii() for character in text)
    return foreign > 0 and len(letters.findall(text)) >= least * foreign


def _readable(data: bytes, encoding: str) -> str:
    """The text, or nothing where the bytes are not of this encoding. No text holds control characters."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return ""
    return "" if "\0" in text else text
