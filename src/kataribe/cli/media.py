"""`kataribe media subtitles|speech|shots|faces|frames VIDEO`: one stage of looking at a film."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from kataribe.cli.interrupted import kept_on_interrupt
from kataribe.cli.output import check_outputs
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.core.caution import remarking
from kataribe.core.errors import UsageError, counted, shorten
from kataribe.core.progress import reporting, silent

if TYPE_CHECKING:
    from kataribe.media.faces import Faces
    from kataribe.media.portraits import NamedTrack
    from kataribe.media.stage import Stage

app = typer.Typer(
    help="Look at a film: subtitles, speech, shots, faces, frames.", no_args_is_help=True, rich_markup_mode=None
)
T = TypeVar("T")

Video = Annotated[Path, typer.Argument(metavar="VIDEO", help="A video file, in any format FFmpeg reads.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", help="The film's feature file (.npz), to which the stage is added, or the answer as .json."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings.")]
FEATURES = ".npz"


@app.command()
def subtitles(
    video: Video,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The feature file (.npz), or the answer as .srt, .vtt or .json."),
    ] = None,
    strip: Annotated[
        str | None, typer.Option(help="The part of the height to read, as 0.8:0.95; found by itself if not given.")
    ] = None,
    rate: Annotated[float, typer.Option(help="Frames read a second.", min=0.1, max=30)] = 2.4,
    quiet: Quiet = False,
) -> None:
    """Read burnt-in subtitles by OCR, Chinese and English; prints SRT."""
    from kataribe.formats.subtitle_output import format_subtitles
    from kataribe.media.subtitles import Subtitles

    _check(video, output, (FEATURES, ".srt", ".vtt", ".json"))
    captions = _look(Subtitles(_strip(strip), rate), video, output, quiet)
    lines = [{"start": caption.segment.start, "end": caption.segment.end, "text": caption.text} for caption in captions]
    kind = output.suffix.lower()[1:] if output is not None and output.suffix.lower() in (".srt", ".vtt") else "srt"
    _answer(output, lines, lambda: format_subtitles(captions, kind))
    if not captions:
        _say("no subtitles were found: no text comes and goes in one place", quiet)


@app.command()
def speech(video: Video, output: Output = None, quiet: Quiet = False) -> None:
    """Find where people speak; prints the start and end of each region in seconds."""
    from kataribe.media.speech import Speech

    _check(video, output, (FEATURES, ".json"))
    regions = _look(Speech(), video, output, quiet)
    _answer(
        output,
        [{"start": region.start, "end": region.end} for region in regions],
        lambda: "".join(f"{region.start:.2f}\t{region.end:.2f}\n" for region in regions),
    )
    if not regions:
        _say("nobody speaks", quiet)


@app.command()
def shots(
    video: Video,
    output: Output = None,
    threshold: Annotated[float, typer.Option(help="A cut changes at least this part of the colours.")] = 0.25,
    quiet: Quiet = False,
) -> None:
    """Find hard cuts; prints the start and end of each shot in seconds."""
    from kataribe.media.shots import Shots

    _check(video, output, (FEATURES, ".json"))
    found = _look(Shots(threshold), video, output, quiet)
    _answer(
        output,
        [{"start": shot.start, "end": shot.end} for shot in found],
        lambda: "".join(f"{shot.start:.2f}\t{shot.end:.2f}\n" for shot in found),
    )


@app.command()
def faces(
    video: Video,
    output: Output = None,
    portraits: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A folder with a picture for each role; tracks get its name.")
    ] = None,
    rate: Annotated[float, typer.Option(help="Frames looked at a second.", min=0.01, max=30)] = 1.0,
    upsample: Annotated[int, typer.Option(help="Look for smaller faces: each step takes four times as long.")] = 0,
    quiet: Quiet = False,
) -> None:
    """Find faces, link them into tracks and name them after portraits; prints a line for each track."""
    from kataribe.media.faces import DlibFaces, FaceStage
    from kataribe.media.portraits import name_tracks, portraits_in, read_portraits

    _check(video, output, (FEATURES, ".json"), portraits)
    finder = DlibFaces(upsample)
    known = read_portraits(portraits_in(portraits), finder) if portraits is not None else None
    found = _look(FaceStage(finder, rate), video, output, quiet)
    named = name_tracks(found, known) if known is not None and len(found) else []
    names = {track.track: track.name for track in named if track.name}
    _answer(output, _listed(found, names), lambda: _table(found, named))
    seen = len(set(found.time.tolist()))
    _say(f"{counted(len(found), 'face')} in {seen:,} of {counted(len(found.seen), 'frame')}", quiet)


@app.command()
def frames(
    video: Video,
    output: Annotated[Path, typer.Option("-o", "--output", help="The film's feature file (.npz).")],
    encoder: Annotated[
        str, typer.Option(help="histogram, efficientnet-lite0, timm:NAME or transformers:NAME.")
    ] = "histogram",
    rate: Annotated[float, typer.Option(help="Frames a second.", min=0.01, max=60)] = 1.0,
    quiet: Quiet = False,
) -> None:
    """Turn frames into vectors with a picture encoder, into the film's feature file."""
    from kataribe.encoders.pictures import open_pictures
    from kataribe.films.frames import FrameStage

    _check(video, output, (FEATURES,))
    found = _look(FrameStage(open_pictures(encoder), rate), video, output, quiet)
    count, width = found.vector.shape
    print(f"{output}: {counted(count, 'frame')}, {width:,} numbers each, by {encoder}")


def _check(video: Path, output: Path | None, kinds: Sequence[str], *reads: Path | None) -> None:
    """What can be refused before hours of film are looked at."""
    if output is not None and output.suffix.lower() not in kinds:
        problem = f"{output}: this stage does not write {shorten(output.suffix or 'files without an ending')}"
        raise UsageError(problem, hint=f"there are: {', '.join(kinds)}")
    check_outputs([output], video, reads[0] if reads else None)


def _look(stage: Stage[T], video: Path, output: Path | None, quiet: bool) -> T:
    from kataribe.films.feature_file import look, parts_of

    features = output if output is not None and output.suffix.lower() == FEATURES else None

    def kept() -> str | None:
        if features is None or not parts_of(features).is_dir():
            return None
        return f"what was found so far is kept in {parts_of(features)}; the same call goes on from there"

    try:
        with (
            kept_on_interrupt(kept),
            progress_bar(quiet) as progress,
            reporting(progress or silent),
            remarking() as remarks,
        ):
            found = look(stage, video, features)
    except Exception:
        if said := kept():
            _say(said, quiet)
        raise
    warn_of(remarks, quiet=quiet)
    return found


def _answer(output: Path | None, listed: Any, readable: Callable[[], str]) -> None:
    """The feature file is written already; the answer goes to standard output, or to a file of its own."""
    from kataribe.formats.output import write_whole

    if output is None or output.suffix.lower() == FEATURES:
        print(readable(), end="")
    elif output.suffix.lower() == ".json":
        write_whole(output, json.dumps(listed, ensure_ascii=False, indent=1) + "\n")
    else:
        write_whole(output, readable())


def _strip(text: str | None) -> Any:
    from kataribe.media.strip import Strip

    if text is None:
        return None
    try:
        top, bottom = map(float, text.split(":"))
    except ValueError:
        raise UsageError(f"--strip {shorten(text)}: is not TOP:BOTTOM", hint="--strip 0.8:0.95, say") from None
    return Strip(top, bottom)


def _listed(found: Faces, names: dict[int, str]) -> list[dict[str, Any]]:
    """Every face without its vector, which is for the feature file."""
    return [
        {
            "time": float(found.time[row]),
            "box": [float(edge) for edge in found.box[row]],
            "score": float(found.score[row]),
            "track": int(found.track[row]),
            "name": names.get(int(found.track[row])),
        }
        for row in range(len(found))
    ]


def _table(found: Faces, named: Sequence[NamedTrack]) -> str:
    if not len(found):
        return ""
    lines = [f"{'track':>5} {'from':>8} {'to':>8} {'faces':>6} {'score':>6}" + ("  name" if named else "")]
    for number, rows in enumerate(found.tracks):
        time, score = found.time[rows], found.score[rows].mean()
        name = f"  {named[number].name or '?'} ({named[number].distance:.2f})" if named else ""
        lines.append(f"{number:>5} {time[0]:>8.2f} {time[-1]:>8.2f} {len(rows):>6} {score:>6.2f}{name}")
    return "\n".join(lines) + "\n"


def _say(line: str, quiet: bool) -> None:
    if not quiet:
        print(f"kataribe: {line}", file=sys.stderr)
