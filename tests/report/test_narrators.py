"""The table of narrators, in every format."""

from __future__ import annotations

import csv
import io
import json

import pytest

from kataribe.core.errors import UsageError
from kataribe.narration.result import NarratorRow, NarratorTable
from kataribe.report.narrators import render_narrators

TABLE = NarratorTable(
    data={"films": 2, "clips": 9, "training films": 4, "training clips": 30},
    rows=(
        NarratorRow("first-billed", "trivial", {"RoleF1": 0.25}, {}, {"RoleF1": [0.25]}),
        NarratorRow("rmn + faces", "trained", {"RoleF1": 0.6}, {"RoleF1": (0.5, 0.7)}, {"RoleF1": [0.5, 0.7]}, [7, 8]),
    ),
    metrics={"RoleF1": "role_f1|avg:macro"},
    settings={},
    bootstrap=1000,
    left_out={"vt": "no <memory>"},
)


def test_a_table_shows_values_intervals_and_epochs() -> None:
    lines = render_narrators(TABLE).splitlines()
    assert lines[0].split() == ["narrator", "RoleF1", "epochs"]
    assert lines[2].split() == ["first-billed", "25.0"]
    assert lines[3] == "rmn + faces   60.0 [50.0, 70.0]    7, 8"
    assert "9 clips of 2 films that were not trained on, 30 clips of 4 films that were" in lines
    assert "means of 2 seeds" in "\n".join(lines)
    assert lines[-1] == "left out: vt: no <memory>"


def test_every_format_has_every_row() -> None:
    assert render_narrators(TABLE, "markdown").splitlines()[3] == "| rmn + faces | 60.0 [50.0, 70.0] | 7, 8 |"
    assert r"rmn + faces & 60.0 [50.0, 70.0] & 7, 8 \\" in render_narrators(TABLE, "latex")
    rows = list(csv.DictReader(io.StringIO(render_narrators(TABLE, "csv"))))
    assert [(row["narrator"], row["seed"], float(row["value"])) for row in rows][1:3] == [
        ("first-billed", "0", 0.25),
        ("rmn + faces", "", 0.6),
    ]
    assert json.loads(render_narrators(TABLE, "json"))["rows"][1]["intervals"]["RoleF1"] == [0.5, 0.7]


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UsageError, match="no format is called 'yaml'"):
        render_narrators(TABLE, "yaml")
