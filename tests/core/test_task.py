"""A fifth task costs one room: tests/core/tiny.py is all there is of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import kataribe
from kataribe.cli.main import main
from kataribe.core import plugins, registry, task
from kataribe.core.errors import InputError, UsageError
from kataribe.core.options import RunOptions
from tests.core import tiny

PREDICTIONS, REFERENCES = {"a": 1.5, "b": 9, "x": 0}, {"a": 1, "b": 2}

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The entry points of a package that has this task and its metric."""
    ours = {group: plugins.registered(group) for group in (task.GROUP, registry.GROUP)}
    theirs = {
        task.GROUP: EntryPoint("tiny", "tests.core.tiny:TASK", task.GROUP),
        registry.GROUP: EntryPoint("near", "tests.core.tiny:Near", registry.GROUP),
    }
    monkeypatch.setattr(plugins, "registered", lambda group: ours[group] | {theirs[group].name: theirs[group]})
    yield
    registry.load.cache_clear()


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    for name, numbers in (("pred", PREDICTIONS), ("refs", REFERENCES)):
        (tmp_path / f"{name}.json").write_text(json.dumps(numbers))

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["score", "tiny", str(tmp_path / "pred.json"), "-r", str(tmp_path / "refs.json"), *arguments])
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return run


def test_a_task_is_scored_from_python_by_its_name() -> None:
    result = kataribe.evaluate("tiny", PREDICTIONS, REFERENCES, scale=1, details=True)
    assert result["near"].value == 0.5
    assert result["near"].signature.startswith("near|missing:error|data:2/2|hash:")
    assert [str(warning) for warning in result.warnings] == ["1 number is extra: 'x'"]
    assert result.content == {"a": 1.5, "b": 9}
    assert kataribe.evaluate("tiny", PREDICTIONS, REFERENCES, ["near(8)"], bootstrap=20)["near(8.0)"].value == 1


def test_a_task_is_a_value_with_typed_options() -> None:
    options, run = tiny.TinyOptions(scale=2, missing="drop"), RunOptions(seed=3)
    result = task.evaluate(tiny.TASK, {"b": 1}, REFERENCES, options=options, run=run)
    assert result["near"].value == 1
    assert (result.coverage.scored, result.coverage.missing) == (1, 1)


def test_its_command_has_its_options(call: Call) -> None:
    code, out, err = call("-f", "json", "--seed", "1")
    assert (code, json.loads(out)["metrics"]["near"]["value"]) == (0, 0.5)
    assert err == "kataribe: warning: 1 number is extra: 'x' [extra]\n"
    code, out, _ = call("--help")
    assert code == 0
    for line in ("Score numbers.", "--scale <int>", "What predictions are multiplied with.", "--bootstrap <int>"):
        assert line in out


def test_its_command_is_listed_beside_the_others_and_a_broken_one_hides_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    points = plugins.registered(task.GROUP) | {"broken": EntryPoint("broken", "nowhere:TASK", task.GROUP)}
    monkeypatch.setattr(plugins, "registered", lambda group: points)
    with pytest.raises(SystemExit):
        main(["score", "--help"])
    out, err = capsys.readouterr()
    assert "the task 'broken' cannot be loaded" in err
    commands = out.partition("Commands:\n")[2]
    assert [line.split()[0] for line in commands.splitlines()] == [
        "captions",
        "stories",
        "boundaries",
        "narration",
        "grounding",
        "tiny",
    ]


def test_help_that_is_not_written_out_is_listed_all_the_same(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiny, "MADE", replace(tiny.TASK, help=" ".join(["Score", "made", "numbers."])), raising=False)
    points = {"made": EntryPoint("made", "tests.core.tiny:MADE", task.GROUP)}
    monkeypatch.setattr(plugins, "registered", lambda group: points)
    with pytest.raises(SystemExit):
        main(["score", "--help"])
    assert capsys.readouterr().out.splitlines()[-1] == "  made  Score made numbers."


@pytest.mark.parametrize(
    ("options", "flags", "python", "shell"),
    [
        (
            {"missing": "zero"},
            ["--missing", "zero"],
            "missing: no policy is called 'zero' - there are: error, drop",
            "--missing: no policy is called 'zero' - there are: error, drop",
        ),
        (
            {"scale": 0},
            ["--scale", "0"],
            "scale=0: must be at least 1 - 1 leaves them alone",
            "--scale 0: must be at least 1 - 1 leaves them alone",
        ),
        (
            {"bootstrap": -1},
            ["--bootstrap", "-1"],
            "bootstrap=-1: cannot be negative - 1000 is usual, 0 switches it off",
            "--bootstrap -1: cannot be negative - 1000 is usual, 0 switches it off",
        ),
        (
            {"seed": -1},
            ["--seed", "-1"],
            "seed=-1: cannot be negative - any whole number from 0 on will do",
            "--seed -1: cannot be negative - any whole number from 0 on will do",
        ),
        (
            {"threads": -1},
            ["--threads", "-1"],
            "threads=-1: cannot be negative - 0 uses every core",
            "--threads -1: cannot be negative - 0 uses every core",
        ),
        (
            {"engine": "spark"},
            ["--engine", "spark"],
            "engine: no engine is called 'spark' - this version has: local",
            "--engine: no engine is called 'spark' - this version has: local",
        ),
    ],
)
def test_a_wrong_option_is_named_as_its_user_writes_it(
    call: Call, options: dict, flags: list[str], python: str, shell: str
) -> None:
    with pytest.raises(UsageError) as refused:
        kataribe.evaluate("tiny", PREDICTIONS, REFERENCES, **options)
    assert str(refused.value) == python
    assert call(*flags) == (2, "", f"kataribe: {shell}\n")


def test_hints_name_options_as_their_user_writes_them(call: Call, tmp_path: Path) -> None:
    call()
    (tmp_path / "pred.json").write_text('{"a": 1}')
    assert call()[2] == "kataribe: no prediction for 1 of 2 references: 'b' - --missing drop leaves them out\n"
    with pytest.raises(InputError, match=r'- missing="drop" leaves them out'):
        kataribe.evaluate("tiny", {"a": 1}, REFERENCES)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"scal": 2}, "tiny has no option 'scal' - did you mean 'scale'?"),
        ({"bootstap": 2}, "tiny has no option 'bootstap' - did you mean 'bootstrap'?"),
        ({"scale": "2"}, "scale: '2' is not a whole number"),
        ({"seed": 0.5}, "seed: '0.5' is not a whole number"),
        ({"protocol": None}, "protocol: no protocol is called 'None' - there are: official, paper"),
    ],
)
def test_options_that_do_not_exist_or_fit_are_refused(options: dict, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        kataribe.evaluate("tiny", PREDICTIONS, REFERENCES, **options)
    assert str(refused.value) == says


def test_references_must_be_given_where_the_task_needs_them() -> None:
    with pytest.raises(UsageError, match="there are no references - give references"):
        kataribe.evaluate("tiny", PREDICTIONS)


def test_an_unknown_task_suggests_the_nearest() -> None:
    with pytest.raises(UsageError, match="no task is called 'storys' - did you mean 'stories'"):
        kataribe.evaluate("storys", {}, {})
