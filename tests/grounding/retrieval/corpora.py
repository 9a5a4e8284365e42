"""A tiny corpus whose frames show what its texts say: each frame is the sum of what is done and to what, and noise."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np

ACTIONS = ("sweeps", "burns", "paints", "kisses", "buries", "juggles")
THINGS = ("the car", "a letter", "an apple", "the guitar", "a clock", "the fish")
NAMES = ("Anna", "Boris", "Chloe", "Dmitri")
ENCODER, WIDTH = "histogram", 288
LENGTH = 20


def write_features(path: Path, vectors: np.ndarray, *, encoder: str = ENCODER, rate: float = 1.0) -> None:
    """A feature file as `kataribe media frames` writes it, of a video that nobody has."""
    recipe = {"encoder": encoder, "rate": rate}
    video = {"name": f"{path.stem}.mp4", "bytes": len(vectors), "ends": path.stem}
    header = {"format": 1, "kataribe": "0", "video": video, "stages": {"frames": recipe}}
    np.savez(
        path,
        header=np.array(json.dumps(header)),
        **{"frames.time": np.arange(len(vectors)) / rate, "frames.vector": vectors.astype(np.float32)},
    )


def make_corpus(
    folder: Path, films: int = 8, shots: int = 10, *, encoder: str = ENCODER, width: int = WIDTH
) -> tuple[Path, Path]:
    """The corpus folder and the folder of features; the last film is to test with, the one before to validate."""
    rng = np.random.default_rng(0)
    shown = {word: rng.normal(size=width) for word in (*ACTIONS, *THINGS)}
    corpus, features = folder / "corpus", folder / "features"
    for name in ("G", "GSR"):
        (corpus / name).mkdir(parents=True)
    features.mkdir()
    split = {"train": [f"f{n}" for n in range(films - 2)], "val": [f"f{films - 2}"], "test": [f"f{films - 1}"]}
    every = list(product(ACTIONS, THINGS))
    for part, members in split.items():
        clips, items = [], []
        for film in members:
            chosen = [every[row] for row in rng.permutation(len(every))[:shots]]
            vectors = []
            for number, (action, thing) in enumerate(chosen):
                start = number * LENGTH
                text = f"{rng.choice(NAMES)} {action} {thing}."
                clips.append({"movie_id": film, "start_time": start + 2, "end_time": start + 18, "content": text})
                items.append({"video_id": len(items), "video": f"{film}_{start}_{start + LENGTH}", "caption": [text]})
                vectors.append(shown[action] + shown[thing] + 0.5 * rng.normal(size=(LENGTH, width)) + 3)
            write_features(features / f"{film}.npz", np.concatenate(vectors), encoder=encoder)
        (corpus / "G" / f"{part}.json").write_text(json.dumps(clips))
        (corpus / "GSR" / f"{part}.json").write_text(json.dumps(items))
    (corpus / "split.json").write_text(json.dumps(split))
    return corpus, features


def make_videos(folder: Path) -> tuple[Path, Path, Path]:
    """Three films of six seconds as videos, with their features by efficientnet-lite0: corpus, features, videos."""
    from kataribe.encoders.pictures import open_pictures
    from kataribe.films.feature_file import look
    from kataribe.films.frames import FrameStage
    from tests.media.clips import cuts, write_video

    corpus, features, videos = (folder / name for name in ("corpus", "features", "videos"))
    for path in (corpus / "G", corpus / "GSR", features, videos):
        path.mkdir(parents=True)
    for number, part in enumerate(("train", "val", "test")):
        film = f"f{number}"
        write_video(videos / f"{film}.mp4", cuts(np.random.default_rng(number), [15, 15]), fps=5)
        look(FrameStage(open_pictures("efficientnet-lite0")), videos / f"{film}.mp4", features / f"{film}.npz")
        clips = [
            {
                "movie_id": film,
                "start_time": start,
                "end_time": start + 3,
                "content": f"Anna {action} {THINGS[number]}.",
            }
            for start, action in ((0, "sweeps"), (3, "burns"))
        ]
        (corpus / "G" / f"{part}.json").write_text(json.dumps(clips))
        shot = {"video_id": number, "video": f"{film}_0_20", "caption": [clip["content"] for clip in clips]}
        (corpus / "GSR" / f"{part}.json").write_text(json.dumps([shot]))
    return corpus, features, videos
