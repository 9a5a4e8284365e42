"""What `agree` says equals what scipy says of rows put together by hand."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

import kataribe
from kataribe.core.errors import JoinError, UsageError
from kataribe.people.agreement import agree
from kataribe.people.join import match
from kataribe.people.options import AgreementOptions
from kataribe.people.ratings import Choice, Rank, Rating, Ratings, Vote
from kataribe.people.result import Text
from kataribe.people.scores import Scores, of_result
from kataribe.report.agreement import render_agreement

QUICK = AgreementOptions(bootstrap=0)


@pytest.fixture(scope="module")
def rng() -> np.random.Generator:
    return np.random.default_rng(4)


@pytest.fixture(scope="module")
def quality(rng: np.random.Generator) -> np.ndarray:
    """How good the texts of 4 systems are on 15 items."""
    return rng.normal(size=(15, 4)) + np.array([0.0, 0.3, 0.6, 0.9])


@pytest.fixture(scope="module")
def scores(rng: np.random.Generator, quality: np.ndarray) -> Scores:
    texts = [Text(str(item), f"s{system}") for item in range(15) for system in range(4)]
    good, bad = quality + rng.normal(scale=0.5, size=quality.shape), rng.normal(size=quality.shape).round(0)
    return Scores(texts, {"good": good.ravel(), "bad": bad.ravel()})


@pytest.fixture(scope="module")
def ratings(rng: np.random.Generator, quality: np.ndarray) -> Ratings:
    """Three raters on a scale of five, a fifth of the cells empty."""
    rows = [
        Rating(rater, str(item), f"s{system}", "overall", float(np.clip(np.round(3 + q + rng.normal(scale=0.6)), 1, 5)))
        for rater in ("ann", "bob", "cho")
        for (item, system), q in np.ndenumerate(quality)
        if rng.random() < 0.8
    ]
    return Ratings("ratings", tuple(rows))


def score_of(scores: Scores, metric: str) -> dict[Text, float]:
    return dict(zip(scores.texts, scores.values[metric].tolist(), strict=True))


def expected(x: list[float], y: list[float]) -> dict[str, float]:
    return {
        "pearson": stats.pearsonr(x, y).statistic,
        "spearman": stats.spearmanr(x, y).statistic,
        "tau_b": stats.kendalltau(x, y).statistic,
        "tau_c": stats.kendalltau(x, y, variant="c").statistic,
    }


def accuracy(pairs: list[tuple[float, float]]) -> float:
    """Pairs of (difference of the metric, preference of people)."""
    asked = [(x, y) for x, y in pairs if y]
    return float(np.mean([0.5 if x == 0 else (x > 0) == (y > 0) for x, y in asked]))


def correlations(standing) -> dict[str, float]:
    return {name: value for name, value in standing.values.items() if name != "accuracy"}


def test_against_each_rating_every_rating_is_a_row(scores: Scores, ratings: Ratings) -> None:
    found = agree(scores, ratings, options=QUICK).dimensions["overall"]
    for metric in ("good", "bad"):
        known = score_of(scores, metric)
        x = [known[Text(row.item, row.system)] for row in ratings.rows]  # type: ignore[union-attr]
        y = [row.value for row in ratings.rows]  # type: ignore[union-attr]
        assert correlations(found.metrics[metric]) == pytest.approx(expected(x, y))
        pairs = [
            (known[Text(a.item, a.system)] - known[Text(b.item, b.system)], a.value - b.value)  # type: ignore[union-attr]
            for a, b in combinations(ratings.rows, 2)
            if (a.rater, a.item) == (b.rater, b.item)
        ]
        assert found.metrics[metric].values["accuracy"] == pytest.approx(accuracy(pairs))
    assert (found.raters, found.items, found.pairs) == (3, 15, "pairs within items")


def test_against_the_mean_every_text_is_a_row(scores: Scores, ratings: Ratings) -> None:
    found = agree(scores, ratings, options=AgreementOptions(bootstrap=0, against="mean")).dimensions["overall"]
    known = score_of(scores, "good")
    values: dict[Text, list[float]] = {}
    for row in ratings.rows:
        values.setdefault(Text(row.item, row.system), []).append(row.value)  # type: ignore[union-attr]
    means = {text: float(np.mean(given).round(10)) for text, given in values.items()}
    assert correlations(found.metrics["good"]) == pytest.approx(
        expected([known[text] for text in means], list(means.values()))
    )
    pairs = [(known[a] - known[b], means[a] - means[b]) for a, b in combinations(means, 2) if a.item == b.item]
    assert found.metrics["good"].values["accuracy"] == pytest.approx(accuracy(pairs))


def test_the_ceiling_against_each_rating_is_the_mean_of_the_others(scores: Scores, ratings: Ratings) -> None:
    x, y = [], []
    for row in ratings.rows:
        others = [r.value for r in ratings.rows if r[1:3] == row[1:3] and r.rater != row.rater]  # type: ignore[union-attr]
        if others:
            x.append(float(np.mean(others)))
            y.append(row.value)  # type: ignore[union-attr]
    people = agree(scores, ratings, options=QUICK).dimensions["overall"].people
    assert people is not None
    assert correlations(people) == pytest.approx(expected(x, y))


def test_the_ceiling_against_the_mean_is_the_average_over_persons(scores: Scores, ratings: Ratings) -> None:
    by_person = []
    for rater in ratings.raters:
        x, y = [], []
        for row in ratings.rows:
            others = [r.value for r in ratings.rows if r[1:3] == row[1:3] and r.rater != rater]  # type: ignore[union-attr]
            if row.rater == rater and others:
                x.append(float(np.mean(others)))
                y.append(row.value)  # type: ignore[union-attr]
        by_person.append(expected(x, y))
    people = agree(scores, ratings, options=AgreementOptions(bootstrap=0, against="mean")).dimensions["overall"].people
    assert people is not None
    assert people.values["tau_b"] == pytest.approx(np.mean([person["tau_b"] for person in by_person]))


def test_one_rater_alone_has_no_ceiling(scores: Scores, ratings: Ratings) -> None:
    alone = ratings.without(["bob", "cho"])
    assert agree(scores, alone, options=QUICK).dimensions["overall"].people is None


def test_per_item_averages_the_correlations_within_items(scores: Scores, ratings: Ratings) -> None:
    options = AgreementOptions(bootstrap=0, per_item=True, against="mean")
    found = agree(scores, ratings, options=options).dimensions["overall"]
    known = score_of(scores, "good")
    taus = []
    for item in ratings.items:
        given: dict[str, list[float]] = {}
        for row in ratings.rows:
            if row.item == item:
                given.setdefault(row.system, []).append(row.value)  # type: ignore[union-attr]
        means = [float(np.mean(values)) for values in given.values()]
        if len(set(means)) > 1:
            taus.append(stats.kendalltau([known[Text(item, system)] for system in given], means).statistic)
    assert found.metrics["good"].values["tau_b"] == pytest.approx(np.mean(taus))
    assert found.per_item


def test_per_item_each_person_is_read_alone(scores: Scores, ratings: Ratings) -> None:
    """Stacked, rows of one text would count against people: the more one says, the less the others' mean."""
    found = agree(scores, ratings, options=AgreementOptions(bootstrap=0, per_item=True)).dimensions["overall"]
    known = score_of(scores, "good")
    metric, people = [], []
    for item in ratings.items:
        for rater in ratings.raters:
            own = [row for row in ratings.rows if (row.rater, row.item) == (rater, item)]
            values = [row.value for row in own]  # type: ignore[union-attr]
            if len(set(values)) > 1:
                metric.append(stats.kendalltau([known[Text(item, row.system)] for row in own], values).statistic)  # type: ignore[union-attr]
            shared = [
                (float(np.mean(others)), row.value)  # type: ignore[union-attr]
                for row in own
                if (others := [r.value for r in ratings.rows if r[1:3] == row[1:3] and r.rater != rater])  # type: ignore[union-attr]
            ]
            x, y = zip(*shared, strict=True) if shared else ((), ())
            if len(set(y)) > 1:
                people.append(stats.kendalltau(x, y).statistic if len(set(x)) > 1 else 0.0)
    assert found.metrics["good"].values["tau_b"] == pytest.approx(np.mean(metric))
    assert found.people is not None
    assert found.people.values["tau_b"] == pytest.approx(np.mean(people))


def test_per_item_needs_two_texts_of_an_item() -> None:
    rows = tuple(Rating("ann", item, "", "overall", value) for item, value in (("1", 3.0), ("2", 4.0)))
    scores = Scores([Text("1", ""), Text("2", "")], {"m": np.arange(2.0)})
    with pytest.raises(UsageError, match="nobody judged two texts of one item"):
        agree(scores, Ratings("ratings", rows), options=AgreementOptions(per_item=True))


def test_items_with_one_text_each_are_compared_with_each_other(rng: np.random.Generator) -> None:
    texts = [Text(str(item), "") for item in range(20)]
    x, y = rng.normal(size=20), rng.integers(1, 4, 20).astype(float)
    rows = tuple(Rating("ann", text.item, "", "overall", value) for text, value in zip(texts, y, strict=True))
    found = agree(Scores(texts, {"m": x}), Ratings("ratings", rows), options=QUICK).dimensions["overall"]
    pairs = [(x[i] - x[j], y[i] - y[j]) for i, j in combinations(range(20), 2)]
    assert found.metrics["m"].values["accuracy"] == pytest.approx(accuracy(pairs))
    assert found.pairs == "all pairs"


def test_votes_are_answered_right_or_wrong(scores: Scores, quality: np.ndarray, rng: np.random.Generator) -> None:
    rows, pairs = [], []
    known = score_of(scores, "good")
    for rater in ("ann", "bob"):
        for item in range(15):
            for a, b in combinations(range(4), 2):
                difference = quality[item, a] - quality[item, b] + rng.normal()
                choice: Choice = "equal" if abs(difference) < 0.3 else "a" if difference > 0 else "b"
                rows.append(Vote(rater, str(item), "overall", f"s{a}", f"s{b}", choice))
                preferred = {"a": 1, "b": -1, "equal": 0}[choice]
                pairs.append((known[Text(str(item), f"s{a}")] - known[Text(str(item), f"s{b}")], preferred))
    found = agree(scores, Ratings("votes", tuple(rows)), options=QUICK).dimensions["overall"]
    assert found.metrics["good"].values["accuracy"] == pytest.approx(accuracy(pairs))
    assert (found.by, found.per_item, found.answers) == ("accuracy", True, 180)
    assert found.systems is not None
    votes_won = [
        1.0 if vote.choice == "a" else 0.5 if vote.choice == "equal" else 0.0 for vote in rows if vote.system_a == "s0"
    ]
    assert found.systems.people[0] == pytest.approx(np.mean(votes_won))


def test_rankings_are_read_within_items(scores: Scores, quality: np.ndarray) -> None:
    ranks = (-quality).argsort(axis=1).argsort(axis=1) + 1
    rows = tuple(
        Rank(rater, str(item), f"s{system}", "overall", float(rank))
        for rater in ("ann", "bob")
        for (item, system), rank in np.ndenumerate(ranks)
    )
    found = agree(scores, Ratings("rankings", rows), options=QUICK).dimensions["overall"]
    known = np.array(scores.values["good"]).reshape(15, 4)
    # Two raters who agree stand in the rows twice, and a rank correlation with doubled rows is that of single ones.
    rhos = [stats.spearmanr(known[item], -ranks[item]).statistic for item in range(15)]
    assert found.metrics["good"].values["spearman"] == pytest.approx(np.mean(rhos))
    assert found.people is not None
    assert found.people.values["accuracy"] == 1.0


def test_a_metric_that_tells_nothing_apart_agrees_with_nobody() -> None:
    texts = [Text("1", "x"), Text("1", "y")]
    rows = (Rank("ann", "1", "x", "overall", 1), Rank("ann", "1", "y", "overall", 2))
    found = agree(Scores(texts, {"flat": np.zeros(2)}), Ratings("rankings", rows), options=QUICK)
    values = found.dimensions["overall"].metrics["flat"].values
    assert (values["tau_b"], values["accuracy"]) == (0.0, 0.5)


def test_the_better_metric_is_found_and_the_same_seed_gives_the_same_answer(scores: Scores, ratings: Ratings) -> None:
    one, again = (agree(scores, ratings, options=AgreementOptions(bootstrap=200)) for _ in range(2))
    assert one.to_dict() == again.to_dict()
    found = one.dimensions["overall"]
    (test,) = found.tests
    assert (test.one, test.other) == ("good", "bad")
    assert test.corrected <= 0.01
    assert test.interval[0] > 0
    assert found.beaten_by("good", 0.05) == ["bad"]
    low, high = found.metrics["good"].intervals["tau_c"]
    assert low < found.metrics["good"].values["tau_c"] < high
    assert agree(scores, ratings, options=AgreementOptions(bootstrap=200, seed=1)).to_dict() != one.to_dict()
    json.dumps(one.to_dict(), allow_nan=False)


def test_systems_are_scored_as_their_metric_scores_a_corpus() -> None:
    references = {"1": ["a dog runs fast"], "2": ["a cat sleeps on the mat"], "3": ["rain falls"]}
    captions = {
        "x": ("a dog runs fast", "a cat sleeps on the mat", "rain"),
        "y": ("a dog", "a cat sleeps", "rain falls"),
        "z": ("dog", "a mat", "snow"),
    }
    results = {
        name: kataribe.evaluate("captions", dict(zip("123", texts, strict=True)), references, ["bleu(1)"])
        for name, texts in captions.items()
    }
    parts = [of_result(name, result) for name, result in results.items()]
    together = Scores(
        [text for part in parts for text in part.texts],
        {"bleu(1)": np.concatenate([part.values["bleu(1)"] for part in parts])},
        results=results,
    )
    rows = tuple(
        Rating("ann", item, name, "overall", value)
        for name, value in (("x", 5.0), ("y", 4.0), ("z", 1.0))
        for item in "123"
    )
    found = (
        agree(together, Ratings("ratings", rows), options=AgreementOptions(bootstrap=50)).dimensions["overall"].systems
    )
    assert found is not None
    assert found.systems == ("x", "y", "z")
    np.testing.assert_allclose(found.scores["bleu(1)"], [results[name]["bleu(1)"].value for name in "xyz"])
    np.testing.assert_array_equal(found.people, [5.0, 4.0, 1.0])
    assert found.metrics["bleu(1)"].values["tau_b"] == 1.0


def test_texts_without_score_or_judgement_are_counted_and_said(scores: Scores, ratings: Ratings) -> None:
    values = scores.values["good"].copy()
    values[:4] = np.nan
    extra = Scores([*scores.texts, Text("99", "s0")], {"good": np.append(values, 1.0)})
    found = agree(extra, ratings, options=QUICK)
    judged = {Text(row.item, row.system) for row in ratings.rows}  # type: ignore[union-attr]
    lacking = sum(text.item == "0" for text in judged)
    assert found.coverage.both == len(judged) - lacking
    assert any(f"{lacking} of {len(judged)} judged texts lack a score" in warning for warning in found.warnings)
    assert any("scored texts were not judged" in warning for warning in found.warnings)


def test_where_one_side_names_no_system_the_only_one_is_meant(ratings: Ratings) -> None:
    texts, nameless = [Text("1", "base")], Ratings("ratings", (Rating("ann", "1", "", "overall", 3.0),))
    assert match(nameless, Scores(texts, {"m": np.ones(1)}), None).coverage.both == 1
    named = Ratings("ratings", (Rating("ann", "1", "base", "overall", 3.0),))
    assert match(named, Scores([Text("1", "")], {"m": np.ones(1)}), None).coverage.both == 1


def test_files_that_do_not_belong_together_are_refused(scores: Scores) -> None:
    items = Ratings("ratings", (Rating("ann", "99", "s0", "overall", 3.0),))
    with pytest.raises(JoinError, match=r"items judged: '99'; scored: '0', '1', '2' and 12 more"):
        agree(scores, items)
    systems = Ratings("ratings", (Rating("ann", "1", "base", "overall", 3.0),))
    with pytest.raises(JoinError, match=r"systems judged: 'base'.*NAME=FILE"):
        agree(scores, systems)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "tau"}, "by=\"tau\": there is no such measure - did you mean 'tau_c'?"),
        ({"against": "all"}, "against: no choice is called 'all' - there are: each, mean"),
        ({"ties": "maybe"}, "ties: no choice is called 'maybe' - there are: half, wrong, drop"),
        ({"bootstrap": -1}, "bootstrap=-1: cannot be negative"),
        ({"seed": -1}, "seed=-1: cannot be negative"),
        ({"correction": "bonferroni"}, "no correction is called 'bonferroni' - there are: holm, bh, none"),
        ({"alpha": 2}, "alpha=2: is not between 0 and 1"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        AgreementOptions(**options)
    assert message in str(caught.value)


def test_metrics_are_chosen_by_name(scores: Scores, ratings: Ratings) -> None:
    assert agree(scores, ratings, metrics=["bad"], options=QUICK).metrics == ("bad",)
    with pytest.raises(UsageError, match="no score is called 'god' - did you mean 'good'"):
        agree(scores, ratings, metrics=["god"], options=QUICK)


def test_a_metric_whose_lower_values_are_better_is_read_upside_down() -> None:
    rng = np.random.default_rng(3)
    texts = [Text(str(item), system) for item in range(20) for system in "xyz"]
    quality = rng.normal(size=60) + np.tile([0.0, 1.0, 2.0], 20)
    rows = [
        Rating(who, *text, "overall", float(np.round(q + rng.normal())))
        for who in "ab"
        for text, q in zip(texts, quality, strict=True)
    ]
    values = {"good": quality, "surprise": 50 - quality}
    scores = Scores(texts, values, lower_is_better=frozenset(["surprise"]))
    found = agree(scores, Ratings("ratings", tuple(rows)), options=AgreementOptions(bootstrap=50))
    assert found.lower_is_better == ("surprise",)
    assert "|lower:surprise|" in found.signature
    overall = found.dimensions["overall"]
    assert overall.metrics["surprise"].values == pytest.approx(overall.metrics["good"].values)
    assert overall.metrics["good"].values["tau_c"] > 0
    assert overall.tests[0].difference == pytest.approx(0)
    assert overall.systems.metrics["surprise"].values["tau_b"] == overall.systems.metrics["good"].values["tau_b"]
    # What is shown is the score as it was given.
    assert overall.points["surprise"] == pytest.approx(50 - quality)
    assert overall.systems.scores["surprise"][0] > 40


def test_systems_whose_scores_differ_by_rounding_only_are_tied() -> None:
    texts = [Text(item, system) for item in "ab" for system in "xyz"]
    rows = [Rating("ann", *text, "overall", float("xyz".index(text.system))) for text in texts]
    scores = Scores(texts, {"m": np.array([0.1 + 0.2, 0.3, 0.9] * 2)})
    found = agree(scores, Ratings("ratings", tuple(rows)), options=AgreementOptions(bootstrap=0)).dimensions["overall"]
    assert found.systems.metrics["m"].values["accuracy"] == pytest.approx(2.5 / 3)


def test_a_metric_cannot_be_called_people() -> None:
    texts = [Text("a", ""), Text("b", "")]
    ratings = Ratings("ratings", tuple(Rating("ann", *text, "overall", 1.0) for text in texts))
    with pytest.raises(UsageError, match="called people"):
        agree(Scores(texts, {"people": np.zeros(2)}), ratings)


def with_constant(scores: Scores) -> Scores:
    return Scores(scores.texts, {**scores.values, "flat": np.full(len(scores.texts), 0.5)})


def test_metric_without_a_correlation_beats_nobody_and_is_beaten_by_nobody(scores: Scores, ratings: Ratings) -> None:
    found = agree(with_constant(scores), ratings, options=AgreementOptions(bootstrap=200))
    overall = found.dimensions["overall"]
    assert np.isnan(overall.metrics["flat"].values["tau_c"])
    assert overall.beaten_by("flat", 0.05) == []
    assert overall.beaten_by("good", 0.05) == ["bad"]
    tests = {(test.one, test.other): test for test in overall.tests}
    for pair in (("good", "flat"), ("bad", "flat")):
        test = tests[pair]
        assert np.isnan([test.difference, *test.interval, test.permutation, test.corrected, test.bootstrap]).all()
        assert not test.to_dict(0.05)["significant"]
    # The undefined ones do not count among the tests that are corrected for.
    kept = tests["good", "bad"]
    assert kept.corrected == kept.permutation
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))["dimensions"]["overall"]
    assert told["metrics"]["flat"]["tau_c"] == {"value": None, "interval": None}
    assert told["tests"][1]["interval"] is None


def test_metric_without_a_correlation_is_said_in_words(scores: Scores, ratings: Ratings) -> None:
    found = agree(with_constant(scores), ratings, options=AgreementOptions(bootstrap=50))
    (warning,) = [warning for warning in found.warnings if warning.id == "undefined-correlation"]
    assert warning == (
        "overall: flat gives every text the same score; undefined: pearson, spearman, tau_b, tau_c; not tested"
    )
    table = render_agreement(found)
    row = next(line for line in table.splitlines() if line.startswith("c  flat"))
    assert row.split()[2:4] == ["undefined", "undefined"]
    assert "*undefined" not in table
    for format in ("table", "markdown", "latex", "csv", "json"):
        assert "nan" not in render_agreement(found, format).lower().replace("nano", "")


@pytest.mark.parametrize("against", ["each", "mean"])
def test_every_measure_lies_within_its_own_interval(scores: Scores, ratings: Ratings, against: str) -> None:
    """A draw that repeats an item ties it with itself, which lowers tau_c of every replicate."""
    options = AgreementOptions(bootstrap=300, against=against)  # type: ignore[arg-type]
    perfect = Scores(scores.texts, {**scores.values, "squared": scores.values["good"] ** 3})
    found = agree(perfect, ratings, options=options).dimensions["overall"]
    standings = [*found.metrics.values(), found.people, *found.systems.metrics.values()]
    for standing in standings:
        for measure, (low, high) in standing.intervals.items():
            assert low <= standing.values[measure] <= high, measure
            assert -1 <= low <= high <= 1


def test_few_items_are_said(ratings: Ratings, scores: Scores) -> None:
    few = Ratings("ratings", tuple(row for row in ratings.rows if int(row.item) < 4))
    found = agree(scores, few, options=AgreementOptions(bootstrap=50))
    assert "few-items" in [warning.id for warning in found.warnings]
    assert found.dimensions["overall"].metrics["good"].intervals == {}
    assert "few-items" not in [
        warning.id for warning in agree(scores, ratings, options=AgreementOptions(bootstrap=5)).warnings
    ]
    assert "few-items" not in [warning.id for warning in agree(scores, few, options=QUICK).warnings]


def test_fingerprint_does_not_depend_on_the_order_of_judgements(scores: Scores, ratings: Ratings) -> None:
    backwards = Ratings("ratings", ratings.rows[::-1])
    assert agree(scores, backwards, options=QUICK).signature == agree(scores, ratings, options=QUICK).signature
