"""How the command line writes the options that the library names."""

from __future__ import annotations

# Where the two differ in more than dashes: details are what goes into a result file.
_OTHERS = {"references": "-r REFS", "metrics": "-m", "details": "-o"}


def flag(option: str, value: str = "") -> str:
    """An option as the command line has it.

    >>> flag("min_consistency"), flag("missing", "zero"), flag("references"), flag("metrics")
    ('--min-consistency', '--missing zero', '-r REFS', '-m')
    """
    return _OTHERS.get(option) or f"--{option.replace('_', '-')} {value}".rstrip()
