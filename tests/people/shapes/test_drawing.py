"""Pictures show their scenes: colours to the eye, shapes to the outline, and enough of both to a real encoder."""

from __future__ import annotations

import io
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from kataribe.people.shapes.drawing import draw_png
from kataribe.people.shapes.scene import BACKGROUNDS, COLOURS, SHAPES, SIDE, Look, Scene, Thing, random_scene

Image = pytest.importorskip("PIL.Image", reason="needs kataribe[models]")


def pixels(scene: Scene, seed: int = 0) -> np.ndarray:
    image = Image.open(io.BytesIO(draw_png(scene, np.random.default_rng(seed))))
    assert (image.format, image.mode, image.size) == ("PNG", "RGB", (SIDE, SIDE))
    return np.asarray(image, dtype=np.float64)


def one(shape: str, colour: str, background: str = "white") -> Scene:
    return Scene(background, (Thing(Look(shape, colour, "large"), 112, 112, 46, 0),))  # type: ignore[arg-type]


def test_the_same_draws_give_the_same_bytes_and_others_do_not() -> None:
    scene = random_scene(np.random.default_rng(1))
    first, again, other = (draw_png(scene, np.random.default_rng(seed)) for seed in (5, 5, 6))
    assert first == again != other


def test_colours_and_grounds_are_told_apart_though_they_vary() -> None:
    """Between any two colours lies more than between two pictures of one."""
    centres = {c: [pixels(one("circle", c), s)[107:117, 107:117].mean(axis=(0, 1)) for s in range(4)] for c in COLOURS}
    corners = {b: [pixels(one("circle", "red", b), s)[:9, :9].mean(axis=(0, 1)) for s in range(4)] for b in BACKGROUNDS}
    for seen in (centres, corners):
        within = max(np.ptp(np.array(values), axis=0).max() for values in seen.values())
        between = min(
            np.abs(np.array(a)[:, None] - np.array(b)[None]).max(axis=2).min()
            for a, b in combinations(seen.values(), 2)
        )
        assert within < between


def test_shapes_cover_different_pixels() -> None:
    covered = {shape: pixels(one(shape, "blue")).min(axis=2) < 150 for shape in SHAPES}
    for first, second in combinations(SHAPES, 2):
        both, either = covered[first] & covered[second], covered[first] | covered[second]
        assert both.sum() < 0.85 * either.sum(), (first, second)


def test_things_are_where_the_scene_has_them() -> None:
    left, right = (
        Thing(Look("square", "red", "small"), 60, 60, 26, 0),
        Thing(Look("star", "blue", "large"), 160, 150, 42, 0),
    )
    seen = pixels(Scene("white", (left, right)))
    assert seen[60, 60].argmax() == 0
    assert seen[150, 160].argmax() == 2
    assert seen[200, 20].min() > 200


@pytest.mark.slow
def test_an_encoder_that_never_saw_them_carries_colour_shape_and_count(tmp_path: Path, own_cache: Path) -> None:
    pytest.importorskip("efficientnet_lite_pytorch", reason="needs kataribe[models]")
    from kataribe.encoders.pictures import encode_pictures, open_pictures

    scenes = [random_scene(np.random.default_rng([7, number])) for number in range(900)]
    files = [tmp_path / f"{number}.png" for number in range(len(scenes))]
    for number, (scene, file) in enumerate(zip(scenes, files, strict=True)):
        file.write_bytes(draw_png(scene, np.random.default_rng([8, number])))
    vectors = np.asarray(encode_pictures(open_pictures("efficientnet-lite0"), files), dtype=np.float64)

    def worth(value_of: Callable[[Scene], float]) -> float:
        """The share of held-out pairs that a ridge on the vectors puts in order."""
        values = np.array([float(value_of(scene)) for scene in scenes])
        guesses = ridge(vectors[:700], values[:700], vectors[700:])
        higher, lower = np.nonzero(values[700:, None] > values[None, 700:])
        return float((guesses[higher] > guesses[lower]).mean())

    for colour in COLOURS:
        assert worth(lambda scene, c=colour: any(thing.look.colour == c for thing in scene.things)) > 0.7, colour
    for shape in SHAPES:
        assert worth(lambda scene, s=shape: any(thing.look.shape == s for thing in scene.things)) > 0.95, shape
    assert worth(lambda scene: len(scene.things)) > 0.85


def ridge(known: np.ndarray, values: np.ndarray, asked: np.ndarray, strength: float = 1000.0) -> np.ndarray:
    centre, spread = known.mean(axis=0), known.std(axis=0) + 1e-9
    known, asked = (known - centre) / spread, (asked - centre) / spread
    weights = known.T @ np.linalg.solve(known @ known.T + strength * np.eye(len(known)), values - values.mean())
    return asked @ weights + values.mean()
