"""The page: one HTML file with its data, style and script inside, that asks nothing of any network.

Data goes in as JSON in which no character can end a script element. The script builds every element itself and
inserts text as text. A content security policy allows that one script and that one style, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

import kataribe
from kataribe.report.data import PageData
from kataribe.report.views import all_views

_SCRIPTS = ("dom", "text", "state", "plots", "leaderboard", "figures", "items", "item")


def render_page(data: PageData) -> str:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    script, style = _script(), _asset("page.css")
    return environment.from_string(_asset("template.html")).render(
        title=data.core["title"],
        task=data.core["task"],
        version=kataribe.__version__,
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        core=embed(data.core),
        views=[(name, embed(content)) for name, content in data.views.items()],
    )


def embed(data: Any) -> str:
    r"""JSON that may stand in a script element whatever its texts say.

    >>> embed(["</script><!--"])
    '["\\u003c/script\\u003e\\u003c!--"]'
    """
    text = msgspec.json.encode(data).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@cache
def _asset(name: str) -> str:
    return files("kataribe.report").joinpath("page", *name.split("/")).read_text(encoding="utf-8")


def _script() -> str:
    """All scripts as one, in a scope of their own; views come before `main`, which starts everything."""
    names = [*_SCRIPTS, *(f"views/{view.name}" for view in all_views()), "main"]
    return '"use strict";\n{\n' + "\n".join(_asset(f"{name}.js") for name in names) + "}\n"


def _hash(text: str) -> str:
    """As a content security policy names the one inline element that it allows."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
