"""Text in an unknown encoding: detected, and named, so that whoever reads it can see what was assumed.

1. A byte order mark decides: UTF-8, UTF-16, UTF-32.
2. Bytes that are UTF-8 are UTF-8; every other byte being 0 makes UTF-16.
3. Bytes that give at least a tenth of hiragana as Shift-JIS are Shift-JIS; no other encoding does that by accident.
4. Of the encodings below, charset-normalizer chooses the one whose text reads most like text. Korean without hanguls
   and Japanese without kana are passed over, because a few Chinese lines often look like them; and so is East Asian or
   Cyrillic text with hardly a letter of its own, because a curly apostrophe of Windows-1252 looks like that.

Latin-1 is read as Windows-1252, which holds it. Encodings that a few lines cannot tell from these (Windows-1250, say)
have to be named.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from kataribe.core.errors import Location, UsageError, shorten
from kataribe.text.scripts import UNSPACED

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
_EASTERN, _CYRILLIC = re.compile(f"[{UNSPACED}]"), re.compile("[\u0400-\u04ff]")
_OWN_LETTERS = {
    **dict.fromkeys(("gb18030", "big5", "cp932", "euc_jp", "cp949"), _EASTERN),
    **dict.fromkeys(("cp1251", "koi8_r"), _CYRILLIC),
}
_ENOUGH_OWN_LETTERS = 0.03


class Decoded(NamedTuple):
    text: str
    encoding: str


def decode(data: bytes, location: Location, encoding: str | None = None) -> Decoded:
    """The text of a file and the encoding it is in; `encoding`, if somebody knows it, is not doubted.

    >>> decode("老李回头朝屋内喊道。".encode("gb18030"), Location("film.srt"))
    Decoded(text='老李回头朝屋内喊道。', encoding='gb18030')
    """
    name = canonical(encoding) if encoding else _detect(data)
    try:
        text = data.decode(name) if name else None
    except UnicodeError:
        text = None
    if text is None and encoding:
        raise location.error(f"is not text in {name}", hint="name another <encoding>", options=["encoding"])
    if name is None or text is None:
        problem = "is no text, or its encoding cannot be told"
        raise location.error(problem, hint="name it with <encoding>, or save the file as UTF-8", options=["encoding"])
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
    best = next((match.encoding for match in matches if _is_typical(str(match), match.encoding)), None)
    # Only the alphabets were doubted: what is left is Latin letters.
    return best or ("cp1252" if matches and _readable(data, "cp1252") else None)


def _is_typical(text: str, encoding: str) -> bool:
    own = _OWN_LETTERS.get(encoding)
    if own and len(own.findall(text)) < _ENOUGH_OWN_LETTERS * sum(map(str.isalpha, text)):
        return False
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
