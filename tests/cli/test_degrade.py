"""`kataribe degrade narration`: what it writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

from kataribe.films.casts import read_casts
from kataribe.narration.degraded import DegradeOptions, degrade
from kataribe.narration.files import read_narrations


def test_the_command_writes_what_python_gives(call, tmp_path: Path) -> None:
    samples = Path(__file__).parents[2] / "src" / "kataribe" / "samples"
    refs, cast, out = samples / "narration_refs.json", samples / "narration_cast.json", tmp_path / "out.json"
    flags = ("--cast", str(cast), "--names", "replace", "--seed", "4", "-o", str(out))
    code, printed, err = call("degrade", "narration", str(refs), *flags)
    assert (code, err) == (0, "")
    assert printed == f"{out}: 10 of 12 lines changed, 15 names; seed 4\n"
    expected = degrade(read_narrations(refs).values(), read_casts(cast), DegradeOptions(names="replace", seed=4))
    assert [entry["text"] for entry in json.loads(out.read_text())] == [line.text for line in expected.lines]


def test_a_call_that_spoils_nothing_writes_nothing(call, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    (tmp_path / "refs.json").write_text('{"1": "Anna waits."}')
    (tmp_path / "cast.json").write_text('{"f": ["Anna"]}')
    flags = (str(tmp_path / "refs.json"), "--cast", str(tmp_path / "cast.json"), "-o", str(out))
    code, _, err = call("degrade", "narration", *flags)
    assert code == 2
    assert err.startswith("kataribe: nothing is to be degraded - --names remove")
    assert not out.exists()
