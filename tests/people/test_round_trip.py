"""A simulated study through the app's own HTTP interface: what the analysis recovers is what was simulated."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the judging app is not installed")
krippendorff = pytest.importorskip("krippendorff", reason="krippendorff is not installed")

from starlette.testclient import TestClient  # noqa: E402

from kataribe.cli.main import _run  # noqa: E402
from kataribe.people.judge.app import make_app  # noqa: E402
from kataribe.people.judge.store import Store  # noqa: E402
from kataribe.people.raters import rater_agreement  # noqa: E402
from kataribe.people.ratings import read_ratings  # noqa: E402
from tests.people.judging import ADMIN, HttpRater, letters, made_study  # noqa: E402

RATERS, ITEMS = 6, 16
SYSTEMS = ("a", "b", "g")  # the first letters of the systems, which their texts carry


class Simulation:
    """Texts have a true quality; raters see it through noise. `opinions` is raters x items x systems."""

    def __init__(self, systems: int, noise: float) -> None:
        rng = np.random.default_rng(5)
        truth = rng.normal(size=(ITEMS, systems)) + np.linspace(1.0, 0.0, systems)
        self.opinions = truth + noise * rng.normal(size=(RATERS, ITEMS, systems))

    def of(self, rater: int, text: str) -> float:
        system, item = re.fullmatch(r"text of (\w) about (\d+)", text).groups()  # type: ignore[union-attr]
        return float(self.opinions[rater, int(item), SYSTEMS.index(system)])


def run_study(folder: Path, kind: str, given: Any) -> Any:
    """Every rater answers every task; the exported file, as the analysis reads it."""
    study = made_study(folder, kind, count=ITEMS)
    store = Store(study.database, study.fingerprint())
    with TestClient(make_app(study, store, ADMIN)) as client:
        for place in range(RATERS):
            rater = HttpRater(client, f"/r/{store.invite()[1]}")
            for number in range(1, rater.total + 1):
                texts = letters(rater.task(number))
                assert rater.answer(number, {"overall": given(place, texts)}).status_code == 200
    store.close()
    output = folder / "out.csv"
    assert _run(["judge", "export", str(study.path), "-o", str(output)]) == 0
    return read_ratings(output)


@pytest.mark.parametrize("noise", [0.3, 2.0])
def test_votes(noise: float, tmp_path: Path) -> None:
    simulated = Simulation(2, noise)
    difference = simulated.opinions[:, :, 0] - simulated.opinions[:, :, 1]
    expected = np.where(np.abs(difference) < 0.2, 0, np.sign(difference))

    def choose(rater: int, texts: list[str]) -> str:
        one, other = (simulated.of(rater, text) for text in texts)
        return "equal" if abs(one - other) < 0.2 else "a" if one > other else "b"

    found = rater_agreement(run_study(tmp_path, "pairs", choose))["overall"]
    alpha = krippendorff.alpha(reliability_data=expected, level_of_measurement="nominal")
    assert found.alpha["nominal"] == pytest.approx(alpha, abs=1e-9)
    assert (found.units, found.answers) == (ITEMS, RATERS * ITEMS)


@pytest.mark.parametrize("noise", [0.3, 2.0])
def test_ratings(noise: float, tmp_path: Path) -> None:
    simulated = Simulation(2, noise)
    scale = np.clip(np.round(simulated.opinions + 3), 1, 5).astype(int)

    def rate(rater: int, texts: list[str]) -> list[int]:
        return [int(np.clip(round(simulated.of(rater, text) + 3), 1, 5)) for text in texts]

    exported = run_study(tmp_path, "rating", rate)
    found = rater_agreement(exported)["overall"]
    alpha = krippendorff.alpha(reliability_data=scale.reshape(RATERS, -1), level_of_measurement="interval")
    assert found.alpha["interval"] == pytest.approx(alpha, abs=1e-9)
    assert (found.alpha["interval"] > 0.7) == (noise < 1), "careful raters agree, careless ones do not"
    for place, name in enumerate(exported.raters):
        own = [row.value for row in exported.rows if row.rater == name]
        assert np.mean(own) == pytest.approx(scale[place].mean())


def test_rankings(tmp_path: Path) -> None:
    simulated = Simulation(3, 0.5)
    ranks = (-simulated.opinions).argsort(axis=2).argsort(axis=2) + 1

    def rank(rater: int, texts: list[str]) -> list[int]:
        opinions = [simulated.of(rater, text) for text in texts]
        return [1 + sum(other > one for other in opinions) for one in opinions]

    exported = run_study(tmp_path, "ranking", rank)
    found = rater_agreement(exported)["overall"]
    alpha = krippendorff.alpha(reliability_data=ranks.reshape(RATERS, -1), level_of_measurement="interval")
    assert found.alpha["interval"] == pytest.approx(alpha, abs=1e-9)
    for system, expected in zip(("alpha", "beta", "gamma"), ranks.mean(axis=(0, 1)), strict=True):
        assert np.mean([row.rank for row in exported.rows if row.system == system]) == pytest.approx(expected)
