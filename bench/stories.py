"""The stories task beside the Java pipeline, and a submission of a million captions: how long, how much, where."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import data, originals, story_data
from bench.data import ROOT
from bench.process import in_child
from bench.report import Options, Row, Section

ONE_COMMAND = ("soda(c)", "activitynet(2018)")
ALL_VARIANTS = ("soda(a)", "soda(b)", "soda(c)", "soda(d)")
SIZES = (0.25, 0.5, 1.0)
SHARDS = 8


def measure(options: Options) -> Section:
    if data.activitynet() is None:
        return Section("Stories", [], ["ActivityNet Captions were not found; stories are measured on real data only."])
    subprocess.run([command(), "resources", "build", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole, whole_notes = _whole_set(folder, options)
        large, large_notes = _large(folder, options)
    return Section("Stories", [*whole, *large], [*whole_notes, *large_notes])


@dataclass(frozen=True)
class Usage:
    """What one command took: elapsed and processor seconds, its largest resident memory in bytes, what it printed."""

    seconds: float
    processor: float
    memory: int
    printed: str


def use(arguments: Sequence[str]) -> Usage:
    """Run a command to its end."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        start = time.perf_counter()
        process = subprocess.Popen(arguments, cwd=ROOT, env=originals.ENVIRONMENT, stdout=out, stderr=subprocess.PIPE)
        assert process.stderr is not None
        complaint = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"bench: {arguments[0]} failed: {complaint.strip().splitlines()[-1:]}")
        out.seek(0)
        printed = out.read()
    unit = 1 if sys.platform == "darwin" else 1024
    return Usage(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit, printed)


def command() -> str:
    return shutil.which("kataribe", path=str(Path(sys.executable).parent)) or "kataribe"


def _score(predictions: Path, references: Sequence[Path], metrics: Sequence[str]) -> list[str]:
    given = [word for path in references for word in ("-r", str(path))]
    asked = [word for metric in metrics for word in ("-m", metric)]
    return [command(), "score", "stories", str(predictions), *given, *asked, "--format", "json", "--quiet"]


def _whole_set(folder: Path, options: Options) -> tuple[list[Row], list[str]]:
    """Two reference files, a model's output, both scores in one command."""
    predictions, references, videos = story_data.sample(options.fraction, folder)
    runs = [use(_score(predictions, references, ONE_COMMAND)) for _ in range(options.repeats)]
    ours = min(run.seconds for run in runs), min(run.processor for run in runs)
    notes = [f"score stories: a captioner's output for {len(videos):,} videos against both annotators."]
    missing = originals.absent()
    theirs: Sequence[float | str | None] = [missing, missing]
    agreement = ""
    if missing is None:
        share = options.originals * options.fraction
        theirs, agreement = _java(folder, share, options.fraction)
        if options.originals < 1:
            notes.append(
                f"The Java pipeline ran on {options.originals:.0%} of these videos. Its time is scaled: its start-up "
                "(a run on no video at all) plus the rest times "
                f"{1 / options.originals:.3g}. That overstates it, since Java is slow at first; "
                "`--originals 1` runs it whole."
            )
    rows = [
        Row("soda(c) and activitynet(2018), one command", ours[0], theirs[0], "s", False, agreement),
        Row("the same, processor time", ours[1], theirs[1], "s", False),
        Row("the same, peak memory", max(run.memory for run in runs), None, "B", False),
    ]
    return rows, notes


def _java(folder: Path, share: float, fraction: float) -> tuple[list[float], str]:
    """Elapsed and processor seconds of the original pipeline on all videos, and how well its scores agree with ours."""
    predictions, references, _ = story_data.sample(share, folder)
    pipeline = [sys.executable, "-m", "bench.story_pipeline"]
    run = use([*pipeline, str(predictions), *map(str, references)])
    theirs = json.loads(run.printed.splitlines()[-1])
    answer = json.loads(use(_score(predictions, references, ONE_COMMAND)).printed)["metrics"]
    ours = answer["activitynet(2018)"]["parts"] | {"soda(c)": answer["soda(c)"]["value"]}
    worst = max(abs(theirs[name] - ours[name]) for name in theirs)
    agreement = f"largest difference of the {len(theirs)} scores: {worst:.1g}"
    if share == fraction:
        return [run.seconds, run.processor], agreement
    empty, no_references, _ = story_data.sample(0.0, folder)
    start = use([*pipeline, str(empty), *map(str, no_references)])
    scale = fraction / share
    pairs = (run.seconds, start.seconds), (run.processor, start.processor)
    return [begin + (all_of_it - begin) * scale for all_of_it, begin in pairs], agreement


def _large(folder: Path, options: Options) -> tuple[list[Row], list[str]]:
    """All variants of SODA on a submission without any selection, at several sizes, and the stages of the largest."""
    rows: list[Row] = []
    path = folder / "crowd.json"
    for size in SIZES:
        captions = story_data.crowd(path, round(story_data.CAPTIONS_EACH * size), options.fraction)
        run = use(_score(path, story_data.references(), ALL_VARIANTS))
        rows += [
            Row(f"soda(a, b, c, d), {captions:,} captions", run.seconds, None, "s", False),
            Row("the same, processor time", run.processor, None, "s", False),
            Row("the same, peak memory", run.memory, None, "B", False),
        ]
    stages = in_child(_stages, path)
    rows += [Row(f"of the last, {name}", seconds, None, "s", False) for name, seconds in stages.items()]
    notes = [
        f"The large submission: {story_data.CAPTIONS_EACH} captions for each video (and a quarter, and half of that), "
        "real sentences on random segments, against both annotators.",
        "Processor time is that of all cores together, and depends less on what else the machine does.",
        "Stages are measured on all cores, in a process of their own, each after the one before it.",
    ]
    return rows, notes


def _stages(path: Path) -> dict[str, float]:
    from kataribe.core import registry
    from kataribe.engines.local import LocalEngine
    from kataribe.formats.stories import read_stories
    from kataribe.stories.alignment import align
    from kataribe.stories.inner import prepare_inner
    from kataribe.stories.items import Stories
    from kataribe.stories.join import join
    from kataribe.stories.pairtext import PairText

    spent: dict[str, float] = {}

    @contextmanager
    def stage(name: str):
        start = time.perf_counter()
        yield
        spent[name] = time.perf_counter() - start

    def on_shards(work: Callable[[Stories], object]) -> None:
        list(LocalEngine().map(work, shards))

    def aligned(shard: Stories) -> None:
        ious = shard.ious(False)
        stories = shard.reference_stories(pooled=True, order="start")
        align(shard, stories, ious * f.table(shard, facts, ious), order="start")

    with stage("reading files"):
        predicted = read_stories(path)
        references = [read_stories(reference) for reference in story_data.references()]
    with stage("joining"):
        items, _, _ = join(predicted, references, None, 0)
    size = -(-len(items) // SHARDS)
    shards = [items[at : at + size] for at in range(0, len(items), size)]
    f = PairText(registry.parse("meteor"), swapped=True)
    with stage("tokens"):
        on_shards(lambda shard: shard.pool.tokens("ptb"))
    with stage("METEOR's data and context"):
        facts = f.facts(items)
        on_shards(lambda shard: prepare_inner(f.metric, shard.pool, facts))
    with stage("IoU"):
        on_shards(lambda shard: shard.ious(False))
    with stage("METEOR of all pairs that overlap"):
        on_shards(lambda shard: f.table(shard, facts, shard.ious(False)))
    with stage("alignment (one variant)"):
        on_shards(aligned)
    return spent
