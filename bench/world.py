"""`python -m bench world`: how long a world takes to make, and how much of it the media stages give back.

It makes a world of size small in both languages (a minute each on two free cores), reads its subtitles, cuts and
speech, and looks for faces in the films of the test split and in all portraits. Last, a linear classifier on frame
vectors says how well actions and places can be told apart by what a frozen network sees.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from bench import world_checks as checks
from bench.data import ROOT
from bench.report import Options, Results
from kataribe.core.types import Floats
from kataribe.encoders.pictures import open_pictures
from kataribe.films.watching import watch
from kataribe.films.world.building import build_world
from kataribe.films.world.film import Film
from kataribe.films.world.languages import WORDS
from kataribe.films.world.options import Language, WorldOptions, random_stream
from kataribe.films.world.pictures import _shot_frames
from kataribe.films.world.plot import plan_film
from kataribe.films.world.summary import summarise
from kataribe.media.faces import DlibFaces
from kataribe.media.pictures import open_picture
from kataribe.media.shots import cuts
from kataribe.media.speech import speech_regions
from kataribe.media.subtitles import read_subtitles

PAGE = ROOT / "docs" / "film-world.md"
LANGUAGES: tuple[Language, ...] = ("zh", "en")
_EVERY = 12  # frames between two looks at faces
_EVENTS = 24  # shots of one film that the classifier learns from
BACKBONES = ("efficientnet-lite0", "histogram")


def measure(options: Options) -> Results:
    read: list[list[str]] = [["", *({"zh": "Chinese", "en": "English"}[each] for each in LANGUAGES)]]
    columns = []
    with tempfile.TemporaryDirectory() as folder:
        for language in LANGUAGES:
            columns.append(_language(Path(folder) / language, language, options))
    for name in columns[0]:
        read.append([name, *(column[name] for column in columns)])
    return Results([("Read back from pixels and sound", read), ("Seen by a frozen network", _probe(options))])


def _language(folder: Path, language: Language, options: Options) -> dict[str, str]:
    started, used = time.perf_counter(), _cpu()
    films = build_world(folder, WorldOptions("small", language=language))
    seconds, cpu = time.perf_counter() - started, _cpu() - used
    told = summarise(films)
    row = {
        "size small: minutes of film": f"{told.minutes:.1f}",
        "seconds to make it (of all processors)": f"{seconds:.0f} ({cpu:.0f})",
    }
    read = films[: max(1, round(len(films) * options.fraction))]
    if films[-1] not in read:
        read = [*read[:-1], films[-1]]
    return row | _read(folder, read, WORDS[language].most) | _faces(folder, films)


def _cpu() -> float:
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _read(folder: Path, films: Sequence[Film], most: int) -> dict[str, str]:
    exact = timed = found = right = starts = ends = alike = clips = checks.NONE
    extra: list[str] = []
    for film in films:
        gold, video = checks.gold_of(folder, film.id), folder / "videos" / f"{film.id}.mp4"
        subtitles = read_subtitles(video)
        lines = checks.lines_read(gold, subtitles)
        exact, timed, extra = exact + lines.exact, timed + lines.timed, [*extra, *lines.extra]
        cut = checks.cuts_found(gold, cuts(video))
        found, right = found + cut.found, right + cut.right
        heard = checks.speech_found(gold, speech_regions(video))
        starts, ends, alike = starts + heard.starts, ends + heard.ends, alike + heard.alike
        told = watch(video, subtitles=subtitles).narration
        clips += checks.clips_heard(gold, told, most)
        print(f"bench: {film.id}: {lines.missed} {lines.extra}", file=sys.stderr, flush=True)
    return {
        "films read": str(len(films)),
        "subtitles: lines exact": str(exact),
        "subtitles: lines exact, times within 0.5 s": str(timed),
        "subtitles: lines that nobody said": str(len(extra)),
        "cuts found within 0.5 s": str(found),
        "found cuts that are cuts": str(right),
        "starts of speech within 0.5 s": str(starts),
        "ends of speech within 0.5 s": str(ends),
        "tenths of a second judged alike": f"{alike.share:.1%}",
        "clips G from the video alone, given the words": str(clips),
    }


def _faces(folder: Path, films: Sequence[Film]) -> dict[str, str]:
    finder, seen = DlibFaces(), checks.FacesFound()
    for film in films:
        if film.split == "test":
            checks.see_faces(folder, film.id, finder, seen, every=_EVERY)
    portraits = [len(finder.find(open_picture(path))) == 1 for path in sorted((folder / "portraits").rglob("*.png"))]
    verified = checks.verify(seen.vectors)
    found = {f"faces found: {part}s": str(share) for part, share in sorted(seen.found.items())}
    return {
        "faces found in frames of the test split": str(seen.all),
        **found,
        "found where nobody is": str(seen.nobody),
        "faces found in portraits": str(checks.Share(sum(portraits), len(portraits))),
        "distance, same person: median, 95%": _quantiles(verified.same, 0.5, 0.95),
        "distance, other person: 5%, median": _quantiles(verified.other, 0.05, 0.5),
        "verification, unseen cast": f"{verified.right:.2%} at {verified.threshold:.2f}",
    }


def _quantiles(values: Floats, *at: float) -> str:
    return ", ".join(f"{value:.2f}" for value in np.quantile(values, at))


def _probe(options: Options) -> list[list[str]]:
    """Ridge regression on one vector a shot: learnt from the films of the training split, tried on unseen casts."""
    world = WorldOptions("train")
    numbers = range(world.film_count)
    learn = [number for number in numbers if world.split_of(number) == "train"]
    learn = learn[: max(4, round(len(learn) * options.fraction))]
    known = _shots(world, learn, _EVENTS)
    tried = _shots(world, [number for number in numbers if world.split_of(number) == "test"], 60)
    rows = [["", "shots to learn from", "shots to tell", "actions right", "places right"]]
    for name in BACKBONES:
        vectors, new = (_vectors(name, shots) for shots in (known, tried))
        right = [f"{_ridge(vectors, known, new, tried, what):.1%}" for what in ("action", "place")]
        rows.append([name, str(len(known)), str(len(tried)), *right])
    count = [len({getattr(shot, what) for shot in known}) for what in ("action", "place")]
    rows.append(["chance", "", "", *(f"{1 / number:.1%}" for number in count)])
    return rows


@dataclass(frozen=True)
class _Seen:
    pixels: Any
    action: str
    place: str


def _shots(world: WorldOptions, numbers: Sequence[int], most: int) -> list[_Seen]:
    found = []
    for number in numbers:
        film, rng = plan_film(world, number), random_stream(world.seed, "pixels", number)
        shots = [shot for shot in film.shots if shot.event is not None]
        for index in rng.permutation(len(shots))[:most]:
            shot = shots[index]
            at = min(shot.end - shot.start - 1, int(rng.integers(12)))
            frame = next(islice(_shot_frames(film, shot, world.language, rng), at, None))
            event = film.events[shot.event or 0]
            found.append(_Seen(frame.copy(), event.action, event.place))
    return found


def _vectors(name: str, shots: Sequence[_Seen]) -> Floats:
    from PIL import Image

    encoder = open_pictures(name)
    sized = [np.asarray(Image.fromarray(shot.pixels).resize(encoder.size)) for shot in shots]
    return np.concatenate([encoder.pixels(sized[start : start + 16]) for start in range(0, len(sized), 16)])


def _ridge(vectors: Floats, known: Sequence[_Seen], new: Floats, tried: Sequence[_Seen], what: str) -> float:
    mean, spread = vectors.mean(axis=0), vectors.std(axis=0) + 1e-6
    x, z = (vectors - mean) / spread, (new - mean) / spread
    labels = sorted({getattr(shot, what) for shot in known})
    y = np.array([[getattr(shot, what) == label for label in labels] for shot in known], dtype=np.float64)
    weights = np.linalg.solve(x.T @ x + 300 * np.eye(x.shape[1]), x.T @ (y - y.mean(axis=0)))
    told = np.array(labels)[(z @ weights).argmax(axis=1)]
    return float(np.mean(told == [getattr(shot, what) for shot in tried]))
