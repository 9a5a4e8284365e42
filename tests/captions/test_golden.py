"""All four metrics on our sample captions and some odd ones, equal to what the original tools said.

tests/golden/regenerate.py asks them again; it needs Java, these tests do not.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kataribe

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "captions.json").read_text(encoding="utf-8"))
WHERE = {f"BLEU-{n}": ("bleu", f"BLEU-{n}") for n in (1, 2, 3, 4)} | {
    name: (name, None) for name in ("meteor", "rouge_l", "cider")
}


@pytest.fixture(scope="module")
def result() -> kataribe.Result:
    return kataribe.evaluate("captions", GOLDEN["predictions"], GOLDEN["references"])


@pytest.mark.parametrize("name", WHERE)
def test_corpus_value(result: kataribe.Result, name: str) -> None:
    metric, part = WHERE[name]
    score = result[metric].score
    assert (score.parts[part] if part else score.value) == pytest.approx(GOLDEN["scores"][name]["value"], abs=1e-9)


@pytest.mark.parametrize("name", WHERE)
def test_every_item(result: kataribe.Result, name: str) -> None:
    metric, part = WHERE[name]
    found = {id: score.parts[part] if part else score.value for id, score in result[metric].items.items()}
    assert found == pytest.approx(GOLDEN["scores"][name]["items"], abs=1e-12 if name == "meteor" else 1e-9)
