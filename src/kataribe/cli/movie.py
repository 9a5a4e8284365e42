"""`kataribe build movie FILMS -o CORPUS`: a narration corpus from subtitles, narration, videos and casts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kataribe.cli import common
from kataribe.cli.build import Given, build, declared_parameters, parameter, take_options
from kataribe.cli.interrupted import kept_on_interrupt
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.core.caution import Caution, remarking
from kataribe.core.errors import Location, UsageError, counted
from kataribe.core.progress import reporting, silent

if TYPE_CHECKING:
    from kataribe.films.building import Built
    from kataribe.films.sources import FilmSource
    from kataribe.films.watching import Watching

HELP = "Build a narration corpus (dialogues, N, G, GSR, LTG) from subtitles and narration, or from videos of films."

# More films than these are not listed one by one; corpus.json has them all.
_FEW = 20


def command() -> Any:
    from kataribe.films.building import BuildOptions

    films = typer.Argument(
        metavar="FILMS",
        help="A list of films (JSON, JSONL, CSV), a folder of FILM.dialogue.* and FILM.narration.*, a video, ...",
    )
    lines = "VTT, SRT, ASS, JSONL"
    parameters = [
        parameter("films", Path | None, films, None),
        parameter("output", Path, typer.Option("-o", "--output", metavar="CORPUS", help="The folder to write.")),
        parameter("dialogue", Path | None, typer.Option(help=f"What is said in one film: {lines}."), None),
        parameter("narration", Path | None, typer.Option(help=f"What is told of it, in fragments: {lines}."), None),
        parameter("name", str | None, typer.Option(help="What this one film is called; default: its file's."), None),
        parameter("genre", list[str] | None, typer.Option(help="A genre of this one film; repeatable."), None),
        parameter("duration", float | None, typer.Option(help="Seconds of this one film, if known."), None),
        parameter("cast", Path | None, typer.Option(metavar="CAST", help="The films' roles in billing order."), None),
        parameter("overrides", Path | None, typer.Option(help="What people change in the clips: JSONL."), None),
        parameter("split", Path | None, typer.Option(help='The films of each part: {"train": [...], ...}.'), None),
        parameter("narrator", Path | None, typer.Option(help="Of videos: a sound file with the narrator alone."), None),
        parameter(
            "speech_model",
            Path | None,
            typer.Option(help="Of videos: a folder with a model of faster-whisper, which writes down what is told."),
            None,
        ),
        parameter(
            "speech_language", str | None, typer.Option(help="What it hears: en, zh, ...; default: it guesses."), None
        ),
        parameter(
            "kept",
            Path | None,
            typer.Option(metavar="DIR", help="What was found in videos, to be used again; default: CORPUS.watched."),
            None,
        ),
        *declared_parameters(BuildOptions),
        parameter("figures", bool, typer.Option("--figures", help="Draw the statistics into figures/."), False),
        common.silence(),
        common.quiet(),
    ]
    return build("movie", HELP, parameters, _movie)


def _movie(given: Given) -> None:
    from kataribe.core.need import need
    from kataribe.films.building import BuildOptions, build_corpus
    from kataribe.films.folder import check_corpus_folder, write_corpus
    from kataribe.report.corpus import draw_statistics, has_undrawable_genres, render_statistics

    options = BuildOptions(**take_options(BuildOptions, given))
    output, quiet = given["output"], given["quiet"]
    check_corpus_folder(output)
    if given["figures"]:
        need("matplotlib", extra="plots", purpose="drawing figures")
    files = {name: given[name] for name in ("cast", "overrides", "split")}
    kept = given["kept"] or output.with_name(f"{output.name}.watched")

    def still_there() -> str | None:
        return (
            f"what was found in videos is kept in {kept}; the same call goes on from there" if kept.is_dir() else None
        )

    with (
        kept_on_interrupt(still_there),
        progress_bar(quiet) as progress,
        reporting(progress or silent),
        remarking() as remarks,
    ):
        built = build_corpus(_sources(given), options, **files, last=output, watching=_watching(given), kept=kept)
        write_corpus(built.corpus, output, draw_statistics if given["figures"] else None)
    cautions = [*remarks, *built.cautions]
    if given["figures"] and has_undrawable_genres(built.corpus.statistics):
        text = "no font here has the letters of the genres; the figure shows boxes: install Noto Sans CJK"
        cautions.append(Caution("no-font", text))
    warn_of(cautions, given["silence"], quiet)
    print(_films(output, built))
    print(render_statistics(built.corpus.statistics))


def _watching(given: Given) -> Watching:
    from kataribe.films.watching import Watching
    from kataribe.media.transcripts import FasterWhisper

    if given["speech_model"] is None:
        return Watching(narrator=given["narrator"])
    recogniser = FasterWhisper(given["speech_model"], given["speech_language"])
    recogniser.check()  # before films are watched
    return Watching(narrator=given["narrator"], transcriber=recogniser)


def _sources(given: Given) -> tuple[FilmSource, ...]:
    from kataribe.films.sources import FilmSource, check_duration, check_film, read_sources

    own = ("dialogue", "narration", "name", "genre", "duration")
    if given["films"] is not None:
        extra = [name for name in own if given[name]]
        if extra:
            raise UsageError(
                f"FILMS and <{extra[0]}> cannot be given together",
                hint="the list of films names it for each film",
                options=extra[:1],
            )
        return read_sources(given["films"])
    if given["narration"] is None:
        raise UsageError(
            "nothing to build from", hint="give FILMS, or <narration> and <dialogue>", options=["narration", "dialogue"]
        )
    narration: Path = given["narration"]
    source = FilmSource(
        film=given["name"] or narration.name.partition(".")[0],
        dialogue=given["dialogue"],
        narration=narration,
        genres=tuple(dict.fromkeys(given["genre"] or ())),
        duration=check_duration(given["duration"], Location()) if given["duration"] is not None else None,
    )
    check_film(source, Location(None, source.film))
    return (source,)


def _films(output: Path, built: Built) -> str:
    films = built.corpus.films
    part_of = {film: part for part, members in built.corpus.split.items() for film in members}
    kept = f", {len(built.unchanged):,} of them unchanged" if built.unchanged else ""
    left_out = sum(film.corpus.left_out for film in films)
    lines = [f"{output}: {counted(len(films), 'film')}{kept}"]
    if left_out:
        lines[0] += f"; {counted(left_out, 'line')} of openings and endings left out"
    encodings = Counter(file.encoding for film in films for file in film.files)
    if encodings:
        listed = (f"{name} ({counted(count, 'file')})" for name, count in sorted(encodings.items()))
        lines.append(f"encodings: {', '.join(listed)}")
    lines.append("")
    if len(films) <= _FEW:
        width = max(len("film"), *(len(film.film) for film in films))
        header = f"{'film':<{width}}  part   dialogues  clips (G)  long clips (N)  shots (GSR)"
        lines += [header, "-" * len(header)]
        lines += [
            f"{film.film:<{width}}  {part_of[film.film]:<5}  {len(film.corpus.dialogues):>9,}  "
            f"{len(film.corpus.clips):>9,}  {len(film.corpus.long_clips):>14,}  {len(film.corpus.shots):>11,}"
            for film in films
        ]
        lines.append("")
    return "\n".join(lines)
