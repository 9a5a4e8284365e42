"""`kataribe build shapes`: what is printed, written and refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kataribe.people.shapes import files

pytest.importorskip("PIL.Image", reason="needs kataribe[models]")


def test_prints_what_was_built_and_agree_reads_it(call, tmp_path: Path) -> None:
    folder = tmp_path / "shapes"
    code, out, err = call("build", "shapes", str(folder), "--size", "smoke", "--seed", "5")
    assert (code, err) == (0, "")
    assert out.startswith(f"{folder}: 40 pictures, 200 captions, language en, seed 5\n")
    assert "train 32 pictures, test 8 pictures; texts in both: 0" in out
    code, out, err = call("agree", str(folder / "ratings.csv"), "-m", "rouge_l", "--bootstrap", "0")
    assert (code, err) == (0, "")
    assert "1,000 ratings by 5 raters on 200 texts of 40 items" in out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--size", "big"], "kataribe: --size: no size is called 'big' - there are: smoke, small, full\n"),
        (["--language", "zh"], "kataribe: --language: no language is called 'zh' - there are: en, ja\n"),
        (["--seed", "-1"], "kataribe: --seed -1: cannot be negative - any whole number from 0 on will do\n"),
    ],
)
def test_a_wrong_option_is_one_line(call, tmp_path: Path, arguments: list[str], line: str) -> None:
    assert call("build", "shapes", str(tmp_path / "shapes"), *arguments) == (2, "", line)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_somebody_else_is_refused_at_once(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    monkeypatch.setattr("kataribe.people.shapes.dataset.make_shapes", lambda _: pytest.fail("too late"))
    line = f"kataribe: {tmp_path}: holds other things, which would be lost - name a new or empty folder\n"
    assert call("build", "shapes", str(tmp_path), "--size", "smoke") == (2, "", line)
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]


def test_ctrl_c_leaves_nothing(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "draw_png", interrupt)
    code, out, err = call("build", "shapes", str(tmp_path / "shapes"), "--size", "smoke")
    assert (code, out, err) == (130, "", "kataribe: interrupted; nothing was written\n")
    assert list(tmp_path.iterdir()) == []
