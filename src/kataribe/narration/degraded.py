"""Degraded narrations: references made worse in a known way, to see who or what notices.

    names=remove    every role name is taken out
    names=replace   every role name becomes that of another member of the film's cast: within a line the same one for
                    the same role, and different ones for different roles
    words=nouns,verbs   every noun and every verb becomes another one of these narrations, drawn as often as it stands
                    there; role names stay as they are

Yue, Z., Zhang, Q., Hu, A., Zhang, L., Wang, Z., Jin, Q. (2023). Movie101: a new movie understanding benchmark. ACL,
Appendix C: of the five candidates that people ranked there, one had its names removed or replaced, one its nouns and
verbs replaced. How these were drawn the paper does not say; this is our reading of it.

What a line becomes depends on the seed, its id, its text, its film's cast and, for words, on which words all lines
have together; never on the order of the lines. `word_kinds` says what a noun and a verb is.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.errors import UsageError, counted, shorten, some
from kataribe.core.options import Options, RunOptions, option, same_as
from kataribe.core.progress import report
from kataribe.core.types import Cast, Narration
from kataribe.films.names import Names
from kataribe.narration.word_kinds import Kind, Word, language_of, names_apart, open_tagger

WORDS: Mapping[str, Kind] = {"nouns": "noun", "verbs": "verb"}

_REPORT_EVERY = 100

# Where a name was taken out. With it goes a possessive 's, and the space before it if punctuation or the end follows,
# else the space behind it.
_GAP = "\0"
_CLOSED = re.compile(r"\s*\0(?:['’]s\b)?(?=[^\w\s'\"(]|$)|\0(?:['’]s\b)?\s*")


@dataclass(frozen=True)
class DegradeOptions(Options):
    """What is spoilt; at least one of `names` and `words` must be.

    >>> DegradeOptions(words="nouns,verbs").kinds
    ('noun', 'verb')
    """

    names: Literal["keep", "remove", "replace"] = option("keep", "Role names: keep, remove or replace.")
    words: str | None = option(None, "Replace these words: nouns, verbs or nouns,verbs.", metavar="KINDS")
    language: Literal["auto", "zh", "en"] = option("auto", "Of the words: zh, en, or auto, which looks at the letters.")
    seed: int = same_as(RunOptions, "seed")

    def __post_init__(self) -> None:
        super().__post_init__()
        for word in self._listed:
            if word not in WORDS:
                problem = f"<words>: {shorten(word)!r} is no kind of words"
                raise UsageError(problem, hint=f"there are: {', '.join(WORDS)}", options=["words"])
        if self.names == "keep" and not self._listed:
            raise UsageError(
                "nothing is to be degraded",
                hint="<names remove>, <names replace> or <words nouns,verbs> says what",
                options=["names", "words"],
            )

    @property
    def _listed(self) -> list[str]:
        return [word.strip() for word in (self.words or "").split(",") if word.strip()]

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return tuple(kind for name, kind in WORDS.items() if name in self._listed)


@dataclass(frozen=True)
class Degraded:
    """The lines in their order, and how often something was changed; `without_cast` are films whose names are unknown.

    `kept` counts names and words that had no other to take their place.
    """

    lines: tuple[Narration, ...]
    changed: int
    names: int
    words: int
    kept: int
    without_cast: tuple[str, ...]


def degrade(lines: Iterable[Narration], casts: Mapping[str, Cast], options: DegradeOptions) -> Degraded:
    """
    >>> from kataribe.core.types import Role
    >>> cast = Cast("f", (Role("Anna"), Role("Tom", ("Thomas",)), Role("Eve")))
    >>> line = Narration("1", "f", None, "Anna waits for Thomas. Anna smiles.")
    >>> degrade([line], {"f": cast}, DegradeOptions(names="remove")).lines[0].text
    'waits for. smiles.'
    >>> degrade([line], {"f": cast}, DegradeOptions(names="replace", seed=1)).lines[0].text
    'Tom waits for Eve. Tom smiles.'
    """
    listed = list(lines)
    names_of = {film: Names.of_cast(cast) for film, cast in casts.items()}
    cut = _cut(listed, names_of, options)
    exchange = _Exchange.of(cut, options.kinds)
    degraded: list[Narration] = []
    total: Counter[str] = Counter()
    for line, words in zip(listed, cut, strict=True):
        rng = np.random.default_rng([options.seed, zlib.crc32(line.id.encode("utf-8", "surrogatepass"))])
        if options.names == "remove":
            total["names"] += sum(word.kind == "name" for word in words)
            words = exchange_names(words, {})
        elif options.names == "replace" and (cast := casts.get(line.film or "")):
            words = _replace_names(words, cast.names, rng, total)
        text = joined(exchange.applied(words, rng, total))
        total["changed"] += text != line.text
        degraded.append(replace(line, text=text))
    films = dict.fromkeys(line.film or "" for line in listed)
    without = tuple(film for film in films if film not in casts) if options.names != "keep" else ()
    return Degraded(tuple(degraded), total["changed"], total["names"], total["words"], total["kept"], without)


def cautions(degraded: Degraded) -> list[Caution]:
    """What could not be spoilt."""
    found = []
    if degraded.without_cast:
        films = counted(len(degraded.without_cast), "film")
        found.append(Caution("no-cast", f"names of {films} without a cast were left: {some(degraded.without_cast)}"))
    if degraded.kept:
        kept = counted(degraded.kept, "name or word has", "names or words have")
        found.append(Caution("undegraded", f"{kept} no other to take their place, and stayed"))
    return found


def _cut(lines: Sequence[Narration], names_of: Mapping[str, Names], options: DegradeOptions) -> list[list[Word]]:
    """Names apart from the rest and, where words are to be exchanged, every word by itself."""
    cut: Callable[[str, Names], list[Word]] = names_apart
    if options.kinds:
        language = options.language if options.language != "auto" else language_of(line.text for line in lines)
        cut = open_tagger(language).words
    nobody = Names({})
    words: list[list[Word]] = []
    for line in lines:
        words.append(cut(line.text, names_of.get(line.film or "", nobody)))
        if len(words) % _REPORT_EVERY == 0:
            report("degrading narrations", len(words), len(lines))
    return words


def exchange_names(words: Sequence[Word], others: Mapping[str, str]) -> list[Word]:
    """Every name becomes what `others` has for its role; a role that is not there loses its name."""
    return [word._replace(text=others.get(word.lemma, _GAP)) if word.kind == "name" else word for word in words]


def _replace_names(
    words: Sequence[Word], cast: Sequence[str], rng: np.random.Generator, counts: Counter[str]
) -> list[Word]:
    roles = [word.lemma for word in words if word.kind == "name"]
    others = _others(list(dict.fromkeys(roles)), cast, rng)
    for role in roles:
        counts["names" if others[role] != role else "kept"] += 1
    return exchange_names(words, others)


def _others(roles: Sequence[str], cast: Sequence[str], rng: np.random.Generator) -> dict[str, str]:
    """For each role another one, no two the same; who is alone in a cast stays."""
    if len(cast) < 2:
        return {role: role for role in roles}
    while True:
        drawn = [cast[index] for index in rng.permutation(len(cast))[: len(roles)]]
        if all(role != other for role, other in zip(roles, drawn, strict=True)):
            return dict(zip(roles, drawn, strict=True))


def joined(words: Sequence[Word]) -> str:
    """The text of words, some of which were exchanged: no gap where a name was, capitals where sentences begin."""
    text = ""
    for word in words:
        begins = word.kind == "name" and (not text.strip() or text.rstrip()[-1] in ".!?")
        text += word.text[:1].upper() + word.text[1:] if begins else word.text
    return _CLOSED.sub("", text).strip() if _GAP in text else text


@dataclass(frozen=True)
class _Exchange:
    """Words that may take each other's place, by form; where a form has no second word, by kind.

    The pools are sorted, so that the order of the lines plays no part.
    """

    kinds: tuple[Kind, ...]
    by_form: Mapping[str, Sequence[str]] = field(repr=False)
    by_kind: Mapping[str, Sequence[str]] = field(repr=False)

    @classmethod
    def of(cls, lines: Sequence[Sequence[Word]], kinds: tuple[Kind, ...]) -> _Exchange:
        words = [word for line in lines for word in line if word.kind in kinds]
        by_form: dict[str, list[str]] = {}
        by_kind: dict[str, list[str]] = {}
        for word in sorted(words, key=lambda word: _lower(word.text)):
            by_form.setdefault(word.form, []).append(_lower(word.text))
            by_kind.setdefault(word.kind, []).append(_lower(word.text))
        return cls(kinds, by_form, by_kind)

    def applied(self, words: Sequence[Word], rng: np.random.Generator, counts: Counter[str]) -> list[Word]:
        return [self._other(word, rng, counts) if word.kind in self.kinds else word for word in words]

    def _other(self, word: Word, rng: np.random.Generator, counts: Counter[str]) -> Word:
        for pool in (self.by_form[word.form], self.by_kind[word.kind]):
            # What is not this word lies before and behind it.
            first, last = (bisect(pool, _lower(word.text)) for bisect in (bisect_left, bisect_right))
            if last - first < len(pool):
                counts["words"] += 1
                drawn = int(rng.integers(len(pool) - (last - first)))
                other = pool[drawn if drawn < first else drawn + last - first]
                return word._replace(text=other[:1].upper() + other[1:] if word.text[:1].isupper() else other)
        counts["kept"] += 1
        return word


def _lower(text: str) -> str:
    """A word as it stands within a sentence; capitals inside it stay."""
    return text[:1].lower() + text[1:] if text[1:] == text[1:].lower() else text
