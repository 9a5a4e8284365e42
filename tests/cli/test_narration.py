"""`kataribe score narration` as a stranger meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "src" / "kataribe" / "samples"
NAMES = ("pred.json", "refs.json", "cast.json", "dialogue.jsonl")
PRED, REFS, CAST, DIALOGUE = (str(SAMPLES / f"narration_{name}") for name in NAMES)


@pytest.fixture
def score(call):
    return lambda *arguments: call("score", "narration", *arguments)


def test_the_answer_follows_the_contract(score):
    code, out, _ = score(PRED, "-r", REFS, "--cast", CAST, "--dialogue", DIALOGUE, "--format", "json")
    answer = json.loads(out)
    assert (code, answer["task"]) == (0, "narration")
    assert next(iter(answer["metrics"])) == "role_f1"
    assert answer["coverage"]["scored"] == 12
    assert answer["metrics"]["role_f1"]["parts"]["first-billed always"] > 0
    assert answer["metrics"]["role_f1"]["signature"].startswith("role_f1|avg:macro|match:substring|cast:all-")


def test_results_are_compared_and_reported(score, call, tmp_path):
    for name, source in (("system", PRED), ("people", REFS)):
        code, _, err = score(
            *(source, "-r", REFS, "--cast", CAST, "--protocol", "paper", "-o", str(tmp_path / f"{name}.json"), "-q")
        )
        assert (code, err) == (0, "")
    results = [str(tmp_path / "system.json"), str(tmp_path / "people.json")]
    code, out, _ = call("compare", *results)
    assert (code, "role_f1: system - people" in out) == (0, True)
    code, _, _ = call("report", *results, "-o", str(tmp_path / "page.html"))
    assert (code, "Captain Reyes" in (tmp_path / "page.html").read_text(encoding="utf-8")) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", "role_f1"], "role_f1 needs the films' casts - give them with --cast"),
        (["-m", "dialogue_overlap"], "give it with --dialogue"),
        (["--cast", "nothing.json"], "nothing.json: there is no such file"),
        (["-m", "speech_rate(0)"], "speech_rate(cps=0): a rate is a number of characters per second"),
        (["-m", "soda(c)"], "soda(c) does not score narration but stories"),
    ],
)
def test_a_mistake_is_one_line(score, tmp_path, arguments, said):
    out_file = tmp_path / "out.json"
    code, out, err = score(PRED, "-r", REFS, *arguments, "-o", str(out_file))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert not out_file.exists()


@pytest.mark.parametrize("role", ["PRED", "-r", "--cast", "--dialogue"])
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.json", b"", "is empty"),
        ("nothing.json", b"{}", "holds no "),
        ("bare.csv", b"film,id,name,text,start,end\n", "holds no "),
        ("latin.json", '{"é": "x"}'.encode("latin-1"), "is not UTF-8 text (byte 2)"),
        ("nan.json", b'{"harbour": NaN}', "id 'harbour': "),
        ("twice.json", b'{"harbour": "x", "harbour": "y"}', "has the same id more than once: 'harbour'"),
        ("half.json", rb'{"harbour": ["\ud800"]}', "id 'harbour': contains half of a surrogate pair"),
    ],
)
def test_a_bad_file_costs_one_line_whatever_it_was_meant_to_be(score, tmp_path, role, name, content, said):
    file = tmp_path / name
    file.write_bytes(content)
    arguments = {"PRED": PRED, "-r": REFS, "--cast": CAST, "--dialogue": DIALOGUE} | {role: str(file)}
    predictions = arguments.pop("PRED")
    options = [word for pair in arguments.items() for word in pair]
    out_file = tmp_path / "out.json"
    code, out, err = score(predictions, *options, "-o", str(out_file))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"kataribe: {file}: ")
    assert said in err
    assert not out_file.exists()


def test_films_and_names_in_any_script_are_written_as_they_are(score, tmp_path):
    lines, cast, out_file = (tmp_path / name for name in ("lines.json", "cast.json", "out.json"))
    lines.write_text('{"日本": {"film": "é", "start": 0, "end": 9, "text": "マリアが待つ。"}}', encoding="utf-8")
    cast.write_text('{"é": ["マリア"]}', encoding="utf-8")
    code, _, _ = score(str(lines), "-r", str(lines), "--cast", str(cast), "--tok", "char", "-o", str(out_file))
    written = json.loads(out_file.read_text(encoding="utf-8"))
    assert (code, list(written["metrics"]["role_f1"]["items"])) == (0, ["日本"])
