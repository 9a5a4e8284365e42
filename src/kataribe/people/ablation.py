"""The table of a learned metric: untrained metrics, ablations, heads and people, all on the same rated captions.

    untrained     BLEU, ROUGE-L, METEOR, CIDEr, JaSPICE of Japanese captions, BERTScore, the sentence cosine
    comet         COMET's head: no picture, no idf branch
    suisei (i)    without the image, (ii) without the idf branch, (iii) all
    others        polos, set, residual, blend, mix
    people        every rating against the mean of the others

A learned row is the mean of its seeds, as it is used; what single seeds reach stands beside it. Each learned row is
tested against the sentence cosine and against COMET's head, by tau-c and by Pearson's correlation: paired permutation
over pictures, Holm's correction over all tests of a table. Rows that cannot be computed are named with the reason.

Every variant leaves a model folder. A table that is asked for again takes the folders that are there, if they were
trained with the same settings on the same data.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from kataribe.captions.suisei.material import HELD_OUT, RatedSet, refuse_overlap, split_parts
from kataribe.captions.suisei.model import open_model
from kataribe.captions.suisei.options import ModelOptions, TrainingOptions
from kataribe.captions.suisei.runs import described
from kataribe.captions.suisei.training import Trained, train
from kataribe.captions.task import CaptionOptions
from kataribe.core.errors import KataribeError, UsageError
from kataribe.core.options import RunOptions
from kataribe.core.progress import report
from kataribe.core.types import Floats
from kataribe.engines.local import LocalEngine
from kataribe.learning.fit import is_main_process
from kataribe.learning.folder import WEIGHTS
from kataribe.learning.result import Trial, summarise
from kataribe.people.ablation_plan import Plan, Variant, folder_name, plan
from kataribe.people.agreement import agree
from kataribe.people.metaevaluation import score_rated
from kataribe.people.options import AgreementOptions
from kataribe.people.rated_sets import RatedFile
from kataribe.people.result import Ablation, AblationRow, AblationTable, Agreement, MeasuredTest, Text
from kataribe.people.scores import Scores
from kataribe.stats.choices import STATISTICS, Measure
from kataribe.stats.correction import CORRECTIONS
from kataribe.stats.correlation import Rows

TESTED: tuple[Measure, ...] = ("tau_c", "pearson")
SETTINGS = "settings.json"
_STATES = ".states"


def ablate(
    training: RatedFile,
    tests: Sequence[RatedFile],
    folder: Path,
    model: ModelOptions,
    options: TrainingOptions,
    *,
    metrics: Sequence[str] | None = None,
    allow_overlap: bool = False,
    agreement: AgreementOptions = AgreementOptions(),  # noqa: B008 - frozen
    more: Callable[[Trained], Mapping[str, bytes]] = lambda trained: {},
) -> Ablation:
    """Train every variant into `folder`, and read all rows on each test and on the part that is held out.

    `metrics` are what a blend is made of; `more` gives further files for a model's folder, such as its curves. Only the
    main process scores; the others return a table of nothing.
    """
    overlaps = {test.name: str(refuse_overlap(training.set, test.set, allow_overlap)) for test in tests}
    planned = plan(training.set, model, metrics)
    parts = split_parts(training.set, options)
    read = list(tests)
    if options.held_out:
        held_out = [training.set.examples.ids[row] for row in parts.rows[HELD_OUT].tolist()]
        read.append(training.only(held_out, HELD_OUT))
    if not read:
        raise UsageError("nothing is left to test on", hint="give <test FILE> or <held_out 0.1>", options=["test"])
    trained, left_out = _trained(planned, training, tests, folder, options, allow_overlap, more)
    tables = [_table(test, planned, trained, agreement) for test in read] if is_main_process() else []
    return Ablation(
        training=described(training.set, "training"),
        tables=tuple(tables),
        left_out={**planned.left_out, **left_out},
        lines=(*parts.lines(), *(f"{name} shares with the training file: {found}" for name, found in overlaps.items())),
        settings={"model": asdict(model), "training": asdict(options)},
        cosine=planned.cosine,
        options=agreement,
    )


def _trained(
    planned: Plan,
    training: RatedFile,
    tests: Sequence[RatedFile],
    folder: Path,
    options: TrainingOptions,
    allow_overlap: bool,
    more: Callable[[Trained], Mapping[str, bytes]],
) -> tuple[dict[str, Path], dict[str, str]]:
    """The model folder of each variant, and why others have none."""
    folders: dict[str, Path] = {}
    failed: dict[str, str] = {}
    sets = [test.set for test in tests]
    for number, variant in enumerate(planned.variants):
        report("variants", number, len(planned.variants))
        chosen = replace(options, seeds=variant.seeds or options.seeds)
        own, settings = folder / folder_name(variant.name), _settings(variant, training.set, sets, chosen)
        if not _is_trained(own, settings):
            # Of these settings: what was begun with others stays behind.
            state = folder / _STATES / f"{own.name}-{hashlib.sha256(settings).hexdigest()[:8]}"
            try:
                made = train(
                    training.set,
                    variant.model,
                    chosen,
                    tests=sets,
                    metrics=variant.metrics,
                    allow_overlap=allow_overlap,
                    state=state,
                )
            except KataribeError as error:
                failed[variant.name] = str(error)
                continue
            if is_main_process():
                made.write(own, more={SETTINGS: settings, **more(made)})
                shutil.rmtree(state, ignore_errors=True)
        folders[variant.name] = own
    report("variants", len(planned.variants), len(planned.variants))
    if not folders:
        raise KataribeError(f"no variant could be trained; {next(iter(failed))}: {next(iter(failed.values()))}")
    shutil.rmtree(folder / _STATES, ignore_errors=True)
    return folders, failed


def _settings(variant: Variant, training: RatedSet, tests: Sequence[RatedSet], options: TrainingOptions) -> bytes:
    """Everything that a variant depends on."""
    fitted = options.fit_options(variant.model, options.seed)
    about = {
        "model": asdict(variant.model),
        "training": asdict(replace(options, device="auto", tracker=None, epochs=fitted.epochs, rate=fitted.rate)),
        "metrics": list(variant.metrics) if variant.model.head in ("blend", "mix") else [],
        "pictures": training.media is not None,
        "data": [described(training, "training"), *(described(test, "test") for test in tests)],
    }
    return json.dumps(about, indent=1, sort_keys=True).encode()


def _is_trained(folder: Path, settings: bytes) -> bool:
    try:
        return (folder / WEIGHTS).is_file() and (folder / SETTINGS).read_bytes() == settings
    except OSError:
        return False


def member_scores(folder: Path, rated: RatedSet) -> Floats:
    """What each member of a model gives to each caption of a set."""
    model, items = open_model(str(folder)), rated.captions()
    facts = model.conclude(model.merge([model.scan_references(items)]), model.merge([model.scan_predictions(items)]))
    return model.scores(items, model.prepare(items, facts))


def _table(test: RatedFile, planned: Plan, trained: Mapping[str, Path], options: AgreementOptions) -> AblationTable:
    report(f"scoring {test.name}", 0, 1)
    run = RunOptions(engine=LocalEngine())
    scores, ratings = score_rated(test.rated, planned.baselines, options=CaptionOptions(tok=planned.tok), run=run)
    members = {name: member_scores(folder, test.set) for name, folder in trained.items()}
    columns = {name: _in_order(found.mean(axis=0), test.set, scores.texts) for name, found in members.items()}
    together = Scores(scores.texts, {**scores.values, **columns}, signatures=scores.signatures)
    report(f"scoring {test.name}", 1, 1)
    pairs = list(_pairs(planned, trained))
    # Enough swaps that the smallest possible p can pass Holm's first step over all of them.
    swaps = math.ceil(len(TESTED) * len(pairs) / options.alpha)
    standing = replace(options, correction="none", bootstrap=max(options.bootstrap, swaps) if options.bootstrap else 0)
    read = {measure: agree(together, ratings, pairs=pairs, options=replace(standing, by=measure)) for measure in TESTED}
    agreement = read[TESTED[0]]
    (dimension,) = agreement.dimensions.values()
    seeds = {summary.variant: summary for summary in summarise(list(_trials(members, test)))}
    rows = [
        AblationRow(
            name,
            "trained" if name in trained else "untrained",
            found,
            _distinct(dimension.points[name]),
            seeds.get(name),
        )
        for name, found in dimension.metrics.items()
    ]
    if dimension.people is not None:
        rows.append(AblationRow("people", "people", dimension.people))
    counts = {name: getattr(dimension, name) for name in ("answers", "raters", "texts", "items")}
    return AblationTable(test.name, counts, tuple(rows), _tests(read, options))


def _in_order(column: Floats, rated: RatedSet, texts: Sequence[Text]) -> Floats:
    by_id = dict(zip(rated.examples.ids, column.tolist(), strict=True))
    return np.array([by_id.get(text.system, np.nan) for text in texts])


def _pairs(planned: Plan, trained: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    """Every learned row against the cosine; those of SuiSei against COMET's head."""
    for name in trained:
        yield name, planned.cosine
    for name in trained:
        if name.startswith("suisei") and "comet" in trained:
            yield name, "comet"


def _trials(members: Mapping[str, Floats], test: RatedFile) -> Iterator[Trial]:
    """What each single seed reaches, with every rating as a row."""
    by_system = {text.system: values for text, values in test.rated.values().items()}
    repeats = np.array([len(by_system[id]) for id in test.set.examples.ids])
    ratings = np.array([value for id in test.set.examples.ids for value in by_system[id]])
    for name, found in members.items():
        for seed, column in enumerate(found):
            values = Rows(np.repeat(column, repeats), ratings).values()
            yield Trial(name, seed, {measure: values[measure] for measure in STATISTICS})


def _distinct(column: Floats) -> int:
    return len(np.unique(column))


def _tests(read: Mapping[Measure, Agreement], options: AgreementOptions) -> tuple[MeasuredTest, ...]:
    """All tests of a table, corrected together."""
    found = [
        MeasuredTest(measure, test)
        for measure, agreement in read.items()
        for dimension in agreement.dimensions.values()
        for test in dimension.tests
    ]
    if not found:
        return ()
    corrected = CORRECTIONS[options.correction](np.array([each.test.permutation for each in found]))
    return tuple(
        replace(each, test=replace(each.test, corrected=p)) for each, p in zip(found, corrected.tolist(), strict=True)
    )
