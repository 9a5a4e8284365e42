"""The table of a learned metric: its rows, what is tested, and that nothing is trained twice."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kataribe.captions.suisei.options import ModelOptions, TrainingOptions
from kataribe.core.errors import KataribeError
from kataribe.people import ablation
from kataribe.people.ablation import ablate, member_scores
from kataribe.people.ablation_plan import folder_name, plan
from kataribe.people.options import AgreementOptions
from kataribe.people.rated_sets import RatedFile, read_sets, read_tests
from kataribe.people.result import Ablation
from kataribe.report.ablation import render_ablation
from kataribe.stats.correlation import Rows
from tests.encoders.tiny import tiny_bert
from tests.people.rated_by_rule import write_ratings

pytest.importorskip("torch", reason="needs kataribe[models]")
pytest.importorskip("accelerate", reason="needs kataribe[models]")

METRICS = ("rouge_l", "cider")
TEXT_ROWS = [
    "comet",
    "suisei (i) no image",
    "suisei (i, ii) no image, no idf",
    "polos",
    "set",
    "residual",
    "blend",
    "mix",
]
QUICK = TrainingOptions(epochs=1, seeds=2, held_out=0, device="cpu")
FEW = AgreementOptions(bootstrap=60)


class Case:
    """A training file, a test file and the table that was made of them."""

    def __init__(self, folder: Path) -> None:
        self.encoder = tiny_bert(folder / "bert")
        self.training = read_sets([write_ratings(folder / "train.csv", 40)], scale=(1, 5))
        self.tests = read_tests([write_ratings(folder / "test.csv", 20, seed=1)])
        self.model, self.folder = ModelOptions(encoder=self.encoder), folder / "table"
        self.folder.mkdir()
        self.found = self.ablate()

    def ablate(self, options: TrainingOptions = QUICK) -> Ablation:
        return ablate(
            self.training,
            self.tests,
            self.folder,
            self.model,
            options,
            metrics=METRICS,
            agreement=FEW,
            allow_overlap=True,
        )


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return Case(tmp_path_factory.mktemp("ablation"))


def test_every_row_that_text_allows_is_there_and_the_others_are_named(case: Case) -> None:
    (table,) = case.found.tables
    cosine = case.found.cosine
    names = [row.name for row in table.rows]
    assert names[:4] == ["bleu", "rouge_l", "meteor", "cider"]
    assert names[5:] == [cosine, *TEXT_ROWS, "people"]
    assert dict(case.found.left_out) == {
        "suisei (ii) no idf": "there are no pictures",
        "suisei (iii)": "there are no pictures",
    }
    assert table.counts == {"answers": 80, "raters": 2, "texts": 40, "items": 20}


def test_learned_rows_are_tested_against_the_cosine_and_suisei_against_comet(case: Case) -> None:
    (table,) = case.found.tables
    wanted = {(name, case.found.cosine) for name in TEXT_ROWS}
    wanted |= {(name, "comet") for name in TEXT_ROWS if name.startswith("suisei")}
    assert {(found.test.one, found.test.other) for found in table.tests} == wanted
    assert {found.measure for found in table.tests} == {"tau_c", "pearson"}


def test_tests_of_both_measures_are_corrected_together(case: Case) -> None:
    (table,) = case.found.tables
    raw = np.sort([found.test.permutation for found in table.tests])
    smallest = min(table.tests, key=lambda found: found.test.permutation)
    assert smallest.test.corrected == pytest.approx(min(1.0, raw[0] * len(raw)))


def test_a_learned_row_is_the_mean_of_its_seeds_and_single_seeds_stand_beside_it(case: Case) -> None:
    (test,) = case.tests
    (table,) = case.found.tables
    row = next(row for row in table.rows if row.name == "residual")
    members = member_scores(case.folder / "residual", test.set)
    by_text = test.rated.values()
    systems = {text.system: values for text, values in by_text.items()}
    ratings = np.array([systems[id] for id in test.set.examples.ids])

    def pearson(column: np.ndarray) -> float:
        return Rows(np.repeat(column, 2), ratings.reshape(-1)).values()["pearson"]

    assert row.standing.values["pearson"] == pytest.approx(pearson(members.mean(axis=0)))
    assert row.seeds is not None
    assert row.seeds.seeds == 2
    assert row.seeds.means["pearson"] == pytest.approx(np.mean([pearson(column) for column in members]))
    assert row.distinct == len(np.unique(members.mean(axis=0)))


def test_what_is_trained_with_the_same_settings_is_not_trained_again(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[str] = []

    def train(*arguments: object, **options: object) -> object:
        trained.append("once more")
        raise KataribeError("not again")

    monkeypatch.setattr(ablation, "train", train)
    again = case.ablate()
    assert not trained
    assert render_ablation(again, "json") == render_ablation(case.found, "json")
    with pytest.raises(KataribeError, match="no variant could be trained; comet: not again"):
        case.ablate(replace(QUICK, negatives=1.0))
    assert len(trained) == len(TEXT_ROWS)


def test_a_variant_that_cannot_be_trained_is_left_out_with_the_reason(
    case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = ablation.train

    def train(rated: object, model: ModelOptions, *arguments: object, **options: object) -> object:
        if model.head != "blend":
            raise KataribeError("its encoder is missing")
        return real(rated, model, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(ablation, "train", train)
    found = ablate(
        case.training, case.tests, tmp_path, case.model, QUICK, metrics=METRICS, agreement=FEW, allow_overlap=True
    )
    assert found.left_out["polos"] == "its encoder is missing"
    assert [row.name for row in found.tables[0].rows if row.kind == "trained"] == ["blend"]


def test_without_a_test_file_the_held_out_part_is_read(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ablation, "plan", lambda *given: replace(plan(*given), variants=plan(*given).variants[-1:]))
    options = replace(QUICK, held_out=0.3)
    found = ablate(case.training, [], tmp_path, case.model, options, metrics=METRICS, agreement=FEW)
    (table,) = found.tables
    assert table.data == "held out"
    assert 0 < table.counts["texts"] < len(case.training.set.examples)
    with pytest.raises(KataribeError, match="nothing is left to test on"):
        ablate(case.training, [], tmp_path, case.model, QUICK, metrics=METRICS)


@pytest.mark.parametrize("format", ["table", "markdown", "latex"])
def test_tables_name_rows_intervals_and_what_is_left_out(case: Case, format: str) -> None:
    shown = render_ablation(case.found, format)
    assert "test.csv: 80 ratings by 2 raters on 40 captions of 20 pictures" in shown
    assert "suisei (iii) (there are no pictures)" in shown
    for name in TEXT_ROWS:
        assert name in shown
    people = next(row for row in case.found.tables[0].rows if row.name == "people")
    low, high = people.standing.intervals["pearson"]
    assert f"{100 * people.standing.values['pearson']:.2f} [{100 * low:.2f}, {100 * high:.2f}]" in shown


def test_programs_read_fractions_and_seeds(case: Case) -> None:
    rows = list(csv.DictReader(io.StringIO(render_ablation(case.found, "csv"))))
    (mine,) = [row for row in rows if (row["metric"], row["measure"], row["kind"]) == ("set", "tau_c", "seeds")]
    content = json.loads(render_ablation(case.found, "json"))
    (row,) = [row for row in content["tables"][0]["rows"] if row["name"] == "set"]
    assert float(mine["value"]) == row["seeds"]["means"]["tau_c"]
    assert content["settings"]["training"]["seeds"] == 2


def test_a_significant_difference_is_marked(case: Case) -> None:
    (table,) = case.found.tables
    sure = tuple(
        replace(found, test=replace(found.test, corrected=0.01, difference=-0.1))
        if (found.test.one, found.measure) == ("polos", "pearson")
        else replace(found, test=replace(found.test, corrected=1.0))
        for found in table.tests
    )
    shown = render_ablation(replace(case.found, tables=(replace(table, tests=sure),)))
    (line,) = [line for line in shown.splitlines() if line.startswith("polos ")][:1]
    value = next(row for row in table.rows if row.name == "polos").standing.values["pearson"]
    assert f"{100 * value:.2f}- [" in line
    assert line.count("- [") == 1


class TestPlans:
    def test_pictures_bring_the_rows_that_look_at_them(self, tmp_path: Path) -> None:
        path = write_ratings(tmp_path / "r.csv", 4, images=tmp_path / "images")
        rated = read_sets([path], images=tmp_path / "images", scale=(1, 5))
        names = [variant.name for variant in plan(rated.set, ModelOptions()).variants]
        assert names[:4] == ["comet", "suisei (i) no image", "suisei (ii) no idf", "suisei (iii)"]

    def test_japanese_captions_bring_their_tokenizer_and_jaspice(self, tmp_path: Path) -> None:
        rated = self.rated(tmp_path, japanese=True)
        planned = plan(rated.set, ModelOptions(encoder="e5"))
        assert planned.tok == "ja"
        assert "jaspice" in [*planned.baselines, *planned.left_out]
        assert planned.cosine == "sentence_cosine(e5)"
        blend = planned.variants[-1]
        assert "sentence_cosine(e5, refs=mean)" in blend.metrics

    def test_an_encoder_that_trains_has_a_row_of_its_own(self, tmp_path: Path) -> None:
        planned = plan(self.rated(tmp_path).set, ModelOptions(head="residual", finetune=2))
        assert [variant.name for variant in planned.variants if variant.model.finetune] == ["residual, encoder trained"]

    def test_options_that_a_head_refuses_leave_it_out(self, tmp_path: Path) -> None:
        planned = plan(self.rated(tmp_path).set, ModelOptions(head="polos", pool="cls"))
        assert "pool" in planned.left_out["comet"]
        assert "polos" in [variant.name for variant in planned.variants]

    def test_folders_of_variants_differ(self, tmp_path: Path) -> None:
        variants = plan(self.rated(tmp_path).set, ModelOptions(head="residual", finetune=1)).variants
        assert len({folder_name(variant.name) for variant in variants}) == len(variants)

    @staticmethod
    def rated(folder: Path, **options: bool) -> RatedFile:
        return read_sets([write_ratings(folder / "r.csv", 4, **options)], scale=(1, 5))
