"""Predicted and reference stories -> items by video, with what does not fit counted and said."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, some
from kataribe.core.join import Wording, describe_unmatched, match_ids
from kataribe.core.ragged import Ragged
from kataribe.core.types import Bools, Coverage
from kataribe.formats.storytable import CaptionTable, StoryTable
from kataribe.stories.items import Fillers, Missing, Stories
from kataribe.text.pool import TextPool
from kataribe.text.sentences import numbering

SegmentPolicy = Literal["zero", "error"]

_WORDS = Wording(
    items="videos",
    missing={"zero": "scored 0", "drop": "left out", None: "scored as each signature says"},
    hint="<missing zero> scores them 0, <missing drop> leaves them out",
    # As everywhere in this room, one video is "1 videos".
    extra=("predicted videos have no reference and were not scored",) * 2,
    empty=("videos are predicted to have no caption at all, scored 0",) * 2,
)

# What the 2018 ActivityNet scorer puts beside a prediction without partner.
CONSTANT_FILLER = "abc123!@#"
# The PTB tokenizer looks at the next caption before it decides about some endings, never about these...
_SETTLED = re.compile(
    r"(?:.*\s)?(?!(?:art|ca|figs?|nos?|op|pp|prop)\.)[a-z0-9]{2,}[.!?]?\s*|\s*", re.IGNORECASE | re.DOTALL
)
# ... and these are the kinds of next caption that make a difference to it, as opposed to any other.
_FOLLOWING: tuple[tuple[str, ...], ...] = (("The dog",), ("5 dogs",), ())
# Files round the duration and the last segment's end apart.
_LATE_SECONDS = 0.001
_OUTSIDE = "outside the video"
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def refuse_repeated_references(references: Sequence[StoryTable]) -> None:
    """Two people never write the same captions of several videos: that is one annotator's file, given twice."""
    for number, table in enumerate(references):
        for earlier in references[:number]:
            shared = table.shared_videos(earlier)
            if shared and table.has_captions_of(earlier, shared):
                raise InputError(
                    f"tells the same stories as {earlier.source or 'the references before it'}",
                    file=table.source or None,
                    hint="give each annotator's file once",
                )


def join(
    predictions: StoryTable, references: Sequence[StoryTable], missing: Missing | None, seed: int
) -> tuple[Stories, Coverage, list[Caution]]:
    """Items in the order of the references: the first file's videos, then what further files add."""
    captioned = {video for table in references for video in table.captioned_videos()}
    ids = [video for video in dict.fromkeys(v for table in references for v in table.videos) if video in captioned]
    silent = [video for table in references for video in table.videos if video not in captioned]
    if not ids:
        raise InputError("no video has a reference caption", file=references[0].source or None)
    unmatched = match_ids(predictions.videos, ids, missing, _WORDS.hint)
    items = _items(ids, predictions, references, missing, seed)
    empty = [ids[row] for row in np.flatnonzero(items.predicted & (items.predictions.counts == 0)).tolist()]
    warnings = []
    if silent:
        text = f"{len(silent):,} reference videos have no caption and were not scored: {some(silent)}"
        warnings.append(Caution("silent-references", text))
    warnings += describe_unmatched(unmatched, empty, len(ids), missing, _WORDS)
    coverage = Coverage(
        references=len(ids),
        predicted=len(predictions),
        scored=len(ids),
        missing=len(unmatched.absent),
        extra=len(unmatched.extra),
        empty=len(empty),
    )
    return items, coverage, warnings


def _items(
    ids: Sequence[str],
    predictions: StoryTable,
    references: Sequence[StoryTable],
    missing: Missing | None,
    seed: int,
) -> Stories:
    """The videos in that order; each distinct text of all files is numbered once."""
    index_of = numbering()
    rows = {video: row for row, video in enumerate(ids)}
    predicted_captions, _ = _collect([predictions], rows, index_of)
    reference_captions, annotator = _collect(references, rows, index_of)
    random = np.array([index_of[text] for text in random_fillers(len(ids), seed)], dtype=np.int64)
    fillers = Fillers(index_of[CONSTANT_FILLER], random, seed)
    plain_versions = {index_of[text]: index_of[plain_text(text)] for text in list(index_of) if not text.isascii()}
    texts = list(index_of)
    plain = np.arange(len(texts))
    plain[list(plain_versions)] = list(plain_versions.values())
    unsettled = (index for index, text in enumerate(texts) if not _SETTLED.fullmatch(text) and text.isascii())
    predicted_videos = set(predictions.videos)
    return Stories(
        ids=ids,
        predicted=np.array([video in predicted_videos for video in ids]),
        predictions=predicted_captions,
        references=reference_captions,
        annotator=annotator,
        annotators=len(references),
        pool=TextPool(texts, [(index, following) for index in unsettled for following in _FOLLOWING]),
        plain=plain,
        fillers=fillers,
        missing=missing,
    )


def _collect(
    tables: Sequence[StoryTable], rows: dict[str, int], index_of: defaultdict[str, int]
) -> tuple[CaptionTable, Ragged]:
    """The captions of all tables by row, then table, then order in the table, and which table each is from."""
    video_of, segments, texts = [], [], []
    for table in tables:
        new_index = np.fromiter(map(index_of.__getitem__, table.texts), dtype=np.int64)
        row_of = np.array([rows.get(name, -1) for name in table.videos], dtype=np.int64)
        video_of.append(table.captions.texts.spread(row_of))
        segments.append(table.captions.segments.values)
        texts.append(new_index[table.captions.texts.values])
    all_videos = np.concatenate(video_of)
    known = all_videos >= 0
    all_videos = all_videos[known]
    captions = CaptionTable.grouped(
        np.concatenate(segments)[known], np.concatenate(texts)[known], all_videos, len(rows)
    )
    table_of = np.repeat(np.arange(len(tables)), [table.captions.total for table in tables])[known]
    return captions, captions.texts.with_values(table_of[np.argsort(all_videos, kind="stable")])


def plain_text(text: str) -> str:
    """As the ActivityNet scorers read it: characters outside ASCII become spaces.

    >>> plain_text("a café")
    'a caf '
    """
    return text if text.isascii() else _NOT_ASCII.sub(" ", text)


def random_fillers(videos: int, seed: int) -> list[str]:
    """For each video the text that the 2021 ActivityNet scorer puts beside a prediction without partner.

    The scorer draws a new one for every prediction and threshold. One for each video serves as well: no caption
    contains such a word, so which one it is moves no number.

    >>> random_fillers(1, seed=0)
    ['xbqdvnztbsxuhrgmcyg']
    """
    rng = np.random.default_rng(seed)
    ends = np.cumsum(rng.integers(10, 21, videos)).tolist()
    letters = bytes(rng.integers(ord("a"), ord("z") + 1, ends[-1], dtype=np.uint8)).decode()
    return [letters[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def usable_durations(table: StoryTable, role: str) -> tuple[StoryTable, list[Caution]]:
    """The table with durations that a video can have; any other is taken as unknown, and said."""
    unusable = (table.durations <= 0) | np.isinf(table.durations)
    videos = [table.videos[row] for row in np.flatnonzero(unusable).tolist()]
    if not videos:
        return table, []
    text = f"{len(videos):,} {role} durations are not above 0 or infinite, taken as unknown: {some(videos)}"
    known = replace(table, durations=np.where(unusable, np.nan, table.durations))
    return known, [Caution("unusable-durations", text)]


def with_durations_of(references: Sequence[StoryTable], table: StoryTable) -> StoryTable:
    """The table with durations as the references have them, the longest where they differ, its own for other videos.

    Submissions seldom tell durations, and a wrong time may come with a wrong duration.
    """
    known: dict[str, float] = {}
    for reference in references:
        for video, duration in zip(reference.videos, reference.durations.tolist(), strict=True):
            if not np.isnan(duration):
                known[video] = max(duration, known.get(video, 0.0))
    durations = [known.get(video, own) for video, own in zip(table.videos, table.durations.tolist(), strict=True)]
    return replace(table, durations=np.array(durations, dtype=np.float64))


def odd_segments(table: StoryTable, role: str, policy: SegmentPolicy) -> list[Caution]:
    """Segments that overlap nothing or are not in the video: one warning for each kind, or refused.

    A segment outside the video is scored as it stands; unless a reference is there too, that is 0. One that only ends
    after its video does is reported but never refused: rounding does that.
    """
    start, end = table.captions.segments.values.T
    duration = table.captions.segments.spread(table.durations)
    real = np.isfinite(start) & np.isfinite(end)
    unusable: dict[str, Bools] = {
        "no numbers": ~real,
        "reversed": real & (end < start),
        "empty": real & (end == start),
        _OUTSIDE: real & (end > start) & ((start >= duration) | (end <= 0)),
    }
    video_of = table.captions.video_of
    warnings = []
    for kind, which in unusable.items():
        videos = [table.videos[row] for row in np.unique(video_of[which])]
        if not videos:
            continue
        found = f"{int(which.sum()):,} {role} segments are {kind}, in {some(videos)}"
        if policy == "error":
            raise InputError(
                found,
                file=table.source or None,
                hint="mend them, or <segments zero> scores them 0",
                options=["segments"],
            )
        result = "they are scored as they stand" if kind == _OUTSIDE else "they overlap nothing and score 0"
        warnings.append(Caution("unusable-segments", f"{found}; {result}"))
    late = real & (end > duration + _LATE_SECONDS) & (start < duration)
    if late.any():
        videos = [table.videos[row] for row in np.unique(video_of[late])]
        text = f"{int(late.sum()):,} {role} segments end after their video, in {some(videos)}"
        warnings.append(Caution("late-segments", text))
    return warnings
