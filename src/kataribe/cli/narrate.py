"""`kataribe narrate VIDEO|FEATURES --model MODEL`: a film told in the gaps between its dialogues."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kataribe.cli import common
from kataribe.cli.build import Given, build, declared_parameters, parameter, take_options
from kataribe.cli.interrupted import kept_on_interrupt
from kataribe.cli.output import check_outputs
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.core.caution import remarking
from kataribe.core.errors import InputError, Location, UsageError, counted, nearest
from kataribe.core.progress import reporting, silent
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.films.seen import SeenFilm
    from kataribe.narration.telling.looking import FilmSource
    from kataribe.narration.telling.options import TellingOptions
    from kataribe.narration.telling.spans import Spans
    from kataribe.narration.telling.telling import Telling

HELP = "Tell a film in the gaps between its dialogues: WebVTT, SRT or JSON from a video or its features."


def command() -> Any:
    from kataribe.narration.narrators.options import SearchOptions
    from kataribe.narration.telling.options import TellingOptions

    source = typer.Argument(metavar="VIDEO|FEATURES", help="A video file, or a film's feature file (.npz).")
    model = typer.Option(metavar="MODEL", help="A folder of `train narrator`, or first-billed, whole-cast or random.")
    said = "What is said: VTT, SRT, ASS, JSONL; default: the subtitles that are burnt in."
    kept = "Where what is seen is kept; default: beside the answer, FILM.npz. Of a video only."
    clips = "Tell these clips (references, say) instead of the gaps: whatever `score narration -r` reads."
    encoder = "Of a video: the encoder of frames; default: the one of the model's training."
    parameters = [
        parameter("source", Path, source),
        parameter("model", str, model),
        parameter("cast", Path | None, typer.Option(metavar="CAST", help="The film's roles in billing order."), None),
        common.output("The file to write: .vtt, .srt or .json; default: WebVTT is printed."),
        parameter("dialogue", Path | None, typer.Option(metavar="FILE", help=said), None),
        parameter("features", Path | None, typer.Option(metavar="FILE", help=kept), None),
        parameter("film", str | None, typer.Option(help="What the film is called; default: its file's name."), None),
        parameter("genre", list[str] | None, typer.Option(help="A genre of the film; repeatable."), None),
        parameter("clips", Path | None, typer.Option(metavar="FILE", help=clips), None),
        parameter("encoder", str | None, typer.Option(help=encoder), None),
        *declared_parameters(TellingOptions),
        *declared_parameters(SearchOptions),
        common.silence(),
        common.quiet(),
    ]
    return build("narrate", HELP, parameters, _narrate)


def _narrate(given: Given) -> None:
    from kataribe.films.feature_file import parts_of
    from kataribe.narration.narrators.options import SearchOptions
    from kataribe.narration.narrators.protocol import open_narrator
    from kataribe.narration.telling.cue_files import check_kind, format_telling
    from kataribe.narration.telling.looking import see
    from kataribe.narration.telling.options import TellingOptions
    from kataribe.narration.telling.telling import tell

    options = TellingOptions(**take_options(TellingOptions, given))
    search = take_options(SearchOptions, given)
    output: Path | None = given["output"]
    if output is not None:
        check_kind(output)
    _check_model(given["model"])
    source = _source(given, output)
    reads = [given[name] for name in ("source", "cast", "dialogue", "clips") if given[name] is not None]
    check_outputs([output, source.features if source.video is not None else None], reads)

    def kept() -> str | None:
        if source.video is None or not (source.features.exists() or parts_of(source.features).is_dir()):
            return None
        return f"what was seen so far is kept in {source.features}; the same call goes on from there"

    with (
        kept_on_interrupt(kept),
        progress_bar(given["quiet"]) as progress,
        reporting(progress or silent),
        remarking() as remarks,
    ):
        narrator = open_narrator(given["model"], **search)
        film = see(source, narrator)
        telling = tell(film, narrator, _spans(film, given["clips"], options), options.cps)
    warn_of(remarks, given["silence"], given["quiet"])
    content = format_telling(telling, output.suffix.lower() if output is not None else ".vtt")
    if output is not None:
        write_whole(output, content)
        print(f"{output}: {_summary(telling)}")
    else:
        print(content, end="")
        _say(_summary(telling), given["quiet"])
    if source.video is not None:
        _say(f"what was seen is kept in {source.features}", given["quiet"])


def _say(line: str, quiet: bool) -> None:
    if not quiet:
        print(f"kataribe: {line}", file=sys.stderr)


def _check_model(model: str) -> None:
    """A name that is neither a folder nor known is refused before a film is looked at."""
    from kataribe.narration.narrators.trivial import TRIVIAL

    if model not in TRIVIAL and not Path(model).exists():
        raise InputError("there is no such model", file=Path(model), hint=nearest(model, TRIVIAL))


def _source(given: Given, output: Path | None) -> FilmSource:
    from kataribe.narration.telling.looking import FEATURES, FilmSource

    path: Path = given["source"]
    if not path.is_file():
        raise InputError("there is no such file", file=path, hint="give a video, or a film's feature file (.npz)")
    is_features = path.suffix.lower() == FEATURES
    for name in ("features", "encoder"):
        if is_features and given[name] is not None:
            raise UsageError(
                f"<{name}> is for videos, and {path} is a feature file", hint="leave it out", options=[name]
            )
    beside = (output.parent if output is not None else Path()) / f"{path.stem}{FEATURES}"
    return FilmSource(
        film=given["film"] or path.stem,
        features=path if is_features else given["features"] or beside,
        video=None if is_features else path,
        cast=given["cast"],
        genres=tuple(dict.fromkeys(given["genre"] or ())),
        dialogue=given["dialogue"],
        encoder=given["encoder"],
    )


def _spans(film: SeenFilm, clips: Path | None, options: TellingOptions) -> Spans:
    from kataribe.narration.files import read_narrations
    from kataribe.narration.telling.spans import find_spans, given_spans

    if clips is not None:
        own = [clip for clip in read_narrations(clips).values() if clip.film in (film.film, None)]
        found = given_spans(own, film.dialogue, film.duration)
        if not found.clips:
            raise Location(clips).error(f"has no clip of {film.film!r} with times", hint="is it of another film?")
        return found
    found = find_spans(film.film, film.dialogue, film.duration, options)
    if not found.clips:
        raise InputError(_no_gap(film, found.too_short, options), id=film.film, hint=_more_time(film, options))
    return found


def _no_gap(film: SeenFilm, too_short: int, options: TellingOptions) -> str:
    if not film.dialogue:
        return "nothing is said, so there is no gap between dialogues"
    if too_short:
        return f"all {counted(too_short, 'gap')} between dialogues are shorter than {options.shortest_gap:g} seconds"
    return "there is no gap between dialogues: all that is said is one"


def _more_time(film: SeenFilm, options: TellingOptions) -> str:
    if not film.dialogue:
        return "give what is said with --dialogue, or tell all of the film with --edges"
    return "--edges also tells before the first and after the last; --dialogue-gap and --shortest-gap say what a gap is"


def _summary(telling: Telling) -> str:
    told = f"{len(telling.cues):,} of {counted(telling.clips, 'clip')} told in {counted(telling.gaps, 'gap')}"
    counts = {
        "run on into the silence behind": telling.running_on,
        "shortened to fit": telling.shortened,
        "left out, for not even the first clause fits": telling.left_out,
        "of which the narrator says nothing": telling.silent,
    }
    said = [f"{count:,} {what}" for what, count in counts.items() if count]
    if telling.too_short:
        said.append(f"{counted(telling.too_short, 'gap')} too short to tell")
    return "; ".join([told, *said, f"{telling.cps:g} letters a second", telling.narrator])
