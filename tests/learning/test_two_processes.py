"""Two processes come to what one comes to, and only one of them writes.

On processors alone `accelerate launch` needs MPI, so they are started by what it calls for graphics cards.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs kataribe[models]")
pytest.importorskip("accelerate", reason="training needs kataribe[models]")

import torch

from tests.learning import two_processes


def test_two_processes_come_to_the_same_losses_and_weights(tmp_path: Path) -> None:
    if not (torch.distributed.is_available() and torch.distributed.is_gloo_available()):
        pytest.skip("this torch cannot train in several processes on the CPU")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    two_processes.main(tmp_path / "one")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    root = Path(__file__).parents[2]
    ran = subprocess.run(
        [
            sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2", "--master_port", str(port),
            two_processes.__file__, str(tmp_path / "two"),
        ],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(root), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    one, two = (json.loads((tmp_path / name / "found.json").read_text()) for name in ("one", "two"))
    assert (one.pop("processes"), two.pop("processes")) == (1, 2)
    for rows, expected in one.items():
        assert two[rows]["losses"] == pytest.approx(expected["losses"], abs=1e-4)
        assert two[rows]["weights"] == pytest.approx(expected["weights"], abs=1e-4)
    assert sorted(path.name for path in (tmp_path / "two" / "state-20").iterdir()) == ["epoch-4", "run.json"]
