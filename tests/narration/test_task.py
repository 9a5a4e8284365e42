"""The task as Python sees it: joins, the default set, caption metrics, results that survive."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kataribe
from kataribe.core.errors import InputError, JoinError, KataribeError, UsageError
from kataribe.core.result import Result
from kataribe.core.signature import differences
from kataribe.narration.result import NamedRoles, ScoredNarration

CAST = {"f": ["Maria", "Odysseus"]}
DIALOGUE = {"f": [{"sentence": "Hello.", "timestamp": [5, 9]}]}
WRITTEN = [
    {"film": "f", "start": 0, "end": 4, "text": "Maria waits at the door."},
    {"film": "f", "start": 10, "end": 14, "text": "Odysseus opens the door and smiles."},
]
TOLD = [WRITTEN[0] | {"text": "Maria waits."}, WRITTEN[1] | {"text": "Maria opens the door."}]


def evaluate(told=TOLD, written=WRITTEN, **options) -> Result:
    return kataribe.evaluate("narration", told, written, **options)


def test_the_default_set_is_what_the_data_can_serve() -> None:
    texts = ["bleu", "meteor", "rouge_l", "cider"]
    bare = {"1": "Maria waits."}
    assert list(evaluate(bare, bare).metrics) == [*texts, "repetition"]
    assert list(evaluate().metrics) == [*texts, "speech_rate", "repetition"]
    assert list(evaluate(cast=CAST).metrics) == ["role_f1", *texts, "speech_rate", "repetition"]
    everything = evaluate(cast=CAST, dialogue=DIALOGUE)
    assert list(everything.metrics) == ["role_f1", *texts, "speech_rate", "dialogue_overlap", "repetition"]


def test_caption_metrics_score_lines_as_captions() -> None:
    names = ["bleu", "meteor", "rouge_l", "cider"]
    result = evaluate(metrics=names)
    captions = kataribe.evaluate(
        "captions",
        {place: line["text"] for place, line in enumerate(TOLD)},
        {place: [line["text"]] for place, line in enumerate(WRITTEN)},
        metrics=names,
    )
    assert [metric.value for metric in result] == [metric.value for metric in captions]


def test_metrics_of_other_tasks_are_refused() -> None:
    with pytest.raises(UsageError, match="does not score narration but stories"):
        evaluate(metrics=["soda(c)"])


def test_predictions_are_joined_by_id() -> None:
    assert evaluate(TOLD[::-1], metrics=["rouge_l"])["rouge_l"].ids == ("f_0-4", "f_10-14")
    with pytest.raises(JoinError, match="no prediction for 1 of 2 references: 'f_10-14'"):
        evaluate(TOLD[:1], metrics=["rouge_l"])
    assert evaluate(TOLD[:1], metrics=["rouge_l"], missing="drop").coverage.scored == 1
    zero = evaluate(TOLD[:1], metrics=["role_f1"], missing="zero", cast=CAST)
    assert zero["role_f1"].items["f_10-14"].value == 0.0


def test_a_prediction_of_another_film_is_refused() -> None:
    told = {"1": {"film": "g", "text": "x"}}
    with pytest.raises(InputError, match="1 prediction tells another film than in the references: '1'"):
        evaluate(told, {"1": {"film": "f", "text": "x"}}, metrics=["rouge_l"])


def test_text_without_spaces_is_warned_about_unless_a_tokenizer_was_chosen() -> None:
    lines = {"1": "老李回头朝屋内喊道。"}
    assert 'tok="zh"' in evaluate(lines, lines, metrics=["bleu"]).warnings[0]
    assert not evaluate(lines, lines, metrics=["bleu"], tok="char").warnings
    assert not evaluate(lines, lines, metrics=["bleu(tok=char)"]).warnings
    assert not evaluate(metrics=["bleu"]).warnings


@pytest.mark.parametrize("protocol", ["official", "paper"])
def test_a_result_survives_its_file_and_compares(protocol: str) -> None:
    one = evaluate(cast=CAST, dialogue=DIALOGUE, protocol=protocol, details=True, bootstrap=20)
    read = Result.from_json(one.to_json())
    assert read.summary() == one.summary()
    assert read.scored(ScoredNarration)["f_0-4"].film == "f"
    assert read["role_f1"].documents(NamedRoles) == one["role_f1"].documents(NamedRoles)
    (named,) = list(read["role_f1"].documents(NamedRoles).values())[1]
    assert (named.found, named.lost, named.invented) == ([], ["Odysseus"], ["Maria"])
    other = evaluate(WRITTEN, cast=CAST, dialogue=DIALOGUE, protocol=protocol, details=True)
    compared = kataribe.compare({"one": read, "other": other}, replicates=50)
    assert compared.scores["role_f1"] == {"one": 0.5, "other": 1.0}


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(UsageError, match="no policy is called 'maybe'"):
        evaluate(missing="maybe")


def test_without_a_cast_one_line_says_why_roles_are_not_scored() -> None:
    (caution,) = evaluate().warnings
    assert caution.id == "metric-left-out"
    assert caution.startswith("role_f1 was left out: who is named can be told only by the films' casts")
    assert not evaluate(cast=CAST).warnings
    assert not evaluate(metrics=["rouge_l"]).warnings, "nobody asked for it"


def test_dialogue_is_part_of_the_signature() -> None:
    """Shifted by eight seconds it is other dialogue, and another number."""
    early, late = ({"f": [{"sentence": "Hello.", "timestamp": times}]} for times in ([2.5, 6], [10.5, 14]))
    one, other = (evaluate(metrics=["dialogue_overlap"], dialogue=heard) for heard in (early, late))
    assert one["dialogue_overlap"].value != other["dialogue_overlap"].value
    assert differences(one["dialogue_overlap"].signature, other["dialogue_overlap"].signature).keys() == {"dialogue"}
    more = early | {"another film": early["f"]}
    same = evaluate(metrics=["dialogue_overlap"], dialogue=more)
    assert same["dialogue_overlap"].signature == one["dialogue_overlap"].signature, "of the films that are told"


@pytest.mark.parametrize("metric", ["repetition", "recall_at(1, text=rouge_l)"])
def test_the_order_of_lines_counts_only_where_no_times_tell_it(metric: str) -> None:
    timed = [evaluate(written=lines, metrics=[metric])[metric].signature for lines in (WRITTEN, WRITTEN[::-1])]
    assert timed[0] == timed[1]
    assert "|order:time|" in timed[0]
    bare = {"1": "Maria waits.", "2": "Maria leaves."}
    untimed = [
        evaluate(bare, lines, metrics=[metric])[metric].signature for lines in (bare, dict(reversed(bare.items())))
    ]
    assert differences(*untimed).keys() == {"order"}


def test_the_signature_counts_missing_predictions_and_ignores_the_order_of_references() -> None:
    one, other = (evaluate(TOLD[:1], lines, metrics=["rouge_l"], missing="zero") for lines in (WRITTEN, WRITTEN[::-1]))
    assert one["rouge_l"].signature == other["rouge_l"].signature
    assert "|missing:zero(1)|data:2/2|" in one["rouge_l"].signature


def test_lines_that_say_nothing_are_left_out_where_they_have_no_value() -> None:
    result = evaluate(TOLD[:1], missing="zero", cast=CAST, dialogue=DIALOGUE)
    complete = evaluate(TOLD[:1], WRITTEN[:1], cast=CAST, dialogue=DIALOGUE)
    for metric in ("speech_rate", "dialogue_overlap", "repetition"):
        assert result[metric].value == complete[metric].value
    assert result["rouge_l"].value == complete["rouge_l"].value / 2
    assert result.warnings[-1] == (
        "1 prediction says nothing and is left out of speech_rate, dialogue_overlap, repetition: 'f_10-14'"
    )
    compared = kataribe.compare(
        {"half": result, "whole": evaluate(missing="zero", cast=CAST, dialogue=DIALOGUE)}, replicates=20, force=True
    )
    assert "speech_rate" in compared.scores


def test_references_casts_and_dialogue_may_be_in_several_files(tmp_path: Path) -> None:
    def write(name: str, content: object) -> Path:
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
        return tmp_path / name

    second = [line | {"film": "g"} for line in WRITTEN]
    other_cast, other_dialogue = {"g": ["Anna"]}, {"g": [{"sentence": "Yes.", "timestamp": [4, 5]}]}
    whole = evaluate(TOLD + second, WRITTEN + second, cast=CAST | other_cast, dialogue=DIALOGUE | other_dialogue)
    apart = evaluate(
        TOLD + second,
        [write("r1.json", WRITTEN), write("r2.json", second)],
        cast=[write("c1.json", CAST), write("c2.json", other_cast)],
        dialogue=[write("d1.json", DIALOGUE), write("d2.json", other_dialogue)],
    )
    assert apart.summary() == whole.summary()
    mixed = write("r3.json", [*second, WRITTEN[0]])
    with pytest.raises(InputError, match=r"r3\.json: id 'f_0-4': is in another of the files too"):
        evaluate(TOLD, [tmp_path / "r1.json", mixed])
    with pytest.raises(InputError, match=r"c1\.json: holds the same as"):
        evaluate(TOLD, tmp_path / "r1.json", cast=[tmp_path / "c1.json"] * 2)


def test_references_given_as_predictions_are_recognised() -> None:
    lines = [WRITTEN[0] | {"start": 20 * row, "end": 20 * row + 4, "text": f"Maria waits {row}."} for row in range(3)]
    result = evaluate(lines, lines, cast=CAST)
    assert [warning.id for warning in result.warnings] == ["references-as-predictions"]


def test_odd_lines_are_counted() -> None:
    told = [TOLD[0] | {"text": "nan"}, TOLD[1] | {"text": "Maria opens the door.</s>"}]
    result = evaluate(told, [WRITTEN[0] | {"text": ""}, WRITTEN[1]], metrics=["rouge_l"])
    assert [warning.id for warning in result.warnings] == ["missing-values", "model-marks", "empty-references"]


def test_a_cast_that_lacks_the_film_is_said_not_passed_over() -> None:
    with pytest.raises(KataribeError, match="role_f1: no cast for 1 film: 'f'"):
        evaluate(cast={"another": ["Maria"]})
