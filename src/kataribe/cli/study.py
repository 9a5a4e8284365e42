"""`kataribe judge new | serve | invite | export`: collect human judgements."""

from __future__ import annotations

import csv
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kataribe.cli.output import check_outputs
from kataribe.cli.progress import progress_bar
from kataribe.core.errors import InputError, UsageError
from kataribe.core.progress import reporting, silent
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.people.judge.collected import RaterProgress

ADMIN_TOKEN = "KATARIBE_JUDGE_ADMIN"
_SHORTEST_ADMIN_TOKEN = 16

StudyFile = Annotated[Path, typer.Argument(metavar="STUDY.toml", help="The study; `kataribe judge new` writes one.")]
PublicUrl = Annotated[str, typer.Option(help="The address raters use, where it is not this machine's.")]


def new(
    template: Annotated[
        str, typer.Argument(metavar="TEMPLATE", help="soda, soda-order, movie101, movie101-clips or shichimi.")
    ],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to create.")],
) -> None:
    """Write a study that runs at once: its documented STUDY.toml and a small sample of every file it names."""
    from kataribe.people.judge.templates import write_template

    study = write_template(template, folder)
    print(f"{study}: change it to your data, or try it: kataribe judge serve {study} --raters 2")


def serve(
    study: StudyFile,
    raters: Annotated[int, typer.Option(min=0, help="Invite raters until there are so many; prints new links.")] = 0,
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for every network.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8000,
    url: PublicUrl = "",
) -> None:
    """Serve the study to raters until Ctrl-C. Every answer is on disk before it is acknowledged."""
    from kataribe.people.judge import server

    server.require()
    from kataribe.people.judge.app import make_app
    from kataribe.people.judge.store import Store, new_token
    from kataribe.people.judge.study import read_study

    admin_token = os.environ.get(ADMIN_TOKEN) or new_token()
    if len(admin_token) < _SHORTEST_ADMIN_TOKEN:
        raise UsageError(f"{ADMIN_TOKEN} is shorter than {_SHORTEST_ADMIN_TOKEN} characters", hint="make it longer")
    read = read_study(study)
    listener = server.listen(host, port)
    store = Store(read.database, read.fingerprint())
    address = _address(url, host, listener.getsockname()[1])
    for _ in range(len(store.raters()), raters):
        _print_link(*store.invite(), address)

    def ready() -> None:
        print(f"admin     {address}/admin?token={admin_token}", flush=True)
        count = len(store.raters())
        hint = "" if count else "; invite some: --raters N, or `kataribe judge invite`"
        print(f"kataribe: {len(read.items):,} items, {count:,} raters{hint}; stop with Ctrl-C", file=sys.stderr)

    try:
        server.run(make_app(read, store, admin_token, url), listener, ready)
    except KeyboardInterrupt:
        pass
    finally:
        store.close()
    print(f"kataribe: stopped; every answer is in {read.database}", file=sys.stderr)


def invite(
    study: StudyFile,
    count: Annotated[int, typer.Option("-n", min=1, help="How many raters.")] = 1,
    name: Annotated[list[str] | None, typer.Option(help="A rater's name in the export; repeatable.")] = None,
    renew: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A new link for this rater; the old one ends. Repeatable.")
    ] = None,
    url: PublicUrl = "http://127.0.0.1:8000",
) -> None:
    """Print links for new raters, also while the study is served. A link is shown once; only its hash is kept."""
    from kataribe.people.judge.store import Store
    from kataribe.people.judge.study import read_study

    read = read_study(study)
    store = Store(read.database, read.fingerprint())
    try:
        for known in renew or ():
            _print_link(known, store.renew(known), url)
        for wanted in name or ([] if renew else [""] * count):
            _print_link(*store.invite(wanted), url)
    finally:
        store.close()


def export(
    study: StudyFile,
    output: Annotated[Path, typer.Option("-o", "--output", help="The ratings: .csv, .tsv or .jsonl; .gz of any.")],
    checks: Annotated[Path | None, typer.Option(help="Also write raters' progress and checks here, as CSV.")] = None,
    min_checks: Annotated[
        float, typer.Option(min=0, max=1, help="Leave out raters who passed a smaller share of their checks.")
    ] = 0.0,
) -> None:
    """Write the answers so far, also while the study is served."""
    from kataribe.people.judge.collected import progress, ratings
    from kataribe.people.judge.store import Store
    from kataribe.people.judge.study import read_study
    from kataribe.people.ratings import write_ratings

    check_outputs([output, checks], study)
    read = read_study(study)
    check_outputs([output, checks], read.files)
    if not read.database.is_file():
        raise InputError("there is no such file", file=read.database, hint="nobody has been invited to this study yet")
    store = Store(read.database, read.fingerprint())
    try:
        raters, answers = store.raters(), store.answers()
    finally:
        store.close()

    def is_attentive(rater: RaterProgress) -> bool:
        return rater.passed >= min_checks * rater.checked

    reports = progress(read, raters, answers)
    kept = {report.rater.name for report in reports if is_attentive(report)}
    found = ratings(read, [answer for answer in answers if answer.rater in kept])
    if not len(found):
        raise InputError(
            "holds no answers to export" if not answers else "holds no answers of raters who pass enough checks",
            file=read.database,
            hint="wait for the first" if not answers else "lower --min-checks",
        )
    write_ratings(output, found)
    if checks is not None:
        write_whole(checks, _checks_table(reports, kept))
    left_out = len(raters) - len(kept)
    print(
        f"{output}: {len(found):,} {found.kind} by {len(found.raters):,} raters"
        + (f"; {left_out:,} raters left out" if left_out else "")
    )


def rehearse(
    study: StudyFile,
    truth: Annotated[
        Path,
        typer.Option(
            metavar="TABLE", help="What the texts are worth: item, system and a column for each dimension, or truth."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The ratings: .csv, .tsv or .jsonl; .gz of any.")],
    raters: Annotated[int, typer.Option(min=1, help="How many raters.")] = 10,
    accuracy: Annotated[
        float, typer.Option(help="The share of pairs of texts that a rater puts in the right order; of labels, right.")
    ] = 0.75,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Generated raters answer the study: what would you find? The study's own answers are not touched."""
    from kataribe.people.judge.rehearsal import Rehearsal, read_truth
    from kataribe.people.judge.study import read_study
    from kataribe.people.ratings import write_ratings

    check_outputs([output], [study, truth])
    read = read_study(study)
    check_outputs([output], read.files)
    rehearsal = Rehearsal(read, read_truth(truth, read), accuracy, seed)
    with progress_bar(quiet) as progress, reporting(progress or silent):
        found = rehearsal.answers(raters)
    write_ratings(output, found)
    print(f"{output}: {len(found):,} {found.kind} by {raters:,} generated raters, accuracy {accuracy:g}; seed {seed}")


def _checks_table(reports: list[RaterProgress], kept: set[str]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["rater", "answered", "tasks", "checks_passed", "checks_answered", "median_seconds", "exported"])
    for report in reports:
        seconds = "" if report.median_seconds is None else f"{report.median_seconds:.1f}"
        name, exported = report.rater.name, "yes" if report.rater.name in kept else "no"
        writer.writerow([name, report.answered, report.total, report.passed, report.checked, seconds, exported])
    return out.getvalue()


def _address(url: str, host: str, port: int) -> str:
    """Where raters find the server: the address that was given, else this machine."""
    if url:
        return url.rstrip("/")
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"


def _print_link(name: str, token: str, address: str) -> None:
    print(f"{name:<9} {address.rstrip('/')}/r/{token}", flush=True)
