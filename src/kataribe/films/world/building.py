"""The folder of a world, film by film: what is whole stays, what is missing is made.

videos/FILM.mp4        the films; a film is whole once its video is there
dialogue/FILM.srt      what is said and burnt in          narration/FILM.vtt   what is told, in fragments
gold/FILM.json         everything: lines, dialogues, clips G and N, events, shots with faces
portraits/FILM/NN.png  the cast in billing order
films.json, cast.json, splits.json, N/SPLIT.json, G/SPLIT.json   the corpus, once all films are whole
about.json             the options
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

import kataribe
from kataribe.core.errors import KataribeError, OutputError
from kataribe.core.need import need
from kataribe.core.progress import report
from kataribe.films.movie101 import as_lines
from kataribe.films.workers import film_by_film
from kataribe.films.world import gold
from kataribe.films.world.casting import film_id
from kataribe.films.world.film import FPS, Film
from kataribe.films.world.fonts import find_font
from kataribe.films.world.languages import WORDS
from kataribe.films.world.options import SPLITS, WorldOptions, random_stream
from kataribe.films.world.pictures import frames, portrait
from kataribe.films.world.places import HEIGHT, WIDTH
from kataribe.films.world.plot import plan_film
from kataribe.films.world.speech import RATE, check_voices, soundtrack
from kataribe.films.world.video_file import write_mp4
from kataribe.formats.output import write_whole

FORMAT = "kataribe world 1"
_ABOUT = "about.json"
_FOLDERS = ("videos", "dialogue", "narration", "gold", "portraits", "N", "G")


def build_world(folder: Path, options: WorldOptions, processes: int | None = None) -> list[Film]:
    """Make the films that are not there yet, then the files of the corpus. Returns the plans of all films."""
    check_programs(options)
    _open_folder(folder, options)
    missing = missing_films(folder, options)
    total = options.film_count
    report("films", total - len(missing), total)
    calls = [(folder, options, number) for number in missing]
    for done, _ in enumerate(film_by_film(make_film, calls, processes), start=1):
        report("films", total - len(missing) + done, total)
    films = [plan_film(options, number) for number in range(total)]
    _write_corpus(folder, options, films)
    return films


def check_programs(options: WorldOptions) -> None:
    """Say at once what is missing, not after the first film."""
    need("PIL.Image", extra="films", purpose="drawing films")
    need("av", extra="films", purpose="writing films")
    find_font(options.language)
    if options.sound != "silent":
        check_voices()


def missing_films(folder: Path, options: WorldOptions) -> list[int]:
    return [number for number in range(options.film_count) if not _video(folder, number).is_file()]


def _video(folder: Path, number: int) -> Path:
    return folder / "videos" / f"{film_id(number)}.mp4"


def _about(options: WorldOptions) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "kataribe": kataribe.__version__,
        "what": "generated films: drawn people, synthesised voices, invented stories",
        "size": options.size,
        "language": options.language,
        "seed": options.seed,
        "films": options.film_count,
        "sound": options.sound,
        "frames_per_second": FPS,
        "width": WIDTH,
        "height": HEIGHT,
        # Movie101's limit is for Chinese; a clip of English has three times the letters.
        "clip_characters": WORDS[options.language].most,
    }


def _open_folder(folder: Path, options: WorldOptions) -> None:
    """A new folder, or a world of the same options, which is gone on with."""
    about = _about(options)
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: is a file", hint="name a new or empty folder")
    if folder.is_dir() and any(folder.iterdir()):
        _compare(folder, about)
    try:
        for name in _FOLDERS:
            (folder / name).mkdir(parents=True, exist_ok=True)
        for left in folder.glob("videos/.*.mp4"):  # of a run that was killed
            left.unlink()
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written ({error.strerror})", hint="choose another place") from None
    if not (folder / _ABOUT).is_file():
        write_whole(folder / _ABOUT, gold.as_json(about))


def _compare(folder: Path, about: dict[str, Any]) -> None:
    try:
        found = msgspec.json.decode((folder / _ABOUT).read_bytes())
    except (OSError, msgspec.DecodeError):
        found = None
    if not isinstance(found, dict) or not str(found.get("format")).startswith("kataribe world "):
        raise OutputError(f"{folder}: holds other things than a world", hint="name a new or empty folder")
    for name in about:
        if found.get(name) != about[name]:
            raise OutputError(
                f"{folder}: holds a world with {name} {found.get(name)!r}, not {about[name]!r}",
                hint="name another folder, or give the same options to go on with it",
            )


def make_film(folder: Path, options: WorldOptions, number: int) -> str:
    """All files of one film. The video comes last and in one step, so that a film that has one is whole."""
    film = plan_film(options, number)
    try:
        write_whole(folder / "dialogue" / f"{film.id}.srt", gold.srt(film))
        write_whole(folder / "narration" / f"{film.id}.vtt", gold.vtt(film))
        write_whole(folder / "gold" / f"{film.id}.json", gold.as_json(gold.document_of(film, options.language)))
        (folder / "portraits" / film.id).mkdir(exist_ok=True)
        for billed, player in enumerate(film.company.players):
            portrait(player).save(folder / gold.portrait_path(film, billed))
        _write_video(folder, film, options, number)
    except KataribeError:
        raise
    except Exception as error:  # the encoder's own errors are no OSErrors
        if not isinstance(error, OSError) and not type(error).__module__.startswith("av."):
            raise
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise OutputError(f"{_video(folder, number)}: cannot be written ({reason})", hint="is the disk full?") from None
    return film.id


def _write_video(folder: Path, film: Film, options: WorldOptions, number: int) -> None:
    sound = soundtrack(film, options.language, options.sound, random_stream(options.seed, "sound", number))
    pictures = frames(film, options.language, random_stream(options.seed, "pixels", number))
    handle, name = tempfile.mkstemp(suffix=".mp4", prefix=f".{film.id}.", dir=folder / "videos")
    os.close(handle)
    temporary = Path(name)
    try:
        write_mp4(temporary, pictures, sound, RATE)
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(_video(folder, number))
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _write_corpus(folder: Path, options: WorldOptions, films: Sequence[Film]) -> None:
    """What speaks of all films: written once they are all there."""
    language = options.language
    for split in SPLITS:
        members = [film for film in films if film.split == split]
        for name, clips in (("N", gold.long_clips), ("G", gold.short_clips)):
            entries = [entry for film in members for entry in clips(film, language)]
            write_whole(folder / name / f"{split}.json", as_lines(entries))
    write_whole(folder / "cast.json", gold.as_json({film.id: gold.cast_of(film) for film in films}))
    write_whole(folder / "splits.json", gold.as_json(gold.splits_of(films)))
    write_whole(folder / "films.json", gold.as_json([gold.film_entry(film, language) for film in films]))
