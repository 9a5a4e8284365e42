"""A library of films to search in: a folder of memory-mapped vectors, to which films are added one by one.

    library.json   which model, how films are cut, and for each film its name, its video, its first row and its rows
    vectors.bin    a vector for each shot, row after row, in float32 or float16, little-endian
    spans.bin      start and end of each shot in seconds, float64
    lists.faiss    the first rows sorted for approximate search, where that was asked for

A film is added by appending its rows, and is there once library.json, which is replaced in one step, names it: whoever
stops in between leaves the library as it was, and what was appended is cut off next time. Films that are there are not
looked at again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

import kataribe
from kataribe.core.errors import InputError, JoinError, Location, OutputError, UsageError, shorten
from kataribe.core.types import Array, Float32s, Segment
from kataribe.encoders.dual import DualEncoder
from kataribe.formats.output import write_whole
from kataribe.grounding.retrieval.approximate import build_index, nearly_nearest, read_index, write_index
from kataribe.grounding.retrieval.nearest import Nearest, merged, nearest
from kataribe.grounding.retrieval.shot_vectors import FilmShots

FORMAT = "kataribe library 1"
ABOUT, VECTORS, SPANS, LISTS = "library.json", "vectors.bin", "spans.bin", "lists.faiss"

Precision = Literal["float32", "float16"]
_SPAN = np.dtype("<f8")


class FilmEntry(msgspec.Struct, frozen=True):
    """A film in a library. `source` is the file that it was made from, as it was called then."""

    film: str
    source: str
    video: dict[str, Any]
    first: int
    rows: int


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What library.json says; `sorted_rows` are those in lists.faiss."""

    format: str = FORMAT
    kataribe: str = kataribe.__version__
    model: str
    width: int
    precision: Precision
    length: float
    sorted_rows: int = 0
    films: list[FilmEntry] = []

    @property
    def rows(self) -> int:
        return sum(film.rows for film in self.films)


class Library:
    """An opened library. Vectors are read from the disk when they are looked at."""

    def __init__(self, folder: Path, about: About) -> None:
        self.folder, self.about = folder, about
        self._lists: Any = None

    def __len__(self) -> int:
        return self.about.rows

    @property
    def films(self) -> Sequence[FilmEntry]:
        return self.about.films

    @property
    def vectors(self) -> Array:
        return self._mapped(VECTORS, _dtype(self.about.precision), self.about.width)

    def span(self, row: int) -> Segment:
        start, end = self._mapped(SPANS, _SPAN, 2)[row].tolist()
        return Segment(start, end)

    def film_at(self, row: int) -> FilmEntry:
        firsts = [film.first for film in self.films]
        return self.films[int(np.searchsorted(firsts, row, side="right")) - 1]

    def of_film(self, film: FilmEntry) -> tuple[Array, Array]:
        """The spans and the vectors of a film."""
        rows = slice(film.first, film.first + film.rows)
        return self._mapped(SPANS, _SPAN, 2)[rows], self.vectors[rows]

    def nearest(self, queries: Float32s, top: int, *, exact: bool = False) -> Nearest:
        """The best shots of all films; through the sorted lists where there are some, unless it is to be exact."""
        if exact or not self.about.sorted_rows:
            return nearest(self.vectors, queries, top)
        if self._lists is None:
            self._lists = read_index(self.folder / LISTS)
        done = self.about.sorted_rows
        found = nearly_nearest(self._lists, self.vectors[:done], queries, top)
        # Films that were added since are few, and looked at one by one.
        return merged(found, nearest(self.vectors[done:], queries, top, first=done), top)

    def check_model(self, encoder: DualEncoder) -> None:
        if encoder.signature != self.about.model:
            raise JoinError(
                f"was made with {self.about.model}, and the model {encoder.folder} is {encoder.signature}",
                file=self.folder,
                hint="give the model that it was made with, or make it again",
            )

    def _mapped(self, name: str, dtype: np.dtype[Any], width: int) -> Array:
        rows = len(self)
        if not rows:
            return np.zeros((0, width), dtype=dtype)
        try:
            return np.memmap(self.folder / name, dtype=dtype, mode="r", shape=(rows, width))
        except (OSError, ValueError) as error:
            problem = f"lacks vectors that its {ABOUT} names ({shorten(error, 80)})"
            raise InputError(problem, file=self.folder, hint="make it again") from None


def is_library(folder: Path) -> bool:
    return (folder / ABOUT).is_file()


def open_library(folder: Path) -> Library:
    """A library that may be empty; one that is damaged or of another version is refused."""
    try:
        content = (folder / ABOUT).read_bytes()
        plain = msgspec.json.decode(content)
        format = plain.get("format") if isinstance(plain, dict) else None
        if format != FORMAT:
            problem = f"is no library that this version reads ({shorten(format)}, not {FORMAT!r})"
            raise Location(folder).error(problem, hint="make it again")
        about = msgspec.convert(plain, About)
    except FileNotFoundError:
        problem = f"is no library: it has no {ABOUT}"
        raise Location(folder).error(
            problem, hint="`kataribe index FILMS... --model DIR -o LIBRARY` makes one"
        ) from None
    except (OSError, msgspec.DecodeError, msgspec.ValidationError) as error:
        raise Location(folder).error(
            f"its {ABOUT} cannot be read ({shorten(error, 80)})", hint="make it again"
        ) from None
    firsts = np.cumsum([0, *(film.rows for film in about.films)])[:-1]
    if [film.first for film in about.films] != firsts.tolist():
        raise Location(folder).error(f"the rows in its {ABOUT} do not follow each other", hint="make it again")
    return Library(folder, about)


def check_place(folder: Path) -> None:
    """Say before films are looked at that the library has no place."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: is a file", hint="name a folder for the library")
    if folder.is_dir() and any(folder.iterdir()) and not is_library(folder):
        raise OutputError(f"{folder}: holds other things than a library", hint="name a new or empty folder")
    if not folder.absolute().parent.is_dir():
        raise OutputError(f"{folder}: there is no folder {folder.parent}", hint="create it first")
    if not os.access(folder if folder.is_dir() else folder.absolute().parent, os.W_OK):
        raise OutputError(f"{folder}: cannot be written to", hint="choose another place")


def is_known(library: Library | None, film: str, video: Mapping[str, Any]) -> bool:
    """Whether a film is there; another one of the same name is refused."""
    for entry in library.films if library is not None else ():
        if entry.film == film:
            if entry.video == dict(video):
                return True
            assert library is not None
            problem = f"is there already, made from another video ({entry.source})"
            raise Location(library.folder, film).error(problem, hint="name the file otherwise, or make a new library")
    return False


def add_film(
    folder: Path, shots: FilmShots, source: Path, encoder: DualEncoder, precision: Precision | None = None
) -> Library:
    """Append a film; the folder is made where there is none. What is there decides over `precision`."""
    check_place(folder)
    folder.mkdir(exist_ok=True)
    with _alone(folder):
        about = open_library(folder).about if is_library(folder) else _new(encoder, precision or "float32")
        library = Library(folder, about)
        library.check_model(encoder)
        if precision is not None and precision != about.precision:
            problem = f"<precision {precision}>: the library {folder} holds {about.precision}"
            raise UsageError(problem, hint="leave it out", options=["precision"])
        if is_known(library, shots.film, shots.video):
            return library
        entry = FilmEntry(shots.film, str(source), dict(shots.video), about.rows, len(shots))
        spans = np.array([[span.start, span.end] for span in shots.spans], dtype=_SPAN)
        try:
            _append(folder / VECTORS, about.rows, shots.vectors.astype(_dtype(about.precision)))
            _append(folder / SPANS, about.rows, spans)
        except OSError as error:
            raise OutputError(f"{folder}: cannot be written ({error.strerror})", hint="is the disk full?") from None
        return _replaced(library, films=[*about.films, entry])


def sort_library(library: Library, seed: int = 0) -> Library:
    """Sort all rows for approximate search."""
    if not len(library):
        raise Location(library.folder).error("has no shots to sort", hint="add films first")
    with _alone(library.folder):
        index = build_index(library.vectors, seed)
        temporary = library.folder / f".{LISTS}"
        write_index(index, temporary)
        temporary.replace(library.folder / LISTS)
        return _replaced(library, sorted_rows=len(library))


def _new(encoder: DualEncoder, precision: Precision) -> About:
    options = encoder.options
    return About(model=encoder.signature, width=options.width, precision=precision, length=options.length)


def _replaced(library: Library, **changes: Any) -> Library:
    about = msgspec.structs.replace(library.about, **changes)
    write_whole(library.folder / ABOUT, msgspec.json.format(msgspec.json.encode(about), indent=1) + b"\n")
    return Library(library.folder, about)


def _append(path: Path, rows: int, new: Array) -> None:
    """Behind the rows that are there; what somebody left half-written behind them goes."""
    row_bytes = new.dtype.itemsize * new.shape[1]
    with path.open("r+b" if path.exists() else "w+b") as file:
        file.truncate(rows * row_bytes)
        file.seek(rows * row_bytes)
        file.write(new.tobytes())
        file.flush()
        os.fsync(file.fileno())


def _dtype(precision: Precision) -> np.dtype[Any]:
    return np.dtype("<f4" if precision == "float32" else "<f2")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Two calls that add to one library would write over each other."""
    try:
        import fcntl
    except ImportError:  # where there is none, nobody watches
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise OutputError(f"{folder}: another call is adding to this library", hint="wait for it") from None
    try:
        yield
    finally:
        os.close(descriptor)
