"""The core is compiled for each kind of processor: what all builds must have in common."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from kataribe import _native, _native_portable, _processor
from kataribe.captions import meteor_resource

GOLDEN = json.loads((Path(__file__).parent / "golden" / "meteor.json").read_text(encoding="utf-8"))

needs_two = pytest.mark.skipif(
    _processor.best_core() == "portable", reason="this processor has no build of the core but the portable one"
)


def run(program: str, portable: str) -> str:
    environment = os.environ | {"KATARIBE_PORTABLE": portable}
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, env=environment, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def best() -> ModuleType:
    return import_module(f"kataribe._native_{_processor.best_core()}")


def test_the_build_for_the_processor_is_loaded() -> None:
    program = "from kataribe import _native; print(_native.__name__)"
    assert run(program, "") == f"kataribe._native_{_processor.best_core()}\n"
    assert run(program, "1") == "kataribe._native_portable\n"


@needs_two
def test_scores_do_not_depend_on_the_processor() -> None:
    """To the last bit: everything but vectors of single precision."""
    program = """
import kataribe
names = ["boys play", "a dog runs across the wet grass", "two men ride their horses along a beach at sunset"]
cands = {str(k): text for k, text in enumerate(names * 3)}
refs = {str(k): [text, names[k % 2] + " and a child watches"] for k, text in enumerate((names * 3)[::-1])}
result = kataribe.evaluate("captions", cands, refs, ["bleu", "rouge_l", "cider", "meteor"])
for name in result.metrics:
    print(name, result[name].value.hex(), [value.hex() for value in result[name].item_values.tolist()])
"""
    assert run(program, "") == run(program, "1")


@needs_two
def test_meteor_of_the_golden_pairs() -> None:
    meteor_resource.open_resource()
    rows = []
    for core in (best(), _native_portable):
        resource = core.MeteorResource(str(meteor_resource.resource_path()))
        pairs = GOLDEN["english"]["pairs"]
        sentences = core.MeteorSentences(resource, [text for pair in pairs for text in pair], True)
        first = np.arange(0, 2 * len(pairs), 2, dtype=np.int64)
        statistics = core.meteor_statistics(sentences, first, first + 1)
        np.testing.assert_array_equal(statistics, GOLDEN["english"]["statistics"])
        rows.append(core.meteor_scores(statistics, "en"))
    np.testing.assert_array_equal(*rows)


@needs_two
def test_vectors_differ_in_their_last_digits_only() -> None:
    fast, portable = _vectors(best()), _vectors(_native_portable)
    for one, other in zip(fast, portable, strict=True):
        np.testing.assert_allclose(one, other, atol=3e-6)


def _vectors(core: ModuleType) -> list[np.ndarray]:
    rng = np.random.default_rng(0)

    def floats(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float32)

    lengths, width = np.array([5, 1, 12, 31], dtype=np.int64), 48
    tokens = int(lengths.sum())
    states, attended = floats(tokens, width), floats(tokens, width)
    core.bert_gelu(states, floats(width))
    core.bert_add_and_normalize(states, floats(width), floats(tokens, width), floats(width), floats(width), 1e-12)
    core.bert_attend(floats(tokens, 3 * width), floats(3 * width), lengths, 3, attended)
    texts = np.split(floats(tokens, 21), np.cumsum(lengths)[:-1])
    ones, others = (side.ravel().astype(np.int64) for side in np.indices((4, 4)))
    matched = core.greedy_match(texts, [np.ones(len(text)) for text in texts], ones, others)
    return [states, attended, matched]


LISTS = (np.array([1.0, 2.0, 4.0]), np.array([0, 2, 3]))
PAIRS = (np.array([0, 1]), np.array([1, 0]))
TABLES = (np.arange(6.0), np.array([0, 6, 6]))  # of 2 x 3 cells and of none
ORDERS = (np.array([0, 1, 2]), np.array([0, 3, 3]))
SEGMENTS = (np.array([[0.0, 1.0], [1.0, 2.0]]), np.array([0, 2]))


def hits(lists: Any = LISTS, pairs: Any = PAIRS, tolerances: Any = (1.0, 1.0)) -> Any:
    comparison = _native.BoundaryComparison(lists, LISTS, *pairs)
    return _native.boundary_hits(comparison, np.array(tolerances), optimal=False, strict=False)


def align(video: int = 0, rows: Any = (0, 1), tables: Any = TABLES, orders: Any = ORDERS) -> Any:
    readings = (np.array(rows), np.array([0, len(rows)]))
    return _native.align_stories(tables, np.array([video]), readings, orders, tool_pairs=False)


def overlaps(annotator: Any = (0, 1), bounds: Any = (0, 3), count: int = 6) -> Any:
    owners = (np.array(annotator), np.array([0, 2]))
    return _native.best_overlaps(np.zeros(count), owners, 2, np.array(bounds))


def test_what_fits_together_is_computed() -> None:
    assert hits().tolist() == [0, 0]
    assert align()[0].tolist() == [6.0]
    assert align(video=1, rows=[5])[0].tolist() == [0.0]
    assert overlaps()[0].shape == (3, 2)
    assert _native.story_ious(SEGMENTS, SEGMENTS, True).tolist() == [1.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: hits(lists=(LISTS[0], np.array([0, 2])))),
        (ValueError, lambda: hits(lists=(LISTS[0], np.array([1, 3])))),
        (ValueError, lambda: hits(lists=(LISTS[0], np.array([0, 5, 3])))),
        (ValueError, lambda: hits(lists=(LISTS[0], np.zeros(0, dtype=np.int64)))),
        (ValueError, lambda: hits(pairs=(PAIRS[0], PAIRS[1][:1]))),
        (IndexError, lambda: hits(pairs=(PAIRS[0], PAIRS[1] + 1))),
        (IndexError, lambda: hits(pairs=(PAIRS[0] - 1, PAIRS[1]))),
        (ValueError, lambda: hits(tolerances=[1.0])),
        (TypeError, lambda: hits(lists=LISTS[0])),
        (IndexError, lambda: align(video=2)),
        (IndexError, lambda: align(rows=[0, 2])),
        (IndexError, lambda: align(rows=[-1])),
        (IndexError, lambda: align(orders=(np.array([0, 1, 3]), ORDERS[1]))),
        (IndexError, lambda: align(orders=(np.array([0, 1, 2, 3]), np.array([0, 4, 4])))),
        (ValueError, lambda: align(orders=(ORDERS[0], np.array([0, 3])))),
        (ValueError, lambda: align(tables=(TABLES[0], np.array([0, 6, 7])))),
        (IndexError, lambda: overlaps(annotator=[0, 2])),
        (ValueError, lambda: overlaps(bounds=[0, 2])),
        (ValueError, lambda: overlaps(bounds=[0, 1, 3])),
        (ValueError, lambda: overlaps(count=5)),
        (ValueError, lambda: _native.story_ious(SEGMENTS, (SEGMENTS[0], np.array([0, 1])), True)),
        (ValueError, lambda: _native.story_ious(SEGMENTS, (SEGMENTS[0], np.array([0, 1, 2])), True)),
        (ValueError, lambda: _native.story_ious(SEGMENTS, (np.zeros((2, 3)), SEGMENTS[1]), True)),
    ],
)
def test_the_core_refuses_what_does_not_fit_together(error: type[Exception], call: Callable[[], Any]) -> None:
    with pytest.raises(error):
        call()
