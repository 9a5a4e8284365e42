"""The original METEOR as an oracle: one Java process, asked in batches."""

import importlib.util
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ENGLISH = ("-l", "en", "-norm")
OTHER = ("-l", "other")


class MeteorJar:
    def __init__(self, *options: str) -> None:
        spec = importlib.util.find_spec("pycocoevalcap")
        assert spec is not None
        assert spec.submodule_search_locations
        self._process = subprocess.Popen(
            [
                "java",
                "-Dfile.encoding=UTF-8",
                "-Xmx2G",
                "-jar",
                "meteor-1.5.jar",
                "-",
                "-",
                "-stdio",
                *options,
            ],
            cwd=Path(spec.submodule_search_locations[0]) / "meteor",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def __enter__(self) -> "MeteorJar":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def statistics(self, pairs: Sequence[tuple[str, Sequence[str]]]) -> NDArray[np.float64]:
        """One row per (hypothesis, references): the statistics of the best reference."""
        lines = [f"SCORE ||| {' ||| '.join(references)} ||| {hypothesis}" for hypothesis, references in pairs]
        answers = self._ask(lines, len(lines))
        return np.array([[float(number) for number in answer.split()] for answer in answers]).reshape(-1, 23)

    def scores(self, statistics: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """The score of each row and that of their sum."""
        rows = [" ".join(str(number) for number in row) for row in statistics.tolist()]
        answers = [float(line) for line in self._ask([f"EVAL ||| {' ||| '.join(rows)}"], len(rows) + 1)]
        return np.array(answers[:-1]), answers[-1]

    def _ask(self, lines: list[str], answer_count: int) -> list[str]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None

        def write() -> None:
            stdin.write("".join(line + "\n" for line in lines))
            stdin.flush()

        # Both pipes are short: reading must go on while we write.
        writer = threading.Thread(target=write)
        writer.start()
        answers = [stdout.readline() for _ in range(answer_count)]
        writer.join()
        return answers


def as_ours(statistics: NDArray[np.float64]) -> NDArray[np.float64]:
    """The jar drops the chunk of a pair that matches from end to end when it sums up; we drop it at once."""
    whole = (statistics[:, 0] == statistics[:, 21]) & (statistics[:, 1] == statistics[:, 22])
    result = statistics.copy()
    result[whole & (statistics[:, 20] == 1), 20] = 0
    return result
