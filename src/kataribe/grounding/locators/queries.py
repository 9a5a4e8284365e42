"""What a locator learns from and is tested on: texts, each with the moment that it describes and a window round it.

The clips G of a corpus are queries. A folder of further ones may be given, in the same form (`G/train.json`):

    QUERIES/train.json   learned from, beside the clips
    QUERIES/val.json     validated on, beside the clips
    QUERIES/test.json    scored apart, as `queries`
    QUERIES/test-NAME.json   scored apart, as `NAME`; val-NAME.json as `val NAME`, to choose settings by
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kataribe.core.errors import Location, UsageError, some
from kataribe.core.types import Narration, Segment
from kataribe.films.movie101 import read_narrations
from kataribe.films.names import Names
from kataribe.films.seen import SeenCorpus, SeenFilm
from kataribe.films.windows import window_of
from kataribe.text.scripts import says_something

TRAIN, VALIDATION, TEST = "train", "val", "test"
CLIPS, QUERIES = "clips", "queries"


@dataclass(frozen=True)
class Asked:
    """A query with its answer. `window` is where it is looked for in tests."""

    id: str
    film: str
    text: str
    span: Segment
    window: Segment

    def drawn_window(self, whole: Segment, length: float, draw: int) -> Segment:
        """Another window that covers the answer, as training sees it."""
        return window_of(self._clip, whole, length, epoch=draw)

    @property
    def _clip(self) -> Narration:
        return Narration(self.id, self.film, self.span, self.text)


@dataclass(frozen=True, eq=False)
class AskedFilms:
    """Films and what is asked of them: `learned`, `validated`, and by name what is scored in the end."""

    films: Mapping[str, SeenFilm]
    spans: Mapping[str, Segment]  # of each film, without its opening and ending
    learned: tuple[Asked, ...]
    validated: tuple[Asked, ...]
    tested: Mapping[str, tuple[Asked, ...]]
    key: str = ""

    @property
    def texts(self) -> list[str]:
        """Every distinct text, in the order of first use."""
        listed = (*self.learned, *self.validated, *(asked for found in self.tested.values() for asked in found))
        return list(dict.fromkeys(asked.text for asked in listed))


def asked_films(
    corpus: SeenCorpus, queries: Path | None = None, window: float = 200.0, *, learn_clips: bool = True
) -> AskedFilms:
    """The clips of a corpus and the queries of a folder, if one is given.

    Without `learn_clips`, clips are only tested on: what is learned and validated comes from the folder alone.
    """
    spans = {film: document.corpus.span for film, document in corpus.documents.items()}
    clips = {
        part: _asked([clip for film in films for clip in corpus.documents[film].corpus.clips], spans, window)
        for part, films in corpus.split.items()
    }
    files = _files(queries) if queries is not None else {}
    more = {name: _asked(_of_films(path, corpus), spans, window) for name, path in files.items()}
    learned_clips = clips if learn_clips else {}
    tested = {CLIPS: clips.get(TEST, ()), QUERIES: more.get(TEST, ())}
    tested |= {_shown(name): found for name, found in more.items() if "-" in name}
    learned = (*learned_clips.get(TRAIN, ()), *more.get(TRAIN, ()))
    if not learned:
        raise UsageError(
            "there is no query of a film in the part `train` of the corpus",
            hint="`kataribe build movie --split` makes parts",
        )
    return AskedFilms(
        films=corpus.films,
        spans=spans,
        learned=learned,
        validated=(*learned_clips.get(VALIDATION, ()), *more.get(VALIDATION, ())),
        tested={name: found for name, found in tested.items() if found},
    )


def _shown(name: str) -> str:
    """
    >>> _shown("test-echo"), _shown("val-echo")
    ('echo', 'val echo')
    """
    return name.removeprefix(f"{TEST}-").replace("-", " ", 1)


def named_portraits(film: SeenFilm, text: str) -> list[int]:
    """Rows of the cast: the roles that a text names and that have a portrait, in the order of first mention."""
    row_of = {role.name: row for row, role in enumerate(film.cast.roles)}
    mentioned = dict.fromkeys(mention.role for mention in Names.of_cast(film.cast).mentions(text))
    return [row_of[role] for role in mentioned if film.has_portrait[row_of[role]]]


def _asked(clips: Iterable[Narration], spans: Mapping[str, Segment], window: float) -> tuple[Asked, ...]:
    return tuple(
        Asked(clip.id, clip.film, clip.text, clip.segment, window_of(clip, spans[clip.film], window))
        for clip in clips
        if clip.film is not None and clip.segment is not None and says_something(clip.text)
    )


def _files(folder: Path) -> dict[str, Path]:
    known = (TRAIN, VALIDATION, TEST)
    files = {path.stem: path for path in sorted(folder.glob("*.json"))}
    files = {
        name: path for name, path in files.items() if name in known or name.startswith((f"{TEST}-", f"{VALIDATION}-"))
    }
    if not files:
        raise Location(folder).error("has no queries", hint="they are in train.json, val.json and test.json")
    return files


def _of_films(path: Path, corpus: SeenCorpus) -> Sequence[Narration]:
    """The queries of a file, which are of films of this corpus and of the right part of it."""
    part = path.stem.partition("-")[0]
    narrations = read_narrations(path)
    films = set(corpus.split.get(part, ()))
    if strange := sorted({str(each.film) for each in narrations if each.film not in films}):
        raise Location(path).error(
            f"asks of films that are not in the part {part} of the corpus: {some(strange)}",
            hint="a film that is tested on is not learned from",
        )
    return narrations
