"""Who may know whom: the rooms of the package import only what lies below them, as docs/development.md lists them."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "kataribe"

# From the ground up: a room may import the rooms of the lines above its own, not its neighbours.
FLOORS = (
    ("stats",),
    ("core",),
    ("text", "media"),
    ("formats", "encoders", "learning", "engines"),
    ("captions",),
    ("stories", "boundaries", "films", "narration", "grounding", "people"),
    ("audit",),
    ("report",),
    ("cli",),
)
# Encoders and training run their batches on the threads of the one local engine. A trained model that is an encoder is
# a folder as `learning` writes it.
MAY_ALSO_USE = {
    "narration": {"films"},
    "grounding": {"films"},
    "encoders": {"engines", "learning"},
    "learning": {"engines"},
    "cli": {"api"},
}
# The page and the tables: of the rooms only the types of their results.
REPORT_USES = {"core", "stats", "formats"}

# Modules beside the rooms, and what each may import. Whoever wants the native core or the version may have it.
TOP_LEVEL = {
    "__init__": {"api", "core"},
    "__main__": {"cli"},
    "_native": {"_processor"},
    "api": {"core", "engines"},
}
FOR_EVERYBODY = {"kataribe._native", "kataribe.__version__"}

# What is not as it should be yet. Delete an entry once it is mended; the test fails if one is no longer true.
KNOWN_VIOLATIONS: set[tuple[str, str]] = set()

# Where torch may be imported inside functions: these rooms, and modules of others that run networks.
TORCH_ROOMS = {"encoders", "learning"}
# Modules that define networks import it as any other module does; nobody imports them but inside a function.
NETWORK_MODULES = {
    "kataribe.captions.suisei.heads",
    "kataribe.captions.suisei.network",
    "kataribe.narration.narrators.losses",
    "kataribe.narration.narrators.memory",
    "kataribe.narration.narrators.network",
    "kataribe.narration.narrators.pointer",
    "kataribe.narration.narrators.transformer",
    "kataribe.grounding.retrieval.network",
    "kataribe.grounding.locators.iterative",
    "kataribe.grounding.locators.moment_map",
    "kataribe.grounding.locators.parts",
}
NETWORK_USERS = {
    "kataribe.boundaries.detectors.pair_network",
    "kataribe.captions.suisei.batches",
    "kataribe.captions.suisei.network_model",
    "kataribe.captions.suisei.train_networks",
    "kataribe.narration.narrators.critical",
    "kataribe.narration.narrators.examples",
    "kataribe.narration.narrators.model",
    "kataribe.narration.narrators.search",
    "kataribe.narration.narrators.training",
    "kataribe.grounding.retrieval.material",
    "kataribe.grounding.locators.batches",
    "kataribe.grounding.locators.model",
    "kataribe.grounding.locators.training",
}
KNOWN_TORCH = {"kataribe.captions.comet"}  # asks only whether there is a graphics card


class Import(NamedTuple):
    module: str
    imported: str
    at_module_level: bool


def imports() -> Iterator[Import]:
    """Every import of the package, inside functions and for type checkers too."""
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(("kataribe", *path.relative_to(PACKAGE).with_suffix("").parts))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inside_functions = {
            id(node)
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(function)
        }
        for node in ast.walk(tree):
            for imported in _imported(node):
                yield Import(module, imported, id(node) not in inside_functions)


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        # `from kataribe.core import need` imports a module of core, `from kataribe import _native` one of the top.
        is_package = (PACKAGE.parent / Path(*(node.module or "").split("."))).is_dir()
        return [f"{node.module}.{alias.name}" if is_package else str(node.module) for alias in node.names]
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in ("need", "import_module"):
            return [str(node.args[0].value)]
    # `import kataribe` alone is harmless; what is then taken from it is not.
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "kataribe":
        return [f"kataribe.{node.attr}"]
    return []


def room_of(module: str) -> str:
    return module.split(".")[1]


def allowed(room: str) -> set[str]:
    if room in TOP_LEVEL:
        return TOP_LEVEL[room]
    if room == "report":
        return REPORT_USES
    floor = next(number for number, rooms in enumerate(FLOORS) if room in rooms)
    return {lower for rooms in FLOORS[:floor] for lower in rooms} | MAY_ALSO_USE.get(room, set())


def is_allowed(module: str, imported: str) -> bool:
    room, other = room_of(module), room_of(imported)
    if room == other or imported in FOR_EVERYBODY or other in allowed(room):
        return True
    return room == "report" and imported.split(".")[2:] == ["result"]


OURS = {(i.module, i.imported) for i in imports() if i.imported.startswith("kataribe.")}


def test_every_room_has_a_floor() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    assert rooms <= {room for floor in FLOORS for room in floor}
    assert {path.stem for path in PACKAGE.glob("*.py")} == set(TOP_LEVEL)


def test_development_page_shows_the_floors() -> None:
    page = (PACKAGE.parent.parent / "docs" / "development.md").read_text(encoding="utf-8")
    floors = "\n".join(", ".join(rooms) for rooms in FLOORS)
    assert f"```text\n{floors}\n```" in page


def test_rooms_import_only_what_lies_below_them() -> None:
    forbidden = {edge for edge in OURS if not is_allowed(*edge)}
    assert sorted(forbidden - KNOWN_VIOLATIONS) == []


def test_known_violations_are_still_there() -> None:
    """An entry that is mended is deleted, so that it cannot come back."""
    forbidden = {edge for edge in OURS if not is_allowed(*edge)}
    assert sorted(KNOWN_VIOLATIONS - forbidden) == []


@pytest.mark.parametrize(
    ("module", "imported", "may"),
    [
        ("kataribe.stories.soda", "kataribe.captions.meteor", True),
        ("kataribe.stories.soda", "kataribe.boundaries.f1", False),
        ("kataribe.grounding.task", "kataribe.films.casts", True),
        ("kataribe.people.result", "kataribe.films.casts", False),
        ("kataribe.media.shots", "kataribe.encoders.store", False),
        ("kataribe.encoders.store", "kataribe.formats.source", False),
        ("kataribe.core.run", "kataribe._native", True),
        ("kataribe.core.run", "kataribe.evaluate", False),
        ("kataribe.report.html", "kataribe.people.result", True),
        ("kataribe.report.html", "kataribe.people.ratings", False),
        ("kataribe.report.html", "kataribe.text.scripts", False),
    ],
)
def test_what_the_rules_say(module: str, imported: str, may: bool) -> None:
    assert is_allowed(module, imported) == may


def test_torch_is_imported_where_networks_are_and_only_when_one_is_wanted() -> None:
    users = {i for i in imports() if i.imported.split(".")[0] in ("torch", "transformers")}
    assert users, "the test sees them"
    strangers = {i.module for i in users if room_of(i.module) not in TORCH_ROOMS} - NETWORK_MODULES - NETWORK_USERS
    assert strangers == KNOWN_TORCH
    assert {i.module for i in users if i.at_module_level} == NETWORK_MODULES


def test_modules_that_define_networks_are_imported_only_when_one_is_wanted() -> None:
    early = {i for i in imports() if i.imported in NETWORK_MODULES and i.at_module_level}
    assert sorted(i.module for i in early if i.module not in NETWORK_MODULES) == []


def test_importing_every_other_module_imports_no_torch() -> None:
    program = f"""
import importlib, pkgutil, sys, kataribe
for module in pkgutil.walk_packages(kataribe.__path__, "kataribe."):
    if not module.name.endswith("__main__") and module.name not in {NETWORK_MODULES}:
        importlib.import_module(module.name)
print(sorted({{"torch", "transformers", "timm"}} & set(sys.modules)))
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ran.stdout.strip(), ran.stderr) == ("[]", "")
