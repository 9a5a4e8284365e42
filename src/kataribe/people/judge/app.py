"""The web application: raters' pages under their links, the admin's page under its own token.

    /r/LINK                 the rater's page: a welcome, the tasks, or a refusal to a second browser
    /r/LINK/start           binds the link to this browser
    /r/LINK/state           the study as this rater's page needs it
    /r/LINK/tasks/N         one task (GET) and its answer (POST)
    /r/LINK/media/N         the video or picture of a task, in ranges
    /admin ...              progress, checks, agreement, links, export

A link is bound by a press of a button, not by opening it: mail programs and messengers open links to look at them.
No response to a rater holds the name of a system, of a file or of another rater.
"""

from __future__ import annotations

import asyncio
from functools import lru_cache
from importlib.resources import files
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from kataribe.people.judge import admin, answers, security
from kataribe.people.judge.pages import Pages
from kataribe.people.judge.plan import Task, plan, text_of
from kataribe.people.judge.store import Rater, Store, hashed, new_token
from kataribe.people.judge.study import Study, described
from kataribe.people.judge.words import in_language, words

SESSION = "kataribe_session"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LONGEST = 86_400.0

_STATIC = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def make_app(study: Study, store: Store, admin_token: str, public_url: str = "") -> Starlette:
    """The application of one study. `public_url` is its address behind a proxy, if it has one."""
    rooms = Rooms(study, store, public_url.rstrip("/"))
    routes = [
        Route("/r/{link}", rooms.page),
        Route("/r/{link}/start", rooms.start, methods=["POST"]),
        Route("/r/{link}/state", rooms.state),
        Route("/r/{link}/tasks/{number:int}", rooms.task, methods=["GET"]),
        Route("/r/{link}/tasks/{number:int}", rooms.answer, methods=["POST"]),
        Route("/r/{link}/media/{number:int}", rooms.media),
        Route("/static/{name}", static),
        *admin.routes(study, store, admin_token, rooms.pages, rooms.public_url),
    ]
    handlers: Any = {HTTPException: rooms.failed, 404: rooms.failed, 500: rooms.failed}
    return Starlette(routes=routes, middleware=[Middleware(security.Headers)], exception_handlers=handlers)


class Rooms:
    """Every request of a rater."""

    def __init__(self, study: Study, store: Store, public_url: str) -> None:
        self.study, self.store, self.public_url = study, store, public_url
        self.pages = Pages(study)
        self.plan = lru_cache(maxsize=1024)(lambda number: plan(study, number))

    def page(self, request: Request) -> Response:
        rater = self.rater(request)
        if rater.session is None:
            welcome = self.pages.show(request, "welcome.html", tasks=len(self.plan(rater.number)))
            self.give_session(request, welcome)
            return welcome
        if not self.is_bound(request, rater):
            return self.pages.show(request, "message.html", status=403, message="refused")
        return self.pages.show(request, "judge.html")

    async def start(self, request: Request) -> Response:
        security.refuse_other_sites(request, self.public_url)
        await security.bounded_body(request)
        rater = await run_in_threadpool(self.rater, request)
        response = RedirectResponse(f"/r/{request.path_params['link']}", status_code=303)
        session = self.give_session(request, response)
        if not await run_in_threadpool(self.store.bind, rater, session):
            return self.pages.show(request, "message.html", status=403, message="refused")
        return response

    def state(self, request: Request) -> Response:
        rater = self.bound(request)
        language, settings = self.pages.language(request), self.study.settings
        dimensions = [
            {"name": dimension.name}
            | {part: in_language(getattr(dimension, part), language) for part in ("question", "low", "high")}
            | {"labels": [(label.name, in_language(label.text, language) or label.name) for label in dimension.labels]}
            for dimension in settings.dimensions
        ]
        tasks, given = self.plan(rater.number), self.store.answers_of(rater)
        return _json(
            {
                "kind": settings.kind,
                "scale": settings.scale,
                "equal": settings.equal,
                "language": settings.text_language,
                "dimensions": dimensions,
                "instructions": in_language(settings.instructions, language),
                "thanks": in_language(settings.thanks, language),
                "answered": [task.key in given for task in tasks],
                "words": {key: text for key, text in words(language).items() if not key.startswith("admin")},
                "form": security.form_token(request.cookies[SESSION]),
            }
        )

    def task(self, request: Request) -> Response:
        rater = self.bound(request)
        number, task = self.asked(request, rater)
        item = self.study.items[task.item]
        clip = item.clip
        texts = [described(text_of(self.study, task.item, system)) for system in task.shown]
        references = item.references if self.study.settings.show_references else ()
        return _json(
            {
                "media": clip and {"video": clip.is_video, "start": clip.start, "end": clip.end},
                "duration": item.duration,
                "texts": [{"letter": letter, "text": text} for letter, text in zip(LETTERS, texts, strict=False)],
                "references": [described(reference) for reference in references],
                "context": item.context,
                "given": self.store.answers_of(rater).get(task.key),
                "number": number,
            }
        )

    async def answer(self, request: Request) -> Response:
        security.refuse_other_sites(request, self.public_url)
        body = await security.bounded_body(request)
        rater = await run_in_threadpool(self.bound, request)
        session = request.cookies[SESSION]
        if not security.same(request.headers.get("x-kataribe-form", ""), security.form_token(session)):
            raise HTTPException(403)
        _, task = self.asked(request, rater)
        try:
            sent = msgspec.json.decode(body)
            given = answers.checked(self.study, task, sent.get("given") if isinstance(sent, dict) else None)
        except (msgspec.DecodeError, answers.BadAnswer) as error:
            return _json({"error": str(error)}, 422)
        seconds = sent.get("seconds")
        known = isinstance(seconds, int | float) and 0 <= seconds <= _LONGEST
        await asyncio.wrap_future(
            self.store.save(rater, task.key, task.item, task.shown, given, float(seconds) if known else 0.0)
        )
        return _json({"saved": True})

    def media(self, request: Request) -> Response:
        _, task = self.asked(request, self.bound(request))
        clip = self.study.items[task.item].clip
        if clip is None or not clip.file.is_file():
            raise HTTPException(404)
        return FileResponse(clip.file, media_type=clip.type, headers={"cache-control": "private, max-age=3600"})

    def give_session(self, request: Request, response: Response) -> str:
        """The browser's own secret, from before it is bound: a Start pressed twice binds the same browser twice."""
        session = request.cookies.get(SESSION, "")
        if len(session) < len(new_token()):
            session = new_token()
            response.set_cookie(
                SESSION,
                session,
                path=f"/r/{request.path_params['link']}",
                httponly=True,
                samesite="lax",
                secure=self.public_url.startswith("https:"),
                max_age=365 * 86_400,
            )
        return session

    def rater(self, request: Request) -> Rater:
        """Whose link this is; a link of nobody is not found."""
        rater = self.store.rater_of(request.path_params["link"])
        if rater is None:
            raise HTTPException(404)
        return rater

    def bound(self, request: Request) -> Rater:
        """Whose link this is, if it is opened in the browser that started."""
        rater = self.rater(request)
        if not self.is_bound(request, rater):
            raise HTTPException(403)
        return rater

    def is_bound(self, request: Request, rater: Rater) -> bool:
        session = request.cookies.get(SESSION, "")
        return rater.session is not None and security.same(hashed(session), rater.session)

    def asked(self, request: Request, rater: Rater) -> tuple[int, Task]:
        number, tasks = request.path_params["number"], self.plan(rater.number)
        if not 1 <= number <= len(tasks):
            raise HTTPException(404)
        return number, tasks[number - 1]

    async def failed(self, request: Request, error: Exception) -> Response:
        """One line for a program, a page for a person."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        if "text/html" not in request.headers.get("accept", ""):
            return _json({"error": str(status)}, status)
        known = {403: "forbidden", 404: "unknown"}
        return self.pages.show(request, "message.html", status=status, message=known.get(status, "broken"))


def static(request: Request) -> Response:
    """Scripts and styles of the package, by exact name."""
    name = request.path_params["name"]
    content = _static_files().get(name)
    if content is None:
        raise HTTPException(404)
    kind = _STATIC["." + name.rpartition(".")[2]]
    return Response(content, media_type=kind, headers={"cache-control": "no-cache"})


@lru_cache(maxsize=1)
def _static_files() -> dict[str, bytes]:
    folder = files("kataribe.people.judge").joinpath("page", "static")
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.endswith(tuple(_STATIC))}


def _json(content: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(content), status, media_type="application/json")
