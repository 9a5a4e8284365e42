"""Learning curves and the table of variants."""

from __future__ import annotations

import csv
import io
import json

import pytest

from kataribe.core.errors import UsageError
from kataribe.learning.result import Epoch, History, Trial, summarise
from kataribe.report.learning import SummaryTable, draw_curves, render_summaries

TRIALS = [
    *(Trial("suisei_i", seed, {"tau_c": value, "loss": 0.3}) for seed, value in enumerate([0.50, 0.52, 0.54])),
    *(Trial("comet", seed, {"tau_c": value, "loss": 0.2}) for seed, value in enumerate([0.40, 0.41, 0.42])),
    Trial("cosine", 0, {"tau_c": 0.1}),
]
TABLE = SummaryTable(
    summarise(TRIALS), lower_is_better=("loss",), marks={("suisei_i", "tau_c"): "a"}, legend="a: better than comet"
)


def course(*values: float, best: int = 2) -> History:
    epochs = tuple(Epoch(n, 1 / n, {"boundary_f1": value, "frame_ap": value / 2}) for n, value in enumerate(values, 1))
    return History(epochs, best, "boundary_f1")


def test_the_table_has_means_intervals_bests_and_marks() -> None:
    assert render_summaries(TABLE).splitlines() == [
        "variant   seeds                       tau_c       loss",
        "--------  -----  --------------------------  ---------",
        "suisei_i      3  *0.5200 [0.4703, 0.5697] a   0.3000",
        "comet         3   0.4100 [0.3852, 0.4348]    *0.2000",
        "cosine        1                    0.1000",
        "",
        "* best; mean [95% interval over seeds]; lower is better: loss; a: better than comet",
    ]


def test_markdown_and_latex_set_the_best_in_bold() -> None:
    markdown, latex = render_summaries(TABLE, "markdown"), render_summaries(TABLE, "latex")
    assert "| suisei_i | 3 | **0.5200** [0.4703, 0.5697]<sup>a</sup> | 0.3000 |" in markdown
    assert "best in bold" in markdown
    assert r"suisei\_i & 3 & \textbf{0.5200} [0.4703, 0.5697]$^{a}$ & 0.3000 \\" in latex
    assert r"tau\_c" in latex


def test_programs_get_every_digit() -> None:
    rows = list(csv.DictReader(io.StringIO(render_summaries(TABLE, "csv"))))
    assert [(row["variant"], row["measure"]) for row in rows[:2]] == [("suisei_i", "tau_c"), ("suisei_i", "loss")]
    assert float(rows[0]["low"]) == TABLE.summaries[0].intervals["tau_c"].low
    assert (rows[0]["mark"], rows[1]["low"]) == ("a", "")
    read = json.loads(render_summaries(TABLE, "json"))
    assert read["variants"][0]["means"]["tau_c"] == TABLE.summaries[0].means["tau_c"]
    assert read["variants"][0]["marks"] == {"tau_c": "a"}
    assert read["lower_is_better"] == ["loss"]


def test_nobody_is_best_alone_and_equal_digits_are_equally_good() -> None:
    alone = SummaryTable(summarise([Trial("a", 0, {"f1": 0.5})]))
    assert render_summaries(alone).splitlines()[-1] == "a            1  0.5000"
    equal = SummaryTable(summarise([Trial("a", 0, {"f1": 0.50001}), Trial("b", 0, {"f1": 0.50002})]))
    assert render_summaries(equal).count("*0.5000") == 2
    undefined = SummaryTable(summarise([Trial("a", 0, {"f1": float("nan")}), Trial("b", 0, {"f1": 0.2})]))
    assert "undefined" in render_summaries(undefined)
    assert "*0.2000" in render_summaries(undefined)


def test_an_unknown_format_costs_one_line() -> None:
    with pytest.raises(UsageError, match="no format is called 'markdwn' - did you mean 'markdown'"):
        render_summaries(TABLE, "markdwn")


@pytest.mark.parametrize(("format", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_curves_are_pictures_and_equal_courses_give_equal_files(format: str, start: bytes) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    courses = {"seed 0": course(0.2, 0.6, 0.5), "seed 1": course(0.3, 0.5)}
    drawn = draw_curves(courses, format)
    assert drawn.startswith(start)
    assert drawn == draw_curves(courses, format)
    assert draw_curves({"only": History((Epoch(1, 0.5),), 1)}, format).startswith(start)


def test_curves_name_measures_runs_and_what_decides() -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        drawn = draw_curves({"seed 0": course(0.2, 0.6, 0.5), "seed 1": course(0.3, 0.5)}, "svg").decode()
    for text in ("loss", "boundary_f1 (decides)", "frame_ap", "seed 0", "seed 1", "epoch"):
        assert f">{text}</text>" in drawn
