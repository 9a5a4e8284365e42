from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.core import registry
from kataribe.core.errors import UsageError
from kataribe.core.signature import differences
from kataribe.core.types import Caption, Segment, Story
from kataribe.stories.result import ReferenceIndex

# METEOR without its English data: equal words only. Fast, and the same formula.
TEXT = "text=meteor(other)"

times = st.integers(0, 20)
captions = st.builds(
    lambda start, length, words: Caption(Segment(start, start + length), " ".join(words)),
    times,
    st.integers(1, 10),
    st.lists(st.sampled_from(["a", "man", "dog", "runs", "jumps", "falls"]), min_size=1, max_size=5),
)
stories = st.lists(captions, min_size=1, max_size=5).map(lambda told: Story("v", 30.0, tuple(told)))


def soda(metric: str, predicted: Story, *told: Story, **options):
    references = [[story] for story in told]
    result = kataribe.evaluate("stories", [predicted], references, metrics=[metric], **options)
    return next(iter(result))


@given(stories, stories, st.sampled_from("abcd"), st.sampled_from(["official", "paper"]))
def test_f1_is_a_fraction(predicted, told, variant, rules):
    result = soda(f"soda({variant}, {rules}, {TEXT})", predicted, told)
    for value in (result.value, *result.parts.values()):
        assert 0 <= value <= 1 + 1e-12


@given(stories, st.sampled_from("abcd"))
def test_a_story_against_itself_is_perfect_in_the_paper(told, variant):
    assert soda(f"soda({variant}, paper, {TEXT})", told, told).value == pytest.approx(1.0)


@given(stories, stories, captions, st.sampled_from("cd"))
def test_another_caption_never_lowers_recall(predicted, told, more, variant):
    metric = f"soda({variant}, {TEXT})" if variant == "c" else "soda(d)"
    longer = Story("v", 30.0, (*predicted.captions, more))
    before, after = soda(metric, predicted, told), soda(metric, longer, told)
    assert after.parts["recall"] >= before.parts["recall"] - 1e-12


@given(stories, stories, st.sampled_from("cd"))
def test_a_caption_that_overlaps_nothing_lowers_precision(predicted, told, variant):
    metric = f"soda({variant}, {TEXT})" if variant == "c" else "soda(d)"
    idle = Caption(Segment(1000, 1001), "a man")
    before = soda(metric, predicted, told).parts["precision"]
    after = soda(metric, Story("v", 30.0, (*predicted.captions, idle)), told).parts["precision"]
    count = len(predicted.captions)
    assert after == pytest.approx(before * count / (count + 1))


@given(stories, stories, st.randoms(use_true_random=False))
def test_the_order_of_the_prediction_file_does_not_matter(predicted, told, random):
    shuffled = list(predicted.captions)
    random.shuffle(shuffled)
    if len({caption.segment.start for caption in shuffled}) < len(shuffled):
        return  # equal starts keep the file's order, which then does matter
    one = soda(f"soda(c, {TEXT})", predicted, told)
    assert soda(f"soda(c, {TEXT})", Story("v", 30.0, tuple(shuffled)), told).value == pytest.approx(one.value)


def test_telling_things_in_the_wrong_order_costs(story):
    told = story("v", (0, 10, "a man runs"), (1, 11, "a dog jumps"))
    crossed = story("v", (0, 10, "a dog jumps"), (1, 11, "a man runs"))
    right, wrong = soda(f"soda(c, {TEXT})", told, told), soda(f"soda(c, {TEXT})", crossed, told)
    assert wrong.value < 0.6 * right.value


@given(stories, stories)
@settings(max_examples=50)
def test_protocols_differ_only_where_their_signatures_say(predicted, told):
    spelled_out = (
        f"soda(b, {TEXT}, refs=best, roles=proper, order=sorted, pairs=best, chars=all, idf=references, iou=exact)"
    )
    official = soda(spelled_out, predicted, told, missing="zero")
    paper = soda(f"soda(b, paper, {TEXT})", predicted, told)
    assert differences(official.signature, paper.signature) == {}
    assert official.value == paper.value


def test_the_signatures_of_the_protocols_name_every_quirk(story):
    told = story("v", (0, 9, "a dog runs"))
    one = soda("soda(a, text=cider)", told, told).signature
    other = soda("soda(a, paper, text=cider)", told, told).signature
    everywhere = {"chars", "order", "roles", "pairs", "text.idf", "iou", "missing"}
    assert set(differences(one, other)) == {"refs", *everywhere}
    best = soda("soda(a, refs=best, text=cider)", told, told).signature
    assert set(differences(best, other)) == everywhere
    assert "|order:start|" in one
    assert "|order:file|" in best
    assert "|order:sorted|" in other


def test_equal_starts_stay_in_file_order_in_the_tool_and_go_by_end_in_the_paper(story):
    told = story("v", (0, 100, "x"), (5, 40, "y"), (50, 100, "z"))
    predicted = story("v", (0, 90, "x"), (0, 40, "y"), (50, 100, "z"))
    # In file order all three pair: .9 + 35/40 + 1. By end the second comes first and stands in the way.
    assert soda("soda(d)", predicted, told).value == pytest.approx((0.9 + 35 / 40 + 1) / 3)
    assert soda("soda(d, order=sorted)", predicted, told).value == pytest.approx((0.9 + 1) / 3)
    assert soda("soda(d, paper)", predicted, told).value == pytest.approx((0.9 + 1) / 3)
    backwards = story("v", *((c.segment.start, c.segment.end, c.text) for c in predicted.captions[::-1]))
    assert soda("soda(d)", backwards, told).value == pytest.approx((0.9 + 1) / 3)


def test_pooled_annotators_with_equal_starts_follow_each_other_as_their_files_do(story):
    one, two = story("v", (0, 40, "y"), (50, 100, "z")), story("v", (0, 90, "x"))
    predicted = story("v", (0, 40, "y"), (0, 90, "x"))
    assert soda("soda(d)", predicted, one, two).parts["precision"] == pytest.approx(1)
    assert soda("soda(d)", predicted, two, one).parts["precision"] == pytest.approx((1 + 0.4) / 2)


def test_characters_outside_ascii_are_blanks_in_the_tool_and_letters_in_the_paper(story):
    told, predicted = story("v", (0, 9, "a piñata")), story("v", (0, 9, "a pi ata"))
    assert soda("soda(c)", predicted, told).value == pytest.approx(1)
    for metric in ("soda(c, paper)", "soda(c, chars=all)"):
        assert soda(metric, predicted, told).value < 0.9


def test_blanks_are_a_rule_for_english_text_only(story):
    told = story("v", (0, 9, "老 李 回 头 看"))
    for text in ("meteor(other)", "bleu(tok=none)", "rouge_l(tok=char)"):
        result = soda(f"soda(c, text={text})", told, told)
        assert "|chars:all|" in result.signature
        assert result.value > 0.5


def test_the_pairs_of_a_and_b_are_the_tools_or_those_of_the_best_alignment(story):
    """The second reference overlaps the first prediction a little; the tool gives it that partner, and so takes it
    from the first reference, which the best alignment pairs with the second prediction."""
    told = story("v", (0, 10, "a man runs"), (1, 3, "a dog jumps"))
    predicted = story("v", (0, 2, "a dog jumps"), (1, 10, "a man runs"))
    for variant in ("b", "a, tiou=0.3"):
        assert soda(f"soda({variant}, {TEXT})", predicted, told).value == pytest.approx(0.5)
    details = [
        soda(f"soda(b, pairs={pairs}, {TEXT})", predicted, told, details=True).details[0][0].pairs
        for pairs in ("tool", "best")
    ]
    assert [[(pair.reference, pair.prediction) for pair in pairs] for pairs in details] == [[(1, 0)], [(0, 1)]]


@pytest.mark.data
@pytest.mark.parametrize("mode", ["single", "best", "pooled"])
def test_official_equals_what_the_published_tool_printed(data_folder, mode):
    folder = data_folder / "soda-cases"
    expected = json.loads((folder / "expected.json").read_text())
    references = [folder / f"{name}.json" for name in (("one",) if mode == "single" else ("one", "two"))]
    refs = "best" if mode == "best" else "pooled"
    metrics = {variant: f"soda({variant}, refs={refs})" for variant in "abcd"}
    result = kataribe.evaluate("stories", folder / "pred.json", references, metrics=list(metrics.values()))

    def numbers(score) -> tuple[float, ...]:
        return score.parts["precision"], score.parts["recall"], score.value

    for variant, metric in metrics.items():
        printed = expected[f"{mode}/{variant}"]
        assert numbers(result[metric].score) == pytest.approx(printed["corpus"], abs=1e-9)
        assert len(printed["items"]) == 155
        for video, values in printed["items"].items():
            assert numbers(result[metric].items[video]) == pytest.approx(values, abs=1e-9), (metric, video)


def test_the_metric_prints_as_it_parses():
    for text in ("soda(c)", "soda(a, tiou=0.3+0.5)", "soda(c, paper, text=cider(plain))", "soda(d, refs=mean)"):
        assert str(registry.parse(text)) == text
    assert str(registry.parse("soda")) == "soda(c)"
    assert str(registry.parse("soda(c)", protocol="paper")) == "soda(c, paper)"
    assert str(registry.parse("soda(c, text=bleu)", protocol="paper")) == "soda(c, paper, text=bleu(smooth=none))"


@pytest.mark.parametrize("text", ["soda(e)", "soda(c, tiou=0.5)", "soda(a, tiou=2)", "soda(c, text=nothing)"])
def test_a_metric_that_cannot_be_is_refused_before_anything_is_read(text):
    with pytest.raises(UsageError):
        registry.parse(text)


def test_a_story_metric_is_no_sentence_metric(story):
    told = story("v", (0, 9, "a dog"))
    with pytest.raises(UsageError, match="does not score sentences"):
        soda("soda(c, text=soda(d))", told, told)


def test_zero_and_1200_predictions_work(story):
    told = story("v", (0, 5, "a man runs"), (5, 9, "a dog jumps"))
    for rules in ("official", "paper"):
        for variant in "abcd":
            silent = soda(f"soda({variant}, {rules}, {TEXT})", story("v"), told)
            assert silent.value == 0
            many = story("v", *((k / 200, k / 200 + 3, "a man runs") for k in range(1200)))
            result = soda(f"soda({variant}, {rules}, {TEXT})", many, told)
            assert 0 < result.value < 0.01


def test_a_video_that_is_predicted_empty_scores_0_and_one_that_is_not_predicted_is_left_out(story, score):
    told = [story("v", (0, 5, "a man runs")), story("w", (0, 5, "a dog"))]
    good = told[0]
    metric = f"soda(c, {TEXT})"
    assert score(metric, [good], [told]).value == pytest.approx(1)
    assert score(metric, [good, story("w")], [told]).value == pytest.approx(0.5)
    assert score(metric, [good], [told], missing="zero").value == pytest.approx(0.5)
    assert score(f"soda(c, paper, {TEXT})", [good], [told]).value == pytest.approx(0.5)
    assert np.isnan(score(metric, [good], [told]).items["w"].value)
    assert "missing:drop(1)|data:1/2" in score(metric, [good], [told]).signature


def test_unordered_references_halve_a_perfect_prediction_in_the_official_multi_reference_mode(story):
    told = story("v", (5, 9, "a dog jumps"), (0, 5, "a man runs"))
    assert soda(f"soda(c, refs=best, {TEXT})", told, told).value == pytest.approx(0.5)
    assert soda(f"soda(c, refs=best, order=sorted, {TEXT})", told, told).value == pytest.approx(1)
    assert soda(f"soda(c, {TEXT})", told, told).value == pytest.approx(1)


def test_several_annotators_are_pooled_best_or_averaged(story):
    one = story("v", (0, 5, "a man runs"), (5, 9, "a dog jumps"))
    other = story("v", (0, 9, "people"))
    pooled = soda(f"soda(c, {TEXT})", one, one, other)
    assert pooled.parts["recall"] == pytest.approx(2 / 3)
    assert soda(f"soda(c, refs=best, {TEXT})", one, one, other).value == pytest.approx(1)
    alone = [soda(f"soda(c, {TEXT})", one, told).value for told in (one, other)]
    assert soda(f"soda(c, refs=mean, {TEXT})", one, one, other).value == pytest.approx(np.mean(alone))


def test_the_mean_over_annotators_is_that_of_one_run_each_whoever_told_more_videos(story, score):
    first = [story("v", (0, 5, "a man runs")), story("w", (0, 5, "a dog")), story("x", (0, 5, "it falls"))]
    second = [story("w", (0, 6, "a cat sits"))]
    predicted = [story("v", (0, 4, "a man")), story("w", (0, 5, "a cat")), story("x", (0, 5, "it falls"))]
    metric = f"soda(c, {{refs}}{TEXT})"
    runs = [score(metric.format(refs=""), predicted, [told]).value for told in (first, second)]
    both = score(metric.format(refs="refs=mean, "), predicted, [first, second])
    assert both.value == pytest.approx(np.mean(runs))


def test_an_annotator_who_told_none_of_the_predicted_videos_has_no_run(story, score):
    first, second = [story("v", (0, 5, "a man runs"))], [story("w", (0, 5, "a dog"))]
    result = score(f"soda(c, refs=mean, {TEXT})", first, [first, second])
    assert result.value == pytest.approx(1)


def test_swapped_roles_give_the_prediction_as_the_reference(story):
    told, predicted = story("v", (0, 9, "a man runs and falls")), story("v", (0, 9, "a man"))
    values = {
        (roles, a.captions[0].text): soda(f"soda(c, roles={roles}, iou=exact, {TEXT})", a, b).value
        for roles in ("swapped", "proper")
        for a, b in ((predicted, told), (told, predicted))
    }
    assert values["swapped", "a man"] == pytest.approx(values["proper", "a man runs and falls"])
    assert values["swapped", "a man"] != pytest.approx(values["proper", "a man"])


def test_any_sentence_metric_serves_as_f(story):
    told = story("v", (0, 4, "a man runs fast"), (4, 9, "a dog jumps high"))
    other = story("v", (0, 4, "a man walks fast"), (4, 9, "the dog jumps high"))
    for text in ("bleu(tok=none)", "rouge_l(tok=none)", "cider(tok=none)", "cider(plain, tok=none)"):
        for rules in ("official", "paper"):
            assert soda(f"soda(c, {rules}, text={text})", other, told).value > 0


def test_cider_takes_its_idf_from_the_videos_predictions_or_from_all_references(story, score):
    told = [story("v", (0, 4, "a man runs"), (4, 9, "a dog jumps")), story("w", (0, 9, "rain falls"))]
    metric = "soda(c, text=cider(tok=none), idf={})"
    own = score(metric.format("predictions"), told, [told])
    # A single prediction is a corpus of one document, of which every word is in every document.
    assert own.items["w"].value == 0
    assert score(metric.format("references"), told, [told]).items["w"].value > 0


def test_details_tell_the_alignment_and_who_has_no_partner(story, score):
    one = story("v", (5, 9, "a dog jumps"), (0, 5, "a man runs"))
    other = story("v", (20, 30, "the end"))
    predicted = story("v", (0, 5, "a man runs"), (40, 50, "nothing"))
    result = score(f"soda(c, {TEXT})", [predicted], [[one], [other]], details=True)
    (reading,) = result.details[0]
    (pair,) = reading.pairs
    assert (pair.annotator, pair.reference, pair.prediction) == (0, 1, 0)
    assert (pair.iou, pair.text, pair.product) == (pytest.approx(1), pytest.approx(1), pytest.approx(1))
    assert reading.unmatched_references == [
        ReferenceIndex(annotator=0, reference=0),
        ReferenceIndex(annotator=1, reference=0),
    ]
    assert reading.unmatched_predictions == [1]
    assert (reading.precision, reading.recall) == (pytest.approx(0.5), pytest.approx(1 / 3))


def test_details_are_there_for_every_threshold_and_annotator(story, score):
    told = story("v", (0, 5, "a man runs"))
    result = score(f"soda(a, refs=best, {TEXT})", [told], [[told], [story("v", (0, 9, "a dog"))]], details=True)
    assert [(entry.tiou, entry.counts) for entry in result.details[0]] == [
        (t, counts) for t in (0.3, 0.5, 0.7, 0.9) for counts in (True, False)
    ]


def test_captions_apart_never_pair_in_the_paper_and_the_first_two_may_in_the_tool(story):
    told, predicted = story("v", (0, 5, "a man runs")), story("v", (10, 15, "a man runs"))
    assert soda(f"soda(b, {TEXT})", predicted, told).value == pytest.approx(1)
    assert soda(f"soda(b, pairs=best, {TEXT})", predicted, told).value == 0
    assert soda(f"soda(c, {TEXT})", predicted, told).value == 0


@pytest.mark.parametrize("text", ["ppl", "div", "clipscore"])
def test_a_text_metric_that_compares_no_sentences_is_refused(text: str) -> None:
    told = {"v": {"duration": 10, "timestamps": [[0, 5]], "sentences": ["a dog runs"]}}
    with pytest.raises(UsageError, match="does not tell how well one sentence says what another says"):
        kataribe.evaluate("stories", told, told, [f"soda(c, text={text})"])
