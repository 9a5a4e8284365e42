"""Packages that only Japanese parsing needs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from kataribe.core.errors import UsageError


def need(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise UsageError(
            f"scene graphs of Japanese captions need the package {module}", hint="pip install 'kataribe[ja]'"
        ) from None
