"""Can a story metric be gamed? Every metric is computed before and after each attack on a submission.

    share       random captions, so that there are m for each reference caption of the video (at least one)
    order       for each reference the best prediction; then two neighbours swapped; then all shuffled
    duplicates  each caption several times, with jittered segments
    one caption the first caption of the video, on many segments
    whole video every caption, from the beginning to the end
    best n      nothing but the best captions, chosen by somebody who knows the references

A metric that tells stories apart should score lower after every attack except the last. After

Fujita, S., Hirao, T., Kamigaito, H., Okumura, M., Nagata, M. (2020). SODA: story oriented dense video captioning
evaluation framework. ECCV: its experiments on the number and the order of captions.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from kataribe.audit import story_attacks as attacks
from kataribe.audit.choice import chosen_attacks
from kataribe.audit.result import ALL, CORRECT, StoryAttack, StoryAudit
from kataribe.audit.subject import Subject
from kataribe.core import registry
from kataribe.core.caution import distinct
from kataribe.core.options import Options, Protocol, RunOptions, option, same_as
from kataribe.core.progress import report
from kataribe.core.result import Result
from kataribe.core.task import evaluate
from kataribe.core.types import Score
from kataribe.engines.local import LocalEngine
from kataribe.formats.stories import Source, read_stories
from kataribe.formats.storytable import StoryTable
from kataribe.stories.join import usable_durations
from kataribe.stories.task import TASK, StoryOptions

DEFAULT_METRICS = ("soda(c)", "soda(a)", "soda(b)", "activitynet(2018)", "localisation")
RATIOS = (0.1, 0.5, 1.0, 2.0, 10.0)
COUNTS = (3, 7, 15)
ATTACKS = ("share", "order", "duplicates", "one caption", "whole video", "best n")

SURPLUS: Mapping[str, attacks.Surplus] = {"jitter": attacks.jittered_copies, "strangers": attacks.strangers}
_SURPLUS_TEXT = {
    "jitter": "copies of the video's own captions with jittered segments",
    "strangers": "captions of other videos at the same relative place",
}
_DUPLICATES = (2, 5)
_CUTS = 5
_BEST = (1, 2, 3, 5)

Attack = Callable[[np.random.Generator], StoryTable]


@dataclass(frozen=True)
class StoryAuditOptions(Options):
    """`attack` names the attacks to run beside the submission itself; without it, all are run."""

    protocol: Protocol = same_as(StoryOptions, "protocol")
    by: Literal["ratio", "count"] = option(
        "ratio", "Numbers of captions by ratio (to the references) or by count (in each video)."
    )
    surplus: Literal["jitter", "strangers"] = option(
        "jitter", "Where captions are too few: jitter (copies) or strangers (of other videos)."
    )
    attack: tuple[str, ...] | None = option(None, "Only this attack, by its name in the table; repeatable.", many=True)
    draws: int = option(5, "Draws of everything random; scores are their mean.", minimum=1, hint="5 is usual")
    videos: int | None = option(
        None, "Only so many random videos, for a quick look.", minimum=1, hint="leave it out for all videos"
    )
    seed: int = same_as(RunOptions, "seed")


def audit(
    submission: Source,
    references: Sequence[Source],
    metrics: Sequence[str] = DEFAULT_METRICS,
    options: StoryAuditOptions | None = None,
    *,
    keep: Callable[[str, StoryTable], None] | None = None,
) -> StoryAudit:
    """Attack a submission and compute every metric each time.

    `keep` is given what each attack made of the submission, the first draw, under a name that can be a file's.
    """
    options = options or StoryAuditOptions()
    attacks_to_run = chosen_attacks(options.attack, ATTACKS)
    registry.parse_all(metrics, "stories", protocol=options.protocol)  # a wrong name is refused before the work starts
    predicted, warnings = usable_durations(read_stories(submission), "predicted")
    read = []
    for source in references:
        table, doubts = usable_durations(read_stories(source), "reference")
        read.append(table)
        warnings += doubts
    subject = Subject.prepare(predicted, read, options.videos, options.seed)
    warnings += subject.warnings
    plan = list(_plan(subject, attacks_to_run, options.by, SURPLUS[options.surplus]))
    notes = [*subject.notes, *(step.reason for step in plan if isinstance(step, _Skipped))]
    settings = [step for step in plan if isinstance(step, _Setting)]
    outcomes: list[StoryAttack] = []
    scored: Result | None = None
    for done, setting in enumerate(settings):
        report("audit", done, len(settings))
        outcome, scored = _score(subject, setting, metrics, options, keep or _forget)
        outcomes.append(outcome)
        if setting.name == ALL:
            warnings += scored.warnings
    if any(outcome.made for outcome in outcomes if outcome.attack == "share"):
        notes.append(f"where the submission has too few captions, the rest are {_SURPLUS_TEXT[options.surplus]}")
    return StoryAudit(
        videos=subject.videos,
        captions=subject.table.captions.total,
        draws=options.draws,
        seed=options.seed,
        surplus=options.surplus,
        signatures={metric.metric: metric.signature for metric in scored or ()},
        units={metric.metric: metric.unit for metric in scored or ()},
        outcomes=outcomes,
        notes=notes,
        warnings=distinct(warnings),
    )


@dataclass(frozen=True)
class _Setting:
    attack: str
    name: str
    run: Attack
    is_random: bool = True

    @property
    def file_name(self) -> str:
        return "-".join(re.findall(r"[a-z0-9.]+", f"{self.attack} {self.name}"))


@dataclass(frozen=True)
class _Skipped:
    reason: str


def _fixed(attack: str, name: str, run: Callable[..., StoryTable], *arguments: Any) -> _Setting:
    """An attack that leaves nothing to chance."""
    return _Setting(attack, name, lambda _: run(*arguments), is_random=False)


def _plan(subject: Subject, only: Sequence[str], by: str, surplus: attacks.Surplus) -> Iterator[_Setting | _Skipped]:
    """Every attack that was asked for and makes sense on this submission; where one does not, why."""
    table = subject.table
    if "share" in only:
        yield from _shares(subject, by, surplus)
    yield _Setting("share", ALL, lambda _: table, is_random=False)
    if "order" in only:
        yield from _orders(subject)
    for times in _DUPLICATES if "duplicates" in only else ():
        yield _Setting("duplicates", f"{times} times", partial(attacks.duplicates, table, times))
    if "one caption" in only:
        yield _fixed("one caption", f"{_CUTS * (_CUTS + 1) // 2} segments", attacks.one_caption, table, _CUTS)
    if "whole video" in only:
        yield _fixed("whole video", "all captions", attacks.whole_video, table)
    for n in _BEST if "best n" in only else ():
        if n < table.captions.counts.max(initial=0):
            yield _fixed("best n", f"n = {n}", attacks.best, table, n, subject.oracle.worth)
        else:
            yield _Skipped(f"best {n} was skipped: no video has more captions than that")


def _shares(subject: Subject, by: str, surplus: attacks.Surplus) -> Iterator[_Setting | _Skipped]:
    table = subject.table
    if surplus is attacks.strangers and np.count_nonzero(table.captions.counts) < 2:
        yield _Skipped("share was skipped: there is no other video to take captions from")
        return
    steps = (
        {f"m = {ratio:g}": subject.counts(ratio) for ratio in RATIOS}
        if by == "ratio"
        else {f"k = {count}": np.full(len(table), count) for count in COUNTS}
    )
    for name, counts in steps.items():
        yield _Setting("share", name, partial(attacks.share, table, counts, surplus))


def _orders(subject: Subject) -> Iterator[_Setting | _Skipped]:
    correct = subject.oracle.story(subject.table)
    if correct.captions.counts.max(initial=0) < 2:
        yield _Skipped("order was skipped: no video has two captions that are the best for some reference")
        return
    yield _Setting("order", CORRECT, lambda _: correct, is_random=False)
    yield _Setting("order", "swap", partial(attacks.swap, correct))
    yield _Setting("order", "shuffle", partial(attacks.shuffle, correct))


def _score(
    subject: Subject,
    setting: _Setting,
    metrics: Sequence[str],
    options: StoryAuditOptions,
    keep: Callable[[str, StoryTable], None],
) -> tuple[StoryAttack, Result]:
    """The mean over the draws, and the first draw's result."""
    drawn = []
    captions = made = 0
    times = options.draws if setting.is_random else 1
    how, run = StoryOptions(protocol=options.protocol), RunOptions(engine=LocalEngine(), seed=options.seed)
    for draw in range(times):
        # Seeded by name: what an attack draws does not depend on which others are run.
        rng = np.random.default_rng([options.seed, zlib.crc32(f"{setting.attack} {setting.name}".encode()), draw])
        table = setting.run(rng)
        if draw == 0:
            keep(setting.file_name, table)
        captions += table.captions.total
        made += _made(table, subject.table)
        drawn.append(evaluate(TASK, table, subject.references, metrics, options=how, run=run))
    scores, spread = {}, {}
    for name in drawn[0].metrics:
        values = [result[name].value for result in drawn]
        parts = {
            part: float(np.mean([result[name].parts[part] for result in drawn]))
            for part in drawn[0][name].parts
            if "@" not in part
        }
        scores[name] = Score(float(np.mean(values)), parts)
        spread[name] = (min(values), max(values))
    outcome = StoryAttack(
        attack=setting.attack,
        setting=setting.name,
        ratio=captions / times / int(subject.reference_counts.sum()),
        made=made / max(captions, 1),
        draws=times,
        scores=scores,
        spread=spread,
    )
    return outcome, drawn[0]


def _forget(name: str, table: StoryTable) -> None:
    """Nobody wants to keep what the attacks made."""


def _made(table: StoryTable, submission: StoryTable) -> int:
    """How many captions, times and text, are not the submission's."""
    return table.captions.total - int(np.isin(_keys(table), _keys(submission)).sum())


def _keys(table: StoryTable) -> np.ndarray:
    captions = table.captions
    columns = np.column_stack([captions.video_of, captions.texts.values]).astype(np.float64)
    return np.ascontiguousarray(np.column_stack([columns, captions.segments.values])).view("V32").ravel()
