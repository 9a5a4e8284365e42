"""The audit of grounding: what guessers who never look at a video get."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kataribe.audit import grounding
from kataribe.audit.grounding import GroundingAuditOptions
from kataribe.cli.main import main
from kataribe.report import grounding_audit


def corpus(queries: int, seed: int) -> list[dict[str, Any]]:
    """Most moments are the first third of their video."""
    rng = np.random.default_rng(seed)
    found = []
    for n in range(queries):
        length = float(rng.uniform(30, 90))
        start = 0.0 if rng.random() < 0.7 else length * 0.5
        span = [start, start + length / 3]
        found.append({"id": str(n), "video": f"v{n}", "query": "q", "duration": length, "people": [[span], [span]]})
    return found


@pytest.fixture(scope="module")
def audited() -> Any:
    references = corpus(60, 1)
    perfect = {entry["id"]: entry["people"][0] for entry in references}
    return grounding.audit(
        references, corpus(200, 2), {"mine": perfect, "fixed": perfect}, GroundingAuditOptions(trials=4)
    )


def test_every_guesser_is_read_beside_people_and_systems(audited: Any) -> None:
    names = [(player.name, player.guesses) for player in audited.players]
    assert names[0] == ("human", None)
    assert names[1:4] == [("mine", 1), ("mine", 5), ("mine", 10)]
    assert ("fixed (system)", 1) in names
    assert {name for name, _ in names} == {"human", "mine", "fixed (system)", "random", "whole", "drawn", "fixed"}
    assert audited.of("human")[0].measures["IoU .7"] == 1
    assert audited.of("mine")[0].measures["mean IoU"] == pytest.approx(1)


def test_whoever_knows_the_training_spans_beats_whoever_knows_nothing(audited: Any) -> None:
    random, drawn, fixed = (audited.of(name)[0].measures["IoU .7"] for name in ("random", "drawn", "fixed"))
    assert fixed > drawn > random
    assert fixed > 0.6
    start, end = audited.best_guesses["0.7"][0]
    assert (start, end) == (0, pytest.approx(1 / 3, abs=0.08))


def test_more_guesses_never_find_less(audited: Any) -> None:
    for name in ("random", "drawn", "fixed"):
        recalls = [player.measures["IoU .5"] for player in audited.of(name)]
        assert recalls == sorted(recalls)


def test_the_verdict_says_how_much_of_a_score_is_blind(audited: Any) -> None:
    value = audited.of("fixed")[0].measures["IoU .5"]
    assert f"R@1 IoU .5: fixed reaches {100 * value:.2f}, {100 * value:.0f}% of its 100.00" in audited.verdict("mine")


def test_command_prints_writes_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, entries in (("refs", corpus(12, 1)), ("train", corpus(20, 2))):
        (tmp_path / f"{name}.json").write_text(json.dumps(entries))
    (tmp_path / "mine.json").write_text(json.dumps({str(n): [[0, 10]] for n in range(12)}))
    arguments = [
        str(tmp_path / "mine.json"),
        "-r",
        str(tmp_path / "refs.json"),
        "--train",
        str(tmp_path / "train.json"),
    ]
    output = ["-o", str(tmp_path / "audit.json"), "--plots", str(tmp_path), "--protocol", "movie101", "-q"]
    with pytest.raises(SystemExit) as ended:
        main(["audit", "grounding", *arguments, *output])
    assert not ended.value.code
    out = capsys.readouterr().out
    assert out.startswith("player  guesses  IoU .1")
    assert "mine: R@1 IoU .3" in out
    written = json.loads((tmp_path / "audit.json").read_text())
    # Movie101's scorer keeps seven spans: nobody can be read with ten.
    assert {reading["guesses"] for reading in written["readings"]} == {None, 1, 5}
    assert (tmp_path / "recall_by_guesses.png").stat().st_size > 10_000


def test_as_markdown(audited: Any) -> None:
    assert grounding_audit.markdown(audited).startswith("| player | guesses | IoU .1 |")
