"""Attacks on narrations: what they do to lines, and what that does to metrics."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.audit import narration
from kataribe.audit import narration_attacks as attacks
from kataribe.audit.narration import CLEAN_ROLES, DEFAULT_METRICS, NarrationAuditOptions
from kataribe.core.errors import InputError, UsageError
from kataribe.core.types import Cast, Role
from kataribe.films.casts import read_casts
from kataribe.films.names import Names
from kataribe.narration.degraded import degrade
from kataribe.narration.files import read_narrations
from tests.narration.corpora import CAST, texts

SAMPLES = Path(__file__).parents[2] / "src" / "kataribe" / "samples"
PRED, REFS, CASTS = (SAMPLES / f"narration_{name}.json" for name in ("pred", "refs", "cast"))
NAMES = Names.of_cast(CAST)


def audit(submission, references, cast, metrics=DEFAULT_METRICS, **options):
    return narration.audit(submission, references, cast, metrics, NarrationAuditOptions(**options))


def test_lines_as_the_attacks_leave_them() -> None:
    cast = Cast("f", (Role("Anna"), Role("Tom", ("Thomas",))))
    lines = ["Anna waits for Thomas.", "Snow falls.", "Tom runs."]
    expected = {
        "whole cast": ["Anna waits for Thomas. Anna, Tom", "Snow falls. Anna, Tom", "Tom runs. Anna, Tom"],
        "first billed": ["Anna waits for Anna.", "Anna Snow falls.", "Anna runs."],
        "no names": ["waits for.", "Snow falls.", "runs."],
        "swapped roles": ["Tom waits for Anna.", "Snow falls.", "Anna runs."],
        "previous line": ["Tom runs.", "Anna waits for Thomas.", "Snow falls."],
        "said twice": [f"{line} {line}" for line in lines],
        "with neighbours": [
            "Anna waits for Thomas. Anna waits for Thomas. Snow falls.",
            "Anna waits for Thomas. Snow falls. Tom runs.",
            "Snow falls. Tom runs. Tom runs.",
        ],
    }
    assert {name: attack(lines, cast) for name, attack in attacks.ATTACKS.items()} == expected


def test_chinese_lines_are_joined_without_spaces() -> None:
    cast = Cast("f", (Role("老李"), Role("小天")))
    assert attacks.whole_cast(["他笑了。"], cast) == ["他笑了。老李、小天"]
    assert attacks.no_names(["老李和小天笑了。"], cast) == ["和笑了。"]


@settings(deadline=None)
@given(st.lists(texts, max_size=6))
def test_names_after_each_attack(lines: list[str]) -> None:
    everybody = frozenset(CAST.names)
    assert all(NAMES.in_text(line) == everybody for line in attacks.whole_cast(lines, CAST))
    assert all(NAMES.in_text(line) == {"Maria"} for line in attacks.first_billed(lines, CAST))
    swapped = attacks.swapped_roles(lines, CAST)
    assert [len(NAMES.in_text(line)) for line in swapped] == [len(NAMES.in_text(line)) for line in lines]


@settings(deadline=None)
@given(st.lists(texts, max_size=6))
def test_moving_lines_loses_none(lines: list[str]) -> None:
    assert sorted(attacks.previous_line(lines, CAST)) == sorted(lines)


def test_every_metric_is_read_after_every_attack() -> None:
    found = audit(PRED, REFS, CASTS)
    assert [outcome.attack for outcome in found.outcomes] == [
        "submitted",
        *attacks.ATTACKS,
        *attacks.DEGRADED,
        attacks.SHUFFLED,
    ]
    before = found.submitted.scores
    by_attack = {outcome.attack: outcome for outcome in found.attacked}
    assert by_attack["no names"].scores[CLEAN_ROLES].value == 0.0
    assert by_attack["previous line"].scores["rouge_l"].value < before["rouge_l"].value
    assert by_attack["said twice"].scores["repetition"].value > before["repetition"].value
    assert by_attack["said twice"].length == pytest.approx(2, abs=0.1)
    assert by_attack["said twice"].scores[CLEAN_ROLES] == before[CLEAN_ROLES]


def test_an_attack_reads_what_its_baseline_promises() -> None:
    """A submission in which everybody is the first-billed role scores that baseline's number."""
    found = audit(PRED, REFS, CASTS, [CLEAN_ROLES], attack=["first billed", "whole cast"])
    promised = found.submitted.scores[CLEAN_ROLES].parts
    first, whole = found.attacked
    assert first.scores[CLEAN_ROLES].value == pytest.approx(promised["first-billed always"])
    assert whole.scores[CLEAN_ROLES].value == pytest.approx(promised["whole cast always"])


def test_a_film_without_a_cast_is_attacked_where_no_names_are_needed() -> None:
    cast = {"harbour": ["Ines", "Captain Reyes"]}
    found = audit(PRED, REFS, cast, ["role_f1", "rouge_l"], attack=["first billed", "no names", "said twice"])
    assert [warning.id for warning in found.warnings] == ["no-cast"]
    assert found.warnings[0].startswith("6 clips of 1 film without a cast")
    assert "|uncast:empty(6)|" in found.signatures["role_f1"]
    nobody = Cast("winter-train", ())
    lines = ["Anna waits.", "Snow falls."]
    assert {name for name, attack in attacks.ATTACKS.items() if attack(lines, nobody) == lines} == {
        *("whole cast", "first billed", "no names", "swapped roles")
    }


def test_degrading_attacks_are_those_of_the_command_and_follow_the_seed() -> None:
    found = {seed: audit(PRED, REFS, CASTS, ["rouge_l"], attack=["other names"], seed=seed) for seed in (0, 0, 1, 2)}
    values = {seed: each.attacked[0].scores["rouge_l"].value for seed, each in found.items()}
    assert len(set(values.values())) > 1
    options = replace(attacks.DEGRADED["other names"], seed=1)
    spoilt = degrade(read_narrations(PRED).values(), read_casts(CASTS), options).lines
    lines = [{"id": line.id, "text": line.text} for line in spoilt]
    assert values[1] == kataribe.evaluate("narration", lines, REFS, ["rouge_l"])["rouge_l"].value


def test_an_attack_that_cannot_be_done_is_left_out_unless_it_was_asked_for() -> None:
    written = {"1": {"film": "f", "text": "彼女は港へ走る。"}, "2": {"film": "f", "text": "ベンチに猫がいる。"}}
    found = audit(written, written, {"f": ["ハナ"]}, ["rouge_l"], tok="char")
    assert [outcome.attack for outcome in found.outcomes] == ["submitted", *attacks.ATTACKS, "other names"]
    assert (
        found.notes[-1] == "shuffled clips was left out: lines of 'f' have no times - give each line its start and end"
    )
    assert found.notes[-2].startswith("other words was left out: nouns and verbs are known for Chinese and English")
    with pytest.raises(UsageError, match="known for Chinese and English"):
        audit(written, written, {"f": ["ハナ"]}, ["rouge_l"], attack=["other words"])


WHOLE_FILM = ("first_mention", "first_mention(turn)", "identity", "repetition(2, window=1, across=true)")


def film_of(*texts: str) -> dict[str, dict[str, object]]:
    return {str(n): {"film": "f", "start": 10 * n, "end": 10 * n + 5, "text": text} for n, text in enumerate(texts)}


def test_shuffled_clips_are_noticed_by_who_reads_the_whole_film_and_by_nobody_else() -> None:
    written = film_of(
        *["Anna waits.", "She smiles.", "Tom runs away.", "He falls down.", "Eve is late.", "She sings."] * 2
    )
    found = audit(written, written, {"f": ["Anna", "Tom", "Eve"]}, attack=["shuffled clips"])
    before, after = found.submitted.scores, found.attacked[0].scores
    changed = {name for name in before if before[name].value != after[name].value}
    assert changed == {"first_mention", "first_mention(turn)"}
    repeated = audit(written, written, {"f": ["Anna", "Tom", "Eve"]}, WHOLE_FILM, attack=["shuffled clips"])
    assert repeated.attacked[0].scores[WHOLE_FILM[3]] != repeated.submitted.scores[WHOLE_FILM[3]]


def test_clips_told_one_by_one_are_told_apart_from_a_mistake_made_throughout() -> None:
    """`swapped roles` names everybody wrongly in the same way, `other names` in each clip in another."""
    written = film_of(*["Anna waits.", "Tom runs away.", "Eve is late.", "Max sings."] * 6)
    found = audit(written, written, {"f": ["Anna", "Tom", "Eve", "Max"]}, attack=["swapped roles", "other names"])
    together, apart = (outcome.scores for outcome in found.attacked)
    assert together[CLEAN_ROLES].value == apart[CLEAN_ROLES].value == 0.0
    assert together["rouge_l"].value == pytest.approx(apart["rouge_l"].value)
    assert together["identity"].value == 1.0
    assert apart["identity"].value < 0.7


def test_what_cannot_be_audited_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no such attack - did you mean 'no names'"):
        audit(PRED, REFS, CASTS, attack=["no name"])
    with pytest.raises(InputError, match="no cast for 2 films: 'harbour', 'winter-train'"):
        audit(PRED, REFS, {"elsewhere": ["Ines"]})
    with pytest.raises(UsageError, match="no metric is called"):
        audit(PRED, REFS, CASTS, ["roles_f2"])


@pytest.mark.parametrize("format", ["table", "markdown", "json"])
def test_the_command_prints_and_draws(call_audit, tmp_path: Path, format: str) -> None:
    out_file = tmp_path / "audit.json"
    code, out, err = call_audit("--format", format, "-o", str(out_file), "--plots", str(tmp_path), "-m", "role_f1")
    assert (code, err) == (0, "")
    assert "whole cast" in out
    assert json.loads(out_file.read_text())["readings"][0]["attack"] == "submitted"
    for kind in ("png", "svg"):
        assert (tmp_path / f"narration_attacks.{kind}").stat().st_size > 1000


def test_the_command_prints_warnings_with_their_ids(call_audit, tmp_path: Path) -> None:
    told = json.loads(PRED.read_text(encoding="utf-8"))
    told[0]["text"] = "nan"
    odd = tmp_path / "odd.json"
    odd.write_text(json.dumps(told), encoding="utf-8")
    arguments = ("-m", "rouge_l", "--attack", "said twice", "--format", "json")
    code, out, err = call_audit(*arguments, pred=odd, quiet=False)
    assert code == 0
    assert err.startswith("kataribe: warning: 1 prediction")
    assert err.endswith("[missing-values]\n")
    (warning,) = json.loads(out)["warnings"]
    assert warning["id"] == "missing-values"
    code, silenced, err = call_audit(*arguments, "--silence", "missing-values", pred=odd, quiet=False)
    assert (code, silenced, err) == (0, out, ""), "the JSON keeps it"


@pytest.fixture
def call_audit(capsys: pytest.CaptureFixture[str]):
    from kataribe.cli.main import main

    def run(*arguments: str, pred: Path = PRED, quiet: bool = True) -> tuple[int, str, str]:
        still = ["-q"] if quiet else []
        with pytest.raises(SystemExit) as left:
            main(["audit", "narration", str(pred), "-r", str(REFS), "--cast", str(CASTS), *still, *arguments])
        return int(left.value.code or 0), *capsys.readouterr()

    return run
