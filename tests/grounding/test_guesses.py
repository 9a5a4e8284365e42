"""The blind guesses that fit training spans best."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.core.types import Segment
from kataribe.grounding.guesses import TrainSpans, candidates

relative = st.lists(
    st.tuples(st.integers(0, 19), st.integers(0, 19)).map(lambda s: (min(s) / 20, (max(s) + 1) / 20)),
    min_size=1,
    max_size=12,
)


@settings(max_examples=25)
@given(relative, st.sampled_from([0.3, 0.5, 0.7]))
def test_no_other_first_guess_is_right_more_often(spans, at) -> None:
    first = TrainSpans(np.array(spans)).for_recall((at,), 1)[0]

    def right(guess) -> int:
        return sum(Segment(*guess).iou(Segment(*span)) >= at - 1e-9 for span in spans)

    assert right(first) == max(right(guess) for guess in candidates().tolist())


@settings(max_examples=25)
@given(relative)
def test_no_other_guess_has_a_higher_mean_iou(spans) -> None:
    (best,) = TrainSpans(np.array(spans)).for_iou()

    def mean(guess) -> float:
        return float(np.mean([Segment(*guess).iou(Segment(*span)) for span in spans]))

    assert mean(best) >= max(mean(guess) for guess in candidates().tolist()) - 1e-9


def test_guesses_differ_even_where_the_first_is_always_right() -> None:
    guesses = TrainSpans(np.array([[0.25, 0.5]] * 8)).for_recall((0.5,), 5)
    assert len({tuple(guess) for guess in guesses.tolist()}) == 5
    assert guesses[0].tolist() == [0.25, 0.5]
