"""`kataribe build world DIR`: generated films with everything that is known of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kataribe.cli import common
from kataribe.cli.build import Given, build, declared_parameters, parameter, take_options
from kataribe.cli.interrupted import kept_on_interrupt
from kataribe.cli.progress import progress_bar
from kataribe.core.progress import reporting, silent

if TYPE_CHECKING:
    from kataribe.films.world.film import Film
    from kataribe.films.world.options import WorldOptions

HELP = "Make films: drawn people, synthesised speech, burnt-in subtitles, and everything that happens in them as files."


def command() -> Any:
    from kataribe.films.world.options import WorldOptions

    folder = typer.Argument(metavar="DIR", help="The folder to write; a world that was begun there is gone on with.")
    processes = typer.Option("--processes", metavar="N", min=1, help="Films made at once; default: one per processor.")
    parameters = [
        parameter("folder", Path, folder),
        *declared_parameters(WorldOptions),
        parameter("processes", int | None, processes, None),
        common.quiet(),
    ]
    return build("world", HELP, parameters, _world)


def _world(given: Given) -> None:
    from kataribe.films.world.building import build_world, missing_films
    from kataribe.films.world.options import WorldOptions

    folder = given["folder"]
    options = WorldOptions(**take_options(WorldOptions, given))

    def whole_films() -> str:
        done = options.film_count - len(missing_films(folder, options))
        return f"{done} of {options.film_count} films are whole, the same command goes on from there"

    with (
        kept_on_interrupt(whole_films),
        progress_bar(given["quiet"]) as progress,
        reporting(progress or silent),
    ):
        films = build_world(folder, options, given["processes"])
    print(_answer(folder, options, films))


def _answer(folder: Path, options: WorldOptions, films: list[Film]) -> str:
    from kataribe.films.world.gold import splits_of
    from kataribe.films.world.summary import summarise

    told = summarise(films)
    splits = ", ".join(f"{split} {len(members)}" for split, members in splits_of(films).items())
    lines = [
        f"{folder}: {told.films} films ({splits}), {told.minutes:.1f} minutes, language {options.language}, "
        f"sound {options.sound}, seed {options.seed}",
        f"{told.roles:,} roles, {told.dialogues:,} dialogues, {told.long_clips:,} clips N, {told.clips:,} clips G, "
        f"{told.events:,} events, {told.echoes:,} of them with the action of another role",
        f"gaps between dialogues with narration {told.gaps_filled:.1%}, their time filled {told.time_filled:.1%}",
        "",
        f"{'':<18}  {'world: mean, median, 90%':>26}  {'Movie101':>20}",
    ]
    for each in told.compared:
        here, there = each.deciles, each.movie101_deciles
        ours = f"{each.mean:.2f} {here[5]:>7.1f} {here[9]:>7.1f}"
        theirs = f"{each.movie101_mean:.2f} {there[5]:>6.1f} {there[9]:>6.1f}"
        lines.append(f"{each.what:<18}  {ours:>26}  {theirs:>20}")
    return "\n".join(lines)
