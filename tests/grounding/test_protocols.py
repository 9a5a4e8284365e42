"""What the protocols of published scorers do, on cases made by hand."""

from __future__ import annotations

from typing import Any

import pytest

import kataribe
from kataribe.core.errors import UsageError


def recall(
    protocol: str, windows: list[list[float]], truth: list[float], n: int = 1, **options: Any
) -> dict[str, float]:
    references = [{"id": "q", "video": "v", "query": "A dog runs.", "duration": 100, "windows": [truth]}]
    name = f"moment_recall({n})"
    result = kataribe.evaluate("grounding", {"q": windows}, references, [name], protocol=protocol, **options)
    return {at: result[name].parts[at] for at in ("@0.1", "@0.3", "@0.5", "@0.7")}


def test_an_iou_of_exactly_a_half_reaches_a_half_except_under_2dtan() -> None:
    half = [[0, 10]], [0, 20]
    assert recall("clean", *half)["@0.5"] == 1
    assert recall("2dtan", *half)["@0.5"] == 0
    assert recall("2dtan", *half)["@0.3"] == 1


def test_plus_one_lifts_short_spans() -> None:
    # 1 of 3 seconds in plain time; with both ends counted 2 of 4.
    short = [[1, 2]], [0, 3]
    assert recall("clean", *short)["@0.5"] == 0
    assert recall("ianet", *short)["@0.5"] == 1


def test_with_plus_one_spans_half_a_second_apart_overlap() -> None:
    apart = [[3.5, 4]], [0, 3]
    assert recall("clean", *apart)["@0.1"] == 0
    assert recall("ianet", *apart)["@0.1"] == 1  # (3 - 3.5 + 1) / (4 - 0 + 1) = .1


def test_2dtan_drops_what_overlaps_an_earlier_span_so_that_a_later_one_is_tried() -> None:
    windows = [[0, 10, 0.9], [0, 11, 0.8], [50, 60, 0.7]]
    assert recall("clean", windows, [50, 60], n=2)["@0.7"] == 0
    assert recall("2dtan", windows, [50, 60], n=2)["@0.7"] == 1


def test_the_suppression_of_2dtan_is_chosen_for_the_data_set() -> None:
    # The first two overlap by 4 of 9 seconds, .444: kept at .45, dropped at .4.
    windows = [[0, 6.5, 0.9], [2.5, 9, 0.8], [50, 60, 0.7]]
    assert recall("2dtan", windows, [50, 60], n=2, suppress="0.45")["@0.5"] == 0
    assert recall("2dtan", windows, [50, 60], n=2, suppress="0.4")["@0.5"] == 1


def test_under_ianet_every_iou_has_its_own_suppression() -> None:
    # The first two overlap by a half: more than .3 - .05 and .5 - .05, not more than .7 - .05.
    windows = [[0, 20, 0.9], [0, 10, 0.8], [50, 60, 0.7]]
    found = recall("ianet", windows, [50, 60], n=2)
    assert found == {"@0.1": 1, "@0.3": 1, "@0.5": 1, "@0.7": 0}


def test_under_ianet_suppression_does_not_count_the_ends() -> None:
    # .25 in plain seconds, which is not more than .3 - .05; with both ends counted it would be 3 / 9.
    windows = [[0, 5, 0.9], [3, 8, 0.8], [50, 60, 0.7]]
    assert recall("ianet", windows, [50, 60], n=2)["@0.3"] == 0


def test_under_ianet_spans_are_cut_at_the_end_of_the_video() -> None:
    late = [[80, 130]], [80, 100]
    assert recall("clean", *late)["@0.5"] == 0
    assert recall("ianet", *late)["@0.7"] == 1


def test_under_ianet_the_later_of_equal_scores_comes_first() -> None:
    windows = [[0, 10, 0.5], [50, 60, 0.5]]
    assert recall("clean", windows, [50, 60])["@0.5"] == 0
    assert recall("ianet", windows, [50, 60])["@0.5"] == 1


def test_qvhighlights_takes_the_first_span_of_the_file_whatever_its_score() -> None:
    windows = [[0, 10, 0.1], [50, 60, 0.9]]
    assert recall("clean", windows, [50, 60])["@0.5"] == 1
    assert recall("qvhighlights", windows, [50, 60])["@0.5"] == 0


def test_movie101_keeps_seven_spans_so_that_recall_at_ten_is_refused() -> None:
    with pytest.raises(UsageError, match="R@10 is not defined where the scorer keeps 7 spans"):
        recall("movie101", [[0, 10]], [0, 10], n=10)
    references = [{"id": "q", "video": "v", "query": "A dog runs.", "duration": 100, "windows": [[0, 10]]}]
    result = kataribe.evaluate("grounding", {"q": [[0, 10]]}, references, protocol="movie101")
    assert set(result.metrics) == {"moment_recall(1)", "moment_recall(5)", "moment_iou"}
    assert any("keeps 7 spans" in warning for warning in result.warnings)


def test_map_of_qvhighlights_looks_at_ten_spans_of_the_file_and_then_sorts_them() -> None:
    wrong = [[0, 5, 0.1 + n / 100] for n in range(10)]
    references = [{"id": "q", "video": "v", "query": "A dog runs.", "duration": 100, "windows": [[50, 60]]}]

    def value(windows: list[Any], protocol: str) -> float:
        return kataribe.evaluate("grounding", {"q": windows}, references, ["moment_map"], protocol=protocol)[
            "moment_map"
        ].value

    # The best one is the eleventh of the file, or the tenth.
    assert value([*wrong, [50, 60, 0.9]], "qvhighlights") == 0
    assert value([*wrong[:9], [50, 60, 0.9]], "qvhighlights") == 1
    assert value([*wrong, [50, 60, 0.9]], "clean") == 1


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("moment_recall(0)", "n must be at least 1"),
        ("moment_recall(iou=1.5)", "an IoU to reach"),
        ("moment_recall(suppress=much)", "write none"),
        ("moment_map(iou=0.5+0.5)", "give each IoU to reach once"),
        ("shot_recall(0)", "k must be at least 1"),
    ],
)
def test_what_cannot_be_meant_is_refused(spec: str, said: str) -> None:
    from kataribe.core import registry

    with pytest.raises(UsageError, match=said):
        registry.parse(spec)


def test_an_unknown_protocol_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="there are: clean, 2dtan, ianet, movie101, qvhighlights"):
        recall("official", [[0, 10]], [0, 10])
