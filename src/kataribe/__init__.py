"""Kataribe: how well does this text tell what happens in this video or picture?

>>> import kataribe
>>> kataribe.evaluate("captions", {"1": "a dog"}, {"1": ["a dog"]}, metrics=["rouge_l"])["rouge_l"].value
1.0
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kataribe.api import Scorer as Scorer
    from kataribe.api import evaluate as evaluate
    from kataribe.core.comparison import compare as compare
    from kataribe.core.errors import KataribeError as KataribeError
    from kataribe.core.result import Result as Result

__version__ = "0.4.0"
__all__ = ["KataribeError", "Result", "Scorer", "__version__", "compare", "evaluate"]

_HOMES = {
    "compare": "kataribe.core.comparison",
    "evaluate": "kataribe.api",
    "Scorer": "kataribe.api",
    "KataribeError": "kataribe.core.errors",
    "Result": "kataribe.core.result",
}


def __getattr__(name: str) -> Any:
    """Importing kataribe loads nothing; what is used is loaded when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kataribe' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
