"""Packages that only some of the work needs: imported when it starts, or one line that says how to get them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from kataribe.core.errors import UsageError


def need(module: str, *, extra: str, purpose: str) -> Any:
    """The module, which comes with an extra of this package; `purpose` is what cannot be done without it.

    >>> need("json", extra="models", purpose="reading").loads("1")
    1
    >>> need("absent", extra="ja", purpose="the tokenizer 'ja'")
    Traceback (most recent call last):
    kataribe.core.errors.UsageError: the tokenizer 'ja' needs the package absent - pip install 'kataribe[ja]'
    """
    try:
        return import_module(module)
    except ImportError:
        raise UsageError(f"{purpose} needs the package {module.partition('.')[0]}", hint=remedy(extra)) from None


def remedy(extra: str) -> str:
    """
    >>> remedy("zh")
    "pip install 'kataribe[zh]'"
    """
    return f"pip install 'kataribe[{extra}]'"
