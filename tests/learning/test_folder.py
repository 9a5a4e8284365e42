"""A model is a folder that loads anywhere, is refused where it is damaged, and is written whole or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("safetensors", reason="models need kataribe[models]")

from kataribe.core.errors import InputError, OutputError
from kataribe.learning.folder import CARD, WEIGHTS, Card, CardScore, Model, check_model_folder, read_model, write_model

TENSORS = {"first": np.arange(6, dtype=np.float32).reshape(2, 3).T, "second": np.array(2.5)}
PARTS = {"idf.json": b'{"dog": 1.5}'}


def card(**changes: Any) -> Card:
    known: dict[str, Any] = {"kind": "tiny", "title": "A line", "options": {"hidden": 3, "labels": "share"}}
    return Card(**{**known, **changes})


def write(folder: Path, given: Card | None = None, tensors: Any = None, parts: Any = None, more: Any = None) -> Model:
    return write_model(folder, given or card(), tensors or TENSORS, PARTS if parts is None else parts, more)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    write(tmp_path / "model", more={"curves.png": b"png"})
    return tmp_path / "model"


def refusal(folder: Path, kind: str = "tiny") -> str:
    with pytest.raises(InputError) as refused:
        read_model(folder, kind)
    line = str(refused.value)
    assert line.startswith(str(folder))
    assert "\n" not in line
    return line


def change(folder: Path, **changes: Any) -> None:
    """Rewrite fields of the card, as somebody with an editor would."""
    plain = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps({**plain, **changes}))


def test_a_model_is_read_as_it_was_written(model: Path) -> None:
    read = read_model(model, "tiny")
    assert sorted(path.name for path in model.iterdir()) == [CARD, "curves.png", "idf.json", WEIGHTS]
    assert {name: tensor.tolist() for name, tensor in read.tensors.items()} == {
        "first": [[0, 3], [1, 4], [2, 5]],
        "second": 2.5,
    }
    assert read.parts == PARTS
    assert read.card.parts == ["idf.json"]
    assert read.signature == f"tiny-{read.card.fingerprint}"


def test_another_process_reads_it_without_torch(model: Path) -> None:
    program = """
import sys
sys.modules["torch"] = None
from kataribe.learning.folder import read_model
read = read_model(sys.argv[1], "tiny")
print(read.signature, read.tensors["first"].sum(), read.parts["idf.json"].decode())
"""
    ran = subprocess.run([sys.executable, "-c", program, str(model)], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == (f'{read_model(model, "tiny").signature} 15.0 {{"dog": 1.5}}\n', "")


def test_the_fingerprint_changes_with_what_decides_the_numbers_and_with_nothing_else(tmp_path: Path) -> None:
    def fingerprint(*arguments: Any, **named: Any) -> str:
        return write(tmp_path / "model", *arguments, **named).card.fingerprint

    same = fingerprint()
    assert fingerprint(more={"curves.png": b"other"}) == same
    told = card(
        title="Another title", training={"epochs": 3}, data=[{"videos": 4}], notes=["hello"], kataribe="9.9.9",
        scores=[CardScore("held out", "f1", 0.5)],
    )  # fmt: skip
    assert fingerprint(told) == same
    moved = {**TENSORS, "second": np.array(2.5000001)}
    others = [
        fingerprint(tensors=moved),
        fingerprint(tensors={**TENSORS, "third": np.zeros(1)}),
        fingerprint(card(options={"hidden": 4, "labels": "share"})),
        fingerprint(card(kind="small")),
        fingerprint(parts={"idf.json": b"{}"}),
        fingerprint(parts={}),
        fingerprint(parts={"idf2.json": PARTS["idf.json"]}),
    ]
    assert len({same, *others}) == len(others) + 1


def test_a_card_takes_numbers_as_programs_have_them(tmp_path: Path) -> None:
    nan = float("nan")
    given = card(
        options={"rate": np.float32(0.5), "sizes": (1, 2), "limit": nan, "big": 1e16},
        training={"state": Path("state"), "losses": np.array([1.0, nan])},
        scores=[CardScore("held out", "f1", nan, (nan, nan), 3), CardScore("held out", "ap", 0.5, (0.4, 0.6), 3)],
    )
    written, read = write(tmp_path / "model", given).card, read_model(tmp_path / "model", "tiny").card
    assert read == written
    assert read.options == {"rate": 0.5, "sizes": [1, 2], "limit": None, "big": 1e16}
    assert read.training == {"state": "state", "losses": [1.0, None]}
    assert [(score.value, score.interval) for score in read.scores] == [(None, None), (0.5, (0.4, 0.6))]


@pytest.mark.parametrize("name", [WEIGHTS, "idf.json"])
def test_damaged_or_missing_files_are_refused(model: Path, name: str) -> None:
    content = (model / name).read_bytes()
    (model / name).write_bytes(content[:-1] + b"?")
    assert f"its {name} is damaged - copy it again" in refusal(model)
    (model / name).unlink()
    assert f"lacks {name} (No such file or directory)" in refusal(model)


def test_a_picture_beside_the_model_may_go(model: Path) -> None:
    (model / "curves.png").unlink()
    assert read_model(model, "tiny").card.title == "A line"


def test_a_changed_card_is_refused(model: Path) -> None:
    change(model, options={"hidden": 4, "labels": "share"})
    assert f"its {CARD} was changed after it was written" in refusal(model)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", f"its {CARD} cannot be read"),
        (b"hello", f"its {CARD} cannot be read"),
        (b'"\xff"', f"its {CARD} cannot be read"),
        (b"[" * 9999, f"its {CARD} cannot be read"),
        (b"[]", "is not a model of kataribe"),
        (b"{}", "is not a model of kataribe"),
        (b'{"format": null}', "is not a model of kataribe"),
        (b'{"format": "kataribe model 2"}', "is of another version (kataribe model 2; this version reads"),
        (b'{"format": "kataribe model 1"}', f"its {CARD} cannot be read (Object missing required field `kind`"),
        (b'{"format": "kataribe model 1", "kind": 5, "title": ""}', f"its {CARD} cannot be read"),
    ],
)
def test_foreign_cards_are_refused(model: Path, content: bytes, says: str) -> None:
    (model / CARD).write_bytes(content)
    assert says in refusal(model)


def test_another_kind_is_refused(model: Path) -> None:
    assert refusal(model, "suisei") == f"{model}: is a model of the kind 'tiny', not 'suisei'"


def test_what_is_no_model_folder_is_refused(tmp_path: Path) -> None:
    assert "there is no such model folder" in refusal(tmp_path / "absent")
    assert f"is not a model: it has no {CARD}" in refusal(tmp_path)


@pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "..", "", "a\0b", "\ud800"])
def test_a_card_cannot_name_files_outside_its_folder(model: Path, name: str) -> None:
    (model.parent / "secret").write_text("mine")
    from kataribe.learning import folder

    plain = json.loads((model / CARD).read_text()) | {"parts": [name]}
    forged = Card(**{**plain, "fingerprint": ""})
    plain["fingerprint"] = folder._fingerprint(forged)
    (model / CARD).write_text(json.dumps(plain))
    assert refusal(model)


def test_weights_that_are_no_weights_are_refused(model: Path) -> None:
    """With hashes that fit: somebody made them so."""
    from kataribe.learning import folder

    (model / WEIGHTS).write_bytes(b"hello")
    plain = json.loads((model / CARD).read_text())
    plain["files"][WEIGHTS] = folder._sha256(b"hello")
    plain["fingerprint"] = folder._fingerprint(Card(**plain))
    (model / CARD).write_text(json.dumps(plain))
    assert "the weights cannot be read" in refusal(model)


def test_an_older_model_is_replaced_whole(model: Path) -> None:
    write(model, parts={})
    assert sorted(path.name for path in model.iterdir()) == [CARD, WEIGHTS]
    assert [path.name for path in model.parent.iterdir()] == ["model"]


def test_an_empty_folder_and_a_link_to_one_are_places(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert read_model(tmp_path / "empty", "tiny").card == read_model(tmp_path / "link", "tiny").card


@pytest.mark.parametrize(
    ("place", "says"),
    [("nowhere/model", "there is no folder"), ("file", "is a file"), ("full", "other things")],
)
def test_a_model_has_no_place_among_other_things(tmp_path: Path, place: str, says: str) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / CARD).write_text('{"format": "a wedding"}')
    for attempt in (lambda: check_model_folder(tmp_path / place), lambda: write(tmp_path / place)):
        with pytest.raises(OutputError, match=says):
            attempt()
    assert [path.name for path in (tmp_path / "full").iterdir()] == [CARD]
    assert (tmp_path / "file").read_text() == "mine"


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(OutputError, match="cannot be written to - choose another place"):
        check_model_folder(tmp_path / "model")
    monkeypatch.undo()
    if Path("/proc").is_dir():
        with pytest.raises(OutputError, match="cannot be written"):
            write(Path("/proc/kataribe-model"))


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["write_bytes", "rename"])
def test_a_write_that_fails_leaves_what_was_there(
    model: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, step: str
) -> None:
    before = read_model(model, "tiny").card
    original, calls = getattr(Path, step), []

    def failing(self: Path, *arguments: Any) -> Any:
        calls.append(self)
        if len(calls) == 2:  # the second file; or the new folder, after the old one was moved away
            raise error
        return original(self, *arguments)

    monkeypatch.setattr(Path, step, failing)
    expected = OutputError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        write(model, card(options={"hidden": 9}))
    monkeypatch.undo()
    assert read_model(model, "tiny").card == before
    assert [path.name for path in model.parent.iterdir()] == ["model"]
