"""`kataribe compare` and `kataribe report` as a stranger meets them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import kataribe
from tests.report import made_up


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    for name, result in made_up.story_results().items():
        (folder / f"{name}.json").write_text(result.to_json())
    (folder / "captions.json").write_text(made_up.many_captions(30, worse=False).to_json())
    old = (folder / "careless.json").read_text().replace(f"|kataribe:{kataribe.__version__}", "|kataribe:0.0.1")
    (folder / "old.json").write_text(old)
    (folder / "text.json").write_text("hello")
    (folder / "list.json").write_text("[]")
    edited = json.loads((folder / "careful.json").read_text())
    edited["content"]["v_harbour"]["predictions"] = [{"segment": "soon", "text": "a boat"}]
    (folder / "edited.json").write_text(json.dumps(edited))
    return folder


@pytest.fixture
def pair(folder: Path) -> list[str]:
    return [str(folder / "careful.json"), str(folder / "careless.json")]


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "csv", "json"])
def test_compare_prints_every_format(call, pair: list[str], format: str) -> None:
    code, out, err = call("compare", *pair, "-f", format, "--replicates", "100", "--silence", "few-items")
    assert (code, err) == (0, "")
    assert "careless" in out


def test_compare_warns_of_few_items_unless_silenced(call, pair: list[str]) -> None:
    _, out, err = call("compare", *pair, "--replicates", "100")
    assert err.endswith("[few-items]\n")
    _, silenced_out, silenced = call("compare", *pair, "--replicates", "100", "--silence", "few-items")
    assert silenced == ""
    assert silenced_out == out


def test_compare_writes_json(call, pair: list[str], tmp_path: Path) -> None:
    code, _, _ = call(
        "compare", *pair, "-o", str(tmp_path / "tests.json"), "-m", "localisation", "--baseline", "careless"
    )
    written = json.loads((tmp_path / "tests.json").read_text())
    assert code == 0
    assert [test["metric"] for test in written["tests"]] == ["localisation"]
    assert written["settings"]["baseline"] == "careless"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["careful.json"], "give two or more"),
        (["careful.json", "careful.json"], "the same result is given twice"),
        (["careful.json", "old.json"], f"kataribe: '{kataribe.__version__}' in careful, '0.0.1' in old"),
        (["careful.json", "captions.json"], "careful scores stories, captions scores captions"),
        (["careful.json", "absent.json"], "there is no such file"),
        (["careful.json", "text.json"], "is not JSON"),
        (["careful.json", "list.json"], "is not a kataribe result"),
        (["careful.json", "careless.json", "--format", "pdf"], "no format is called 'pdf'"),
        (["careful.json", "careless.json", "--correction", "magic"], "there are: holm, bh, none"),
        (["careful.json", "careless.json", "-o", "/nowhere/at/all.json"], "there is no folder"),
    ],
)
def test_bad_comparisons_cost_one_line(call, folder: Path, arguments: list[str], says: str) -> None:
    paths = [str(folder / name) if name.endswith(".json") and "/" not in name else name for name in arguments]
    code, out, err = call("compare", *paths)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_a_forced_comparison_says_so(call, folder: Path) -> None:
    code, out, err = call("compare", str(folder / "careful.json"), str(folder / "old.json"), "--force")
    assert code == 0
    assert "FORCED, not comparable" in out
    assert "warning: not comparable" in err


def test_report_writes_one_page(call, pair: list[str], tmp_path: Path) -> None:
    code, out, _ = call("report", *pair, "-o", str(tmp_path / "page.html"), "--replicates", "50", "--title", "A & B")
    assert (code, "8 items" in out) == (0, True)
    page = (tmp_path / "page.html").read_text()
    assert "<title>A &amp; B - Kataribe</title>" in page
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_report_writes_the_same_page_twice(call, pair: list[str], tmp_path: Path) -> None:
    for name in ("one.html", "two.html"):
        call("report", *pair, "-o", str(tmp_path / name), "--replicates", "50")
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_figures_are_files(call, pair: list[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    code, _, _ = call(
        "report", *pair, "-o", str(tmp_path / "page.html"), "--figures", str(tmp_path), "--replicates", "0"
    )
    assert code == 0
    names = {file.name for file in tmp_path.iterdir()}
    assert {
        "scores.png",
        "scores.svg",
        "distribution-localisation.svg",
        "difference-localisation-careless.png",
    } <= names
    assert {"localisation-against-duration-s.png", "localisation-against-reference-captions.svg"} <= names
    assert (tmp_path / "scores.png").read_bytes().startswith(b"\x89PNG")
    assert "careful" in (tmp_path / "scores.svg").read_text()


def test_figures_without_matplotlib_say_how_to_get_it(call, pair: list[str], tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, _, err = call("report", *pair, "-o", str(tmp_path / "page.html"), "--figures", str(tmp_path))
    assert (code, "pip install 'kataribe[plots]'" in err) == (2, True)
    assert not list(tmp_path.iterdir())


def test_videos_are_found_by_id_and_addressed_from_the_page(call, pair: list[str], tmp_path: Path) -> None:
    videos = tmp_path / "my videos"
    videos.mkdir()
    (videos / "v_harbour.mp4").write_bytes(b"")
    (videos / "v_kitchen.txt").write_bytes(b"")
    code, _, _ = call("report", *pair, "-o", str(tmp_path / "page.html"), "--videos", str(videos), "--replicates", "0")
    assert code == 0
    assert '"videos":{"v_harbour":"my%20videos/v_harbour.mp4"}' in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["careful.json", "captions.json"], "one page shows one task"),
        (["careful.json", "--videos", "/nowhere"], "there is no such folder"),
        (["careful.json", "--videos", "."], "no video in it has the id of an item"),
        (["careful.json", "--figures", "/nowhere"], "there is no such folder"),
        (["edited.json"], "edited: content: cannot be shown"),
    ],
)
def test_bad_reports_cost_one_line_and_no_page(
    call, folder: Path, tmp_path: Path, monkeypatch, arguments, says
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = [str(folder / name) if name.endswith(".json") else name for name in arguments]
    code, out, err = call("report", *paths, "-o", "page.html")
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())
