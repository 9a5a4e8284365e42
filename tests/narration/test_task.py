"""The task as Python sees it: joins, the default set, caption metrics, results that survive."""

from __future__ import annotations

import pytest

import kataribe
from kataribe.core.errors import InputError, JoinError, KataribeError, UsageError
from kataribe.core.result import Result

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
    with pytest.raises(InputError, match="1 predictions tell another film than their references: '1'"):
        evaluate(told, {"1": {"film": "f", "text": "x"}}, metrics=["rouge_l"])


def test_text_without_spaces_is_warned_about_unless_a_tokenizer_was_chosen() -> None:
    lines = {"1": "老李回头朝屋内喊道。"}
    assert "--tok zh" in evaluate(lines, lines, metrics=["bleu"]).warnings[0]
    assert not evaluate(lines, lines, metrics=["bleu"], tok="char").warnings
    assert not evaluate(lines, lines, metrics=["bleu(tok=char)"]).warnings
    assert not evaluate(metrics=["bleu"]).warnings


@pytest.mark.parametrize("protocol", ["official", "paper"])
def test_a_result_survives_its_file_and_compares(protocol: str) -> None:
    one = evaluate(cast=CAST, dialogue=DIALOGUE, protocol=protocol, details=True, bootstrap=20)
    read = Result.from_json(one.to_json())
    assert read.summary() == one.summary()
    assert read.content["f_0-4"]["film"] == "f"
    assert read["role_f1"].details[1] == {"found": [], "lost": ["Odysseus"], "invented": ["Maria"]}
    other = evaluate(WRITTEN, cast=CAST, dialogue=DIALOGUE, protocol=protocol, details=True)
    compared = kataribe.compare({"one": read, "other": other}, replicates=50)
    assert compared.scores["role_f1"] == {"one": 0.5, "other": 1.0}


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(UsageError, match="no policy is called 'maybe'"):
        evaluate(missing="maybe")


def test_a_cast_that_lacks_the_film_is_said_not_passed_over() -> None:
    with pytest.raises(KataribeError, match="role_f1: no cast for 1 films: 'f'"):
        evaluate(cast={"another": ["Maria"]})
