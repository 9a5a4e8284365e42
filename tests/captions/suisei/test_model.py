"""Model folders: they load in another process with the same scores, or are refused with one line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from kataribe import evaluate
from kataribe.captions.items import Captions
from kataribe.captions.suisei.metric import SuiSei
from kataribe.captions.suisei.model import open_model
from kataribe.captions.suisei.options import GIVEN, ModelOptions
from kataribe.core.errors import KataribeError
from kataribe.learning.folder import read_model, write_model
from tests.captions.suisei.made import features, learned, rated
from tests.encoders.tiny import tiny_bert

KINDS = ["residual", "mean", "set", "concat", "polos", "seeing", "free", "blend"]

_SCORE = """
import json, pickle, sys
from kataribe.core import registry
metric = registry.parse(sys.argv[1])
items = pickle.load(open(sys.argv[2], "rb"))
print(json.dumps(metric.rows(items).tolist()))
"""


def items(count: int = 12) -> Captions:
    return rated(count, seed=5, pictures=True, name="new").captions()


def elsewhere(spec: str, of: Captions, folder: Path, **environment: str) -> np.ndarray:
    import pickle

    (folder / "items.pickle").write_bytes(pickle.dumps(of))
    command = [sys.executable, "-c", _SCORE, spec, str(folder / "items.pickle")]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return np.array(json.loads(done.stdout))


@pytest.mark.parametrize("kind", ["residual", "polos", "blend"])
def test_another_process_gives_the_same_scores(kind: str, model_of: Callable[[str], str], tmp_path: Path) -> None:
    folder = tmp_path / "moved"
    shutil.copytree(model_of(kind), folder)
    here = SuiSei(model_of(kind)).rows(items())
    there = elsewhere(f"suisei({folder})", items(), tmp_path)
    np.testing.assert_allclose(there, here, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_model_scores_what_it_predicted_in_training(kind: str, model_of: Callable[[str], str]) -> None:
    card = read_model(model_of(kind), "suisei").card
    scores = SuiSei(model_of(kind)).rows(items())[:, 1]
    assert ((scores >= 0) & (scores <= 1)).all()
    assert np.ptp(scores) > 0
    assert card.title.endswith("2 members, trained on made")


@pytest.mark.parametrize("finetune", [0, 2])
def test_scores_of_the_folder_are_the_predictions_of_training(finetune: int, bert: str, tmp_path: Path) -> None:
    from kataribe.captions.suisei.training import train
    from tests.captions.suisei.made import quick

    made, test = rated(), rated(20, seed=9, name="other")
    model = ModelOptions(head="suisei", encoder=bert, finetune=finetune, hidden=8)
    trained = train(made, model, quick(seeds=2, encoder_rate=1e-3), tests=[test])
    trained.write(tmp_path / "model")
    scores = SuiSei(str(tmp_path / "model")).rows(test.captions())[:, 1]
    np.testing.assert_allclose(scores, trained.predictions["other"], atol=1e-4 if finetune else 1e-6)


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(KataribeError) as caught:
        call()
    line = str(caught.value)
    assert "\n" not in line
    return line


def refusal_of(folder: Path, **options: Any) -> str:
    return refusal(lambda: SuiSei(str(folder), **options).rows(items()))


def test_no_model_is_asked_for() -> None:
    assert refusal(lambda: SuiSei().rows(items())).startswith("suisei is a learned metric: it needs a model")


@pytest.mark.parametrize("kind", ["residual", "blend"])
def test_damaged_folders_are_refused(kind: str, model_of: Callable[[str], str], tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(model_of(kind), folder)
    weights = folder / "weights.safetensors"
    content = weights.read_bytes()
    weights.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert refusal_of(folder).startswith(f"{folder}: its weights.safetensors is damaged")
    weights.unlink()
    assert refusal_of(folder).startswith(f"{folder}: lacks weights.safetensors")
    (folder / "card.json").write_text("{")
    assert refusal_of(folder).startswith(f"{folder}: its card.json cannot be read")
    assert refusal_of(tmp_path / "nothing").startswith(f"{tmp_path / 'nothing'}: there is no such model folder")


def rewritten(old: str, folder: Path, change: Callable[[dict[str, Any]], Any], **fields: Any) -> Path:
    """The model with another card, whose fingerprint is right."""
    model = read_model(old, "suisei")
    options = json.loads(json.dumps(model.card.options))
    change(options)
    card = msgspec.structs.replace(model.card, options=options, **fields)
    write_model(folder, card, model.tensors, model.parts)
    return folder


def test_foreign_and_other_kinds_are_refused(model_of: Callable[[str], str], tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "card.json").write_text('{"name": "somebody else"}')
    assert refusal_of(foreign).startswith(f"{foreign}: is not a model of kataribe")
    other = rewritten(model_of("residual"), tmp_path / "other", lambda options: None, kind="boundaries")
    assert "is a model of the kind 'boundaries', not 'suisei'" in refusal_of(other)
    later = tmp_path / "later"
    shutil.copytree(model_of("residual"), later)
    card = json.loads((later / "card.json").read_text())
    (later / "card.json").write_text(json.dumps(card | {"format": "kataribe model 9"}))
    assert "is of another version (kataribe model 9" in refusal_of(later)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda options: options["model"].update(head="future"), "its card does not describe a model"),
        (lambda options: options["model"].update(novelty=1), "its card does not describe a model"),
        (lambda options: options.pop("members"), "its card does not describe a model"),
        (lambda options: options["model"].update(hidden=9), "its weights do not fit its card"),
        (lambda options: options.update(members=3), "its weights do not fit its card"),
        (lambda options: options["widths"].__setitem__(0, 7), "its weights do not fit its card"),
    ],
)
def test_cards_that_describe_another_model_are_refused(
    change: Any, line: str, model_of: Callable[[str], str], tmp_path: Path
) -> None:
    folder = rewritten(model_of("residual"), tmp_path / "model", change)
    assert refusal_of(folder).startswith(f"{folder}: {line}")


def test_a_blend_whose_members_are_missing_is_refused(model_of: Callable[[str], str], tmp_path: Path) -> None:
    folder = rewritten(model_of("blend"), tmp_path / "model", lambda options: options.update(members=3))
    assert refusal_of(folder).startswith(f"{folder}: its weights do not fit its card")


def test_an_encoder_that_moved_is_named_and_another_one_refused(tmp_path: Path) -> None:
    encoder, moved = tmp_path / "encoder", tmp_path / "moved"
    tiny_bert(encoder, seed=3)
    model = learned(tmp_path / "model", ModelOptions(encoder=str(encoder)), rated())
    scores = SuiSei(model).rows(items())
    encoder.rename(moved)
    np.testing.assert_allclose(SuiSei(model, encoder=str(moved)).rows(items()), scores, atol=1e-12)
    tiny_bert(encoder, seed=4)
    from kataribe.encoders.text import open_text

    open_text.cache_clear()  # type: ignore[attr-defined]
    line = refusal(lambda: SuiSei(model, encoder=str(encoder)).rows(items()))
    assert line.startswith(f"{model} was trained with the text encoder encoder-")
    assert line.endswith("suisei(FOLDER, encoder=...) names where the right one is")


def test_a_model_that_looks_refuses_items_without_pictures(model_of: Callable[[str], str]) -> None:
    blind = rated(6, seed=5).captions()
    for kind in ("seeing", "free", "polos"):
        line = refusal(lambda kind=kind: SuiSei(model_of(kind)).rows(blind))  # type: ignore[misc]
        assert line == "the model looks at pictures, and nothing says where they are - give features=FILE"


def test_a_model_that_does_not_look_ignores_pictures_and_says_so(model_of: Callable[[str], str]) -> None:
    seen, blind = items(), items()
    metric = SuiSei(model_of("residual"))
    without = Captions(blind.ids, blind.candidates, blind.references)
    np.testing.assert_array_equal(metric.rows(seen), metric.rows(without))
    assert metric.signature(metric.facts(seen))["media"] == "none"
    looking = SuiSei(model_of("seeing"))
    signature = looking.signature(looking.facts(seen))
    assert signature["media"].startswith("features-")
    assert signature["pictures"] == GIVEN


def test_features_of_another_width_are_refused(model_of: Callable[[str], str]) -> None:
    some = items()
    wide = Captions(some.ids, some.candidates, some.references, features({id: np.ones(9) for id in some.ids}))
    line = refusal(lambda: SuiSei(model_of("seeing")).rows(wide))
    assert line.startswith("the features of pictures are 9 wide, the model takes 6")


def test_concatenating_model_refuses_more_references_than_it_learned(model_of: Callable[[str], str]) -> None:
    crowded = Captions(["a", "b"], ["a dog", "a cat"], [["a dog"], ["a", "the", "dog", "cat"]])
    line = refusal(lambda: SuiSei(model_of("concat")).rows(crowded))
    assert line.startswith("id 'b': has 4 different references, the model concatenates at most 3")


def test_items_without_references_are_refused_or_not_needed(model_of: Callable[[str], str]) -> None:
    some = items()
    bare = Captions(some.ids, some.candidates, [[] for _ in some.ids], some.media)
    assert "has no reference to compare with" in refusal(lambda: SuiSei(model_of("residual")).rows(bare))
    free = SuiSei(model_of("free"))
    assert not free.needs_references
    np.testing.assert_array_equal(free.rows(bare), free.rows(some))
    assert free.signature(free.facts(bare))["refs"] == "none"
    predictions = dict(zip(some.ids, some.candidates, strict=True))
    shown = {id: some.media.features[id] for id in some.ids}  # type: ignore[union-attr, index]
    result = evaluate("captions", predictions, None, metrics=[str(free)], features=shown)
    assert result[str(free)].value == pytest.approx(free.rows(some)[:, 1].mean())


def test_empty_texts_are_scored(model_of: Callable[[str], str]) -> None:
    empty = Captions(["a", "b"], ["", "a dog"], [["a dog", ""], ["", " "]])
    for kind in ("residual", "mean", "set", "concat", "blend"):
        scores = SuiSei(model_of(kind)).rows(empty)[:, 1]
        assert np.isfinite(scores).all()


def test_no_items_have_no_rows(model_of: Callable[[str], str]) -> None:
    for kind in KINDS:
        assert SuiSei(model_of(kind)).rows(items()[:0]).shape == (0, 2)


def test_a_folder_that_is_trained_anew_is_another_model(bert: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    learned(folder, ModelOptions(encoder=bert), rated())
    before = open_model(str(folder)).signature
    learned(folder, ModelOptions(encoder=bert), rated(seed=1))
    assert open_model(str(folder)).signature != before
