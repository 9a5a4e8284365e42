"""What is read from the free text of video language models, and what is not."""

from __future__ import annotations

import pytest

import kataribe
from kataribe.core.errors import InputError
from kataribe.grounding.free_text import read_moments


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("from 12 to 20 s", [(12, 20)]),
        ("The moment happens from 12.5 to 20.25 seconds.", [(12.5, 20.25)]),
        ("00:12 - 00:20", [(12, 20)]),
        ("0:01:12 to 0:01:20.5", [(72, 80.5)]),
        ("It is between 12s and 20s.", [(12, 20)]),
        ("between 12 and 20 seconds", [(12, 20)]),
        ("12s-20s", [(12, 20)]),
        ("12–20 sec", [(12, 20)]),
        ("12 - 20", [(12, 20)]),
        ("12.0, 20.0", [(12, 20)]),
        ("[12, 20]", [(12, 20)]),
        ("The answer is [12.0, 20.0].", [(12, 20)]),
        ("<12> <20>", [(12, 20)]),
        ('{"start": 12, "end": 20}', [(12, 20)]),
        ('```json\n[{"start_time": "00:12", "end_time": "00:20"}]\n```', [(12, 20)]),
        ('{"timestamps": [[12, 20], [30, 31]]}', [(12, 20), (30, 31)]),
        ("Start: 12, End: 20", [(12, 20)]),
        ("It starts at 12 seconds and ends at 20 seconds.", [(12, 20)]),
        ("start time = 00:12; end time = 00:20", [(12, 20)]),
        ("1 minute 5 seconds to 1 minute 10 seconds", [(65, 70)]),
        ("12秒到20秒", [(12, 20)]),
        ("第12秒至第20秒", [(12, 20)]),
        ("1分5秒到1分20秒", [(65, 80)]),
        ("at 0:05 - 0:10 and again from 30 to 40 seconds", [(5, 10), (30, 40)]),
        ("from 12 to 20", [(12, 20)]),
        ("from 12 to 20 s, I repeat: from 12 to 20 s", [(12, 20)]),
    ],
)
def test_moments_are_read(text: str, spans: list[tuple[float, float]]) -> None:
    assert [(moment.segment.start, moment.segment.end) for moment in read_moments(text)] == spans


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot see this in the video.",
        "2 to 3 people dance",
        "at 12 s",
        "from 20 to 12 s",
        "frames 12 to 20",
        "from 12% to 20%",
        "from 12 to 20 frames",
        '{"start": null, "end": 20}',
        "[NaN, 3]",
        "[[[[",
    ],
)
def test_what_names_no_moment_is_not_guessed(text: str) -> None:
    assert read_moments(text) == ()


REFERENCES = [
    {"id": str(n), "video": f"v{n}", "query": "A dog runs.", "duration": 60, "windows": [[10, 20]]} for n in range(4)
]


def test_what_cannot_be_read_is_counted_reported_and_in_the_signature() -> None:
    answers = {"0": "from 10 to 20 s", "1": "I do not know.", "2": "00:10 - 00:20", "3": ""}
    result = kataribe.evaluate("grounding", answers, REFERENCES, ["moment_recall(1)"])
    assert result["moment_recall(1)"].parts["@0.5"] == 0.5
    assert [str(warning) for warning in result.warnings if warning.id == "free-text"] == [
        "no moment could be read in 1 (25.0% of 4 answers in free text), scored 0: '1'"
    ]
    assert "|answers:3/4|" in result["moment_recall(1)"].signature
    assert result.coverage.empty == 1


def test_answers_in_which_nothing_can_be_read_are_refused() -> None:
    with pytest.raises(InputError, match="holds 2 answers, and none names a moment that can be read"):
        kataribe.evaluate("grounding", {"0": "Nothing happens.", "1": "Sorry."}, REFERENCES)


def test_a_model_may_answer_with_a_time_behind_the_end() -> None:
    result = kataribe.evaluate("grounding", {"0": "from 70 to 80 s"}, REFERENCES, ["moment_iou"])
    assert result["moment_iou"].value == 0
    assert "over-the-ends" in {warning.id for warning in result.warnings}
