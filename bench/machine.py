"""The machine in a few lines: enough to judge the figures, nothing that tells whose it is."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from bench import originals

LOAD_AT_START = os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def describe() -> list[str]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    system = platform.freedesktop_os_release().get("PRETTY_NAME", "Linux") if _is_linux() else platform.system()
    return [
        f"Machine: {_processor()}, {cores} cores, {_memory()}; {system}, {platform.machine()}; "
        f"Python {platform.python_version()}; {_java()}.",
        f"Run on {datetime.date.today().isoformat()} with kataribe {version('kataribe')} "
        f"beside pycocoevalcap {version('pycocoevalcap')}{_load()}.",
    ]


def _load() -> str:
    """Other work on the machine makes figures worthless; the reader should see it."""
    return f"; load average when the run began {LOAD_AT_START:.1f}" if LOAD_AT_START is not None else ""


def _is_linux() -> bool:
    return platform.system() == "Linux"


def _processor() -> str:
    if _is_linux():
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def _memory() -> str:
    if not hasattr(os, "sysconf"):
        return "memory unknown"
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{size / 2**30:.0f} GiB of memory"


def _java() -> str:
    java = originals.java()
    if java is None:
        return "no Java"
    banner = subprocess.run([java, "-version"], capture_output=True, text=True).stderr.splitlines()
    quoted = banner[0].split(chr(34)) if banner else []
    return f"Java {quoted[1]}" if len(quoted) > 1 else "Java of unknown version"
