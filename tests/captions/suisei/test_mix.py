"""The mix: the mean of a blend and of networks, member by member, in one folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kataribe.captions.suisei.mean_model import MeanModel
from kataribe.captions.suisei.metric import SuiSei
from kataribe.captions.suisei.model import DRAWS, open_model
from kataribe.captions.suisei.options import GIVEN, ModelOptions, TrainingOptions
from kataribe.captions.suisei.training import train
from kataribe.core.errors import InputError
from tests.captions.suisei.made import learned, quick, rated


def opened(folder: str) -> MeanModel:
    model = open_model(folder)
    assert isinstance(model, MeanModel)
    return model


def test_it_is_the_mean_of_its_halves_member_by_member(model_of: Callable[[str], str]) -> None:
    model, items = opened(model_of("mix")), rated(12, seed=5, name="new").captions()
    facts = model.conclude(model.merge([model.scan_references(items)]), model.merge([model.scan_predictions(items)]))
    context = model.prepare(items, facts)
    blend, networks = model.blend.scores(items, context.blend), model.networks.scores(items, context.networks)
    assert blend.shape == networks.shape == (2, 12)
    np.testing.assert_allclose(model.scores(items, context), (blend + networks) / 2, atol=1e-12)
    drawn = model.networks.scores(items, context.networks, DRAWS)
    np.testing.assert_allclose(model.scores(items, context, DRAWS)[3], (blend[1] + drawn[3]) / 2, atol=1e-12)
    np.testing.assert_allclose(
        SuiSei(model_of("mix")).rows(items)[:, 1], (blend.mean(axis=0) + networks.mean(axis=0)) / 2, atol=1e-12
    )


def test_its_halves_are_what_each_would_be_alone(bert: str) -> None:
    made, test = rated(), rated(20, seed=9, name="other")
    options = quick(seeds=2)
    metrics = ["rouge_l", "cider"]
    mix, blend, residual = (
        train(made, ModelOptions(head=head, encoder=bert), options, tests=[test], metrics=metrics)  # type: ignore[arg-type]
        for head in ("mix", "blend", "residual")
    )
    np.testing.assert_allclose(
        mix.predictions["other"], (blend.predictions["other"] + residual.predictions["other"]) / 2, atol=1e-12
    )
    assert {*mix.tensors} == {*(f"blend.{n}" for n in blend.tensors), *(f"networks.{n}" for n in residual.tensors)}
    assert mix.about.metrics == ("rouge_l", "cider")
    assert [trial.variant for trial in mix.trials] == ["mix", "mix"]
    assert len(mix.histories) == 2


@pytest.mark.parametrize("uncertainty", ["ensemble", "dropout"])
def test_intervals_hold_the_score(uncertainty: str, model_of: Callable[[str], str]) -> None:
    rows = SuiSei(model_of("mix"), uncertainty=uncertainty).rows(rated(12, seed=5).captions())  # type: ignore[arg-type]
    assert ((rows[:, 2] <= rows[:, 1]) & (rows[:, 1] <= rows[:, 3])).all()
    assert (rows[:, 2] < rows[:, 3]).any()


def test_its_signature_names_both_halves(model_of: Callable[[str], str]) -> None:
    metric = SuiSei(model_of("mix"))
    signature = metric.signature(metric.facts(rated(6).captions()))
    assert signature["head"] == "mix"
    assert signature["of"].startswith("rouge_l[")
    assert signature["refs"] == "mean"
    assert signature["media"] == "none"


def test_it_looks_at_pictures_where_there_are_some(bert: str, tmp_path: Path) -> None:
    made = rated(pictures=True)
    folder = learned(tmp_path / "model", ModelOptions(encoder=bert, picture_encoder=GIVEN), made)
    assert opened(folder).networks.sees
    assert SuiSei(folder).rows(made.captions()).shape == (len(made.examples), 2)


def test_a_caption_without_references_is_named(model_of: Callable[[str], str]) -> None:
    items = rated(4, references=0).captions()
    with pytest.raises(InputError, match="has no reference to compare with"):
        SuiSei(model_of("mix")).rows(items)


def test_heads_have_defaults_of_their_own() -> None:
    training = TrainingOptions()
    for head in ("mix", "residual"):
        model = ModelOptions(head=head)  # type: ignore[arg-type]
        options = training.fit_options(model, 0)
        assert (options.epochs, options.batch, options.rate, options.schedule) == (6, 128, 2e-3, "cosine")
        assert training.stops_by(model) is None
        assert TrainingOptions(stop_by="tau_c").stops_by(model) == "tau_c"
    paper = ModelOptions(head="suisei")
    assert training.stops_by(paper) == "pearson"
    assert TrainingOptions(stop_by="last").stops_by(paper) is None


def test_without_a_way_to_stop_the_last_epoch_is_kept(bert: str) -> None:
    model = ModelOptions(head="residual", encoder=bert)
    (history,) = train(rated(), model, quick(epochs=4)).histories
    assert history.best == len(history.epochs) == 4
