"""Attacks do what they say, the audit is the same for the same seed, and real data shows what the papers found."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.audit import oracle, stories
from kataribe.audit import story_attacks as attacks
from kataribe.audit.result import relative_change
from kataribe.audit.stories import ATTACKS, DEFAULT_METRICS, StoryAuditOptions
from kataribe.cli.main import main
from kataribe.core.errors import KataribeError, UsageError
from kataribe.core.types import Caption, Segment, Story
from kataribe.formats.stories import read_stories
from kataribe.formats.storytable import StoryTable
from kataribe.stories.output import spell_submission

DURATION = 20.0


def audit(submission, references, metrics=DEFAULT_METRICS, **options):
    return stories.audit(submission, references, metrics, StoryAuditOptions(**options))


TOLD = {
    "v": {"duration": 20, "timestamps": [[0, 5], [5, 20]], "sentences": ["A man runs.", "He falls into the water."]},
    "w": {"duration": 10, "timestamps": [[0, 10]], "sentences": ["A dog sleeps on a bed."]},
}
TOLD_AGAIN = {"v": {"duration": 20, "timestamps": [[0, 20]], "sentences": ["A man runs and falls."]}}
SUBMITTED = {
    "results": {
        "v": [
            {"sentence": "A man runs fast.", "timestamp": [0, 6]},
            {"sentence": "Somebody falls into a lake.", "timestamp": [7, 20]},
        ],
        "w": [{"sentence": "A dog is asleep.", "timestamp": [1, 9]}],
        "gone": [{"sentence": "Nobody asked.", "timestamp": [1, 9]}],
    }
}


@st.composite
def tables(draw: st.DrawFn) -> StoryTable:
    times = st.floats(0, DURATION).map(lambda second: round(second, 2))
    caption = st.tuples(times, times, st.sampled_from("abcdefgh")).map(
        lambda drawn: Caption(Segment(min(drawn[:2]), max(drawn[:2])), drawn[2])
    )
    stories = draw(st.lists(st.lists(caption, max_size=6), min_size=2, max_size=5))
    return StoryTable.of(Story(f"v{row}", DURATION, tuple(told)) for row, told in enumerate(stories))


seeds = st.integers(0, 1000).map(np.random.default_rng)
patient = settings(deadline=None, max_examples=60)


def texts(story: Story) -> list[str]:
    return sorted(caption.text for caption in story.captions)


def segments(story: Story) -> list[Segment]:
    return sorted(caption.segment for caption in story.captions)


@patient
@given(tables(), st.lists(st.integers(0, 9), min_size=5, max_size=5), seeds)
def test_share_keeps_as_many_captions_as_asked_for(table, asked, rng):
    counts = np.array(asked[: len(table)])
    shared = attacks.share(table, counts, attacks.jittered_copies, rng)
    for before, after, count in zip(table, shared, asked, strict=False):
        assert len(after.captions) == (count if before.captions else 0)
        assert set(texts(after)) <= set(texts(before))
        kept = Counter(after.captions) & Counter(before.captions)
        assert kept.total() >= min(count, len(before.captions))


@patient
@given(tables(), seeds)
def test_strangers_are_captions_of_other_videos(table, rng):
    counts = np.full(len(table), 3)
    made = attacks.strangers(table, counts, rng)
    for row, story in enumerate(made):
        others = {c.text for place, other in enumerate(table) if place != row for c in other.captions}
        assert {caption.text for caption in story.captions} <= others
        assert len(story.captions) == (3 if others else 0)


@patient
@given(tables(), seeds)
def test_swap_keeps_times_and_texts_and_moves_two_neighbours(table, rng):
    for before, after in zip(attacks.in_time_order(table), attacks.swap(table, rng), strict=True):
        assert [c.segment for c in after.captions] == [c.segment for c in before.captions]
        assert texts(after) == texts(before)
        said, now = ([caption.text for caption in story.captions] for story in (before, after))
        swaps = [[*said[:at], said[at + 1], said[at], *said[at + 2 :]] for at in range(len(said) - 1)]
        assert now in swaps or len(said) < 2


@patient
@given(tables(), seeds)
def test_shuffle_keeps_times_and_texts(table, rng):
    for before, after in zip(table, attacks.shuffle(table, rng), strict=True):
        assert segments(after) == segments(before)
        assert texts(after) == texts(before)


@patient
@given(tables(), st.integers(2, 4), seeds)
def test_duplicates_keep_the_original_and_stay_in_the_video(table, times, rng):
    for before, after in zip(table, attacks.duplicates(table, times, rng), strict=True):
        assert after.captions[: len(before.captions)] == before.captions
        assert texts(after) == sorted(texts(before) * times)
        assert all(0 <= c.segment.start <= c.segment.end <= DURATION for c in after.captions)


@patient
@given(tables())
def test_whole_video_keeps_texts_and_covers_everything(table):
    for before, after in zip(table, attacks.whole_video(table), strict=True):
        assert [c.text for c in after.captions] == [c.text for c in before.captions]
        assert {c.segment for c in after.captions} <= {Segment(0.0, DURATION)}


@patient
@given(tables(), st.integers(1, 4), seeds)
def test_best_keeps_the_worthiest_in_their_order(table, n, rng):
    worth = rng.random(table.captions.total)
    kept = attacks.best(table, n, worth)
    for row, (before, after) in enumerate(zip(table, kept, strict=True)):
        own = worth[table.captions.offsets[row] : table.captions.offsets[row + 1]]
        worthiest = sorted(np.argsort(-own)[:n].tolist())
        assert after.captions == tuple(before.captions[place] for place in worthiest)


def test_one_caption_says_the_first_sentence_of_every_stretch():
    table = StoryTable.of([Story("v", 4.0, (Caption(Segment(1, 2), "first"), Caption(Segment(0, 1), "second")))])
    said = attacks.one_caption(table, 2)["v"].captions
    assert [caption.text for caption in said] == ["first"] * 3
    assert [caption.segment for caption in said] == [Segment(0, 2), Segment(0, 4), Segment(2, 4)]


def test_segments_that_are_no_numbers_are_jittered_into_nothing_worse():
    odd = (Caption(Segment(float("nan"), 2), "a"), Caption(Segment(0, float("inf")), "b"))
    table = StoryTable.of([Story("v", 4.0, odd)])
    copied = attacks.duplicates(table, 2, np.random.default_rng(0))
    assert copied.captions.total == 4
    assert np.isnan(copied.captions.segments.values[2]).any()


def test_oracle_takes_the_best_prediction_for_each_reference_once():
    told = StoryTable.of([Story("v", 9, (Caption(Segment(0, 4), "A dog runs."), Caption(Segment(0, 5), "A dog ran.")))])
    said = Caption(Segment(0, 4), "A dog runs."), Caption(Segment(0, 4), "A cat."), Caption(Segment(6, 9), "A dog.")
    table = StoryTable.of([Story("v", 9, said)])
    asked = oracle.ask(table, [told])
    assert asked.story(table)["v"].captions == said[:1]
    assert asked.worth[0] > asked.worth[1] > asked.worth[2] == 0


def test_every_attack_is_read_for_every_metric():
    found = audit(SUBMITTED, [TOLD, TOLD_AGAIN], draws=2)
    assert list(dict.fromkeys(outcome.attack for outcome in found.outcomes)) == list(ATTACKS)
    assert all(list(outcome.scores) == found.metrics for outcome in found.outcomes)
    assert {"precision", "recall"} == set(found.submitted.scores["soda(c)"].parts)
    assert found.captions == 3
    by_name = {(outcome.attack, outcome.setting): outcome for outcome in found.outcomes}
    assert by_name["share", "m = 2"].ratio == 2
    assert by_name["share", "m = 2"].made == pytest.approx(5 / 8)
    assert by_name["share", "all"].made == 0
    assert by_name["duplicates", "2 times"].made == 0.5
    assert any("copies" in note for note in found.notes)
    assert "best 5 was skipped: no video has more captions than that" in found.notes


def test_the_submission_itself_scores_as_it_always_does():
    import kataribe

    found = audit(SUBMITTED, [TOLD, TOLD_AGAIN], draws=1, attack=["order"])
    straight = kataribe.evaluate("stories", SUBMITTED, [TOLD, TOLD_AGAIN], metrics=list(DEFAULT_METRICS))
    for metric in straight:
        assert found.submitted.scores[metric.metric].value == pytest.approx(metric.value, abs=1e-12)


def test_the_same_seed_gives_the_same_audit_and_another_seed_another():
    first, again, other = (audit(SUBMITTED, [TOLD], draws=2, seed=seed).to_dict() for seed in (1, 1, 2))
    assert first == again
    assert first["readings"] != other["readings"]


def test_numbers_of_captions_can_be_counted_by_video():
    found = audit(SUBMITTED, [TOLD], ["soda(d)"], by="count", draws=1, attack=["share"])
    assert [outcome.setting for outcome in found.of("share")] == ["k = 3", "k = 7", "k = 15", "all"]
    assert found.of("share")[0].ratio == pytest.approx(6 / 3)


def test_what_makes_no_sense_is_skipped_with_a_reason():
    alone = {"w": SUBMITTED["results"]["w"]}
    found = audit(alone, [TOLD], ["soda(d)"], surplus="strangers", draws=1)
    assert {outcome.attack for outcome in found.outcomes} == set(ATTACKS) - {"order", "best n"}
    assert [outcome.setting for outcome in found.of("share")] == ["all"]
    assert sum("skipped" in note for note in found.notes) == 6


def test_videos_without_captions_are_counted_and_left_alone():
    found = audit({"v": SUBMITTED["results"]["v"], "w": []}, [TOLD | {"x": TOLD["w"]}], ["soda(d)"], draws=1)
    assert "1 of 3 videos have no prediction, before and after" in found.notes
    assert "1 of 3 videos are predicted to have no caption, before and after" in found.notes
    assert audit({"w": []}, [TOLD], ["soda(d)"], draws=1).submitted.scores["soda(d)"].value == 0


@pytest.mark.parametrize(
    "options",
    [
        {"draws": 0},
        {"videos": 0},
        {"by": "x"},
        {"surplus": "x"},
        {"attack": ["x"]},
        {"metrics": ["bleu"]},
        {"seed": -1},
    ],
)
def test_impossible_wishes_are_refused(options: dict[str, Any]):
    with pytest.raises(UsageError):
        audit(SUBMITTED, [TOLD], **options)


def many_videos() -> tuple[dict[str, Any], dict[str, Any]]:
    """Six videos, and a submission that lacks half of them, tells another, and was told the segments."""
    told = {
        f"v{k}": {"duration": 60, "timestamps": [[0, 20 + k], [21 + k, 60]], "sentences": ["A man runs.", "He falls."]}
        for k in range(6)
    }
    said = {
        video: [{"sentence": "Somebody walks.", "timestamp": segment} for segment in told[video]["timestamps"]]
        for video in ("v0", "v1", "v2")
    }
    return said | {"gone": said["v0"]}, told


def test_what_a_score_would_be_doubted_for_is_said_of_the_audit_too():
    said, told = many_videos()
    found = audit(said, [told], ["soda(d)"], attack=["whole video"])
    assert [warning.id for warning in found.warnings] == ["missing", "extra", "given-segments"]
    assert found.to_dict()["warnings"] == [warning.to_dict() for warning in found.warnings]
    # Videos that nobody asked for are nobody's fault.
    some = audit(said, [told], ["soda(d)"], attack=["whole video"], videos=5)
    assert "extra" not in [warning.id for warning in some.warnings]


def test_an_audit_says_that_times_are_milliseconds_and_durations_unusable():
    _, told = many_videos()
    said = {video: [{"sentence": "A man.", "timestamp": [1000, 50000]}] for video in told}
    found = audit(said, [told], ["soda(d)"], attack=["whole video"])
    assert "time-unit" in [warning.id for warning in found.warnings]
    sane = {video: [{"sentence": "A man.", "timestamp": [1, 50]}] for video in told}
    told["v0"]["duration"] = 0
    found = audit(sane, [told], ["soda(d)"], attack=["whole video"])
    assert [warning.id for warning in found.warnings] == ["unusable-durations"]


def test_files_that_do_not_belong_together_are_refused():
    with pytest.raises(KataribeError, match=r"no prediction .* \(predicted: 'other'; references: 'v', 'w'\)"):
        audit({"other": SUBMITTED["results"]["v"]}, [TOLD])


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for name, content in (("pred", SUBMITTED), ("one", TOLD), ("two", TOLD_AGAIN)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))

    def run(*options: str, predictions: str = "pred.json") -> tuple[int, str, str]:
        files = [str(tmp_path / predictions), "-r", str(tmp_path / "one.json"), "-r", str(tmp_path / "two.json")]
        with pytest.raises(SystemExit) as left:
            main(["audit", "stories", *files, *options])
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return run


def test_command_prints_a_table_with_a_verdict_for_each_metric(call):
    code, out, _ = call("--draws", "1", "-m", "soda(c)", "-m", "activitynet(2018)")
    assert code == 0
    assert "soda(c): highest at" in out
    assert "activitynet(2018): highest at" in out
    assert "whole video" in out


def test_command_prints_warnings_that_can_be_silenced(call):
    options = ("--draws", "1", "-m", "soda(d)", "--attack", "order")
    _, _, err = call(*options)
    assert "1 predicted videos have no reference and were not scored: 'gone' [extra]" in err
    assert "[extra]" not in call(*options, "--silence", "extra")[2]
    assert call(*options, "--quiet")[2] == ""


def test_command_writes_json_and_pictures(call, tmp_path):
    pytest.importorskip("matplotlib")
    target, pictures = tmp_path / "audit.json", tmp_path / "pictures"
    pictures.mkdir()
    code, out, _ = call("--draws", "1", "-o", str(target), "--plots", str(pictures), "--format", "json")
    written = json.loads(target.read_text())
    assert code == 0
    assert json.loads(out) == written
    assert written["audit"] == "stories"
    assert sorted(written["verdicts"]) == sorted(DEFAULT_METRICS)
    assert sorted(path.name for path in pictures.iterdir()) == [
        "attacks.png",
        "attacks.svg",
        "share.png",
        "share.svg",
    ]
    before = (pictures / "share.svg").read_bytes()
    call("--draws", "1", "--plots", str(pictures), "-q")
    assert (pictures / "share.svg").read_bytes() == before


def test_markdown_has_as_many_cells_in_every_row(call):
    _, out, _ = call("--draws", "1", "-m", "soda(c)", "--attack", "order", "--format", "markdown")
    rows = [line for line in out.splitlines() if line.startswith("|")]
    assert len({row.count("|") for row in rows}) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--format", "latex"], "no format"),
        (["--plots", "/nowhere/at/all"], "no such folder"),
        (["-o", "/nowhere/at/all.json"], "there is no folder"),
        (["-m", "soda(z)"], "soda"),
        (["--draws", "0"], "--draws 0"),
    ],
)
def test_bad_calls_are_one_line_and_exit_code_2(call, options, said):
    code, out, err = call(*options)
    assert code == 2
    assert out == ""
    assert len(err.splitlines()) == 1
    assert said in err


def test_bad_file_is_one_line_and_exit_code_2(call, tmp_path):
    (tmp_path / "broken.json").write_text('{"version": "1"}')
    code, _, err = call(predictions="broken.json")
    assert code == 2
    assert "submission without `results`" in err


@pytest.mark.data
def test_real_captions_show_what_the_papers_found(data_folder):
    """As an unselective captioner would: many captions for each video, real sentences on random segments."""
    rng = random.Random(0)
    told = [json.loads((data_folder / "activitynet-captions" / f"val_{n}.json").read_text()) for n in (1, 2)]
    sentences = [text for story in told[0].values() for text in story["sentences"]]
    videos = [video for video in told[0] if video in told[1]][:300]
    crowd = {
        video: [
            {
                "sentence": rng.choice(sentences),
                "timestamp": sorted(rng.uniform(0, told[0][video]["duration"]) for _ in range(2)),
            }
            for _ in range(80)
        ]
        for video in videos
    }
    references = [{video: story[video] for video in videos} for story in told]
    metrics = ["soda(c)", "activitynet(2018)"]
    found = audit({"results": crowd}, references, metrics, draws=1, attack=["share", "order"])

    shares = {outcome.setting: outcome.scores for outcome in found.of("share")}
    soda = {setting: scores["soda(c)"] for setting, scores in shares.items()}
    meteor = {setting: scores["activitynet(2018)"].value for setting, scores in shares.items()}
    assert max(soda, key=lambda setting: soda[setting].value) == "m = 1"
    assert soda["all"].value < 0.6 * soda["m = 1"].value
    assert soda["m = 0.1"].value < 0.6 * soda["m = 1"].value
    enough = [meteor[setting] for setting in ("m = 1", "m = 2", "m = 10", "all")]
    assert min(enough) > 0.9 * max(enough)
    precision, recall = ([score.parts[name] for score in soda.values()] for name in ("precision", "recall"))
    assert precision == sorted(precision, reverse=True)
    assert recall == sorted(recall)

    correct, swapped, shuffled = found.of("order")
    for attacked in (swapped, shuffled):
        lost = {metric: relative_change(correct, attacked, metric) for metric in metrics}
        assert lost["soda(c)"] < lost["activitynet(2018)"] < 0
    assert shuffled.scores["soda(c)"].value < swapped.scores["soda(c)"].value


def test_what_the_attacks_made_is_written_as_submissions(tmp_path, capsys):
    """The stimuli of the SODA paper's human studies: oracle captions in the right, swapped and shuffled order."""
    files = {"pred.json": SUBMITTED, "one.json": TOLD, "two.json": TOLD_AGAIN}
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    folder = tmp_path / "stimuli"
    call = ["audit", "stories", *(str(tmp_path / name) for name in ("pred.json",)), "--attack", "order", "--quiet"]
    call += ["-r", str(tmp_path / "one.json"), "-r", str(tmp_path / "two.json"), "-m", "soda(d)"]
    with pytest.raises(SystemExit, match="2"):
        main([*call, "--write", str(tmp_path / "pred.json")])
    assert "pred.json: is a file" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main([*call, "--write", str(tmp_path / "no" / "where")])
    assert "cannot be created" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="0"):
        main([*call, "--write", str(folder)])
    names = ["order-correct.json", "order-shuffle.json", "order-swap.json", "share-all.json"]
    assert sorted(path.name for path in folder.iterdir()) == names
    correct, _, swap, submitted = (read_stories(folder / name) for name in names)
    assert texts(correct["v"]) == texts(swap["v"])
    assert [c.text for c in correct["v"].captions] == [c.text for c in swap["v"].captions][::-1]
    assert segments(submitted["w"]) == [Segment(1.0, 9.0)]
    # A study of pairs reads them as two systems.
    assert correct.form == "submission"


def test_submissions_with_anything_in_them_are_read_again(tmp_path):
    captions = Caption(Segment(0, float("nan")), 'a "piñata"\n</s>'), Caption(Segment(3, 1), "")
    table = StoryTable.of([Story("v/1 \u2028", 9.0, captions), Story("w", None, ())])
    path = tmp_path / "again.json"
    path.write_text(spell_submission(table), encoding="utf-8")
    again = read_stories(path)
    assert again.videos == table.videos
    assert [c.text for c in again["v/1 \u2028"].captions] == [c.text for c in captions]
    assert str(again["v/1 \u2028"].captions[0].segment.end) == "nan"
