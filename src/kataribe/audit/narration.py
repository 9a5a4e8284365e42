"""Can a narration metric be gamed? Every metric is computed before and after each attack on a submission.

    whole cast       everybody's name behind every line
    first billed     every name becomes the first-billed role's; lines without names are given it
    no names         all names taken out
    swapped roles    everybody does what somebody else does
    previous line    every line one gap too late
    said twice       every line twice
    with neighbours  every line between the one before and the one after it
    other names      every name becomes that of another member of the cast, drawn at random
    other words      every noun and verb becomes another one of the submission, drawn at random
    shuffled clips   every line stays with its clip, but the clips of a film are told in any order

None of them makes the narration any better. A metric of roles should score lower after the first four and `other
names`, a metric of content after the others; one that scores higher can be gamed. `other names` and `other words` are
what `kataribe degrade narration` does to references.

Metrics of single clips cannot notice `shuffled clips`, nor that `other names` tells each clip by itself where `swapped
roles` is wrong in the same way throughout: that is for measures of whole films (first_mention, identity, repetition).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kataribe.audit.choice import chosen_attacks
from kataribe.audit.narration_attacks import ATTACKS, DEGRADED, SHUFFLED, shuffled_times
from kataribe.audit.result import NarrationAttack, NarrationAudit
from kataribe.core import registry
from kataribe.core.caution import Caution, distinct
from kataribe.core.errors import ResourceError, UsageError, counted
from kataribe.core.options import Options, Protocol, RunOptions, option, same_as
from kataribe.core.progress import report
from kataribe.core.task import evaluate
from kataribe.core.types import Cast, Narration
from kataribe.core.unit import Unit
from kataribe.engines.local import LocalEngine
from kataribe.films import casts as cast_files
from kataribe.formats.source import Paths
from kataribe.narration.cast_scan import scan_casts
from kataribe.narration.degraded import degrade
from kataribe.narration.files import Source, read_narrations, read_predictions
from kataribe.narration.items import Narrations
from kataribe.narration.join import films, join
from kataribe.narration.task import TASK, NarrationOptions

CLEAN_ROLES = "role_f1(match=longest, cast=own, aliases=true, ban=none, empty=drop)"
DEFAULT_METRICS = (
    "role_f1",
    CLEAN_ROLES,
    "bleu",
    "meteor",
    "rouge_l",
    "cider",
    "recall_at(1, text=rouge_l)",
    "repetition",
    "repetition(across=true)",
    "first_mention",
    "first_mention(turn)",
    "identity",
)

SUBMITTED = "submitted"


@dataclass(frozen=True)
class NarrationAuditOptions(Options):
    """`attack` names the attacks to run beside the submission itself; without it, all are run."""

    protocol: Protocol = same_as(NarrationOptions, "protocol")
    tok: str | None = same_as(NarrationOptions, "tok")
    attack: tuple[str, ...] | None = option(None, "Only this attack, by its name in the table; repeatable.", many=True)
    seed: int = same_as(RunOptions, "seed")


def audit(
    submission: Source,
    references: Source | Paths,
    cast: cast_files.Source | Paths,
    metrics: Sequence[str] = DEFAULT_METRICS,
    options: NarrationAuditOptions | None = None,
) -> NarrationAudit:
    """Attack a submission and compute every metric each time.

    >>> written = {str(n): {"film": "f", "text": text} for n, text in enumerate(["Anna waits.", "Tom runs.", "Snow."])}
    >>> options = NarrationAuditOptions(attack=("no names",))
    >>> found = audit(written, written, {"f": ["Anna", "Tom"]}, ["role_f1", "rouge_l"], options)
    >>> [round(outcome.scores["role_f1"].value, 2) for outcome in found.outcomes]
    [0.67, 0.0]

    Attacks on names leave the lines of a film without a cast as they are.
    """
    options = options or NarrationAuditOptions()
    attacks = chosen_attacks(options.attack, [*ATTACKS, *DEGRADED, SHUFFLED])
    registry.parse_all(metrics, "narration", also=("captions",))  # a wrong name is refused before the work starts
    casts = cast_files.read_casts(cast)
    predicted, written = read_predictions(submission), read_narrations(references)
    items, _, warnings = join(predicted, written, films(casts, None), "drop")
    scan_casts(items).refuse_unusable("an audit of narrations")
    kept = {id: written[id] for id in items.ids}
    lengths = [sum(map(len, items.candidates))]
    outcomes: list[NarrationAttack] = []
    signatures: dict[str, str] = {}
    units: dict[str, Unit] = {}
    doubts: list[Caution] = []
    left_out: list[str] = []
    for done, attack in enumerate([SUBMITTED, *attacks]):
        report("audit", done, len(attacks) + 1)
        try:
            submitted = _attacked(items, attack, casts, options.seed)
        except (UsageError, ResourceError) as error:
            # What was not asked for by name may need a package or a language that is not there.
            if options.attack:
                raise
            left_out.append(f"{attack} was left out: {error}")
            continue
        lengths.append(sum(len(line.text) for line in submitted))
        how = NarrationOptions(cast=casts, protocol=options.protocol, tok=options.tok)
        result = evaluate(TASK, submitted, kept.values(), metrics, options=how, run=RunOptions(engine=LocalEngine()))
        scores = {metric.metric: metric.score for metric in result}
        outcomes.append(NarrationAttack(attack, lengths[-1] / max(lengths[0], 1), scores))
        signatures = {metric.metric: metric.signature for metric in result}
        units = {metric.metric: metric.unit for metric in result}
        if attack == SUBMITTED:
            doubts += result.warnings
    narrated = dict.fromkeys(items.films)
    return NarrationAudit(
        lines=len(items),
        films=len(narrated),
        signatures=signatures,
        units=units,
        outcomes=outcomes,
        notes=[*_notes(casts[film] for film in narrated if film in casts), *left_out],
        warnings=distinct([*warnings, *doubts]),
    )


def _attacked(items: Narrations, attack: str, casts: Mapping[str, Cast], seed: int) -> list[Narration]:
    """The submission after the attack, line by line."""
    texts, times = list(items.candidates), list(items.spoken)
    if attack in DEGRADED:
        said = zip(items.ids, items.films, items.candidates, strict=True)
        narrations = [Narration(id, film, None, text) for id, film, text in said]
        texts = [line.text for line in degrade(narrations, casts, replace(DEGRADED[attack], seed=seed)).lines]
    for film, rows in items.as_told.items():
        if attack in ATTACKS:
            changed = ATTACKS[attack]([items.candidates[row] for row in rows], casts.get(film, Cast(film, ())))
            for row, line in zip(rows.tolist(), changed, strict=True):
                texts[row] = line
        elif attack == SHUFFLED:
            told = [time for row in rows if (time := items.spoken[row])]
            if len(told) < len(rows):
                raise UsageError(f"lines of {film!r} have no times", hint="give each line its start and end")
            for row, time in zip(rows.tolist(), shuffled_times(film, told, seed), strict=True):
                times[row] = time
    return [
        Narration(id, film, time, text)
        for id, film, time, text in zip(items.ids, items.films, times, texts, strict=True)
    ]


def _notes(casts: Iterable[Cast]) -> list[str]:
    alone = sum(len(cast.roles) == 1 for cast in casts)
    films_alone = counted(alone, "film has a cast of one, whose role", "films have a cast of one, whose roles")
    return [f"{films_alone} cannot be swapped"] if alone else []
