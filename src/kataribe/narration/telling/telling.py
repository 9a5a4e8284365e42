"""A whole film told: a narrator's texts as cues that can be spoken where nobody else speaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from kataribe.core.types import Segment
from kataribe.films.names import Names
from kataribe.narration import speech
from kataribe.narration.narrators.protocol import Narrator, Told
from kataribe.narration.telling.fitting import fit
from kataribe.narration.telling.spans import Spans
from kataribe.text.scripts import count_scripts, says_something

if TYPE_CHECKING:
    from kataribe.films.seen import SeenFilm

# A cue that is shorter than this is not seen on a screen.
SHORTEST_CUE = 1.0


@dataclass(frozen=True)
class Cue:
    """A text of a clip, when it is spoken, and the roles that its narrator pointed at and that it names."""

    id: str
    segment: Segment
    text: str
    roles: tuple[str, ...]


@dataclass(frozen=True)
class Telling:
    """A film as it is told.

    Of the texts of its `clips`, `running_on` use silence behind their clip, `shortened` lost their end, `left_out` did
    not fit at all, and `silent` are those of which the narrator said nothing.
    """

    film: str
    narrator: str
    cps: float
    cues: tuple[Cue, ...]
    clips: int
    gaps: int
    too_short: int
    running_on: int
    shortened: int
    left_out: int
    silent: int


def tell(film: SeenFilm, narrator: Narrator, spans: Spans, cps: float | None = None) -> Telling:
    """Ask the narrator for all clips, in order, and fit what it says into the time there is."""
    told = narrator.tell(film, [span.clip for span in spans.clips], film.dialogue)
    return lay_out(film.film, narrator.signature, spans, told, Names.of_cast(film.cast), cps)


def lay_out(
    film: str, narrator: str, spans: Spans, told: Sequence[Told], names: Names, cps: float | None = None
) -> Telling:
    """Texts as cues, by the rules of `fitting`."""
    texts = [" ".join(each.text.split()) for each in told]
    cps = cps or speech.usual_rate(count_scripts(texts))
    cues = []
    counts: Counter[str] = Counter()
    for span, until, text, pointed in zip(spans.clips, _limits(spans, texts), texts, told, strict=True):
        if not says_something(text):
            counts["silent"] += 1
            continue
        fitted = fit(text, until - span.clip.start, cps, names)
        counts[fitted.how] += 1
        if fitted.how == "nothing":
            continue
        spoken = speech.seconds(fitted.text, cps)
        counts["running on"] += spoken > span.clip.length
        end = min(until, span.clip.start + max(spoken, SHORTEST_CUE))
        named = names.in_text(fitted.text)
        roles = tuple(role for role in pointed.roles if names.role_of.get(role, role) in named)
        cues.append(Cue(span.id, Segment(span.clip.start, round(end, 3)), fitted.text, roles))
    return Telling(
        film=film,
        narrator=narrator,
        cps=cps,
        cues=tuple(cues),
        clips=len(spans.clips),
        gaps=spans.gaps,
        too_short=spans.too_short,
        running_on=counts["running on"],
        shortened=counts["shortened"],
        left_out=counts["nothing"],
        silent=counts["silent"],
    )


def _limits(spans: Spans, texts: Sequence[str]) -> list[float]:
    """When the text of each clip must have ended: when somebody speaks, or the next clip that is told begins."""
    limits = []
    following = inf
    for span, text in zip(reversed(spans.clips), reversed(texts), strict=True):
        limits.append(max(span.clip.end, min(span.until, following)))
        following = span.clip.start if says_something(text) else following
    return limits[::-1]
