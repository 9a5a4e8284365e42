from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import kataribe
from kataribe.core import registry
from kataribe.core.comparable import IncomparableError
from kataribe.core.comparison import compare
from kataribe.core.errors import InputError, JoinError, UsageError
from kataribe.core.metric import Measured, Metric
from kataribe.core.result import Result
from kataribe.stories.result import ScoredStory, TimedCaption

# All that is needed of METEOR here is that it is a sentence metric that needs no data.
SODA = "soda(c, text=meteor(other))"


def test_the_default_set_of_metrics(story):
    told = [story("v", (0, 5, "a man runs"), (5, 9, "a dog jumps"))]
    result = kataribe.evaluate("stories", told, [told])
    assert list(result.metrics) == ["soda(c)", "activitynet(2018)", "localisation"]
    assert result["soda(c)"].value == pytest.approx(1)


def test_nothing_partial_is_scored_silently(story):
    told = [story("v", (0, 5, "a man runs")), story("w", (0, 5, "a dog")), story("x", (0, 5, "rain"))]
    predicted = [story("v", (0, 5, "a man")), story("w"), story("other", (0, 5, "?"))]
    result = kataribe.evaluate("stories", predicted, [told], metrics=[SODA])
    assert result.coverage.references == 3
    assert (result.coverage.predicted, result.coverage.missing, result.coverage.extra, result.coverage.empty) == (
        3, 1, 1, 1,
    )  # fmt: skip
    for said in ("1 of 3 videos have no prediction", "1 predicted videos have no reference", "no caption at all"):
        assert any(said in warning for warning in result.warnings)


def test_missing_videos_can_be_an_error(story):
    told = [story("v", (0, 5, "a man")), story("w", (0, 5, "a dog"))]
    with pytest.raises(JoinError, match="no prediction for 1 of 2 references: 'w'"):
        kataribe.evaluate("stories", told[:1], [told], metrics=[SODA], missing="error")


def test_files_of_different_videos_are_refused(story):
    with pytest.raises(JoinError, match="were these files made for each other"):
        kataribe.evaluate("stories", [story("v", (0, 1, "a"))], [[story("w", (0, 1, "a"))]], metrics=[SODA])


def test_the_same_references_twice_are_refused(story, tmp_path):
    told = [story("v", (0, 5, "a man"))]
    with pytest.raises(InputError, match="tells the same stories"):
        kataribe.evaluate("stories", told, [told, list(told)], metrics=[SODA])
    path = tmp_path / "refs.json"
    path.write_text(json.dumps({"v": {"duration": 5, "timestamps": [[0, 5]], "sentences": ["a man"]}}))
    with pytest.raises(InputError, match=r"refs\.json: tells the same stories as .*refs\.json"):
        kataribe.evaluate("stories", path, [path, path], metrics=[SODA])


@pytest.mark.parametrize("change", ["videos", "captions", "fewer", "nan", "spaces"])
def test_the_same_references_twice_are_refused_however_they_are_written(story, change):
    nan = float("nan")
    told = [story("v", (0, 5, "a man"), (nan if change == "nan" else 2, 9, "runs")), story("w", (0, 5, "a dog"))]
    again = {
        "videos": told[::-1],
        "captions": [story("v", (2, 9, "runs"), (0, 5, "a man")), told[1]],
        "fewer": told[1:],
        "nan": list(told),
        "spaces": [story("v", (0, 5, "a  man "), (2, 9, "runs\n")), story("w", (0, 5, "\ta dog"))],
    }[change]
    with pytest.raises(InputError, match="tells the same stories as the references before it"):
        kataribe.evaluate("stories", told, [told, again], metrics=[SODA])


def test_annotators_who_agree_on_some_videos_are_welcome(story):
    one = [story("v", (0, 5, "a man")), story("w", (0, 5, "a dog")), story("x")]
    two = [story("v", (0, 5, "a man")), story("w", (0, 5, "a cat")), story("x")]
    assert len(kataribe.evaluate("stories", one, [one, two], metrics=[SODA]).metrics) == 1
    # No video in common but one that neither says anything about.
    assert len(kataribe.evaluate("stories", one, [one[:1] + one[2:], two[1:]], metrics=[SODA]).metrics) == 1


def test_the_hash_does_not_depend_on_the_order_of_videos_but_on_everything_else(story, score):
    one = [story("v", (0, 5, "a man"), (0, 9, "runs")), story("w", (0, 5, "a dog"))]
    two = [story("w", (0, 6, "a cat"))]

    def hash_of(*references) -> str:
        signature = score(SODA, one, list(references)).signature
        return signature.partition("|hash:")[2][:8]

    assert hash_of(one, two) == hash_of(one[::-1], two)
    others = [
        hash_of(one),
        hash_of([story("v", (0, 9, "runs"), (0, 5, "a man")), one[1]], two),
        hash_of(one, [story("w", (0, 6, "a dog"))]),
        hash_of(one, [story("w", (0, 7, "a cat"))]),
        hash_of(two, one),
    ]
    assert hash_of(one, two) not in others
    assert len(set(others)) == len(others)


def test_the_signature_counts_what_is_missing(story, score):
    told = [story("v", (0, 5, "a man")), story("w", (0, 5, "a dog")), story("x", (0, 5, "rain"))]
    metrics = (SODA, "activitynet(2018)", "localisation", "paragraph(rouge_l)", "segments(rouge_l)")
    for metric in metrics:
        assert "|missing:zero(2)|" in score(metric, told[:1], [told], missing="zero").signature
        assert "|missing:drop(2)|" in score(metric, told[:1], [told], missing="drop").signature
        assert "|missing:error|" in score(metric, told, [told], missing="error").signature
    assert "|missing:zero|" in score("localisation", told, [told]).signature


@pytest.mark.parametrize(
    "metric", [SODA, "activitynet(2018)", "localisation", "paragraph(rouge_l)", "segments(rouge_l)"]
)
def test_where_videos_are_left_out_the_signature_tells_which_were_scored(story, score, metric):
    told = [story("v", (0, 5, "a man")), story("w", (0, 5, "a dog")), story("x", (0, 5, "rain"))]

    def signature(predictions, references=told, missing="drop") -> str:
        return score(metric, predictions, [references], missing=missing).signature

    assert signature(told[:2]) != signature(told[1:])
    assert signature(told[:2]) == signature(told[1::-1], told[::-1])
    assert "|scored:" in signature(told[:2])
    assert "|scored:" not in signature(told) + signature(told[:2], missing="zero")


def test_segments_left_out_within_a_video_are_told_too(story, score):
    told = [story("v", (0, 5, "a man"), (5, 9, "runs"))]
    one, other = (
        score("segments(rouge_l)", [story("v", line)], [told], missing="drop").signature
        for line in ((0, 5, "a man"), (5, 9, "runs"))
    )
    assert one != other


def test_systems_that_lack_the_same_videos_can_be_compared_others_not(story):
    told = [story(f"v{k}", (0, 5, "a man"), (5, 9, "a dog")) for k in range(6)]

    def scored(videos: slice) -> Result:
        return kataribe.evaluate("stories", told[videos], [told], metrics=["soda(d)"])

    assert len(compare({"one": scored(slice(4)), "other": scored(slice(4))}, replicates=10).tests) == 1
    with pytest.raises(IncomparableError, match="not about the same items: 'v0', 'v1', 'v4' and 1 more"):
        compare({"one": scored(slice(4)), "other": scored(slice(2, 6))}, replicates=10)


@pytest.mark.parametrize(
    ("segment", "kind"),
    [
        ((5, 2), "reversed"),
        ((3, 3), "empty"),
        ((float("nan"), 3), "no numbers"),
        ((0, float("inf")), "no numbers"),
        ((50, 60), "outside the video"),
    ],
)
def test_segments_that_cannot_be_scored_are_said_or_refused(story, segment, kind):
    told = [story("v", (0, 5, "a man runs"), duration=9.0)]
    predicted = [story("v", (0, 5, "a man runs"), (*segment, "a man runs"), duration=9.0)]
    for protocol in ("official", "paper"):
        result = kataribe.evaluate("stories", predicted, [told], metrics=[SODA, "localisation"], protocol=protocol)
        soda, localisation = result
        assert soda.parts["precision"] == pytest.approx(0.5)
        assert localisation.parts["precision"] == pytest.approx(0.5)
        assert any(f"1 predicted segments are {kind}, in 'v'" in warning for warning in result.warnings)
    with pytest.raises(InputError, match=kind):
        kataribe.evaluate("stories", predicted, [told], metrics=[SODA], segments="error")


def test_predictions_outside_the_video_are_seen_by_the_references_durations(story):
    told = [story("v", (0, 5, "a man runs"), duration=9.0), story("w", (0, 5, "a dog jumps"), duration=9.0)]
    moved = [story("v", (1e6, 1e6 + 5, "a man runs")), story("w", (0, 5, "a dog jumps"))]
    result = kataribe.evaluate("stories", moved, [told], metrics=["localisation"])
    assert "1 predicted segments are outside the video, in 'v'; they are scored as they stand" in result.warnings
    with pytest.raises(InputError, match="1 predicted segments are outside the video, in 'v'"):
        kataribe.evaluate("stories", moved, [told], metrics=["localisation"], segments="error")
    # A duration that moved with the segment does not hide it.
    with_duration = [story("v", (1e6, 1e6 + 5, "a man runs"), duration=2e6), moved[1]]
    result = kataribe.evaluate("stories", with_duration, [told], metrics=["localisation"])
    assert "unusable-segments" in [warning.id for warning in result.warnings]


def test_what_starts_within_the_longest_known_duration_is_not_outside(story):
    told = [story("v", (0, 5, "a man runs"), duration=9.0)]
    longer = [story("v", (0, 6, "a man walks"), duration=10.0)]
    late = [story("v", (9.5, 12, "a man runs"))]
    result = kataribe.evaluate("stories", late, [told, longer], metrics=["localisation"], segments="error")
    assert [warning.id for warning in result.warnings] == ["late-segments"]
    # Where nobody tells the duration, captions after the last reference are nobody's mistake.
    unknown = [story("v", (0, 5, "a man runs"))]
    assert not kataribe.evaluate("stories", late, [unknown], metrics=["localisation"], segments="error").warnings


def test_segments_outside_the_video_are_scored_as_they_stand_and_that_is_said(story):
    told = [story("v", (10, 15, "a man"), duration=9.0)]
    result = kataribe.evaluate("stories", told, [told], metrics=[SODA])
    assert result[SODA].value == pytest.approx(1)
    assert any("outside the video, in 'v'; they are scored as they stand" in warning for warning in result.warnings)


@pytest.mark.parametrize("duration", [0.0, -3.0, float("inf")])
def test_durations_that_no_video_has_are_said_and_taken_as_unknown(story, duration):
    told = [story("v", (0, 5, "a man"), duration=duration), story("w", (0, 5, "a dog"), duration=9.0)]
    result = kataribe.evaluate("stories", [story("v", (0, 4, "a man"))], [told], metrics=[SODA], anchors=True)
    known = kataribe.evaluate("stories", [story("v", (0, 4, "a man"))], [[story("v", (0, 5, "a man")), told[1]]],
                              metrics=[SODA], anchors=True)  # fmt: skip
    assert {warning.id for warning in result.warnings} - {warning.id for warning in known.warnings} == {
        "unusable-durations"
    }
    assert result[SODA].anchors == known[SODA].anchors


def test_segments_that_end_after_the_video_are_said_and_scored_as_they_are(story):
    told = [story("v", (0, 10, "a man"), duration=9.0)]
    result = kataribe.evaluate("stories", told, [told], metrics=[SODA], segments="error")
    assert result[SODA].value == pytest.approx(1)
    assert any("1 reference segments end after their video" in warning for warning in result.warnings)


def test_a_video_of_one_reference_file_only_is_scored_by_that_file(story, score):
    one, other = [story("v", (0, 5, "a man")), story("w", (0, 5, "a dog"))], [story("w", (0, 9, "a dog"))]
    for refs in ("pooled", "best", "mean"):
        result = score(f"soda(c, text=meteor(other), refs={refs})", one, [one, other])
        assert result.items["v"].value == pytest.approx(1)
    more = [story("x", (0, 5, "rain"))]
    result = score(SODA, [*one, *more], [one, more])
    assert list(result.ids) == ["v", "w", "x"]


def test_a_reference_video_without_caption_is_said_and_not_scored(story):
    told = [story("v", (0, 5, "a man")), story("w")]
    result = kataribe.evaluate("stories", told, [told], metrics=[SODA])
    assert result.coverage.references == 1
    assert any("1 reference videos have no caption" in warning for warning in result.warnings)


def test_refs_override_the_protocol(story):
    told = [story("v", (0, 5, "a man"))]
    other = [story("v", (0, 9, "a dog"))]
    (soda,) = kataribe.evaluate("stories", told, [told, other], metrics=[SODA], refs="best")
    assert "|refs:best|" in soda.signature


def test_refs_are_about_annotators_and_leave_sentence_metrics_alone(story):
    """ROUGE-L has an option of the same name for its own several references."""
    told, other = [story("v", (0, 5, "a man runs"))], [story("v", (0, 9, "a dog"))]
    metrics = ["paragraph(rouge_l)", "soda(c, text=rouge_l)", "soda(c, refs=pooled)"]
    result = kataribe.evaluate("stories", told, [told, other], metrics=metrics, refs="mean")
    assert "|text.refs:separate|" in result["paragraph(rouge_l)"].signature
    assert "|text.refs:separate|" in result["soda(c, text=rouge_l)"].signature
    assert "|refs:mean|" in result["soda(c, text=rouge_l)"].signature
    assert "|refs:pooled|" in result["soda(c, refs=pooled)"].signature


@pytest.mark.parametrize(
    "options",
    [{"refs": "all"}, {"missing": "ignore"}, {"segments": "drop"}, {"protocol": "mine"}, {"metrics": ["rouge_l"]}],
)
def test_choices_that_do_not_exist_are_refused(story, options):
    told = [story("v", (0, 5, "a man"))]
    with pytest.raises(UsageError):
        kataribe.evaluate("stories", told, [told], **{"metrics": [SODA], **options})


def test_a_sentence_metric_is_pointed_to_what_it_can_be_part_of(story):
    told = [story("v", (0, 5, "a man"))]
    with pytest.raises(UsageError, match=r"soda\(c, text=rouge_l\)"):
        kataribe.evaluate("stories", told, [told], metrics=["rouge_l"])


def test_the_signature_says_what_moves_people_and_chance(story):
    def told(duration: float, *lengths: int) -> list:
        lines = ("a man", "a dog", "rain", "a cat")
        return [story(f"v{k}", (0, n, lines[k]), (n, 9, lines[-k]), duration=duration) for k, n in enumerate(lengths)]

    def scored(duration: float = 9.0, *, anchors: bool = True, seed: int = 0) -> Result:
        references = [told(duration, 3, 4, 5, 6), told(duration, 4, 5, 6, 7)]
        return kataribe.evaluate(
            "stories", told(9.0, 2, 3, 4, 5), references, metrics=["soda(d)"], anchors=anchors, seed=seed
        )

    def signature(result: Result) -> str:
        return result["soda(d)"].signature

    assert scored(18.0)["soda(d)"].anchors != scored()["soda(d)"].anchors
    assert len({signature(scored()), signature(scored(18.0)), signature(scored(seed=1))}) == 3
    assert "|anchors:rounds-2+seed-0+durations-" in signature(scored())
    assert "anchors" not in signature(scored(anchors=False))
    # The score itself does not move, and can be compared.
    assert len(compare({"one": scored(), "other": scored(18.0, seed=1)}, replicates=10).tests) == 1
    assert len(compare({"one": scored(), "other": scored(anchors=False)}, replicates=10).tests) == 1


def test_anchors_say_what_people_and_chance_score(story):
    one = [story("v", (0, 5, "a man runs"), duration=10.0), story("w", (0, 9, "a dog jumps"), duration=10.0)]
    two = [story("v", (0, 5, "a man walks"), duration=10.0), story("w", (0, 8, "the dog jumps"), duration=10.0)]
    (soda,) = kataribe.evaluate("stories", one, [one, two], metrics=[SODA], anchors=True)
    people = [
        next(iter(kataribe.evaluate("stories", a, [b], metrics=[SODA]))).value for a, b in ((one, two), (two, one))
    ]
    assert soda.anchors.human == pytest.approx(np.mean(people))
    assert soda.anchors.null < soda.anchors.human
    assert soda.anchors.against == "one annotator at a time, on the videos that both told; means of 2 rounds"
    assert soda.summary()["anchors"]["normalised"] == soda.normalised


def test_the_system_is_normalised_against_the_references_that_people_are_scored_against(story, score):
    one = [story("v", (0, 5, "a man runs"), duration=10.0), story("w", (0, 9, "a dog jumps"), duration=10.0)]
    two = [story("v", (0, 5, "a man walks"), duration=10.0), story("w", (0, 8, "the dog jumps"), duration=10.0)]
    predicted = [story("v", (0, 5, "a man"), duration=10.0), story("w", (0, 9, "a dog"), duration=10.0)]
    soda = score(SODA, predicted, [one, two], anchors=True)
    alone = [score(SODA, predicted, [told]).value for told in (one, two)]
    assert soda.anchors.system == pytest.approx(np.mean(alone))
    # Against both annotators at once no story can be told completely.
    assert soda.value < soda.anchors.system
    null, human = soda.anchors.null, soda.anchors.human
    assert soda.normalised == pytest.approx((np.mean(alone) - null) / (human - null))


def test_a_system_that_repeats_one_annotator_is_halfway_between_people_and_perfect(story, score):
    """It scores 1 against the annotator that it repeats, and what people score against the other one."""
    one = [story("v", (0, 5, "a man runs"), duration=10.0), story("w", (0, 9, "a dog jumps"), duration=10.0)]
    two = [story("v", (0, 5, "a man walks"), duration=10.0), story("w", (0, 9, "the dog jumps"), duration=10.0)]
    anchors = score("soda(d)", one, [one, two], anchors=True).anchors
    assert anchors.system == pytest.approx(anchors.human) == pytest.approx(1)
    text = score("soda(c, paper, text=rouge_l(tok=none))", one, [one, two], anchors=True).anchors
    assert text.system == pytest.approx((1 + text.human) / 2)


def test_of_three_annotators_each_is_scored_against_the_two_others(story, score):
    told = [[story("v", (0, 5 + k, f"a man runs {word}"), duration=10.0)] for k, word in enumerate(("", "fast", "off"))]
    rest = [[told[1], told[2]], [told[0], told[2]], [told[0], told[1]]]
    predicted = [story("v", (0, 5, "a man"), duration=10.0)]
    anchors = score(SODA, predicted, told, anchors=True).anchors
    assert anchors.human == pytest.approx(np.mean([score(SODA, p, o).value for p, o in zip(told, rest, strict=True)]))
    assert anchors.system == pytest.approx(np.mean([score(SODA, predicted, others).value for others in rest]))
    assert anchors.against.startswith("all annotators but one at a time")


def test_people_chance_and_system_are_scored_on_the_same_videos(story, score):
    """The second annotator told one video only; the first one's other video is nobody's anchor."""
    one = [story("v", (0, 5, "a man runs"), duration=10.0), story("w", (0, 9, "a dog jumps"), duration=10.0)]
    two = [story("v", (0, 6, "a man runs"), duration=10.0)]
    predicted = [story("v", (0, 5, "a man"), duration=10.0), story("w", (5, 6, "nothing"), duration=10.0)]
    anchors = score(SODA, predicted, [one, two], anchors=True, missing="zero").anchors
    on_shared = [score(SODA, predicted[:1], [told]).value for told in (one[:1], two)]
    assert anchors.system == pytest.approx(np.mean(on_shared))


def test_chance_does_not_depend_on_the_order_of_the_file(story, score):
    told = [story(f"v{k}", (0, 5, f"a man {word}"), duration=10.0) for k, word in enumerate(("runs", "sits", "eats"))]
    forth, back = (score(SODA, told, [references], anchors=True).anchors for references in (told, told[::-1]))
    assert forth.null == back.null


def test_given_segments_have_no_anchors(story):
    one = [story("v", (0, 5, "a man runs"), duration=10.0)]
    two = [story("v", (0, 6, "a man walks"), duration=10.0)]
    metrics = ["segments(rouge_l)", SODA]
    result = kataribe.evaluate("stories", one, [one, two], metrics=metrics, anchors=True)
    assert result["segments(rouge_l)"].anchors is None
    assert result[SODA].anchors is not None
    assert "normalised" in result.table()
    with pytest.raises(UsageError, match="has no anchors"):
        kataribe.evaluate("stories", one, [one, two], metrics=metrics[:1], anchors=True)


def test_one_annotator_says_nothing_about_people(story):
    told = [story("v", (0, 5, "a man runs"), duration=10.0), story("w", (0, 9, "a dog jumps"), duration=10.0)]
    result = kataribe.evaluate("stories", told, [told], metrics=[SODA], anchors=True)
    assert result[SODA].anchors.human is None
    assert result[SODA].normalised is None
    assert any("no human anchor" in warning for warning in result.warnings)
    assert result[SODA].anchors.system == pytest.approx(result[SODA].value)
    assert "null, system and human: against all references; people cannot be scored" in result.table()


def test_a_result_survives_its_round_trip_with_alignments_anchors_and_videos_left_out(story):
    told = [story("v", (0, 5, "a man"), duration=9.0), story("w", (0, 5, "a dog"), duration=9.0)]
    result = kataribe.evaluate("stories", told[:1], [told], metrics=[SODA, "soda(d)"], details=True, anchors=True)
    again = Result.from_json(result.to_json())
    assert again.to_json() == result.to_json()
    assert again.scored(ScoredStory)["v"].predictions == [TimedCaption(segment=(0.0, 5.0), text="a man")]
    assert "null" in again.table()


def test_the_order_of_metrics_and_what_is_shared_between_them_moves_no_number(story):
    rng = np.random.default_rng(0)
    words = ["a", "man", "dog", "runs", "falls"]

    def said(start: int) -> tuple[int, int, str]:
        return start, start + int(rng.integers(1, 9)), " ".join(rng.choice(words, 4))

    def told(count: int) -> list:
        return [story(f"v{v}", *map(said, rng.integers(0, 9, count).tolist())) for v in range(20)]

    predicted, references = told(5), [told(3), told(4)]
    texts = ("meteor(other)", "bleu(tok=none)")
    metrics = [f"soda({v}{rules}, text={f})" for v in "abcd" for rules in ("", ", paper") for f in texts]
    together = kataribe.evaluate("stories", predicted, references, metrics=metrics)
    backwards = kataribe.evaluate("stories", predicted, references, metrics=metrics[::-1])
    for metric in metrics:
        (alone,) = kataribe.evaluate("stories", predicted, references, metrics=[metric])
        assert alone.value == together[metric].value == backwards[metric].value


@dataclass(frozen=True)
class SameWord(Metric):
    """What somebody else may add: a sentence metric that reads strings."""

    name: ClassVar[str] = "same_word"
    task: ClassVar[str] = "captions"
    title: ClassVar[str] = "The same first word"
    columns: ClassVar[tuple[str, ...]] = ("items", "same")

    def stats(self, items: Any, context: Any) -> Any:
        pairs = zip(items.candidates, items.references, strict=True)
        return np.array([[1, one.split()[0] == other.split()[0]] for one, (other,) in pairs], dtype=float)

    def measure(self, totals: Any) -> Measured:
        return Measured(totals[..., 1] / totals[..., 0], {})


def test_third_party_sentence_metrics_see_strings(story, score, monkeypatch):
    known = registry.load
    monkeypatch.setattr(registry, "load", lambda name: SameWord if name == "same_word" else known(name))
    told = story("v", (0, 5, "a man runs"), (5, 9, "rain falls"))
    other = story("v", (0, 5, "a dog"), (5, 9, "the rain"))
    assert score("soda(c, paper, text=same_word)", [other], [[told]]).value == pytest.approx(0.5)
