"""`kataribe audit TASK`: can the metric be gamed?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from kataribe.cli import common
from kataribe.cli.build import Commands, Given, build, declared_parameters, group_of, parameter, take_options
from kataribe.cli.output import Named, check_outputs
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.core.errors import OutputError, UsageError
from kataribe.core.progress import reporting, silent
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.formats.storytable import StoryTable

Draw = Callable[[str], bytes]

_HELP = {
    "stories": "Attack a submission - more, fewer, doubled, shuffled, long captions - and read every metric each time.",
    "boundaries": (
        "Read every measure for Random and Uniform guessing with 1 to 15 boundaries, beside people and systems."
    ),
    "narration": (
        "Attack a narration - names stuffed, removed, swapped, lines moved and lengthened - and read every metric."
    ),
    "grounding": "Read every measure for guessers who know the training spans and never look at a video.",
}


def _stories() -> Any:
    from kataribe.audit.stories import StoryAuditOptions
    from kataribe.stories.task import TASK

    folder = typer.Option(
        "--write",
        "--stories",
        metavar="DIR",
        help="A folder for what each attack made (the first draw), as submissions: stimuli for `judge make soda`.",
    )
    parameters = [
        common.predictions("PRED", "The submission to attack."),
        common.references(*TASK.references),
        common.metrics(),
        *declared_parameters(StoryAuditOptions),
        _plots("A folder for the pictures, as PNG and SVG."),
        parameter("write", Path | None, folder, None),
        *_answering("table, markdown or json."),
    ]
    return build("stories", _HELP["stories"], parameters, _audit_stories)


def _audit_stories(given: Given) -> None:
    from kataribe.audit.stories import DEFAULT_METRICS, StoryAuditOptions, audit
    from kataribe.report import story_audit
    from kataribe.stories.output import spell_submission

    folder: Path | None = given["write"]

    def write(name: str, table: StoryTable) -> None:
        if folder is not None:
            write_whole(folder / f"{name}.json", spell_submission(table))

    options = StoryAuditOptions(**take_options(StoryAuditOptions, given))
    reads = given["predictions"], given["references"]
    _check(given, story_audit.FORMATS, *reads)
    if folder is not None:
        _make_folder(folder)
        check_outputs([folder / "share-all.json"], *reads)
    run = partial(audit, *reads, given["metric"] or DEFAULT_METRICS, options, keep=write)
    _answer(_reported(run, given), given, story_audit.FORMATS, story_audit.pictures)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError:
        raise OutputError(f"{folder}: is a file", hint="name a folder") from None
    except OSError as error:
        raise OutputError(f"{folder}: cannot be created ({error.strerror})", hint="choose another place") from None


def _boundaries() -> Any:
    from kataribe.audit.boundaries import BoundaryAuditOptions

    systems = typer.Argument(metavar="[PRED...]", help="Systems to show beside the blind players.")
    parameters = [
        common.references("TRUTH", "The annotators' boundaries; repeatable."),
        parameter("systems", list[Path] | None, systems, None),
        *declared_parameters(BoundaryAuditOptions),
        _plots("A folder for the pictures, as PNG and SVG."),
        *_answering("table or json."),
    ]
    return build("boundaries", _HELP["boundaries"], parameters, _audit_boundaries)


def _audit_boundaries(given: Given) -> None:
    from kataribe.audit.boundaries import BoundaryAuditOptions, audit
    from kataribe.report import boundary_audit

    formats = {"table": boundary_audit.table}
    options = BoundaryAuditOptions(**take_options(BoundaryAuditOptions, given))
    _check(given, formats, given["references"], given["systems"])
    run = partial(audit, given["references"], _named_by_file(given["systems"] or ()), options)
    _answer(_reported(run, given), given, formats, boundary_audit.pictures)


def _named_by_file(systems: Sequence[Path]) -> dict[str, Path]:
    """Systems go by the names of their files; two cannot have one name."""
    named: dict[str, Path] = {}
    for path in systems:
        name = path.name.partition(".")[0]
        if name in named:
            raise UsageError(f"{named[name]} and {path} are both called {name}", hint="rename one of them")
        named[name] = path
    return named


def _narration() -> Any:
    from kataribe.audit.narration import NarrationAuditOptions
    from kataribe.narration.task import TASK

    cast = typer.Option(metavar="CAST", help="The films' roles in billing order; repeatable.")
    parameters = [
        common.predictions("PRED", "The submission to attack."),
        common.references(*TASK.references),
        parameter("cast", list[Path], cast),
        common.metrics(),
        *declared_parameters(NarrationAuditOptions),
        _plots("A folder for the picture, as PNG and SVG."),
        *_answering("table, markdown or json."),
    ]
    return build("narration", _HELP["narration"], parameters, _audit_narration)


def _audit_narration(given: Given) -> None:
    from kataribe.audit.narration import DEFAULT_METRICS, NarrationAuditOptions, audit
    from kataribe.report import narration_audit

    options = NarrationAuditOptions(**take_options(NarrationAuditOptions, given))
    reads = given["predictions"], given["references"], given["cast"]
    _check(given, narration_audit.FORMATS, *reads)
    run = partial(audit, *reads, given["metric"] or DEFAULT_METRICS, options)
    _answer(_reported(run, given), given, narration_audit.FORMATS, narration_audit.pictures)


def _grounding() -> Any:
    from kataribe.audit.grounding import GroundingAuditOptions
    from kataribe.grounding.task import TASK

    systems = typer.Argument(metavar="[PRED...]", help="Systems to show beside the guessers.")
    train = typer.Option(metavar="FILE", help="Training queries: all that the guessers know; repeatable.")
    parameters = [
        common.references(*TASK.references),
        parameter("train", list[Path], train),
        parameter("systems", list[Path] | None, systems, None),
        *declared_parameters(GroundingAuditOptions),
        _plots("A folder for the picture, as PNG and SVG."),
        *_answering("table, markdown or json."),
    ]
    return build("grounding", _HELP["grounding"], parameters, _audit_grounding)


def _audit_grounding(given: Given) -> None:
    from kataribe.audit.grounding import GroundingAuditOptions, audit
    from kataribe.report import grounding_audit

    options = GroundingAuditOptions(**take_options(GroundingAuditOptions, given))
    reads = given["references"], given["train"], given["systems"]
    _check(given, grounding_audit.FORMATS, *reads)
    run = partial(audit, given["references"], given["train"], _named_by_file(given["systems"] or ()), options)
    _answer(_reported(run, given), given, grounding_audit.FORMATS, grounding_audit.pictures)


def _plots(help: str) -> Parameter:
    return parameter("plots", Path | None, typer.Option(help=help), None)


def _answering(formats: str) -> list[Parameter]:
    return [common.output("Write everything here, as JSON."), common.format(formats), common.silence(), common.quiet()]


def _check(given: Given, formats: Mapping[str, Any], *reads: Named) -> None:
    """What can be refused before the work starts is refused before the work starts."""
    from kataribe.report.pictures import new_figure

    if given["format"] not in (*formats, "json"):
        raise UsageError(f"no format is called {given['format']!r}", hint=f"there are: {', '.join(formats)}, json")
    check_outputs([given["output"]], *reads, metrics=given.get("metric"))
    plots = given["plots"]
    if plots is not None:
        new_figure(1, 1)
        if not plots.is_dir():
            raise OutputError(f"{plots}: there is no such folder", hint="create it first")


def _reported(audit: Callable[[], Any], given: Given) -> Any:
    with progress_bar(given["quiet"]) as progress, reporting(progress or silent):
        return audit()


def _answer(
    result: Any,
    given: Given,
    formats: Mapping[str, Callable[[Any], str]],
    pictures: Callable[[Any], Mapping[str, Draw]],
) -> None:
    text = msgspec.json.format(msgspec.json.encode(result.to_dict()), indent=2).decode()
    if given["output"] is not None:
        write_whole(given["output"], text)
    if given["plots"] is not None:
        for name, draw in pictures(result).items():
            for kind in ("png", "svg"):
                write_whole(given["plots"] / f"{name}.{kind}", draw(kind))
    warn_of(result.warnings, given["silence"], given["quiet"])
    print(text if given["format"] == "json" else formats[given["format"]](result))


_AUDITS: Mapping[str, Callable[[], Any]] = {
    "stories": _stories,
    "boundaries": _boundaries,
    "narration": _narration,
    "grounding": _grounding,
}

app = typer.Typer(
    cls=group_of(Commands(lambda: list(_AUDITS), lambda name: _HELP[name], lambda name: _AUDITS[name]())),
    help="Find out whether a metric can be gamed.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
