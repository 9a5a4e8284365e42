"""`kataribe train suisei RATINGS -o MODEL_DIR`: a metric that learns from ratings; `--ablate` for the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kataribe.cli import common
from kataribe.cli.build import Given, build, declared_parameters, parameter, take_options
from kataribe.cli.output import check_model_output, check_outputs
from kataribe.cli.progress import progress_bar, warn_of
from kataribe.cli.training import curves_of, resumable, state_parameter
from kataribe.core.errors import OutputError, UsageError
from kataribe.core.progress import reporting, silent
from kataribe.core.spec import split_specs
from kataribe.formats.output import write_whole

if TYPE_CHECKING:
    from kataribe.captions.suisei.options import ModelOptions, TrainingOptions
    from kataribe.captions.suisei.training import Trained
    from kataribe.learning.folder import Model
    from kataribe.learning.result import History
    from kataribe.people.rated_sets import RatedFile

CURVES = "curves.png"
_TABLES = {"table.txt": "table", "table.md": "markdown", "table.tex": "latex", "table.json": "json", "table.csv": "csv"}


def command(help: str) -> Any:
    from kataribe.captions.suisei.options import ModelOptions, TrainingOptions

    # With a file to test on, nothing need be held out of the training file: the default depends on the call.
    declared = [*declared_parameters(ModelOptions), *declared_parameters(TrainingOptions)]
    held_out = typer.Option("--held-out", help="Share that is only scored in the end; default: 0.1, with --test 0.")
    own = {"held_out": parameter("held_out", float | None, held_out, None)}
    return build(
        "suisei",
        help,
        [
            *_inputs(),
            *(own.get(each.name, each) for each in declared),
            *_how(),
            common.format("table, json, csv, markdown or latex."),
            common.silence(),
            common.quiet(),
        ],
        _train,
    )


def _inputs() -> list[Parameter]:
    """What is trained and tested on."""
    ratings = typer.Argument(metavar="RATINGS...", help="Rated captions with their references; several are joined.")
    output = typer.Option("-o", "--output", metavar="FOLDER", help="Where the model is written (with --ablate: all).")
    references = typer.Option("-r", "--references", metavar="FILE", help="References that the ratings do not hold.")
    captions = typer.Option(
        metavar="SYSTEM=FILE", help="Of ratings without captions, as from `judge export`: each system's; repeatable."
    )
    dimension = typer.Option(metavar="NAME", help="Of such ratings: the dimension to learn, if there are several.")
    images = typer.Option(metavar="FOLDER", help="Pictures, named as the ratings name them or by item.")
    features = typer.Option(metavar="FILE", help="Vectors of pictures instead: npz, safetensors, hdf5.")
    scale = typer.Option(metavar="LOW HIGH", help="The ends of the rating scale; default: what the ratings span.")
    test = typer.Option(metavar="RATINGS", help="Rated captions that are only scored in the end; repeatable.")
    beside = "of --test, once or once for each"
    same = "default: those of the training file."
    return [
        parameter("ratings", list[Path], ratings),
        parameter("output", Path, output),
        parameter("references", Path | None, references, None),
        parameter("captions", list[str] | None, captions, None),
        parameter("dimension", str | None, dimension, None),
        parameter("images", Path | None, images, None),
        parameter("features", Path | None, features, None),
        parameter("scale", tuple[float, float] | None, scale, None),
        parameter("test", list[Path] | None, test, None),
        parameter(
            "test_references", list[Path] | None, typer.Option(metavar="FILE", help=f"References {beside}."), None
        ),
        parameter(
            "test_images", list[Path] | None, typer.Option(metavar="FOLDER", help=f"Pictures {beside}; {same}"), None
        ),
        parameter(
            "test_features", list[Path] | None, typer.Option(metavar="FILE", help=f"Vectors {beside}; {same}"), None
        ),
        parameter("allow_overlap", bool, typer.Option("--allow-overlap", help="Test on what was trained on."), False),
    ]


def _how() -> list[Parameter]:
    metrics = typer.Option("-m", "--metrics", help="Of blend: its metrics; commas between several; repeatable.")
    warm = typer.Option("--from", metavar="MODEL", help="Start from the weights of this model, where they fit.")
    log_folder = typer.Option(metavar="FOLDER", help="Where a tracker writes its files.")
    curves = typer.Option(metavar="FILE", help="Draw the learning curves here, too: png or svg.")
    ablate = typer.Option("--ablate", help="Train the whole table: baselines, ablations, heads, people.")
    keep = typer.Option("--keep-models/--only-cards", help="Of --ablate: keep the models, or only their cards.")
    bootstrap = typer.Option(help="Of --ablate: draws of pictures for intervals and tests; 0: none.")
    return [
        parameter("metrics", list[str] | None, metrics, None),
        parameter("warm", Path | None, warm, None),
        state_parameter(),
        parameter("log_folder", Path | None, log_folder, None),
        parameter("curves", Path | None, curves, None),
        parameter("ablate", bool, ablate, False),
        parameter("keep_models", bool, keep, True),
        parameter("bootstrap", int, bootstrap, 1000),
    ]


def _train(given: Given) -> None:
    from kataribe.captions.suisei.options import GIVEN, ModelOptions, TrainingOptions
    from kataribe.learning.fit import is_main_process
    from kataribe.report.trained import check_format

    if given["held_out"] is None:
        given["held_out"] = 0.0 if given["test"] else TrainingOptions.held_out
    model = ModelOptions(**take_options(ModelOptions, given))
    if given["features"] is not None:
        model = replace(model, picture_encoder=GIVEN)
    training = TrainingOptions(**take_options(TrainingOptions, given))
    check_format(given["format"])
    check_outputs([given["curves"]], *_reads(given), metrics=given["metrics"])
    _check_curves(given["curves"])
    given["metrics"] = [spec for text in given["metrics"] or () for spec in split_specs(text)]
    is_quiet = given["quiet"] or not is_main_process()
    state = given["output"] if given["ablate"] else given["state"]
    with resumable(state), progress_bar(is_quiet) as progress, reporting(progress or silent):
        answer = (_ablate if given["ablate"] else _train_one)(given, model, training, is_quiet)
    if answer is not None:
        print(answer)


def _reads(given: Given) -> list[Any]:
    beside = ("references", "images", "features")
    return [
        given[name] for name in ("ratings", "captions", "test", "warm", *beside, *(f"test_{name}" for name in beside))
    ]


def _train_one(given: Given, model: ModelOptions, options: TrainingOptions, is_quiet: bool) -> str | None:
    from kataribe.captions.suisei.training import train
    from kataribe.learning.fit import is_main_process
    from kataribe.report.trained import render_trained

    folder = given["output"]
    check_model_output(folder, *_reads(given), given["state"], given["log_folder"])
    warm = _warm(given["warm"], model)
    rated, tests = _read(given)
    warn_of((caution for each in (rated, *tests) for caution in each.warnings), given["silence"], is_quiet)
    trained = train(
        rated.set,
        model,
        options,
        tests=[test.set for test in tests],
        **({"metrics": given["metrics"]} if given["metrics"] else {}),
        warm=warm,
        allow_overlap=given["allow_overlap"],
        state=given["state"],
        log_folder=given["log_folder"],
    )
    if not is_main_process():
        return None
    written = trained.write(folder, more=_curves(trained))
    if given["curves"] is not None:
        _draw(given["curves"], {f"seed {seed}": course for seed, course in _courses(trained).items()})
    return render_trained(_described(folder, trained, written), given["format"])


def _ablate(given: Given, model: ModelOptions, options: TrainingOptions, is_quiet: bool) -> str | None:
    from kataribe.learning.fit import is_main_process
    from kataribe.people.ablation import ablate
    from kataribe.people.options import AgreementOptions
    from kataribe.report.ablation import render_ablation

    folder = given["output"]
    for name in ("warm", "state", "log_folder"):
        if given[name] is not None:
            flag = {"warm": "from"}.get(name, name.replace("_", "-"))
            raise UsageError(f"--{flag} is of one model, not of the whole table", hint="leave it out beside --ablate")
    _check_table_folder(folder)
    rated, tests = _read(given)
    warn_of((caution for each in (rated, *tests) for caution in each.warnings), given["silence"], is_quiet)
    courses: dict[str, History] = {}

    def more(trained: Trained) -> Mapping[str, bytes]:
        courses.update({f"{trained.about.model['head']} {seed}": run for seed, run in _courses(trained).items()})
        return _curves(trained)

    folder.mkdir(exist_ok=True)
    found = ablate(
        rated,
        tests,
        folder,
        model,
        options,
        metrics=given["metrics"] or None,
        allow_overlap=given["allow_overlap"],
        agreement=AgreementOptions(bootstrap=given["bootstrap"], seed=options.seed),
        more=more,
    )
    if not is_main_process():
        return None
    for name, format in _TABLES.items():
        write_whole(folder / name, render_ablation(found, format) + "\n")
    if given["curves"] is not None and courses:
        _draw(given["curves"], courses)
    if not given["keep_models"]:
        _keep_cards(folder)
    return render_ablation(found, given["format"])


def _read(given: Given) -> tuple[RatedFile, list[RatedFile]]:
    from kataribe.people.rated_sets import read_sets, read_tests

    rated = read_sets(
        given["ratings"],
        references=given["references"],
        images=given["images"],
        features=given["features"],
        scale=given["scale"],
        captions=given["captions"] or (),
        dimension=given["dimension"],
    )
    tests = read_tests(
        given["test"] or (),
        references=given["test_references"] or (),
        # Pictures of a test are those of the training file, unless others are given.
        images=given["test_images"] or ([given["images"]] if given["images"] and not given["test_features"] else ()),
        features=given["test_features"]
        or ([given["features"]] if given["features"] and not given["test_images"] else ()),
    )
    return rated, tests


def _warm(folder: Path | None, model: ModelOptions) -> Model | None:
    from kataribe.captions.suisei.model import KIND
    from kataribe.learning.folder import read_model

    if folder is None:
        return None
    if model.head == "blend":
        raise UsageError("a blend has no weights to start from", hint="leave out --from")
    return read_model(folder, KIND)


def _check_curves(path: Path | None) -> None:
    """What can be refused before the work starts is refused before the work starts."""
    from kataribe.core.need import need

    if path is not None:
        need("matplotlib", extra="plots", purpose="drawing learning curves")
        if path.suffix not in (".png", ".svg"):
            raise OutputError(f"{path}: curves are drawn as png or svg", hint="give the file one of these endings")


def _courses(trained: Trained) -> dict[int, History]:
    """The course of each seed; a blend has none."""
    return {trial.seed: history for trial, history in zip(trained.trials, trained.histories, strict=False)}


def _curves(trained: Trained) -> dict[str, bytes]:
    courses = _courses(trained)
    return curves_of(courses) if courses else {}


def _draw(path: Path, courses: Mapping[str, History]) -> None:
    from kataribe.report.learning import draw_curves

    if courses:
        write_whole(path, draw_curves(courses, path.suffix.removeprefix(".")))


def _described(folder: Path, trained: Trained, written: Model) -> Any:
    from kataribe.learning.result import Scored, TrainedModel

    by_data: dict[str, list[Any]] = {}
    for score in trained.scores:
        by_data.setdefault(score.data, []).append(score)
    scored = [
        Scored(
            data,
            scores[0].count,
            {each.measure: float("nan") if each.value is None else each.value for each in scores},
            {each.measure: each.interval for each in scores if each.interval is not None},
        )
        for data, scores in by_data.items()
    ]
    usage = f'kataribe score captions PRED -r REFS -m "suisei({folder})"'
    return TrainedModel(str(folder), written.card.title, written.signature, written.card.notes, scored, usage)


def _check_table_folder(folder: Path) -> None:
    """A new or empty folder, or one in which an earlier table stands or was begun."""
    if not folder.parent.is_dir():
        raise OutputError(f"{folder}: there is no folder {folder.parent}", hint="create it first")
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: is a file; a table and its models are a folder", hint="choose another place")
    if folder.is_dir():
        strange = [entry for entry in folder.iterdir() if not _is_of_table(entry)]
        if strange:
            raise OutputError(
                f"{folder}: holds other things than a table and its models ({strange[0].name})",
                hint="name a new or empty folder",
            )


def _is_of_table(entry: Path) -> bool:
    return entry.name in (*_TABLES, ".states", CURVES) or (entry / "card.json").is_file()


def _keep_cards(folder: Path) -> None:
    for weights in folder.glob("*/weights.safetensors"):
        weights.unlink()
