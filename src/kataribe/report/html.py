"""The page: one HTML file with its data, style and script inside, that asks nothing of any network.

Data goes in as JSON in which no character can end a script element. The script builds every element itself and
inserts text as text. A content security policy allows that one script and that one style, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

import kataribe
from kataribe.core.errors import counted
from kataribe.people.result import Agreement, Text
from kataribe.report.agreement_section import agreement_data
from kataribe.report.data import PageData
from kataribe.report.views import all_views

_SCRIPTS = ("dom", "text", "theme", "state", "plots", "leaderboard", "figures", "items", "item")
_AGREEMENT_SCRIPTS = ("dom", "text", "theme", "plots", "agreement", "agreement_main")


def render_page(data: PageData) -> str:
    """Views come before `main`, which starts everything."""
    has_agreement = "agreement" in data.views
    views = (f"views/{view.name}" for view in all_views())
    scripts = [*_SCRIPTS, *views, *["agreement"] * has_agreement, "main"]
    known = {"task": data.core["task"], "has_agreement": has_agreement}
    return render_template("template.html", scripts, data.core, data.views, **known)


def render_agreement_page(agreement: Agreement, title: str = "", pictures: Mapping[Text, str] | None = None) -> str:
    """Agreement with people as a page of its own; given to `page_data`, it is a section of the report page.

    `pictures` are what the texts of its examples describe, as data URIs.
    """
    core = {"title": title or f"{counted(len(agreement.metrics), 'metric')} against people"}
    data = agreement_data(agreement, pictures)
    return render_template("agreement.html", _AGREEMENT_SCRIPTS, core, {"agreement": data})


def render_template(
    template: str, scripts: Sequence[str], core: Mapping[str, Any], views: Mapping[str, Any], **known: str | bool
) -> str:
    """A page of this folder with its scripts and data inside; `core` names its title."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    loader = FunctionLoader(_asset)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    script, style = _joined(scripts), _asset("page.css")
    return environment.get_template(template).render(
        title=core["title"],
        version=kataribe.__version__,
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        core=embed(core),
        views=[(name, embed(content)) for name, content in views.items()],
        **known,
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


def _joined(names: Sequence[str]) -> str:
    """Scripts as one, in a scope of their own."""
    return '"use strict";\n{\n' + "\n".join(_asset(f"{name}.js") for name in names) + "}\n"


def _hash(text: str) -> str:
    """As a content security policy names the one inline element that it allows."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
