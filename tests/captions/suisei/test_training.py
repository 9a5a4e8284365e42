"""Training: what decides the weights, what must not, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from kataribe.captions.suisei import train_networks
from kataribe.captions.suisei.material import HELD_OUT, TRAIN, VALIDATION, RatedSet
from kataribe.captions.suisei.model import Spread
from kataribe.captions.suisei.options import GIVEN, ModelOptions
from kataribe.captions.suisei.runs import fit_spread
from kataribe.captions.suisei.training import Trained, train
from kataribe.captions.suisei.vectors import Idf
from kataribe.core.errors import InputError, KataribeError, UsageError
from kataribe.encoders.text import open_text
from kataribe.learning.folder import read_model
from tests.captions.suisei.made import features, learned, quick, rated

HEADS = ["suisei", "comet", "polos", "set", "residual"]


def same(one: Trained, other: Trained) -> bool:
    return one.tensors.keys() == other.tensors.keys() and all(
        np.array_equal(tensor, other.tensors[name]) for name, tensor in one.tensors.items()
    )


@pytest.mark.parametrize("head", HEADS)
def test_same_seed_same_weights_and_another_seed_others(head: Any, bert: str) -> None:
    model = ModelOptions(head=head, encoder=bert, hidden=8)
    one, again, other = (train(rated(), model, quick(seed=seed, split="picture")) for seed in (0, 0, 1))
    assert same(one, again)
    assert not same(one, other)


def with_ratings(of: RatedSet, rows: Any, change: Callable[[Any], Any]) -> RatedSet:
    ratings = of.examples.ratings.copy()
    ratings[rows] = change(ratings[rows])
    return of._replace(examples=replace(of.examples, ratings=ratings))


@pytest.mark.parametrize("head", ["residual", "blend", "mix"])
def test_held_out_ratings_never_influence_the_model(head: Any, bert: str) -> None:
    made, model = rated(), ModelOptions(head=head, encoder=bert)
    one = train(made, model, quick(seeds=2), metrics=["rouge_l", "cider"])
    changed = with_ratings(made, one.parts.rows[HELD_OUT], lambda ratings: 6 - ratings)
    other = train(changed, model, quick(seeds=2), metrics=["rouge_l", "cider"])
    assert same(one, other)
    assert one.about == other.about
    assert [score.value for score in one.scores] != [score.value for score in other.scores]
    learned_from = with_ratings(made, one.parts.rows[TRAIN], lambda ratings: 6 - ratings)
    assert not same(one, train(learned_from, model, quick(seeds=2), metrics=["rouge_l", "cider"]))


def test_idf_is_counted_in_training_references_alone(bert: str) -> None:
    made = rated(of_picture=3)
    trained = train(made, ModelOptions(head="suisei", encoder=bert), quick())
    some = made.examples[trained.parts.rows[TRAIN]]
    references = {(group, text) for group, texts in zip(some.groups, some.references, strict=True) for text in texts}
    expected = Idf.of(open_text(bert), [text for _, text in sorted(references)]).to_tensors()
    for name, tensor in expected.items():
        np.testing.assert_array_equal(trained.tensors[name], tensor)


def test_residual_learns_what_people_like(bert: str) -> None:
    made = rated(300, noise=0.05)
    trained = train(made, ModelOptions(head="residual", encoder=bert), quick(epochs=15, seeds=2))
    pearson = {score.measure: score for score in trained.scores}["pearson"]
    assert pearson.value is not None
    assert pearson.value > 0.4
    assert pearson.interval is not None
    assert pearson.interval[0] < pearson.value < pearson.interval[1]
    assert pearson.count == len(trained.parts.rows[HELD_OUT])


@given(st.integers(20, 200), st.integers(0, 10_000))
def test_a_fitted_interval_holds_95_of_100_of_what_it_was_fitted_to(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = rng.uniform(size=(4, count))
    scores, ratings = drawn.mean(axis=0), rng.uniform(size=count)
    spread = fit_spread(scores, drawn, ratings)
    low, high = spread.ends(scores, drawn)
    inside = (low - 1e-12 <= ratings) & (ratings <= high + 1e-12)
    assert 0.95 <= inside.mean() <= 0.95 + 2 / count
    assert ((low <= scores) & (scores <= high)).all()


def test_an_interval_stays_on_the_scale() -> None:
    low, high = Spread(0.5, 2.0).ends(np.array([0.1, 0.9]), np.array([[0.1, 0.9], [0.1, 0.9]]))
    assert low.tolist() == [0.0, 0.0]
    assert high.tolist() == [1.0, 1.0]


class Stopped(Exception):
    pass


@pytest.mark.parametrize("after", [1, 3, 5])
def test_a_training_that_was_stopped_comes_to_the_same_model(
    after: int, bert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, model, options = rated(), ModelOptions(head="suisei", encoder=bert, hidden=8), quick(epochs=3, seeds=2)
    whole = train(made, model, options).write(tmp_path / "whole")
    validated = train_networks.correlations
    calls = iter(range(100))

    def stopping(*arguments: Any) -> Any:
        if next(calls) == after:
            raise Stopped
        return validated(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(train_networks, "correlations", stopping)
        with pytest.raises(Stopped):
            train(made, model, options, state=tmp_path / "state")
    again = train(made, model, options, state=tmp_path / "state").write(tmp_path / "again")
    assert again.card.fingerprint == whole.card.fingerprint
    assert again.card.training == whole.card.training


@pytest.mark.parametrize(
    "changed",
    [
        {"negatives": 1.0},
        {"positives": 0.5},
        {"stop_by": "last"},
        {"ranking": 1.0},
        {"split": "picture"},
        {"validation": 0.3},
    ],
)
def test_a_state_of_another_training_is_refused(changed: dict[str, Any], bert: str, tmp_path: Path) -> None:
    made, model = rated(), ModelOptions(head="suisei", encoder=bert, hidden=8)
    train(made, model, quick(), state=tmp_path)
    with pytest.raises(InputError, match="other settings"):
        train(made, model, quick(**changed), state=tmp_path)


def test_negatives_are_seen_in_training_and_nowhere_else(bert: str) -> None:
    made, model = rated(), ModelOptions(head="suisei", encoder=bert, hidden=8)
    one, other = (train(made, model, quick(negatives=share)) for share in (0.0, 1.0))
    assert not same(one, other)
    assert {name: len(found) for name, found in one.predictions.items()} == {
        name: len(found) for name, found in other.predictions.items()
    }
    assert other.card().training["negatives"] == 1.0


def test_batches_of_the_ranking_loss_hold_whole_pictures(bert: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = rated(60, of_picture=3)
    seen: list[Any] = []
    loss = train_networks.fit

    def spying(learner: Any, *arguments: Any, **options: Any) -> Any:
        seen.extend(learner.examples.batch(np.array([row])).items.tolist() for row in range(len(learner.examples)))
        return loss(learner, *arguments, **options)

    monkeypatch.setattr(train_networks, "fit", spying)
    trained = train(
        made, ModelOptions(head="residual", encoder=bert), quick(ranking=0.5, negatives=1.0, positives=0.0, batch=4)
    )
    assert len(seen) == len(trained.parts.rows[TRAIN]) // 3
    assert all(len(set(items)) == 1 and len(items) == 6 for items in seen)


def test_warm_start_says_what_it_did_not_find(bert: str, tmp_path: Path) -> None:
    old = learned(tmp_path / "old", ModelOptions(head="suisei", encoder=bert, hidden=8), rated())
    model = ModelOptions(head="suisei", encoder=bert, hidden=8, without=("idf",))
    warm = read_model(old, "suisei")
    trained = train(rated(), model, quick(), warm=warm)
    assert f"started from {warm.signature}; not found there: head.ffn.0.weight" in trained.card().notes
    whole = train(rated(), ModelOptions(head="suisei", encoder=bert, hidden=8), quick(), warm=warm)
    assert f"started from {warm.signature}; not found there: nothing" in whole.card().notes


def test_warm_start_from_what_fits_nowhere_is_refused(bert: str, tmp_path: Path) -> None:
    old = learned(tmp_path / "old", ModelOptions(head="blend"), rated())
    with pytest.raises(UsageError, match=r"no weight of suisei-.* fits"):
        train(rated(), ModelOptions(head="residual", encoder=bert), quick(), warm=read_model(old, "suisei"))


def test_warm_start_begins_with_the_old_weights(bert: str, tmp_path: Path) -> None:
    model = ModelOptions(head="suisei", encoder=bert, hidden=8)
    old = read_model(learned(tmp_path / "old", model, rated()), "suisei")
    still = train(rated(), model, quick(epochs=1, rate=1e-12, decay=0.0), warm=old)
    for name, tensor in still.tensors.items():
        np.testing.assert_allclose(tensor, old.tensors[name], atol=1e-6)


# What is refused, with one line.


def test_a_test_set_that_was_trained_on_is_refused_unless_allowed_and_then_noted(bert: str) -> None:
    made = rated()
    test = made._replace(name="test.csv")
    with pytest.raises(UsageError, match="say allow_overlap"):
        train(made, ModelOptions(head="residual", encoder=bert), quick(), tests=[test])
    trained = train(made, ModelOptions(head="residual", encoder=bert), quick(), tests=[test], allow_overlap=True)
    notes = [note for note in trained.card().notes if note.startswith("test.csv shares")]
    assert notes == [
        "test.csv shares with the training file: 24 of 24 pictures, 48 of 48 candidates, 48 of 48 references"
    ]
    assert {score.data for score in trained.scores} == {HELD_OUT, "test.csv"}


def test_a_clean_test_set_is_scored(bert: str) -> None:
    trained = train(
        rated(), ModelOptions(head="residual", encoder=bert), quick(), tests=[rated(20, seed=9, name="other")]
    )
    assert len(trained.predictions["other"]) == 20
    assert [entry["use"] for entry in trained.card().data] == ["training", "test"]


@pytest.mark.parametrize("name", ["train", "made", "validation"])
def test_two_sets_of_one_name_are_refused(name: str, bert: str) -> None:
    test = rated(20, seed=9, name="other")._replace(name=name)
    with pytest.raises(UsageError, match=f"two sets of captions are called '{name}'"):
        train(rated(), ModelOptions(head="residual", encoder=bert), quick(), tests=[test])


def refused(made: RatedSet, model: ModelOptions, **options: Any) -> str:
    with pytest.raises(KataribeError) as caught:
        train(made, model, quick(**options))
    line = str(caught.value)
    assert "\n" not in line
    return line


def test_ratings_that_teach_nothing_are_refused(bert: str) -> None:
    made, model = rated(), ModelOptions(head="residual", encoder=bert)
    assert "every rating is 3" in refused(with_ratings(made, slice(None), lambda r: r * 0 + 3), model)
    assert "the rating 7 is outside of 1 to 5" in refused(with_ratings(made, 4, lambda r: 7.0), model)


def test_a_picture_that_is_missing_is_named(bert: str) -> None:
    made = rated(pictures=True)
    lacking = features({id: [1.0, 2.0] for id in made.examples.ids[1:]})
    line = refused(made._replace(media=lacking), ModelOptions(head="residual", encoder=bert, picture_encoder=GIVEN))
    assert line.startswith(f"id '{made.examples.ids[0]}': has no features")


def test_features_of_a_test_set_must_be_as_wide(bert: str) -> None:
    test = rated(20, seed=9, name="other")
    narrow = test._replace(media=features({id: [1.0, 2.0] for id in test.examples.ids}))
    model = ModelOptions(head="residual", encoder=bert, picture_encoder=GIVEN)
    with pytest.raises(InputError, match="other: its features of pictures are 2 wide, those of training 6"):
        train(rated(pictures=True), model, quick(), tests=[narrow])
    with pytest.raises(UsageError, match="other looks at pictures, and nothing says where they are"):
        train(rated(pictures=True), model, quick(), tests=[test])


def test_without_references_and_pictures_there_is_nothing_to_compare_with(bert: str) -> None:
    assert "nothing to compare" in refused(
        rated(), ModelOptions(head="residual", encoder=bert, without=("references",))
    )


def test_empty_references_are_refused(bert: str) -> None:
    made = rated()
    references = [*made.examples.references[:-1], []]
    bare = made._replace(examples=replace(made.examples, references=references))
    assert refused(bare, ModelOptions(head="residual", encoder=bert)).startswith(
        f"made: id '{made.examples.ids[-1]}': has no reference"
    )


def test_idf_without_references_is_refused(bert: str) -> None:
    made = rated(references=0, pictures=True)
    model = ModelOptions(head="suisei", encoder=bert, picture_encoder=GIVEN, without=("references",))
    assert 'without="idf"' in refused(made, model)
    train(made, replace(model, without=("references", "idf")), quick())


def test_too_many_references_to_concatenate_are_refused(bert: str) -> None:
    model = ModelOptions(head="suisei", encoder=bert, combine="concat", most_references=1)
    assert "made: id 'made0#0': has 2 different references" in refused(rated(), model)


def test_training_without_pictures_is_noted(bert: str) -> None:
    assert (
        "trained without pictures" in train(rated(), ModelOptions(head="residual", encoder=bert), quick()).card().notes
    )
    seeing = train(rated(pictures=True), ModelOptions(head="residual", encoder=bert, picture_encoder=GIVEN), quick())
    assert "trained without pictures" not in seeing.card().notes
    assert seeing.about.widths.picture == 6


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"head": "blend", "finetune": 1}, "finetune: blend has no network, only other metrics - leave out finetune"),
        ({"head": "blend", "without": ("idf",)}, "without: blend has no network"),
        ({"finetune": 1}, 'finetune: half of mix is other metrics, which are not trained - take head="residual"'),
        ({"without": ("references",)}, 'without="references": half of mix is metrics that compare with references'),
        ({"pool": "cls"}, 'pool="cls" leaves nothing of the idf branch: special tokens weigh 0'),
        ({"head": "comet", "pool": "max"}, 'pool="max": comet mixes the means of its encoder\'s layers'),
        ({"dropout": 1.0}, "dropout=1: is not a share below 1"),
        ({"head": "best"}, "head: no head is called 'best'"),
        ({"without": ("text",)}, "without: no part is called 'text'"),
    ],
)
def test_models_that_cannot_be_meant_are_refused(options: dict[str, Any], line: str) -> None:
    with pytest.raises(UsageError) as caught:
        ModelOptions(**options)
    assert str(caught.value).startswith(line)


# Encoders that are trained along.


def test_only_the_upper_layers_and_the_head_get_gradients(bert: str) -> None:
    made = rated()
    before = torch.get_num_threads()
    trained = train(made, ModelOptions(head="suisei", encoder=bert, finetune=1, hidden=8), quick(epochs=1, seeds=2))
    moved = {name for name in trained.tensors if name.startswith("encoder.")}
    assert moved
    assert all(name.startswith("encoder.encoder.layer.2.") for name in moved)
    from transformers import AutoModel

    original = AutoModel.from_pretrained(bert).state_dict()
    assert any(not np.array_equal(trained.tensors[n], original[n.removeprefix("encoder.")]) for n in moved)
    assert trained.about.members == 1
    assert any("the best on the validation part is kept" in note for note in trained.card().notes)
    assert torch.get_num_threads() == before


def test_only_what_should_train_changes(bert: str, monkeypatch: pytest.MonkeyPatch) -> None:
    weights: list[dict[str, Any]] = []
    fit = train_networks.fit

    def spying(learner: Any, *arguments: Any, **options: Any) -> Any:
        copied = lambda: {name: t.clone() for name, t in learner.network.state_dict().items()}  # noqa: E731
        weights.append(copied())
        history = fit(learner, *arguments, **options)
        weights.append(copied())
        return history

    monkeypatch.setattr(train_networks, "fit", spying)
    model = ModelOptions(head="suisei", encoder=bert, finetune=2, hidden=8)
    train(rated(), model, quick(epochs=1, encoder_rate=1e-3, rate=1e-3))
    before, after = weights
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    parts = {".".join(name.split(".")[:5]) if name.startswith("encoder.") else "head" for name in changed}
    assert parts == {"head", "encoder.inner.encoder.layer.1", "encoder.inner.encoder.layer.2"}


def test_more_layers_than_there_are_cannot_train(bert: str) -> None:
    assert "has 3 layers to train, not 4" in refused(rated(), ModelOptions(head="suisei", encoder=bert, finetune=4))


def test_heads_train_on_one_thread_and_leave_the_number_as_it_was(bert: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    fit = train_networks.fit

    def spying(learner: Any, *arguments: Any, **options: Any) -> Any:
        def watched(network: Any, batch: Any) -> Any:
            seen.append(torch.get_num_threads())
            return learner.loss(network, batch)

        return fit(replace(learner, loss=watched), *arguments, **options)

    monkeypatch.setattr(train_networks, "fit", spying)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        train(rated(), ModelOptions(head="residual", encoder=bert), quick())
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert set(seen) == {1}


def test_parts_keep_the_names_that_cards_use(bert: str) -> None:
    trained = train(rated(), ModelOptions(head="residual", encoder=bert), quick())
    assert list(trained.parts.rows) == [TRAIN, VALIDATION, HELD_OUT]
    assert set(trained.predictions) == {VALIDATION, HELD_OUT}
    assert trained.card().notes[0] == "captions: 38 train, 6 validation, 4 held out"
