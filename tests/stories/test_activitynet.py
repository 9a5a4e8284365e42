from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.core import registry
from kataribe.core.errors import UsageError
from kataribe.core.types import Caption, Segment, Story

words = st.lists(st.sampled_from(["a", "man", "dog", "runs", "jumps", "falls", "T."]), min_size=1, max_size=5)
captions = st.builds(
    lambda start, length, said: Caption(Segment(start, start + length), " ".join(said)),
    st.integers(0, 20),
    st.integers(1, 10),
    words,
)
stories = st.lists(captions, min_size=1, max_size=5).map(lambda told: Story("v", 30.0, tuple(told)))


def test_a_lone_pair_has_no_cider_and_a_perfect_one_has_everything_else(story, score):
    told = [story("v", (0, 9, "a man runs and falls"))]
    result = score("activitynet(2018)", told, [told])
    assert result.value == pytest.approx(1)
    assert result.parts["BLEU-4"] == pytest.approx(1)
    assert result.parts["CIDEr"] == 0
    assert result.parts["precision"] == result.parts["recall@0.9"] == 1


@given(stories, stories, st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_the_order_of_predictions_does_not_matter(predicted, told, random):
    shuffled = list(predicted.captions)
    random.shuffle(shuffled)
    one, other = (
        kataribe.evaluate("stories", [told_by], [[told]], metrics=["activitynet(2018, pooled=true)"])
        for told_by in (predicted, Story("v", 30.0, tuple(shuffled)))
    )
    for name, value in next(iter(one)).parts.items():
        assert next(iter(other)).parts[name] == pytest.approx(value)


def test_telling_things_in_the_wrong_order_costs_nothing(story, score):
    told = [story("v", (0, 10, "a man runs"), (0.5, 10.5, "a dog jumps"))]
    crossed = [story("v", (0, 10, "a dog jumps"), (0.5, 10.5, "a man runs"))]
    right, wrong = (score("activitynet(2018)", predicted, [told]) for predicted in (told, crossed))
    assert wrong.parts["METEOR@0.9"] == pytest.approx(right.parts["METEOR@0.9"])


def test_a_prediction_outside_every_reference_meets_the_filler(story, score):
    told = [story("v", (0, 5, "a man"))]
    predicted = [story("v", (20, 25, "a man"))]
    for year in (2018, 2021):
        result = score(f"activitynet({year})", predicted, [told])
        assert result.value == 0
        assert result.parts["precision"] == result.parts["recall"] == 0
    assert score("activitynet(2018, pooled=true)", predicted, [told]).value == 0


def test_the_random_filler_follows_the_seed_and_is_in_the_signature(story, score):
    told, predicted = [story("v", (0, 5, "a man"))], [story("v", (0, 5, "a man"), (20, 25, "a dog"))]
    results = [score("activitynet(2021)", predicted, [told], seed=seed) for seed in (1, 1, 2)]
    assert "filler:random-1" in results[0].signature
    assert results[0].parts == results[1].parts
    # Which random word it is moves no number.
    assert results[0].value == pytest.approx(results[2].value)


def test_years_differ_in_the_length_of_the_filler_only(story, score):
    told, predicted = [story("v", (0, 5, "a man"))], [story("v", (0, 5, "a man"), (20, 25, "a dog"))]
    old, new = (score(f"activitynet({year})", predicted, [told]).parts for year in (2018, 2021))
    assert old["METEOR"] < new["METEOR"]
    assert {name for name in old if old[name] != new[name] and "@" not in name} == {"METEOR"}


def test_an_exact_half_is_below_one_half_in_the_tool(story, score):
    told, predicted = [story("v", (0, 10, "a man runs"))], [story("v", (0, 5, "a man runs"))]
    assert score("activitynet(2018)", predicted, [told]).parts["METEOR@0.5"] == 0
    assert score("activitynet(2018, paper)", predicted, [told]).parts["METEOR@0.5"] > 0


def test_only_the_first_thousand_predictions_count_and_that_is_said(story):
    told = [story("v", (0, 5, "a man runs"))]
    many = [story("v", *[(10, 12, "nothing")] * 1000, *[(0, 5, "a man runs")] * 200)]
    result = kataribe.evaluate("stories", many, [told], metrics=["activitynet(2018)", "activitynet(2018, paper)"])
    cut, whole = result
    assert cut.parts["precision"] == 0
    assert whole.parts["precision"] == pytest.approx(1 / 6)
    assert any("1 videos have more than 1,000 predictions" in warning for warning in result.warnings)


def test_no_prediction_scores_0(story, score):
    told = [story("v", (0, 5, "a man runs and falls")), story("w", (0, 5, "a dog"))]
    assert score("activitynet(2018)", told[:1], [told]).value == pytest.approx(0.5)
    assert score("activitynet(2018)", [*told[:1], story("w")], [told]).value == pytest.approx(0.5)
    assert score("activitynet(2018)", told[:1], [told], missing="drop").value == pytest.approx(1)


def test_characters_outside_ascii_become_spaces(story, score):
    told, predicted = [story("v", (0, 5, "a café opens"))], [story("v", (0, 5, "a caf opens"))]
    assert score("activitynet(2018)", predicted, [told]).value == pytest.approx(1)
    assert score("activitynet(2018, paper)", predicted, [told]).value < 1


def test_newlines_are_spaces(story, score):
    told, predicted = [story("v", (0, 5, "a man\nruns\n"))], [story("v", (0, 5, "a man runs"))]
    assert score("activitynet(2018)", predicted, [told]).value == pytest.approx(1)
    assert score("soda(c)", predicted, [told]).value == pytest.approx(1)


def test_every_annotator_gives_pairs_and_the_best_one_gives_detection(story, score):
    one = [story("v", (0, 10, "a man runs fast"), (10, 20, "a dog jumps"))]
    two = [story("v", (0, 10, "rain"))]
    result = score("activitynet(2018)", one, [one, two])
    # Two pairs with the first annotator and one with the second.
    assert result.statistics[0, 1] == 3
    assert result.parts["precision"] == 1
    assert result.parts["recall"] == 1


def test_pooled_is_the_mean_over_all_pairs_of_all_videos(story, score):
    told = [story("v", *[(0, 9, "a man runs")] * 3), story("w", (0, 9, "a dog jumps"))]
    predicted = [story("v", (0, 9, "a man runs")), story("w", (0, 9, "rain falls"))]
    assert score("activitynet(2018, pooled=true)", predicted, [told]).value == pytest.approx(3 / 4)
    assert score("activitynet(2018)", predicted, [told]).value == pytest.approx(1 / 2)


def test_the_paper_takes_the_mean_over_a_videos_pairs_then_over_videos_without_fillers(story, score):
    told = [story("v", *[(0, 9, "a man runs")] * 3), story("w", (0, 9, "a dog jumps")), story("x", (0, 9, "rain"))]
    predicted = [
        # Three perfect pairs; the second caption has no partner, and costs nothing.
        story("v", (0, 9, "a man runs"), (50, 60, "nothing")),
        # One pair that shares no word.
        story("w", (0, 9, "rain falls")),
        # No pair at all: 0.
        story("x", (50, 60, "rain")),
    ]
    paper = score("activitynet(2018, paper)", predicted, [told])
    assert paper.value == pytest.approx((1 + 0 + 0) / 3)
    assert paper.items["v"].value == pytest.approx(1)
    assert "|mean:videos|f:pairs|" in paper.signature
    assert "|filler:none|" in paper.signature
    pooled = score("activitynet(2018, paper, pooled=true)", predicted, [told])
    assert pooled.value == pytest.approx(3 / 4)
    assert "|mean:pairs|" in pooled.signature
    # The published scorer puts a filler beside the caption without partner.
    assert score("activitynet(2018)", predicted, [told]).items["v"].value < 1


def test_the_paper_takes_the_mean_of_f_where_the_scorer_takes_the_corpus_score(story, score):
    told = [story("v", (0, 9, "a man runs fast"), (20, 29, "a dog jumps over the old fence"))]
    predicted = [story("v", (0, 9, "a man runs fast"), (20, 29, "the cat jumps over the fence"))]
    alone = [
        score("activitynet(2018, paper)", [story("v", (0, 9, said.captions[k].text))],
              [[story("v", (0, 9, written.captions[k].text))]]).parts["METEOR"]
        for said, written in zip(predicted, told, strict=True) for k in (0, 1)
    ]  # fmt: skip
    assert score("activitynet(2018, paper)", predicted, [told]).value == pytest.approx(sum(alone) / 2)
    assert score("activitynet(2018)", predicted, [told]).value != pytest.approx(sum(alone) / 2)


def test_what_follows_a_caption_decides_about_a_dot_as_in_the_original(story, score):
    """ "T." keeps its dot at the end of the text and loses it before "The"."""
    told = [story("v", (0, 9, "a capital t."), (1, 10, "rain"))]
    last = [story("v", (0, 9, "Rain falls"), (0.2, 9.2, "A capital T."))]
    followed = [story("v", (0, 9, "A capital T."), (0.2, 9.2, "The rain falls"))]
    pairs_of_the_caption = "ROUGE-L@0.7"
    values = {
        name: score("activitynet(2018)", predicted, [told]).parts[pairs_of_the_caption]
        for name, predicted in (("last", last), ("followed", followed))
    }
    assert values["last"] != values["followed"]


def test_the_year_must_be_said():
    with pytest.raises(UsageError, match="which year"):
        registry.parse("activitynet")
    with pytest.raises(UsageError, match="2017"):
        registry.parse("activitynet(2017)")
    assert str(registry.parse("activitynet(2021)")) == "activitynet(2021)"
    assert str(registry.parse("activitynet(2018)", protocol="paper")) == "activitynet(2018, paper)"


def test_signatures_tell_cider_from_cider_d_and_data_sets_apart(story, score):
    told = [story("v", (0, 9, "a man runs"), (0, 9, "a dog"))]
    d, plain = (score(f"activitynet(2018{cider})", told, [told]) for cider in ("", ", cider=plain"))
    assert "|cider:d|idf:video-pairs|" in d.signature
    assert "|cider:plain|" in plain.signature
    assert "|data:1/1|" in d.signature


def test_localisation_counts_segments_whatever_is_said(story, score):
    told = [story("v", (0, 10, "a"), (10, 20, "b")), story("w", (0, 10, "c"))]
    predicted = [story("v", (0, 10, "x"), (0, 6, "y"), (30, 40, "z"))]
    result = score("localisation", predicted, [told])
    assert result.items["v"].parts["precision@0.3"] == pytest.approx(2 / 3)
    assert result.items["v"].parts["precision@0.7"] == pytest.approx(1 / 3)
    assert result.items["v"].parts["recall@0.9"] == pytest.approx(1 / 2)
    assert result.parts["recall@0.9"] == pytest.approx(1 / 4)
    p, r = result.parts["precision"], result.parts["recall"]
    assert result.value == result.parts["F1"] == pytest.approx(2 * p * r / (p + r))


def test_localisation_takes_the_best_annotator_for_each_share(story, score):
    predicted = [story("v", (0, 10, "x"), (10, 20, "y"))]
    one, two = [story("v", (0, 10, "a"))], [story("v", (0, 10, "a"), (10, 20, "b"), (30, 40, "c"))]
    parts = score("localisation", predicted, [one, two]).parts
    assert (parts["precision"], parts["recall"]) == (1, 1)


def test_given_segments_equal_the_captions_task_whatever_their_order(story):
    told = [story("v", (0, 5, "a man runs"), (5, 9, "he falls")), story("w", (0, 9, "a dog sleeps"))]
    predicted = [story("v", (5.00001, 9, "the man falls"), (0, 5, "a man")), story("w", (0, 9, "a dog"))]
    candidates = {"0": "a man", "1": "the man falls", "2": "a dog"}
    references = {"0": ["a man runs"], "1": ["he falls"], "2": ["a dog sleeps"]}
    names = ["bleu", "cider", "rouge_l"]
    ours = kataribe.evaluate("stories", predicted, [told], metrics=[f"segments({name})" for name in names])
    theirs = kataribe.evaluate("captions", candidates, references, metrics=names)
    for name in names:
        assert ours[f"segments({name})"].value == pytest.approx(theirs[name].value)


def test_a_segment_without_prediction_is_an_empty_caption_or_left_out(story):
    told = [story("v", (0, 5, "a man runs"), (5, 9, "he falls"))]
    predicted = [story("v", (0, 5, "a man runs"), (1, 2, "elsewhere"))]
    metric = "segments(rouge_l(tok=none))"
    result = kataribe.evaluate("stories", predicted, [told], metrics=[metric])
    assert result[metric].value == pytest.approx(0.5)
    assert any("1 of 2 reference segments have no prediction" in warning for warning in result.warnings)
    assert any("1 of 2 predictions are on no reference segment" in warning for warning in result.warnings)
    dropped = kataribe.evaluate("stories", predicted, [told], metrics=[metric], missing="drop")
    assert dropped[metric].value == pytest.approx(1)


def test_items_without_score_are_left_out_of_intervals_too(story, score):
    told = [story(f"v{k}", (0, 5, "a man runs")) for k in range(6)]
    predicted = [story(f"v{k}", (0, 5, "a man" if k % 2 else "a man runs")) for k in range(4)]
    result = score("soda(c)", predicted, [told], bootstrap=200)
    low, high = result.interval
    assert low <= result.value <= high
    assert np.isnan(result.item_values).sum() == 2


@pytest.mark.data
def test_a_published_number_is_reproduced_from_the_authors_own_files(data_folder):
    """BMT on given segments: METEOR 10.90, BLEU-3 4.63, BLEU-4 1.99, the mean of one run for each annotator."""
    folder = data_folder / "bmt"
    runs = [
        next(
            iter(
                kataribe.evaluate(
                    "stories",
                    folder / f"bmt_gtprop_val_{k}.json.gz",
                    folder / f"bmt_val_{k}_no_missings.json.gz",
                    metrics=["activitynet(2018)"],
                )
            )
        ).parts
        for k in (1, 2)
    ]
    for part, published in (("METEOR", 10.90), ("BLEU-3", 4.63), ("BLEU-4", 1.99)):
        assert 100 * np.mean([parts[part] for parts in runs]) == pytest.approx(published, abs=0.005)
