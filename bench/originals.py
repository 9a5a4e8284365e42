"""Driving the tools that the field cites, as the field drives them: pycocoevalcap and the jars it carries."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from bench.data import ROOT, CaptionSet
from bench.process import peak_memory

# What the tool's own filter drops from the tokenizer's output.
PUNCTUATION = frozenset(["''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"])

# Java's default encoding follows the locale; captions are UTF-8.
ENVIRONMENT = os.environ | {"LC_ALL": "C.UTF-8"}


def java() -> str | None:
    return shutil.which("java")


def absent() -> str | None:
    """Why the originals cannot run here, or None."""
    if java() is None:
        return "Java is not installed"
    return None if find_spec("pycocoevalcap") else "pycocoevalcap is not installed"


def _folder(name: str) -> Path:
    spec = find_spec("pycocoevalcap")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(next(iter(spec.submodule_search_locations))) / name


def ptb_tokens(texts: Sequence[str]) -> tuple[list[str], float]:
    """The tokens of each text after the tool's filter, and the seconds that the Java process took."""
    jar = next(_folder("tokenizer").glob("stanford-corenlp*.jar"))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "captions.txt"
        source.write_text("\n".join(text.replace("\n", " ") for text in texts), encoding="utf-8")
        command = [java() or "java", "-cp", str(jar), "edu.stanford.nlp.process.PTBTokenizer"]
        start = time.perf_counter()
        done = subprocess.run(
            [*command, "-preserveLines", "-lowerCase", str(source)], capture_output=True, env=ENVIRONMENT, check=True
        )
        seconds = time.perf_counter() - start
    lines = done.stdout.decode().split("\n")[: len(texts)]
    return [" ".join(word for word in line.split(" ") if word not in PUNCTUATION).strip() for line in lines], seconds


class MeteorJar:
    """meteor-1.5.jar on standard input and output, loaded when the `with` block begins."""

    def __enter__(self) -> MeteorJar:
        start = time.perf_counter()
        self.process = subprocess.Popen(
            [java() or "java", "-jar", "-Xmx2G", "meteor-1.5.jar", "-", "-", "-stdio", "-l", "en", "-norm"],
            cwd=_folder("meteor"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=ENVIRONMENT,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self.statistics(["a dog"], [["a dog"]])
        self.load_seconds = time.perf_counter() - start
        return self

    def __exit__(self, *_: object) -> None:
        self.stdin.close()
        self.process.wait()

    def statistics(self, candidates: Sequence[str], references: Sequence[Sequence[str]]) -> list[str]:
        """One line of statistics for each candidate. A thread keeps writing, so that the jar never waits for us."""
        lines = [
            " ||| ".join(["SCORE", *texts, candidate]) + "\n"
            for candidate, texts in zip(candidates, references, strict=True)
        ]

        def write() -> None:
            for start in range(0, len(lines), 500):
                self.stdin.write("".join(lines[start : start + 500]))
                self.stdin.flush()

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        answers = [self.stdout.readline().strip() for _ in lines]
        writer.join()
        return answers

    def scores(self, statistics: Sequence[str]) -> tuple[list[float], float]:
        """The score of each line of statistics, and of them all."""
        self.stdin.write(" ||| ".join(["EVAL", *statistics]) + "\n")
        self.stdin.flush()
        return [float(self.stdout.readline()) for _ in statistics], float(self.stdout.readline())

    @property
    def memory(self) -> int | None:
        return peak_memory(self.process.pid)


def pipeline(predictions: Path, references: Path) -> tuple[dict[str, float], float]:
    """The whole of pycocoevalcap in a process of its own: its scores, and the seconds from start to end."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "bench.pipeline", str(predictions), str(references)],
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"bench: pycocoevalcap failed: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1]), seconds


def write_files(captions: CaptionSet, folder: Path) -> tuple[Path, Path]:
    """Both sides as {id: ...} JSON, which either program reads."""
    predictions, references = folder / "predictions.json", folder / "references.json"
    ids = [str(number) for number in range(len(captions.candidates))]
    predictions.write_text(json.dumps(dict(zip(ids, captions.candidates, strict=True))), encoding="utf-8")
    references.write_text(json.dumps(dict(zip(ids, captions.references, strict=True))), encoding="utf-8")
    return predictions, references
