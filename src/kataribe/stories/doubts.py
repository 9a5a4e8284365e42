"""What looks like a mistake in the files, said beside the scores: each kind of doubt has an id of its own.

Only what is plain to see is said. A median over videos decides about units, so that one odd video raises no alarm, and
few captions prove nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from kataribe.core.caution import Caution
from kataribe.core.errors import some
from kataribe.core.metric import Metric
from kataribe.core.types import Array, Bools, Floats
from kataribe.formats.storytable import CaptionTable, StoryTable
from kataribe.stories.activitynet import ActivityNet
from kataribe.stories.captioned import CaptionedStories
from kataribe.stories.items import Stories
from kataribe.stories.segments import Segments
from kataribe.stories.soda import Soda
from kataribe.text.oddities import odd_texts, unspaced_texts
from kataribe.text.scripts import is_mostly_unspaced

# Fewer videos or captions than these may look like anything by accident.
_ENOUGH_VIDEOS = 3
_ENOUGH_CAPTIONS = 5
# Seconds taken for frames are 10 to 60 times too long, taken for milliseconds up to 1,000 times.
_TOO_LONG = 5.0
_MILLISECONDS = 200.0
# Real durations reach a few times the last caption's end; twenty times is a matter of units.
_DURATION_TOO_LONG = 20.0
# Predictions may stop early, but hardly in the first twentieth of most videos.
_TOO_SHORT = 20.0
# Fractions of a duration that is rounded may be a little more than 1.
_LARGEST_FRACTION = 1.1
# Segments are the same when they agree to a hundredth of a second. Where a submission has whole seconds or tenths only,
# they may agree to these; in videos of a few seconds people's segments do so by chance, a quarter of them (ActivityNet
# Captions), so that nearly all must.
_HUNDREDTHS = 100
_PARTS_OF_A_SECOND = (1, 10, _HUNDREDTHS)
_MORE_THAN_HALF = 0.5
_NEARLY_ALL = 0.9
_MOST = 0.95
_MANY_NOT_ASCII = 0.1
_KANA = re.compile("[\u3040-\u30ff]")
_HAN = re.compile("[\u3400-\u9fff]")


def doubts(
    predicted: StoryTable, references: Sequence[StoryTable], items: Stories, metrics: Mapping[str, Metric]
) -> list[Caution]:
    """Everything that a reader of the scores should know about these files."""
    return [
        *swapped(predicted, references),
        *odd_durations(predicted, "the predictions"),
        *(doubt for table in references for doubt in odd_durations(table, "the references")),
        *odd_times(predicted, references),
        *copies(items, [table.source for table in references], metrics),
        *_odd_captions(predicted, references),
        *_foreign_texts([predicted, *references], metrics),
    ]


def swapped(predicted: StoryTable, references: Sequence[StoryTable]) -> Iterator[Caution]:
    """Predictions in the form of references, and references in the form of a submission."""
    if predicted.form == "references" and any(table.form == "submission" for table in references):
        text = 'the predictions have the form of references, and the references that of a submission ("results")'
        yield Caution("swapped-files", f"{text}: were the files swapped?")


def odd_durations(table: StoryTable, role: str) -> Iterator[Caution]:
    """Durations in another unit than the times of the same file."""
    ratio = _duration_ratio(table)
    name = table.source or role
    if ratio > _DURATION_TOO_LONG and _are_fractions(table):
        text = f"all times in {name} are between 0 and 1, and durations much longer"
        yield Caution("fractions-as-times", f"{text}: are times fractions of the duration? They should be seconds")
    elif ratio > _DURATION_TOO_LONG:
        text = f"durations in {name} are about {ratio:,.0f} times as long as its captions reach"
        yield Caution("duration-unit", f"{text}: are they {_unit(ratio)}, not seconds?")
    elif ratio < 1 / _TOO_LONG:
        text = f"captions in {name} reach about {1 / ratio:,.0f} times as far as its durations"
        yield Caution("duration-unit", f"{text}: are both in seconds?")


def odd_times(predicted: StoryTable, references: Sequence[StoryTable]) -> Iterator[Caution]:
    """Predicted times of another unit than those of the references, or fractions of the duration."""
    lengths, ends = _lengths(references), _last_ends(predicted)
    shared = [video for video in ends if video in lengths]
    if len(shared) < _ENOUGH_VIDEOS:
        return
    ratio = float(np.median([ends[video] / lengths[video] for video in shared]))
    if ratio > _TOO_LONG:
        text = f"predicted times reach about {ratio:,.0f} times as far as the videos"
        advice = "are the references' fractions" if all(map(_are_fractions, references)) else f"are they {_unit(ratio)}"
        yield Caution("time-unit", f"{text}: {advice}, not seconds? Both should be seconds")
    elif ratio < 1 / _TOO_SHORT and _are_fractions(predicted):
        text = "all predicted times are between 0 and 1, and the videos much longer"
        yield Caution("fractions-as-times", f"{text}: are they fractions of the duration? They should be seconds")
    elif ratio < 1 / _TOO_SHORT:
        text = f"reference times reach about {1 / ratio:,.0f} times as far as predicted ones"
        yield Caution("time-unit", f"{text}: is either in minutes, frames or milliseconds? Both should be seconds")


def copies(items: Stories, sources: Sequence[str], metrics: Mapping[str, Metric]) -> Iterator[Caution]:
    """Predictions that are references, or whose segments are."""
    predictions, references = items.predictions, items.references
    count = predictions.total
    if count < _ENOUGH_CAPTIONS:
        return
    precision = _precision(_finite(predictions))
    copied = _same(predictions, references, precision, with_text=True)
    if copied.sum() >= _MOST * count:
        text = (
            f"{int(copied.sum()):,} of {count:,} predicted captions are references, word for word and in the same place"
        )
        yield Caution("references-as-predictions", f"{text}: were references given as predictions?")
        return
    if all(isinstance(metric, Segments) for metric in metrics.values()):
        return  # it is what this score is for
    for parts, share in ((_HUNDREDTHS, _MORE_THAN_HALF), (precision, _NEARLY_ALL)):
        by_annotator = (items.annotator.values == number for number in range(items.annotators))
        same = [_same(predictions, references, parts, chosen) for chosen in by_annotator]
        anybody = int(np.any(same, axis=0).sum())
        if anybody <= share * count:
            continue
        giver = sources[int(np.argmax([matches.sum() for matches in same]))] or "an annotator"
        text = f"{anybody:,} of {count:,} predicted segments are the references' own, most of them those of {giver}"
        reason = "such a captioner was told where to look, and is not to be compared with those that find events"
        yield Caution("given-segments", f"{text}: {reason}")
        return


def _odd_captions(predicted: StoryTable, references: Sequence[StoryTable]) -> Iterator[Caution]:
    yield from odd_texts(_captions(predicted), "predictions")
    yield from odd_texts((caption for table in references for caption in _captions(table)), "references")
    empty = [video for video, text in _captions(predicted) if not text.strip()]
    if empty:
        yield Caution("empty-captions", f"{len(empty):,} predicted captions have no text: {some(dict.fromkeys(empty))}")


def _foreign_texts(tables: Sequence[StoryTable], metrics: Mapping[str, Metric]) -> list[Caution]:
    """Texts that a metric made for English reads as next to nothing."""
    texts = list(dict.fromkeys(text for table in tables for text in table.texts))
    not_ascii = [text for text in texts if not text.isascii()]
    if len(not_ascii) <= _MANY_NOT_ASCII * len(texts):
        return []
    english = {name: metric for name, metric in metrics.items() if _reads_english(metric)}
    if english and is_mostly_unspaced(texts):
        return unspaced_texts(texts, _instead(english, _language(not_ascii)))
    blanking = [name for name, metric in metrics.items() if _blanks(metric)]
    if not blanking:
        return []
    text = f"{len(not_ascii):,} of {len(texts):,} texts have characters outside ASCII"
    advice = f"which count as blanks in {', '.join(blanking)}: use the protocol paper, or soda(c, chars=all)"
    return [Caution("not-ascii", f"{text}, {advice}")]


def _reads_english(metric: Metric) -> bool:
    if isinstance(metric, Soda):
        return metric.reads_english
    return isinstance(metric, ActivityNet) or (isinstance(metric, CaptionedStories) and metric.reads_english)


def _blanks(metric: Metric) -> bool:
    return isinstance(metric, ActivityNet | Soda) and metric.blanks_foreign_characters


def _language(texts: Sequence[str]) -> str:
    """The tokenizer for texts that are not written with spaces."""
    if any(map(_KANA.search, texts)):
        return "ja"
    return "zh" if any(map(_HAN.search, texts)) else "char"


def _instead(english: Mapping[str, Metric], tok: str) -> str:
    """What to ask for instead of metrics that read English."""
    meteor = f"meteor({tok})" if tok in ("ja", "zh") else f"meteor(tok={tok})"
    advice = []
    for name, metric in english.items():
        if isinstance(metric, Soda):
            advice.append(f"soda({metric.variant}, text={meteor}) for {name}")
        elif isinstance(metric, CaptionedStories):
            sentence = metric.sentence.name
            advice.append(f"{metric.name}({meteor if sentence == 'meteor' else f'{sentence}(tok={tok})'}) for {name}")
    useless = [name for name, metric in english.items() if isinstance(metric, ActivityNet)]
    advice = advice or [f"soda(c, text={meteor})"]
    return ", ".join(advice) + (f"; {', '.join(useless)} can read English only" if useless else "")


def _duration_ratio(table: StoryTable) -> float:
    """The median of duration / last end over the videos of a file; 1 where that says nothing."""
    ends = _last_ends(table)
    durations = zip(table.videos, table.durations.tolist(), strict=True)
    ratios = [duration / ends[video] for video, duration in durations if video in ends and duration > 0]
    return float(np.median(ratios)) if len(ratios) >= _ENOUGH_VIDEOS else 1.0


def _unit(ratio: float) -> str:
    return "milliseconds" if ratio >= _MILLISECONDS else "frames"


def _lengths(references: Sequence[StoryTable]) -> dict[str, float]:
    """How long each video is: its duration where that is believable, else the last moment that a caption is about."""
    lengths: dict[str, float] = {}
    for table in references:
        for video, end in _last_ends(table).items():
            lengths[video] = max(end, lengths.get(video, 0.0))
    for table in references:
        if 1 / _TOO_LONG <= _duration_ratio(table) <= _DURATION_TOO_LONG:
            for video, duration in zip(table.videos, table.durations.tolist(), strict=True):
                if duration > 0 and video in lengths:
                    lengths[video] = max(duration, lengths[video])
    return lengths


def _last_ends(table: StoryTable) -> dict[str, float]:
    """The last moment that a video's captions reach, where there is one."""
    rows = np.flatnonzero(table.captions.counts)
    segments = table.captions.segments[rows]
    ends = segments.values[:, 1]
    last = segments.with_values(np.where(np.isfinite(ends), ends, 0.0)).max().tolist()
    return {table.videos[row]: end for row, end in zip(rows.tolist(), last, strict=True) if end > 0}


def _are_fractions(table: StoryTable) -> bool:
    times = table.captions.segments.values
    times = times[np.isfinite(times)]
    return len(times) > 0 and bool(((times >= 0) & (times <= _LARGEST_FRACTION)).all())


def _captions(table: StoryTable) -> Iterator[tuple[str, str]]:
    """(video, text) of every caption."""
    for video, indices in zip(table.videos, table.captions.texts, strict=True):
        for index in indices.tolist():
            yield video, table.texts[index]


def _same(
    predictions: CaptionTable,
    references: CaptionTable,
    parts: int,
    among: Bools | slice = slice(None),
    *,
    with_text: bool = False,
) -> Bools:
    """Which predicted segments are segments of some references, to so many parts of a second.

    Times are rounded or cut off, and either will do.
    """

    def keys(captions: CaptionTable, times: Floats) -> Array:
        return _keys(captions.video_of, times, *([captions.texts.values] if with_text else []))

    ways = (cut(_finite(references) * parts) for cut in (np.rint, np.floor))
    known = np.concatenate([keys(references, times)[among] for times in ways])
    return np.isin(keys(predictions, np.rint(_finite(predictions) * parts)), known)


def _precision(times: Floats) -> int:
    """Into how many parts the times of a submission cut a second.

    >>> _precision(np.array([1.0, 12.0])), _precision(np.array([1.0, 12.3])), _precision(np.array([1.0, 12.345]))
    (1, 10, 100)
    """
    fitting = (n for n in _PARTS_OF_A_SECOND if np.allclose(times * n, np.rint(times * n), 0, 1e-6))
    return next(fitting, _HUNDREDTHS)


def _finite(captions: CaptionTable) -> Floats:
    return np.nan_to_num(captions.segments.values, nan=-1.0, posinf=-1.0, neginf=-1.0)


def _keys(*columns: Array) -> Array:
    """Rows of numbers as values to look up."""
    table = np.column_stack(columns).astype(np.float64)
    return np.ascontiguousarray(table).view(f"V{8 * table.shape[1]}").ravel()
