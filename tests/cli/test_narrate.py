"""`kataribe narrate` on feature files made by hand: gaps, texts, files and every mistake in one line."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kataribe.cli import narrate
from kataribe.core.errors import UsageError
from kataribe.films.feature_file import FORMAT
from kataribe.narration.narrators import protocol
from kataribe.narration.narrators.protocol import Told

Run = Callable[..., tuple[int, str, str]]

SAID = [(0.0, 4.0, "Who is it?"), (12.0, 14.0, "Me."), (50.0, 52.0, "Come in.")]


def make_features(path: Path, said: Sequence[tuple[float, float, str]] | None = SAID, seconds: int = 60) -> Path:
    """A film of black frames in which nobody is seen."""
    stages: dict[str, Any] = {"frames": {"encoder": "histogram", "rate": 1.0}, "faces": {"rate": 1.0}}
    none, looks = np.zeros(0), np.arange(float(seconds))
    arrays = {"frames.time": looks, "frames.vector": np.zeros((seconds, 4), dtype=np.float32)}
    arrays |= {"faces.seen": looks, "faces.time": none, "faces.box": np.zeros((0, 4)), "faces.score": none}
    arrays |= {"faces.vector": np.zeros((0, 2), dtype=np.float32), "faces.track": none.astype(np.int64)}
    if said is not None:
        stages["subtitles"] = {}
        arrays |= {"subtitles.start": np.array([line[0] for line in said])}
        arrays |= {"subtitles.end": np.array([line[1] for line in said])}
        arrays |= {"subtitles.text": np.array([line[2] for line in said], dtype=np.str_)}
    header = {"format": FORMAT, "kataribe": "0", "video": {}, "stages": stages}
    np.savez(path, header=np.array(json.dumps(header)), **arrays)
    return path


@pytest.fixture
def features(tmp_path: Path) -> Path:
    return make_features(tmp_path / "ithaca.npz")


@pytest.fixture
def cast(tmp_path: Path) -> Path:
    file = tmp_path / "cast.json"
    file.write_text(json.dumps({"ithaca": ["Penelope", {"name": "Odysseus", "aliases": ["Ulysses"]}]}))
    return file


@dataclass
class Scripted:
    """Says its texts one after the other, and remembers what it was shown."""

    texts: Sequence[str]
    shown: list[Any] = field(default_factory=list)
    signature: str = "narrator-scripted"

    def tell(self, film: Any, spans: Any, said: Any = None) -> list[Told]:
        self.shown.append((film, list(spans), said))
        return [Told(self.texts[row % len(self.texts)], ("Penelope",)) for row in range(len(spans))]


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Scripted]:
    def narrator(*texts: str) -> Scripted:
        made = Scripted(texts)
        monkeypatch.setattr(protocol, "open_narrator", lambda model, **search: made)
        monkeypatch.setattr(narrate, "_check_model", lambda model: None)
        return made

    return narrator


def test_a_film_is_told_in_the_gaps_between_its_subtitles(features: Path, cast: Path, call: Run) -> None:
    code, out, err = call("narrate", str(features), "--cast", str(cast), "--model", "first-billed")
    assert (code, err) == (0, "kataribe: 3 of 3 clips told in 2 gaps; 12 letters a second; narrator-first-billed\n")
    assert out.split("\n\n")[1] == "NOTE told by narrator-first-billed at 12 letters a second"
    assert [cue.splitlines()[1:] for cue in out.strip().split("\n\n")[2:]] == [
        ["00:00:04.000 --> 00:00:05.000", "Penelope."],
        ["00:00:14.000 --> 00:00:15.000", "Penelope."],
        ["00:00:32.000 --> 00:00:33.000", "Penelope."],
    ]


def test_a_narrator_sees_the_film_and_what_is_said(features: Path, cast: Path, call: Run, scripted) -> None:
    narrator = scripted("Penelope weaves.")
    assert call("narrate", str(features), "--cast", str(cast), "--model", "x", "--genre", "drama")[0] == 0
    ((film, spans, said),) = narrator.shown
    assert (film.film, film.genres, film.cast.names) == ("ithaca", ("drama",), ("Penelope", "Odysseus"))
    assert [line.text for line in said] == ["Who is it?", "Me.", "Come in."]
    assert len(spans) == 3


def test_what_did_not_fit_is_counted_and_said(features: Path, cast: Path, call: Run, tmp_path: Path, scripted) -> None:
    endless = "Penelope weaves and weaves and weaves and weaves and weaves and weaves and weaves and weaves. " * 3
    scripted(endless, "", "Unbelievablylongword" * 20)
    output = tmp_path / "ithaca.json"
    code, out, _ = call("narrate", str(features), "--cast", str(cast), "--model", "x", "-o", str(output))
    assert code == 0
    assert "1 of 3 clips told in 2 gaps; 1 shortened to fit; 1 left out" in out
    assert "1 of which the narrator says nothing" in out
    (line,) = json.loads(output.read_text())
    assert (line["id"], line["film"], line["roles"]) == ("ithaca_4-12", "ithaca", ["Penelope"])
    assert line["text"] == endless.split(". ")[0] + "."


def test_given_clips_are_told_with_their_ids_and_can_be_scored(
    features: Path, cast: Path, call: Run, tmp_path: Path, scripted
) -> None:
    references = tmp_path / "refs.json"
    clips = [
        {"id": n, "film": film, "start": n, "end": n + 5, "text": "x"} for n, film in ((5, "ithaca"), (20, "troy"))
    ]
    references.write_text(json.dumps(clips))
    scripted("Penelope weaves.")
    told = tmp_path / "told.json"
    options = ("--model", "x", "--cast", str(cast), "-o", str(told))
    assert call("narrate", str(features), *options, "--clips", str(references))[0] == 0
    assert [line["id"] for line in json.loads(told.read_text())] == ["5"]
    code, out, _ = call(
        "score", "narration", str(told), "-r", str(references), "-m", "rouge_l", "--missing", "drop", "-q"
    )
    assert (code, "1 of 2 scored" in out) == (0, True)


def test_dialogue_may_be_given(features: Path, call: Run, tmp_path: Path, scripted) -> None:
    said = tmp_path / "said.srt"
    said.write_text("1\n00:00:10,000 --> 00:00:11,000\nHello.\n\n2\n00:00:20,000 --> 00:00:21,000\nYes.\n")
    narrator = scripted("It rains.")
    assert call("narrate", str(features), "--model", "x", "--dialogue", str(said), "-q")[0] == 0
    assert [(span.start, span.end) for span in narrator.shown[0][1]] == [(11, 20)]


def test_the_random_narrator_follows_its_seed(features: Path, cast: Path, call: Run) -> None:
    def told(seed: int) -> str:
        arguments = ("--model", "random", "--longest-clip", "2", "--seed", str(seed), "-q")
        return call("narrate", str(features), "--cast", str(cast), *arguments)[1].partition("\n\n1\n")[2]

    assert told(1) == told(1) != told(2)


def refusal(call: Run, *arguments: str) -> str:
    code, out, err = call("narrate", *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    return err


def test_a_cast_of_another_film_is_refused(features: Path, call: Run, tmp_path: Path) -> None:
    other = tmp_path / "cast.json"
    other.write_text('{"troy": ["Helen"]}')
    said = refusal(call, str(features), "--cast", str(other), "--model", "first-billed")
    assert "cast.json: has no cast of 'ithaca'; it has 'troy' - is it the cast of another film? --film NAME" in said


def test_films_without_gaps_are_refused(call: Run, tmp_path: Path) -> None:
    talk = make_features(tmp_path / "talk.npz", [(0.0, 30.0, "..."), (33.0, 60.0, "...")])
    assert "there is no gap between dialogues: all that is said is one" in refusal(call, str(talk), "--model", "random")
    silent = make_features(tmp_path / "silent.npz", [])
    assert "nothing is said, so there is no gap between dialogues - give what is said with --dialogue" in refusal(
        call, str(silent), "--model", "random"
    )
    short = refusal(call, str(make_features(tmp_path / "x.npz")), "--model", "random", "--shortest-gap", "40")
    assert "all 2 gaps between dialogues are shorter than 40 seconds" in short


def test_other_mistakes_are_one_line(features: Path, call: Run, tmp_path: Path) -> None:
    unread = make_features(tmp_path / "unread.npz", None)
    assert "has no subtitles, so nobody knows where somebody speaks - --dialogue FILE says it" in refusal(
        call, str(unread), "--model", "random"
    )
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(features.read_bytes()[:200])
    assert "is no feature file, or is damaged" in refusal(call, str(damaged), "--model", "random")
    assert "there is no such file" in refusal(call, str(tmp_path / "none.mp4"), "--model", "random")
    assert "--encoder is for videos" in refusal(call, str(features), "--model", "random", "--encoder", "histogram")
    assert "a told film is not written as .docx" in refusal(
        call, str(features), "--model", "random", "-o", str(tmp_path / "film.docx")
    )
    said = refusal(call, str(features), "--model", "first-biled")
    assert said == "kataribe: first-biled: there is no such model - did you mean 'first-billed'?\n"
    references = tmp_path / "refs.json"
    references.write_text('[{"film": "troy", "start": 1, "end": 2, "text": "x"}]')
    assert "has no clip of 'ithaca' with times" in refusal(
        call, str(features), "--model", "random", "--clips", str(references)
    )


def test_the_answer_never_overwrites_what_is_read(features: Path, cast: Path, call: Run) -> None:
    before = cast.read_bytes()
    assert "cast.json" in refusal(call, str(features), "--cast", str(cast), "--model", "random", "-o", str(cast))
    assert cast.read_bytes() == before


@dataclass(frozen=True)
class Described:
    recipes: dict[str, Any]


@pytest.mark.parametrize("encoder", ["somebody's-network-1234", "efficientnet-lite0-00000000"])
def test_a_film_is_looked_at_with_the_encoder_of_the_training(encoder: str, tmp_path: Path) -> None:
    from kataribe.narration.telling.looking import FilmSource, see

    narrator = Scripted(["x"])
    narrator.described = Described({"frames": {"encoder": encoder, "rate": 2.0}})  # type: ignore[attr-defined]
    source = FilmSource("f", tmp_path / "f.npz", video=tmp_path / "f.mp4", encoder="histogram")
    with pytest.raises(UsageError, match="the narrator was trained with"):
        see(source, narrator)
