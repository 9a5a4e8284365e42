"""`python -m bench`: every room's table on standard output; with --write also into its page of the docs."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from bench import machine
from bench.report import PAGE, Options, write_section

# A new room: add bench/NAME.py with measure(options), its name here, and its two markers to docs/benchmarks.md (or to
# the PAGE that the module names).
ROOMS = (
    "captions",
    "encoders",
    "learned",
    "japanese",
    "stories",
    "boundaries",
    "grounding",
    "locators",
    "media",
    "retrieval",
    "judge",
    "intervals",
)
# What is only run when it is named: it takes long, and measures no speed.
EXPERIMENTS = ("suisei", "suisei-choice", "world", "narrators", "retrieval-text", "retrieval-world")

# Above this load average the figures say more about the other work than about ours.
BUSY = 0.7


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "rooms",
        nargs="*",
        default=ROOMS,
        metavar="ROOM",
        help=f"{', '.join(ROOMS)}; all unless named; only if named: {', '.join(EXPERIMENTS)}",
    )
    parser.add_argument("--write", action="store_true", help="also write the tables into the docs")
    parser.add_argument("--repeats", type=int, default=3, help="our figures are the best of so many; default 3")
    parser.add_argument("--fraction", type=float, default=1.0, help="use only this part of the data; default 1.0")
    parser.add_argument(
        "--originals", type=float, default=0.1, help="part of the stories that Java runs on, then scaled; default 0.1"
    )
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.rooms) - {*ROOMS, *EXPERIMENTS})
    if unknown:
        parser.error(f"no room is called {unknown[0]!r}; there are: {', '.join((*ROOMS, *EXPERIMENTS))}")
    if arguments.write and arguments.fraction < 1:
        parser.error("--write takes the figures of the whole data only")
    if machine.LOAD_AT_START is not None and machine.LOAD_AT_START > BUSY:
        print("bench: other work is running on this machine; repeat this when it is quiet", file=sys.stderr)
    options = Options(arguments.repeats, arguments.fraction, arguments.originals)
    for room in arguments.rooms:
        module = import_module(f"bench.{room.replace('-', '_')}")
        text = module.measure(options).markdown(machine.describe())
        print(text, end="\n\n", flush=True)
        if arguments.write:
            page = getattr(module, "PAGE", PAGE)
            write_section(page, room, text)
            print(f"bench: wrote the table of {room} to docs/{page.name}", file=sys.stderr)


if __name__ == "__main__":
    main()
