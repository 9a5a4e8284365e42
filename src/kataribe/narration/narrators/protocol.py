"""What a narrator is: anything that is shown spans of a film and says something of each.

narrator = open_narrator("model/")          # a folder of `kataribe train narrator`
narrator = open_narrator("first-billed")    # or a trivial one: first-billed, whole-cast, random
narrator.tell(film, [Segment(51, 57), Segment(60, 72)])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from kataribe.core.types import Caption, Segment

if TYPE_CHECKING:
    from kataribe.films.seen import SeenFilm


@dataclass(frozen=True)
class Told:
    """What a narrator says of a span; `roles` are the names that it pointed at, in order."""

    text: str
    roles: tuple[str, ...]


class Narrator(Protocol):
    """Tells a film span by span; `signature` names whatever changes what it says."""

    @property
    def signature(self) -> str: ...

    def tell(self, film: SeenFilm, spans: Sequence[Segment], said: Sequence[Caption] | None = None) -> list[Told]:
        """One text for each span, in order.

        A narrator with context sees what it has told before and what was `said`: by default, the film's dialogue.
        """
        ...


def open_narrator(model: str | Path, **search_options: Any) -> Narrator:
    """The narrator of a model folder (options: those of `SearchOptions`), or a trivial one by its name.

    >>> open_narrator("first-billed").signature
    'narrator-first-billed'
    """
    from kataribe.narration.narrators.trivial import TRIVIAL, trivial_narrator

    if isinstance(model, str) and model in TRIVIAL and not Path(model).exists():
        return trivial_narrator(model, **search_options)
    from kataribe.narration.narrators.model import open_model

    return open_model(Path(model), **search_options)
