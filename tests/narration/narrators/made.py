"""Films with made features: frames tell what is done, faces tell who does it; nobody plays in two parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kataribe.core.types import Caption, Cast, Role, Segment
from kataribe.films.frames import FrameVectors
from kataribe.films.seen import SeenClip, SeenCorpus, SeenFilm
from kataribe.media.faces import Faces

ACTIONS = ("跑开了", "弹起吉他", "读一本书")
ENGLISH = (" runs away.", " plays the guitar.", " reads a book.")
FRAME, FACE = 8, 6
CLIP = 4.0
_NAMES = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨"


@dataclass(frozen=True)
class MadeCorpus(SeenCorpus):
    """Clips that were made with the films."""

    made: Mapping[str, Sequence[SeenClip]]

    def clips(self, part: str, kind: str = "g") -> list[SeenClip]:
        return [clip for film in self.split.get(part, ()) for clip in self.made[film]]


def made_corpus(
    films: tuple[int, int, int] = (4, 1, 1), clips: int = 6, seed: int = 0, is_english: bool = False
) -> MadeCorpus:
    rng = np.random.default_rng(seed)
    doing = rng.normal(size=(len(ACTIONS), FRAME))
    made: dict[str, list[SeenClip]] = {}
    split: dict[str, tuple[str, ...]] = {}
    for part, count in zip(("train", "val", "test"), films, strict=True):
        people = rng.normal(size=(10, FACE))
        split[part] = tuple(f"{part}{number}" for number in range(count))
        for film in split[part]:
            made[film] = _film(film, clips, people, doing, rng, is_english)
    return MadeCorpus({film: found[0].film for film, found in made.items()}, split, {}, made)


def _film(
    name: str, clips: int, people: np.ndarray, doing: np.ndarray, rng: np.random.Generator, is_english: bool
) -> list[SeenClip]:
    who = rng.choice(len(people), 3, replace=False)
    names = rng.choice(list(_NAMES), (3, 2), replace=False)
    roles = [f"Ada{number}" if is_english else "".join(letters) for number, letters in enumerate(names)]
    chosen, acts = rng.integers(3, size=clips), rng.integers(len(ACTIONS), size=clips)
    per_clip = int(CLIP)
    frames = np.repeat(doing[acts], per_clip, axis=0) + 0.1 * rng.normal(size=(clips * per_clip, FRAME))
    faces = np.repeat(people[who[chosen]], per_clip, axis=0) + 0.1 * rng.normal(size=(clips * per_clip, FACE))
    portraits = people[who] + 0.1 * rng.normal(size=(3, FACE))
    said = tuple(Caption(Segment(CLIP * number, CLIP * number + 1), "快走吧") for number in range(clips))
    film = made_film(name, roles, portraits, frames, faces, said)
    texts = [f"{roles[k]}{ENGLISH[a] if is_english else ACTIONS[a] + '。'}" for k, a in zip(chosen, acts, strict=True)]
    spans = [Segment(CLIP * number, CLIP * (number + 1)) for number in range(clips)]
    return [SeenClip(f"{name}_{span.start:g}", film, span, text) for span, text in zip(spans, texts, strict=True)]


def made_film(
    name: str,
    roles: Sequence[str],
    portraits: np.ndarray,
    frames: np.ndarray,
    faces: np.ndarray,
    said: tuple[Caption, ...] = (),
) -> SeenFilm:
    """A frame and a face a second."""
    time = np.arange(len(frames), dtype=np.float64)
    count = len(faces)
    return SeenFilm(
        film=name,
        genres=("剧情",),
        cast=Cast(name, tuple(Role(role) for role in roles)),
        portraits=np.asarray(portraits, dtype=np.float32),
        has_portrait=np.ones(len(roles), dtype=bool),
        frames=FrameVectors(time, np.asarray(frames, dtype=np.float32)),
        faces=Faces(
            time,
            time[:count],
            np.zeros((count, 4)),
            np.ones(count),
            np.asarray(faces, dtype=np.float32),
            np.zeros(count, dtype=np.int64),
        ),
        dialogue=said,
        recipes={"frames": {"encoder": "made-1", "rate": 1.0}, "faces": {"finder": "made", "rate": 1.0}},
    )
