"""The captions task beside pycocoevalcap: METEOR, tokens, METEOR's resource, and the whole command."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import data, originals
from bench.process import best_of, in_child, peak_memory
from bench.report import Options, Row, Section

WARM_UP_ITEMS = 2000
OFTEN = 10
OPENINGS = 20


def measure(options: Options) -> Section:
    missing = originals.absent()
    subprocess.run([_command(), "resources", "build", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    texts_from, texts = data.sentences()
    texts = texts[: max(1, round(len(texts) * options.fraction))]
    pairs = [captions.head(options.fraction) for captions in data.meteor_sets()]
    captions = data.two_references().head(options.fraction)
    rows = [
        *_token_rows(texts, options, missing),
        *_meteor_rows(pairs, options, missing),
        *_resource_rows(options),
        *_command_rows(captions, options, missing),
    ]
    notes = [
        f"Tokens: {texts_from} ({len(texts):,} captions).",
        *(
            f"METEOR ({number}): {each.description} ({len(each.candidates):,} candidates, {each.pairs:,} pairs)."
            for number, each in enumerate(pairs, start=1)
        ),
        f"score captions: {captions.description} ({len(captions.candidates):,} captions).",
    ]
    if missing:
        notes.append(f"The original tools were not run: {missing}.")
    return Section("Captions", rows, notes)


def _token_rows(texts: Sequence[str], options: Options, missing: str | None) -> list[Row]:
    runs = [in_child(_tokenize, texts) for _ in range(options.repeats)]
    ours = len(texts) / min(seconds for seconds, _ in runs)
    warm = with_start = missing
    agreement = ""
    if missing is None:
        tokens, seconds = originals.ptb_tokens(texts)
        _, many_seconds = originals.ptb_tokens(list(texts) * OFTEN)
        with_start = len(texts) / seconds
        warm = len(texts) * (OFTEN - 1) / (many_seconds - seconds)
        equal = sum(one == other for one, other in zip(tokens, runs[0][1], strict=True))
        agreement = f"{equal:,} of {len(texts):,} captions equal"
    return [
        Row("ptb tokens, cold; jar warm", ours, warm, "captions/s", agreement=agreement),
        Row("ptb tokens, cold; jar with its start", ours, with_start, "captions/s"),
    ]


def _tokenize(texts: Sequence[str]) -> tuple[float, list[str]]:
    from kataribe.text import ptb

    start = time.perf_counter()
    tokens = ptb.tokenize(texts)
    return time.perf_counter() - start, tokens


@dataclass(frozen=True)
class _MeteorRun:
    seconds: float
    score: float
    item_scores: list[float]
    memory: int | None
    preparing: float = 0  # of these seconds

    def agreement(self, other: _MeteorRun) -> str:
        items = max(abs(a - b) for a, b in zip(self.item_scores, other.item_scores, strict=True))
        return f"largest difference: corpus {abs(self.score - other.score):.1g}, items {items:.1g}"


def _meteor_rows(sets: Sequence[data.CaptionSet], options: Options, missing: str | None) -> list[Row]:
    tokenized = [in_child(_tokenize_captions, captions) for captions in sets]
    ours: list[_MeteorRun] = []
    theirs: list[_MeteorRun] = []
    loading: float | str | None = missing
    with contextlib.ExitStack() as stack:
        jar = None
        if missing is None:
            jar = stack.enter_context(originals.MeteorJar())
            loading = jar.load_seconds
            jar.statistics(tokenized[0].candidates[:WARM_UP_ITEMS], tokenized[0].references[:WARM_UP_ITEMS])
        for captions in tokenized:
            runs = [in_child(_meteor, captions, options.repeats)]
            if jar:  # ours before and after it, so that both meet the same other work on the machine
                theirs.append(_meteor_jar(jar, captions))
                runs.append(in_child(_meteor, captions, options.repeats))
            ours.append(min(runs, key=lambda run: run.seconds))
    rows = []
    for index, (captions, run) in enumerate(zip(sets, ours, strict=True)):
        original = captions.pairs / theirs[index].seconds if theirs else missing
        agreement = run.agreement(theirs[index]) if theirs else ""
        what = f"METEOR ({index + 1}), one thread"
        rows.append(Row(what, captions.pairs / run.seconds, original, "pairs/s", agreement=agreement))
        scoring = captions.pairs / (run.seconds - run.preparing)
        rows.append(Row("the same, sentences prepared before", scoring, original, "pairs/s"))
    memory = max(run.memory or 0 for run in theirs) if theirs else missing
    opening, _ = in_child(_open, OPENINGS)
    if theirs:
        pairs = sum(captions.pairs for captions in sets)
        spent, original = sum(run.seconds for run in ours), sum(run.seconds for run in theirs)
        rows.append(Row("METEOR, all of these together", pairs / spent, pairs / original, "pairs/s"))
        scoring = spent - sum(run.preparing for run in ours)
        rows.append(Row("the same, sentences prepared before", pairs / scoring, pairs / original, "pairs/s"))
    return [
        *rows,
        Row("METEOR, peak memory of the process", max(run.memory or 0 for run in ours), memory, "B", False),
        Row("METEOR's data: open", opening, loading, "s", higher_is_better=False),
    ]


def _meteor_jar(jar: originals.MeteorJar, captions: data.CaptionSet) -> _MeteorRun:
    start = time.perf_counter()
    statistics = jar.statistics(captions.candidates, captions.references)
    seconds = time.perf_counter() - start
    item_scores, score = jar.scores(statistics)
    return _MeteorRun(seconds, score, item_scores, jar.memory)


def _tokenize_captions(captions: data.CaptionSet) -> data.CaptionSet:
    from kataribe.text import ptb

    references = iter(ptb.tokenize([text for texts in captions.references for text in texts]))
    return data.CaptionSet(
        captions.description,
        ptb.tokenize(captions.candidates),
        [[next(references) for _ in texts] for texts in captions.references],
    )


def _meteor(captions: data.CaptionSet, repeats: int) -> _MeteorRun:
    from kataribe.captions.items import Captions
    from kataribe.captions.meteor import Meteor

    metric = Meteor(lang="en", tok="none")
    ids = [str(number) for number in range(len(captions.candidates))]
    metric.rows(Captions(ids[:1], ["a dog"], [["a dog"]]))  # opens the resource

    runs = []
    for _ in range(repeats):
        items = Captions(ids, captions.candidates, captions.references)
        items.tokens(metric.tokenizer_name)  # tokens have a row of their own
        start = time.perf_counter()
        prepared = metric.prepare(items, metric.facts(items))
        middle = time.perf_counter()
        statistics = metric.stats(items, prepared)
        runs.append((time.perf_counter() - start, middle - start))
        del prepared  # two at a time would count as memory
    seconds, preparing = min(runs)
    scores = metric.per_item(statistics).value.tolist()
    return _MeteorRun(seconds, metric.reduce(statistics).value, scores, peak_memory(), preparing)


def _open(times: int) -> tuple[float, int]:
    """Seconds to open the resource when the system has it in memory, and its size."""
    from kataribe import _native
    from kataribe.captions.meteor_resource import resource_path, status

    # Not `open_resource`: a process opens the file once and keeps it.
    seconds, _ = best_of(times, lambda: _native.MeteorResource(str(resource_path())))
    return seconds, status().size


def _resource_rows(options: Options) -> list[Row]:
    _, size = in_child(_open, 1)
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"KATARIBE_CACHE": folder}
        command = [_command(), "resources", "build", "--force", "--quiet"]
        seconds, _ = best_of(
            options.repeats, lambda: subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        )
    return [
        Row("METEOR's data: compile, once", seconds, "reads it anew each time", "s"),
        Row("METEOR's data: compiled file", size, None, "B"),
    ]


def _command_rows(captions: data.CaptionSet, options: Options, missing: str | None) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        predictions, references = originals.write_files(captions, Path(folder))
        command = [_command(), "score", "captions", str(predictions), "-r", str(references), "--format", "json"]
        seconds, printed = best_of(options.repeats, lambda: subprocess.check_output(command, text=True))
        original, agreement = missing, ""
        if missing is None:
            theirs, original = originals.pipeline(predictions, references)
            ours = _values(json.loads(printed)["metrics"])
            worst = max(abs(theirs[name] - ours[name]) for name in theirs)
            agreement = f"largest difference of the {len(theirs)} scores: {worst:.1g}"
    what = "kataribe score captions, start to finish"
    return [Row(what, seconds, original, "s", higher_is_better=False, agreement=agreement)]


def _values(metrics: dict) -> dict[str, float]:
    names = {"METEOR": "meteor", "ROUGE-L": "rouge_l", "CIDEr": "cider"}
    return metrics["bleu"]["parts"] | {name: metrics[metric]["value"] for name, metric in names.items()}


def _command() -> str:
    return shutil.which("kataribe", path=str(Path(sys.executable).parent)) or "kataribe"
