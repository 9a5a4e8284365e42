"""What narrations give to studies with people: candidates made of degraded references, and clips with their neighbours.

    wrong_names   the reference with its role names replaced (or removed)
    wrong_words   the reference with its nouns and verbs replaced

Yue, Z., Zhang, Q., Hu, A., Zhang, L., Wang, Z., Jin, Q. (2023). Movie101: a new movie understanding benchmark. ACL,
Section 4.3 and Appendix C: 30 clips, three models and these two. Appendix B: 300 clips, are they whole paragraphs?
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, counted, some
from kataribe.core.options import Options, RunOptions, option, same_as
from kataribe.core.types import Cast, Narration
from kataribe.narration.degraded import DegradeOptions, cautions, degrade
from kataribe.narration.word_kinds import language_of


@dataclass(frozen=True)
class RankingOptions(Options):
    """A study in which people rank narrations."""

    sample: int = option(30, "Draw so many clips, or take all if there are fewer.", minimum=1, hint="30 is the paper's")
    names: Literal["remove", "replace"] = option("replace", "What happens to role names: remove or replace.")
    language: Literal["auto", "zh", "en"] = same_as(DegradeOptions, "language")
    checks: int = option(2, "Attention checks: a candidate is the reference of another clip.", minimum=0)
    seed: int = same_as(RunOptions, "seed")


@dataclass(frozen=True)
class ClipOptions(Options):
    """A study in which people say whether clips are whole."""

    sample: int = option(
        300, "Draw so many clips, or take all if there are fewer.", minimum=1, hint="300 is the paper's"
    )
    seed: int = same_as(RunOptions, "seed")


@dataclass(frozen=True)
class DegradedCandidates:
    """The references in both degraded forms, by id."""

    names: Mapping[str, Narration]
    words: Mapping[str, Narration]
    language: str
    warnings: tuple[Caution, ...]


def check_films(predictions: Mapping[str, Narration], references: Mapping[str, Narration], system: str) -> None:
    """Lines of one id must be of one film."""
    both = [(line, references[id]) for id, line in predictions.items() if id in references]
    astray = [line.id for line, reference in both if line.film and reference.film and line.film != reference.film]
    if astray:
        raise InputError(
            f"{system}: {counted(len(astray), 'line tells', 'lines tell')} another film than in the references: "
            f"{some(astray)}",
            hint="were these files made for each other?",
        )


def degraded_candidates(
    references: Mapping[str, Narration], casts: Mapping[str, Cast], options: RankingOptions
) -> DegradedCandidates:
    """Both forms, of all references: words are replaced by words of all of them."""
    lines = list(references.values())
    language = language_of(line.text for line in lines) if options.language == "auto" else options.language
    names = degrade(lines, casts, DegradeOptions(names=options.names, language=language, seed=options.seed))
    words = degrade(lines, casts, DegradeOptions(words="nouns,verbs", language=language, seed=options.seed))
    return DegradedCandidates(
        {line.id: line for line in names.lines},
        {line.id: line for line in words.lines},
        language,
        (*cautions(names), *cautions(words)),
    )


def not_degraded(references: Mapping[str, Narration], degraded: DegradedCandidates) -> set[str]:
    """Lines that one of the two forms leaves as they are: among the candidates they would be the reference itself."""
    return {id for id, line in references.items() if line.text in (degraded.names[id].text, degraded.words[id].text)}


def neighbours(lines: Iterable[Narration]) -> dict[str, tuple[str, str]]:
    """What is told before and after each line of a film, where the lines say their film and times.

    >>> from kataribe.core.types import Segment
    >>> told = [Narration("2", "f", Segment(9, 12), "It snows."), Narration("1", "f", Segment(1, 5), "Night.")]
    >>> neighbours(told)
    {'1': ('', 'It snows.'), '2': ('Night.', '')}
    """
    by_film: dict[str, list[tuple[float, float, Narration]]] = defaultdict(list)
    for line in lines:
        if line.film is not None and line.segment is not None:
            by_film[line.film].append((line.segment.start, line.segment.end, line))
    found: dict[str, tuple[str, str]] = {}
    for placed in by_film.values():
        told = [line for *_, line in sorted(placed, key=lambda each: each[:2])]
        texts = ["", *(line.text for line in told), ""]
        found |= {line.id: (texts[index], texts[index + 2]) for index, line in enumerate(told)}
    return found
