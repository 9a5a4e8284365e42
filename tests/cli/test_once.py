"""Options that take one value are given once; the others collect."""

from __future__ import annotations

from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "src" / "kataribe" / "samples"
PRED, REFS = str(SAMPLES / "captions_pred.json"), str(SAMPLES / "captions_refs.json")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["score", "captions", PRED, "-r", REFS, "--features", "a.npz", "--features", "b.npz"], "--features"),
        (["score", "captions", PRED, "-r", REFS, "--images", "a", "--images", "b"], "--images"),
        (["score", "captions", PRED, "-r", REFS, "--seed", "1", "--seed", "1"], "--seed"),
        (["score", "captions", PRED, "-r", REFS, "-o", "a.json", "--output", "b.json"], "--output"),
        (["audit", "stories", "p.json", "-r", "r.json", "--draws", "1", "--draws", "2"], "--draws"),
        (["compare", "a.json", "b.json", "--alpha", "0.05", "--alpha", "0.01"], "--alpha"),
    ],
)
def test_a_second_value_is_refused_instead_of_winning(call, arguments: list[str], name: str) -> None:
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert err == f"kataribe: {name} takes one value and is given 2 - keep one\n"


def test_lists_and_switches_may_be_repeated(call) -> None:
    code, out, err = call("score", "captions", PRED, "-r", REFS, "-m", "bleu", "-m", "rouge_l", "-q", "-q")
    assert (code, err) == (0, "")
    assert "rouge_l" in out


def test_references_in_several_files_are_joined(call, tmp_path: Path) -> None:
    import json

    references = json.loads(Path(REFS).read_text(encoding="utf-8"))
    files = []
    for place in range(3):
        files.append(tmp_path / f"{place}.json")
        files[-1].write_text(json.dumps({id: texts[place] for id, texts in references.items()}), encoding="utf-8")
    split = [word for file in files for word in ("-r", str(file))]
    whole = call("score", "captions", PRED, "-r", REFS, "-m", "rouge_l")
    assert call("score", "captions", PRED, *split, "-m", "rouge_l") == whole
    assert "52.21" in whole[1]
    code, _, err = call("score", "captions", PRED, "-r", REFS, "-r", REFS, "-m", "rouge_l")
    assert (code, err.count("\n")) == (2, 1)
    assert "holds the same as" in err
