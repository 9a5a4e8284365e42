"""Asks the original tools again and rewrites every golden file beside this one: `python -m tests.golden.regenerate`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path


def main() -> None:
    for path in sorted(Path(__file__).parent.glob("regenerate_*.py")):
        import_module(f"tests.golden.{path.stem}").main()


if __name__ == "__main__":
    main()
