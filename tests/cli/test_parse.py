"""`kataribe parse`: tuples on standard output, a picture in a file, one line for every mistake."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

CAPTION = "デニムパンツをはいた少女がサッカーボールを蹴ろうとしている"


def test_text_lists_objects_attributes_and_relations(call) -> None:
    code, out, err = call("parse", "白い犬が公園を走る")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "objects     犬",
        "            公園",
        "attributes  犬-白い",
        "relations   犬-走る-公園",
    ]


def test_json_can_be_read_back(call) -> None:
    code, out, _ = call("parse", CAPTION, "--format", "json")
    assert code == 0
    assert json.loads(out) == {
        "objects": ["デニムパンツ", "少女", "サッカーボール"],
        "attributes": [],
        "relations": [["少女", "はく", "デニムパンツ"], ["少女", "蹴る", "サッカーボール"]],
    }


def test_the_picture_is_written_beside_the_answer(call, tmp_path: Path) -> None:
    code, out, _ = call("parse", CAPTION, "--svg", str(tmp_path / "graph.svg"))
    assert (code, "少女-はく-デニムパンツ" in out) == (0, True)
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8").startswith("<svg ")


def test_the_picture_of_the_page_is_what_its_command_draws(call, tmp_path: Path) -> None:
    docs = Path(__file__).parents[2] / "docs"
    page = (docs / "metrics" / "jaspice.md").read_text(encoding="utf-8")
    [caption] = re.findall(r'^\$ kataribe parse "(.+)" --svg graph.svg$', page, re.MULTILINE)
    call("parse", caption, "--svg", str(tmp_path / "graph.svg"))
    assert (tmp_path / "graph.svg").read_text() == (docs / "images" / "scene-graph.svg").read_text()


def test_other_languages_get_a_warning(call) -> None:
    code, _, err = call("parse", "a dog")
    assert (code, err) == (0, "kataribe: warning: the caption has no Japanese character\n")
    assert call("parse", "a dog", "--quiet")[2] == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["  "], "the caption is empty"),
        (["犬" * 40_000], "has 40,000 characters"),
        (["犬" * 20_000], "GiNZA cannot parse the caption"),
        (["犬\udc80"], "is not text"),
        (["犬", "--format", "xml"], "no format is called 'xml'"),
        (["犬", "--svg", "/nowhere/at/all.svg"], "there is no folder"),
        (["犬", "--model", "ja_nowhere"], "'ja_nowhere' cannot be loaded"),
        ([], "Missing argument"),
    ],
)
def test_bad_calls_cost_one_line_and_nothing_is_written(call, tmp_path: Path, arguments: list[str], says: str) -> None:
    target = tmp_path / "graph.svg"
    code, out, err = call("parse", *([] if "--svg" in arguments else ["--svg", str(target)]), *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
    assert not target.exists()
