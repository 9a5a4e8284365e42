"""Frames of the films themselves: ten of each line's gap, decoded once, and clear words where there are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kataribe
from kataribe.core import registry
from kataribe.core.errors import InputError, UsageError
from kataribe.encoders import pictures
from kataribe.media.moments import frames_at
from kataribe.narration.task import TASK, NarrationOptions
from kataribe.narration.videos import FRAMES
from tests.media.clips import cuts, write_video
from tests.test_every_metric import compute, random_sharding, shards_at

pytest.importorskip("av")
pytest.importorskip("transformers", reason="needs kataribe[models]")

LINES = {
    "one": {"film": "f", "start": 0, "end": 3, "text": "a dog runs on the grass"},
    "two": {"film": "f", "start": 3, "end": 8, "text": "a man plays the guitar"},
    "three": {"film": "g", "start": 1, "end": 4.5, "text": "the boy jumps in the blue water !"},
}
SAID = {"one": "a dog", "two": "a man plays the guitar", "three": "a cat sleeps under the table"}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KATARIBE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def films(tmp_path: Path) -> Path:
    folder = tmp_path / "films"
    folder.mkdir()
    for seed, (name, lengths) in enumerate({"f": [60, 90, 120], "g": [100, 50]}.items()):
        write_video(folder / f"{name}.mp4", cuts(np.random.default_rng(seed), lengths))
    return folder


def metrics(clip: str) -> list[str]:
    return [f"clipscore({clip})", f"emscore(movie101, model={clip})", f"emscore(model={clip})"]


def evaluate(clip: str, **media):
    return kataribe.evaluate("narration", SAID, LINES, metrics(clip), **media)


def test_videos_score_as_their_frames_do(films: Path, tmp_path: Path, clip: str) -> None:
    from PIL import Image

    for id, line in LINES.items():
        (tmp_path / "frames" / id).mkdir(parents=True)
        length = line["end"] - line["start"]
        times = [line["start"] + length * (number + 0.5) / 10 for number in range(10)]
        for number, pixels in enumerate(frames_at(films / f"{line['film']}.mp4", times)):
            Image.fromarray(pixels).save(tmp_path / "frames" / id / f"{number}.png")
    from_videos, from_frames = evaluate(clip, videos=films), evaluate(clip, images=tmp_path / "frames")
    for one, other in zip(from_videos, from_frames, strict=True):
        assert [item.value for item in one.items.values()] == pytest.approx(
            [item.value for item in other.items.values()], abs=1e-6
        )
        assert "|media:videos-" in one.signature
        assert f"|frames:{FRAMES}|" in one.signature
        assert "frames:" not in other.signature


def test_frames_are_decoded_once(films: Path, clip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []

    def counting(file: Path, times, size):
        looked_at.append(len(times))
        return frames_at(file, times, size)

    monkeypatch.setattr(pictures, "frames_at", counting)
    first = evaluate(clip, videos=films)
    assert sum(looked_at) == FRAMES * len(LINES)  # for three metrics of one model
    again = evaluate(clip, videos=films)
    assert sum(looked_at) == FRAMES * len(LINES)
    assert [metric.value for metric in first] == [metric.value for metric in again]


def test_a_batch_of_frames_is_in_memory_at_a_time(films: Path, clip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alive = most = 0

    class Encoder:
        name, key, signature, size = "counting", "counting", "counting", None

        def pixels(self, batch):
            nonlocal alive, most
            most, alive = max(most, alive), alive - len(batch)
            return np.ones((len(batch), 2))

    def counting(file: Path, times, size):
        nonlocal alive
        for pixels in frames_at(file, times, size):
            alive += 1
            yield pixels

    monkeypatch.setattr(pictures, "frames_at", counting)
    clip_of_many = pictures.Clip(films / "f.mp4", tuple(np.linspace(0, 8.5, 100).tolist()))
    assert pictures.encode_clips(Encoder(), [clip_of_many, clip_of_many])[1].shape == (100, 2)
    assert most == 16


@pytest.mark.parametrize("index", [0, 1])
def test_any_sharding_of_clips_gives_the_same_rows(films: Path, clip: str, index: int) -> None:
    many = {
        f"{film} {at}": {"film": film, "start": at, "end": at + 1, "text": "a dog"} for film in "fg" for at in (0, 2, 3)
    }
    said = {id: {"text": f"a dog {row}"} for row, id in enumerate(many)}
    options = NarrationOptions(videos=films)
    references = TASK.read_references(many, options)
    items = TASK.join(TASK.read_predictions(said, options), references, options, 0).items
    metric = registry.parse(metrics(clip)[index])
    whole = compute(metric, shards_at(items, [slice(0, len(items))]))
    sharded = compute(metric, random_sharding(metric, items, np.random.default_rng(2)))
    np.testing.assert_allclose(sharded, whole, rtol=1e-6, atol=1e-6)


def refusal(films, lines=LINES, **options) -> str:
    with pytest.raises((InputError, UsageError)) as refused:
        kataribe.evaluate("narration", dict.fromkeys(lines, "a dog"), lines, ["div"], videos=films, **options)
    return str(refused.value)


def test_what_is_not_there_is_one_line(films: Path) -> None:
    (films / "g.mp4").unlink()
    assert refusal(films) == f"{films}: has no video of 1 of 2 films: 'g' - name each file by its film: g.mp4"
    assert refusal(films / "nowhere") == (
        f"{films / 'nowhere'}: there is no such folder - give the folder that holds the films' videos"
    )


def test_a_line_outside_its_film_is_one_line(films: Path) -> None:
    late = {**LINES, "late": {"film": "g", "start": 50, "end": 60, "text": "x"}}
    assert refusal(films, late) == (
        f"{films / 'g.mp4'}: id 'late': the line lasts from 50 to 60 s and is outside the video, which ends at 5.0 s - "
        "is it the same cut of the film, and are times in seconds?"
    )
    later = {**late, "later": {"film": "g", "start": 70, "end": 80, "text": "x"}}
    assert "which ends at 5.0 s, like 1 other line - " in refusal(films, later)


def test_a_line_without_film_or_time_is_one_line(films: Path) -> None:
    message = refusal(films, {"one": {"text": "x"}})
    assert message.startswith("videos: 1 reference does not say which film is told and when: 'one'")


def test_a_film_is_a_name_and_never_a_path(films: Path) -> None:
    (films / "inner").mkdir()
    message = refusal(films / "inner", {"x": {"film": "../f", "start": 0, "end": 1, "text": "x"}})
    assert "has no video of 1 of 1 film: '../f'" in message


def test_two_videos_of_one_film_are_refused(films: Path) -> None:
    (films / "f.mkv").write_bytes(b"")
    assert "has two videos of one film: f.mkv and f.mp4" in refusal(films)


def test_only_one_thing_says_what_is_shown(films: Path, tmp_path: Path) -> None:
    message = refusal(films, features={id: [[1.0, 0.0]] for id in LINES})
    assert message == "features and videos both say what the items show - give one of them"


def test_without_any_the_hint_names_videos_too() -> None:
    with pytest.raises(UsageError, match="give videos=DIR, images=FOLDER or features=FILE"):
        kataribe.evaluate("narration", SAID, LINES, ["clipscore"])
