"""The documentation is true: it builds, every metric has its page, and every example prints what the page shows.

`python tests/test_docs.py` runs the examples and writes what they print into the pages. An output that contains
`...` is left alone as long as it matches.
"""

from __future__ import annotations

import doctest
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

from kataribe.captions.meteor_resource import open_resource
from kataribe.cli.main import main
from kataribe.core import registry

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(
    r"^```(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE
)

# A busy machine makes short work long enough to report that it is alive.
PROGRESS = re.compile(r"^kataribe: .+: [\d,]+ of [\d,]+\n", re.MULTILINE)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, language: str) -> list[re.Match[str]]:
    return [block for block in FENCE.finditer(page.read_text(encoding="utf-8")) if block["language"] == language]


@dataclass(frozen=True)
class Example:
    """A command of a console block and what the page says it prints."""

    command: str
    output: str

    def matches(self, printed: str) -> bool:
        pattern = re.escape(self.output.rstrip()).replace(re.escape("..."), ".*")
        return re.fullmatch(pattern, printed.rstrip(), re.DOTALL) is not None


def examples(block: str) -> Iterator[Example]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield Example(command, output)


def furnish(folder: Path, page: Path) -> dict[str, str]:
    """The files that the examples use, and the environment that finds a package shown on the page."""
    samples = ROOT / "src" / "kataribe" / "samples"
    shutil.copy(samples / "captions_pred.json", folder / "pred.json")
    shutil.copy(samples / "captions_refs.json", folder / "refs.json")
    for name in ("pred", "refs"):
        shutil.copy(samples / f"captions_ja_{name}.json", folder / f"{name}_ja.json")
    for name in ("pred", "one", "two"):
        shutil.copy(samples / f"stories_{name}.json", folder / ("story.json" if name == "pred" else f"{name}.json"))
    shutil.copy(samples / "boundaries_pred.json", folder / "boundaries.json")
    shutil.copy(samples / "boundaries_truth.json", folder / "truth.json")
    if "detect clip.mp4" in page.read_text(encoding="utf-8"):
        from tests.media.clips import cuts, write_video

        write_video(folder / "clip.mp4", cuts(np.random.default_rng(0), [60, 90, 60]))
    if "train boundaries a.mp4" in page.read_text(encoding="utf-8"):
        from tests.media.clips import cuts, write_video

        marked = {}
        for number, name in enumerate("abcdef"):
            write_video(folder / f"{name}.mp4", cuts(np.random.default_rng(10 + number), [40, 60, 50]))
            marked[name] = {"duration": 5.0, "fps": 30, "annotators": [[4 / 3, 10 / 3], [1.3, 3.4], [1.4, 3.3]]}
        (folder / "marked.json").write_text(json.dumps(marked), encoding="utf-8")
    if page.name == "media.md":
        from tests.media.made import make_film, woman

        make_film(
            folder / "film.mp4", 8, [(0.5, 2.5, "Where is he?"), (3.0, 5.5, "I don't know."), (6.0, 7.5, "Wait.")]
        )
        shutil.copy(woman(), folder / "clip.mp4")
    for name, copy in (("pred", "narration"), ("refs", "narration_refs"), ("cast", "cast")):
        shutil.copy(samples / f"narration_{name}.json", folder / f"{copy}.json")
    shutil.copy(samples / "narration_dialogue.jsonl", folder / "dialogue.jsonl")
    for name, copy in (("pred", "moments"), ("refs", "queries"), ("train", "train_queries"), ("answers", "answers")):
        shutil.copy(samples / f"grounding_{name}.json", folder / f"{copy}.json")
    if page.name == "studies.md":
        from tests.people.study_samples import write_study_samples

        write_study_samples(folder)
    shutil.copytree(samples / "films", folder / "films", dirs_exist_ok=True)
    predictions = json.loads((folder / "pred.json").read_text(encoding="utf-8"))
    (folder / "pred11.json").write_text(json.dumps(predictions[:-1]), encoding="utf-8")
    short = [entry | {"caption": " ".join(entry["caption"].split()[:5])} for entry in predictions]
    (folder / "pred_short.json").write_text(json.dumps(short), encoding="utf-8")
    strangers = [entry["caption"] for entry in [*predictions[1:], predictions[0]]]
    wrong = [entry | {"caption": caption} for entry, caption in zip(predictions, strangers, strict=True)]
    (folder / "pred_wrong.json").write_text(json.dumps(wrong), encoding="utf-8")
    shutil.copy(samples / "captions_ratings.csv", folder / "ratings.csv")
    shutil.copy(samples / "ratings_train.csv", folder / "rated.csv")
    for block in blocks(page, "python") + blocks(page, "toml"):
        if block["title"]:
            (folder / block["title"]).write_text(block["body"], encoding="utf-8")
    if (folder / "pyproject.toml").exists():  # as an installer would register it
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        metadata = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        metadata.mkdir(exist_ok=True)
        (metadata / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
        groups = [
            f"[{group}]\n" + "\n".join(f"{name} = {value}" for name, value in points.items())
            for group, points in project["entry-points"].items()
        ]
        (metadata / "entry_points.txt").write_text("\n".join(groups) + "\n")
    scripts = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return os.environ | {"PATH": scripts, "PYTHONPATH": str(folder), "COLUMNS": "100"}


def run(example: Example, folder: Path, environment: dict[str, str]) -> tuple[str, int]:
    done = subprocess.run(
        shlex.split(example.command),
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    return PROGRESS.sub("", done.stdout), done.returncode


def is_ours(example: Example) -> bool:
    return example.command.startswith("kataribe ")


@pytest.fixture(autouse=True, scope="module")
def _compiled_data() -> None:
    """Compiling METEOR's data reports progress, which no page shows."""
    open_resource()


def test_site_builds_without_warnings(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site" / "index.html").exists()


def test_development_page_lists_every_room() -> None:
    page = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
    rooms = {
        path.name for path in (ROOT / "src" / "kataribe").iterdir() if path.is_dir() and path.name != "__pycache__"
    }
    assert set(re.findall(r"^  (\w+)/ ", page, re.MULTILINE)) == rooms


def test_walk_of_a_prediction_file_is_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = ROOT / "docs" / "development.md"
    rows = re.findall(r"^\| \d+ \| (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    hops = [re.findall(r"`([\w/]+\.py: [\w.]+)`", row) for row in rows]
    furnish(tmp_path, page)
    monkeypatch.chdir(tmp_path)
    called = functions_called("score stories story.json -r one.json -o result.json --quiet")
    called += functions_called("report result.json -o page.html --quiet")
    assert [function for hop in hops for function in hop if function not in called] == []
    assert [hop[0] for hop in hops] == sorted((hop[0] for hop in hops), key=called.index)
    assert len(hops) <= 12


def functions_called(command: str) -> list[str]:
    """The functions of the package that a command calls, in the order of their first calls."""
    package = str(ROOT / "src" / "kataribe") + os.sep
    called: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(package):
            called.setdefault(f"{frame.f_code.co_filename.removeprefix(package)}: {frame.f_code.co_qualname}")

    sys.setprofile(note)
    try:
        with pytest.raises(SystemExit, match="0"):
            main(command.split())
    finally:
        sys.setprofile(None)
    return list(called)


@pytest.mark.parametrize("name", registry.names())
def test_every_metric_has_a_page(name: str) -> None:
    page = (ROOT / "docs" / "metrics" / f"{name}.md").read_text(encoding="utf-8")
    assert f"`{name}`" in page
    for heading in ("## Formula", "## Quirks", "## Options", "## Signature", "## How it was checked"):
        assert heading in page, heading


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=name_of)
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    environment = furnish(tmp_path, page)
    for block in blocks(page, "console"):
        for example in filter(is_ours, examples(block["body"])):
            printed, code = run(example, tmp_path, environment)
            assert example.matches(printed), f"$ {example.command}\n{printed}"
            assert code == (2 if example.output.startswith("kataribe: ") and "warning" not in example.output else 0)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "pycon")], ids=name_of)
def test_python_examples_print_what_the_page_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    furnish(tmp_path, page)
    monkeypatch.chdir(tmp_path)
    text = "\n".join(block["body"] for block in blocks(page, "pycon"))
    test = doctest.DocTestParser().get_doctest(text, {}, name_of(page), str(page), 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(test, out=report.append)
    assert not report, "".join(report)


def refresh(page: Path, folder: Path) -> None:
    """Write what the page's commands print into the page."""
    environment = furnish(folder, page)

    def renew(block: re.Match[str]) -> str:
        if block["language"] != "console":
            return block[0]
        lines = []
        for example in examples(block["body"]):
            output = example.output
            if is_ours(example):
                printed, _ = run(example, folder, environment)
                output = output if "..." in output and example.matches(printed) else printed
            lines.append(f"$ {example.command}\n" + (output.rstrip() + "\n" if output.strip() else ""))
        return "```console\n" + "".join(lines) + "```"

    page.write_text(FENCE.sub(renew, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    import tempfile

    sys.path.insert(0, str(ROOT))  # as pytest does
    for page in PAGES:
        with tempfile.TemporaryDirectory() as name:
            refresh(page, Path(name))
