"""HTML pages: rendered from templates that escape everything, in the reader's language."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from kataribe.people.judge.settings import LANGUAGES, Language
from kataribe.people.judge.study import Study
from kataribe.people.judge.words import choose_language, in_language, words

LANGUAGE = "kataribe_language"
NAMES = {"en": "English", "ja": "日本語", "zh": "中文"}


class Pages:
    """The templates of one study."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.environment = Environment(
            loader=PackageLoader("kataribe.people.judge", "page/templates"), autoescape=True, undefined=StrictUndefined
        )

    def language(self, request: Request) -> Language:
        chosen = request.query_params.get("lang")
        return choose_language(
            chosen if chosen in LANGUAGES else request.cookies.get(LANGUAGE),
            self.study.settings.language,
            request.headers.get("accept-language", ""),
        )

    def show(self, request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
        """A page; `?lang=ja` chooses the language from now on."""
        settings, language = self.study.settings, self.language(request)
        content = self.environment.get_template(template).render(
            language=language,
            languages=NAMES,
            words=words(language),
            title=in_language(settings.title, language),
            instructions=in_language(settings.instructions, language),
            path=request.url.path,
            **values,
        )
        response = HTMLResponse(content, status)
        if request.query_params.get("lang") == language:
            response.set_cookie(LANGUAGE, language, path="/", samesite="lax", max_age=365 * 86_400)
        return response
