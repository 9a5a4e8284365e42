"""Lines aloud: do they fit in their gaps, and do they interrupt anybody?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.errors import InputError, UsageError
from kataribe.core.metric import Metric
from kataribe.core.types import Narration, Segment
from kataribe.narration.dialogue_overlap import DialogueOverlap
from kataribe.narration.join import films, join
from kataribe.narration.repetition import Repetition
from kataribe.narration.speech_rate import SpeechRate

from .corpora import corpora, narrations, score


def test_a_line_fits_or_not() -> None:
    items = narrations([("一二三四五", "一二"), ("一二三四五六", "一二"), ("", "一二三四五六")], seconds=1.0)
    found = score(SpeechRate(), items)
    assert found.value == pytest.approx(1 / 2), "the line that says nothing is left out"
    assert found.parts["fill"] == pytest.approx(11 / 5 / 2)
    assert found.parts["reference"] == pytest.approx(2 / 3)


def test_punctuation_takes_no_time() -> None:
    assert score(SpeechRate(cps=1), narrations([("好，好！ …", "x")], seconds=2.0)).value == 1.0


def test_the_usual_rate_is_that_of_the_references_script() -> None:
    assert SpeechRate().facts(narrations([("", "Maria waits.")])) == 12
    assert SpeechRate().facts(narrations([("", "李白在笑，Maria")])) == 12
    assert SpeechRate().facts(narrations([("", "李白在笑，他还在笑")])) == 5
    assert SpeechRate(cps=7.5).facts(narrations([("", "李白在笑")])) == 7.5


@pytest.mark.parametrize("cps", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_rate_is_refused(cps: float) -> None:
    with pytest.raises(UsageError, match="characters per second"):
        SpeechRate(cps=cps)


@given(corpora, st.floats(1, 20), st.floats(1, 20))
def test_who_speaks_faster_fits_more(lines, one: float, other: float) -> None:
    items = narrations(lines, seconds=1.0)
    slow, fast = (score(SpeechRate(cps=cps), items).value for cps in sorted([one, other]))
    assert slow <= fast or (np.isnan(slow) and np.isnan(fast)), "who says nothing has no rate"


def test_lines_without_times_are_refused() -> None:
    items = join({"1": Narration("1", None, None, "x")}, {"1": Narration("1", None, None, "x")}, {}, "error")[0]
    with pytest.raises(InputError, match="1 reference has no times: '1'"):
        SpeechRate().facts(items)


def test_a_line_that_runs_into_dialogue_overlaps_with_it() -> None:
    # The gap is 0 to 2; somebody speaks from 3 to 5 and from 4 to 6. Five letters a second.
    items = narrations([("一" * 20, "一" * 5)], seconds=2.0, dialogue=(Segment(3, 6),))
    found = score(DialogueOverlap(), items)
    assert found.value == pytest.approx(1 / 4)
    assert found.parts == {"lines": 1.0, "reference": 0.0}


@pytest.mark.parametrize("metric", [SpeechRate(), DialogueOverlap(), Repetition(1)], ids=str)
def test_silence_is_neither_good_nor_bad_but_left_out(metric: Metric) -> None:
    said = [("一二三四五六", "一二三四五"), ("一二三四五六", "一二三")]
    whole = score(metric, narrations(said, seconds=1.0, dialogue=(Segment(0, 2),)))
    silent = narrations([*said, ("", "一二三四五"), ("...", "一")], seconds=1.0, dialogue=(Segment(0, 2),))
    found = score(metric, silent)
    without_reference = {name: part for name, part in found.parts.items() if not name.startswith("reference")}
    assert found.value == whole.value
    assert without_reference.items() <= dict(whole.parts).items()
    items = metric.per_item(metric.rows(silent)).value
    by_itself = 1.0 if isinstance(metric, SpeechRate) else 0.0
    assert items[2:].tolist() == [by_itself] * 2, "so that systems with other silent lines can be compared"
    nothing = narrations([("", "一")], dialogue=(Segment(0, 6),))
    assert np.isnan(score(metric, nothing).value), "who never speaks is not scored"
    assert metric.ignores_empty


def test_a_prediction_with_its_own_times_is_spoken_then() -> None:
    known = films(None, {"f": [{"sentence": "Hello.", "timestamp": [10, 20]}]})
    written = {"1": Narration("1", "f", Segment(0, 5), "一二三四五")}
    early = join({"1": Narration("1", "f", None, "一二三四五")}, written, known, "error")[0]
    late = join({"1": Narration("1", "f", Segment(12, 15), "一二三四五")}, written, known, "error")[0]
    assert score(DialogueOverlap(), early).value == 0.0
    assert score(DialogueOverlap(), late).value == 1.0


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 10)), max_size=8), st.integers(0, 60), st.integers(1, 30))
def test_overlap_is_the_time_that_both_cover(lines, start: int, length: int) -> None:
    """Beside a count of seconds; lines may overlap each other and be empty."""
    told = [{"sentence": "x", "timestamp": [at, at + long]} for at, long in lines]
    known = films(None, {"f": told})
    line = Narration("1", "f", Segment(start, start + 1), "一" * length)
    items = join({"1": line}, {"1": line}, known, "error")[0]
    spoken = {second for at, long in lines for second in range(at, at + long)}
    expected = len(spoken & set(range(start, start + length))) / length
    assert score(DialogueOverlap(cps=1), items).value == pytest.approx(expected)


def test_dialogue_must_be_there() -> None:
    with pytest.raises(UsageError, match="needs the dialogue of 1 film: 'f' - give it with dialogue"):
        DialogueOverlap().facts(narrations([("x", "x")]))


def test_rows_of_a_shard_are_rows_of_the_whole() -> None:
    items = narrations([("一" * 30, "一")] * 7, seconds=2.0, dialogue=(Segment(3, 6),))
    for metric in (SpeechRate(), DialogueOverlap()):
        facts = metric.facts(items)
        parts = [metric.stats(shard, metric.prepare(shard, facts)) for shard in (items[:3], items[3:])]
        assert np.array_equal(np.vstack(parts), metric.rows(items))
