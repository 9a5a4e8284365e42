"""`kataribe judge make TEMPLATE ... -o DIR`: a study of your own data, in the design of a published one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kataribe.cli import common
from kataribe.cli.build import Commands, Given, build, declared_parameters, group_of, parameter, take_options
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, UsageError, counted, some
from kataribe.core.progress import reporting, silent

if TYPE_CHECKING:
    from kataribe.core.types import Narration, Story
    from kataribe.people.judge.making import Draft
    from kataribe.people.judge.media import Clip
    from kataribe.people.judge.study import Study

_HELP = {
    "movie101": "People rank the narrations of several systems and two degraded references, on three dimensions.",
    "movie101-clips": "People say of narration clips whether they are whole, or should be merged or split.",
    "soda": "People choose between two systems' stories of a video.",
    "soda-order": "People choose between a story in the right order and the same one shuffled.",
}
_WRONG_NAMES, _WRONG_WORDS = "wrong_names", "wrong_words"


def _command(template: str) -> Any:
    inputs, run = {
        "movie101": (_ranking_inputs, _make_ranking),
        "movie101-clips": (_clip_inputs, _make_clips),
        "soda": (_story_inputs, _make_stories),
        "soda-order": (_story_inputs, _make_stories),
    }[template]

    def make(given: Given) -> None:
        run(template, given)

    output = typer.Option("-o", "--output", metavar="DIR", help="The study: a new or empty folder.")
    videos = typer.Option(metavar="DIR", help="A folder of the videos, which raters see, named by film or video.")
    parameters = [
        *inputs(),
        parameter("videos", Path | None, videos, None),
        parameter("output", Path, output),
        common.silence(),
        common.quiet(),
    ]
    return build(template, _HELP[template], parameters, make)


def _systems() -> Parameter:
    info = typer.Argument(metavar="NAME=FILE...", help="The texts of each system; without NAME, the file's name is it.")
    return parameter("systems", list[str], info)


def _ranking_inputs() -> list[Parameter]:
    from kataribe.narration.study import RankingOptions

    cast = typer.Option(metavar="CAST", help="The films' roles in billing order; repeatable.")
    return [
        _systems(),
        common.references("REF", "The references, which are degraded; raters never see them. Repeatable."),
        parameter("cast", list[Path], cast),
        *declared_parameters(RankingOptions),
    ]


def _make_ranking(template: str, given: Given) -> None:
    from kataribe.films.casts import read_casts
    from kataribe.narration.files import read_narrations, read_predictions
    from kataribe.narration.study import RankingOptions, check_films, degraded_candidates, not_degraded
    from kataribe.people.judge.making import Draft, check_names, drawn, shared_items

    options = RankingOptions(**take_options(RankingOptions, given))
    named = _named(given["systems"])
    check_names(named, (_WRONG_NAMES, _WRONG_WORDS))
    _check_output(given)
    with progress_bar(given["quiet"]) as progress, reporting(progress or silent):
        references = read_narrations(given["references"])
        systems = {name: read_predictions(path) for name, path in named.items()}
        for name, lines in systems.items():
            check_films(lines, references, name)
        degraded = degraded_candidates(references, read_casts(given["cast"]), options)
    candidates = {**systems, _WRONG_NAMES: degraded.names, _WRONG_WORDS: degraded.words}
    shared = shared_items({"the references": references, **systems})
    unspoilt = not_degraded(references, degraded)
    telling = [id for id in shared if id not in unspoilt]
    if not telling:
        raise InputError(
            "no clip has both a role's name and a noun or a verb to replace", hint="is it the films' cast?"
        )
    items = drawn(telling, options.sample, options.seed)
    clips = _clips_of(given["videos"], [references[id] for id in items])
    draft = Draft(
        template,
        {name: {id: lines[id].text for id in items} for name, lines in candidates.items()},
        references={id: references[id].text for id in items},
        fields={id: _place(references[id]) for id in items},
        clips=clips,
        text_language=degraded.language,
        seed=options.seed,
        checks=min(options.checks, len(items) if len(items) > 1 else 0),
    )
    left = _left_out(len(references) - len(shared), "clip is", "clips are", "not told by every system")
    left += _left_out(len(shared) - len(telling), "clip has", "clips have", "no role's name or no word to degrade")
    _write(draft, given, [*degraded.warnings, *left])


def _clip_inputs() -> list[Parameter]:
    from kataribe.narration.study import ClipOptions

    lines = typer.Argument(metavar="NARRATION", help="The narration clips to check, as `score narration` reads them.")
    return [parameter("narrations", list[Path], lines), *declared_parameters(ClipOptions)]


def _make_clips(template: str, given: Given) -> None:
    from kataribe.narration.files import read_narrations
    from kataribe.narration.study import ClipOptions, neighbours
    from kataribe.people.judge.making import Draft, drawn
    from kataribe.people.judge.study import Context
    from kataribe.text.scripts import is_mostly_unspaced

    options = ClipOptions(**take_options(ClipOptions, given))
    _check_output(given)
    lines = read_narrations(given["narrations"])
    items = drawn(list(lines), options.sample, options.seed)
    around = neighbours(lines.values())
    draft = Draft(
        template,
        {"narration": {id: lines[id].text for id in items}},
        fields={id: _place(lines[id]) for id in items},
        clips=_clips_of(given["videos"], [lines[id] for id in items]),
        context={id: Context(*around[id]) for id in items if id in around},
        text_language="zh" if is_mostly_unspaced(lines[id].text for id in items) else "",
        seed=options.seed,
    )
    _write(draft, given, [])


def _story_inputs() -> list[Parameter]:
    from kataribe.people.judge.options import StoryStudyOptions

    references = common.references("REF", "What people wrote: the good side of attention checks.", is_required=False)
    return [_systems(), references, *declared_parameters(StoryStudyOptions)]


def _make_stories(template: str, given: Given) -> None:
    from kataribe.formats.stories import read_stories
    from kataribe.people.judge.making import Draft, drawn, shared_items
    from kataribe.people.judge.options import StoryStudyOptions

    options = StoryStudyOptions(**take_options(StoryStudyOptions, given))
    named = _named(given["systems"])
    if len(named) != 2:
        raise UsageError(f"{template} compares two systems, here are {len(named)}", hint="give NAME=FILE NAME=FILE")
    _check_output(given)
    systems = {name: {story.video: story for story in read_stories(path)} for name, path in named.items()}
    references: dict[str, Story] = {}
    for path in given["references"] or ():
        references = {story.video: story for story in read_stories(path)} | references
    shared = shared_items({**systems, **({"the references": references} if references else {})})
    one, other = systems.values()
    differing = [id for id in shared if _told(one[id]) != _told(other[id])]
    if not differing:
        raise InputError("both systems tell the same story of every video", hint="are these the right files?")
    shown = _videos_of(given["videos"], differing)
    items = drawn(list(shown) if given["videos"] else differing, options.sample, options.seed)
    draft = Draft(
        template,
        {name: {id: stories[id] for id in items} for name, stories in systems.items()},
        references={id: references[id] for id in items if id in references},
        clips={id: shown[id] for id in items if id in shown},
        seed=options.seed,
        checks=min(options.checks, len(items) if len(items) > 1 else 0),
    )
    left = _left_out(len(shared) - len(differing), "video is", "videos are", "told alike by both")
    if given["videos"]:
        left += _left_out(len(differing) - len(shown), "video is", "videos are", f"not in {given['videos']}")
    _write(draft, given, left)


def _named(systems: Sequence[str]) -> dict[str, Path]:
    from kataribe.formats.results import split_name, system_names

    pairs = [split_name(system) for system in systems]
    names = [name or own for (name, _), own in zip(pairs, system_names([path for _, path in pairs]), strict=True)]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"two systems are called {twice[0]!r}", hint="give one of them another NAME=")
    return dict(zip(names, (path for _, path in pairs), strict=True))


def _check_output(given: Given) -> None:
    from kataribe.people.judge.making import check_study_folder

    check_study_folder(given["output"])


def _clips_of(folder: Path | None, lines: Sequence[Narration]) -> dict[str, Clip]:
    """The part of a film that each line tells."""
    from kataribe.films.videos import find_videos
    from kataribe.people.judge.media import Clip

    if folder is None:
        return {}
    unplaced = [line.id for line in lines if line.film is None or line.segment is None]
    if unplaced:
        raise InputError(
            f"--videos: {counted(len(unplaced), 'line does not say', 'lines do not say')} which film is told and when: "
            f"{some(unplaced)}",
            hint="give each line film, start and end",
        )
    files = find_videos(folder, list(dict.fromkeys(line.film for line in lines if line.film is not None)))
    return {
        line.id: Clip(files[line.film], line.segment.start, line.segment.end)
        for line in lines
        if line.film is not None and line.segment is not None
    }


def _videos_of(folder: Path | None, videos: Iterable[str]) -> dict[str, Clip]:
    from kataribe.people.judge.media import find_named

    if folder is None:
        return {}
    found = find_named(folder)
    shown = {video: found[video] for video in videos if video in found}
    if not shown:
        raise InputError("holds no video of the stories", file=folder, hint="name each file by its video: ID.mp4")
    return shown


def _place(line: Narration) -> dict[str, Any]:
    film = {} if line.film is None else {"film": line.film}
    times = {} if line.segment is None else {"start": line.segment.start, "end": line.segment.end}
    return film | times


def _told(story: Story) -> list[tuple[float, float, str]]:
    return [(line.segment.start, line.segment.end, line.text) for line in story.in_time_order()]


def _left_out(count: int, one: str, many: str, why: str) -> list[Caution]:
    return [Caution("left-out-of-study", f"{counted(count, one, many)} {why}, and cannot be drawn")] if count else []


def _write(draft: Draft, given: Given, cautions: Sequence[Caution]) -> None:
    from kataribe.people.judge.making import write_draft

    study = write_draft(given["output"], draft)
    if not draft.clips:
        cautions = [*cautions, Caution("no-videos", "raters will see texts without their videos: --videos DIR")]
    warn_of(cautions, given["silence"], given["quiet"])
    print(f"{study.path}: {_summary(study, draft.fields)}; seed {draft.seed}")
    print(f"try it: kataribe judge serve {study.path} --raters 2")


def _summary(study: Study, fields: Mapping[str, Mapping[str, Any]]) -> str:
    systems = list(study.settings.systems)
    films = {known["film"] for known in fields.values() if "film" in known}
    item = "video" if study.settings.texts == "stories" else "clip"
    texts = f"{len(systems)} texts of each: {', '.join(systems)}" if len(systems) > 1 else ""
    counts = [counted(len(study.items), item) + (f" of {counted(len(films), 'film')}" if films else ""), texts]
    counts.append(counted(len(study.planted), "check") if study.planted else "")
    return "; ".join(count for count in counts if count)


app = typer.Typer(
    cls=group_of(Commands(lambda: list(_HELP), lambda name: _HELP[name], _command)),
    help="Make a study of your own data, in the design of a published one.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
