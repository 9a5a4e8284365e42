"""A learned metric is used like any other: as SODA's f, and on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kataribe import evaluate
from kataribe.captions.items import Captions
from kataribe.captions.suisei.metric import SuiSei
from kataribe.cli.main import main

SAMPLES = Path(__file__).parents[3] / "src" / "kataribe" / "samples"


def run(command: str, *paths: object) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), *map(str, paths)])
    assert ended.value.code == 0


@pytest.mark.parametrize("kind", ["residual", "blend"])
def test_sodas_f_is_the_score_of_the_pair(kind: str, model_of: Callable[[str], str]) -> None:
    """One caption each at the same time: C is f, and so are precision and recall."""
    predictions = {"v": [{"sentence": "a dog runs on the grass", "timestamp": [0, 10]}]}
    references = {"v": {"duration": 10, "sentences": ["the small dog runs"], "timestamps": [[0, 10]]}}
    f = SuiSei(model_of(kind))
    pair = Captions(["v"], ["a dog runs on the grass"], [["the small dog runs"]])
    spec = f"soda(c, paper, text={f})"
    result = evaluate("stories", {"results": predictions}, references, metrics=[spec])
    value = next(iter(result.metrics.values())).value
    if kind == "residual":  # the blend's CIDEr depends on the other captions of the corpus
        assert value == pytest.approx(f.rows(pair)[0, 1], abs=1e-6)
    assert 0 <= value <= 1


def test_soda_scores_the_sample_stories_with_it(model_of: Callable[[str], str]) -> None:
    spec = f"soda(c, text=suisei({model_of('residual')}))"
    result = evaluate(
        "stories",
        SAMPLES / "stories_pred.json",
        [SAMPLES / "stories_one.json", SAMPLES / "stories_two.json"],
        metrics=[spec],
    )
    scored = result[spec]
    values = np.array([item.value for item in scored.items.values()])
    assert ((values >= 0) & (values <= 1)).all()
    assert 0 < scored.value < 1
    assert "suisei" in scored.signature


def test_score_compare_report_and_agree_take_it_like_any_other(
    model_of: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    spec = f"suisei({model_of('residual')})"
    predictions = json.loads((SAMPLES / "captions_pred.json").read_text(encoding="utf-8"))
    short = [entry | {"caption": entry["caption"][:12]} for entry in predictions]
    Path("cut.json").write_text(json.dumps(short), encoding="utf-8")
    for name, file in (("whole.json", SAMPLES / "captions_pred.json"), ("short.json", "cut.json")):
        run("score captions", file, "-r", SAMPLES / "captions_refs.json", "-m", spec, "-o", name, "--quiet")
    assert "suisei(" in capsys.readouterr().out
    run("compare whole.json short.json --quiet")
    assert "suisei(" in capsys.readouterr().out
    run("report whole.json -o page.html --quiet")
    assert "suisei" in Path("page.html").read_text(encoding="utf-8")
    capsys.readouterr()
    run("agree whole.json short.json --human", SAMPLES / "captions_ratings.csv", "--quiet")
    assert "suisei(" in capsys.readouterr().out
