"""The researcher's page: who is how far, who fails checks, how well people agree, while the study runs."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from kataribe.people.judge import security
from kataribe.people.judge.collected import agreement, coverage, progress, ratings
from kataribe.people.judge.pages import Pages
from kataribe.people.judge.store import Store, hashed
from kataribe.people.judge.study import Study
from kataribe.people.judge.words import words
from kataribe.people.ratings import spell_ratings


def routes(study: Study, store: Store, token: str, pages: Pages, public_url: str) -> list[Route]:
    # Cookies do not tell ports apart: two studies on one machine need two names.
    cookie = f"kataribe_admin_{study.fingerprint()[:8]}"
    session = hashed(token)

    def refuse_strangers(request: Request) -> None:
        if not security.same(request.cookies.get(cookie, ""), session):
            raise HTTPException(403)

    def page(request: Request) -> Response:
        """The token leaves the address bar at once; a cookie that only /admin sees takes its place."""
        given = request.query_params.get("token")
        if given is None:
            refuse_strangers(request)
            return pages.show(request, "admin.html")
        if not security.same(given, token):
            raise HTTPException(403)
        response = RedirectResponse("/admin", status_code=303)
        secure = public_url.startswith("https:")
        response.set_cookie(cookie, session, path="/admin", httponly=True, samesite="lax", secure=secure)
        return response

    def data(request: Request) -> Response:
        refuse_strangers(request)
        raters, answers = store.raters(), store.answers()
        content: dict[str, Any] = {
            "form": security.form_token(session),
            "words": words(pages.language(request)),
            "raters": [
                {
                    "number": one.rater.number,
                    "name": one.rater.name,
                    "started": one.rater.session is not None,
                    "answered": one.answered,
                    "total": one.total,
                    "passed": one.passed,
                    "checked": one.checked,
                    "seconds": one.median_seconds,
                    "last": one.last,
                }
                for one in progress(study, raters, answers)
            ],
            "coverage": list(coverage(study, answers).items()),
            "agreement": agreement(study, answers),
        }
        return Response(msgspec.json.encode(content), media_type="application/json")

    def export(request: Request) -> Response:
        refuse_strangers(request)
        content = spell_ratings(ratings(study, store.answers()), ".csv")
        headers = {"content-disposition": 'attachment; filename="ratings.csv"'}
        return Response(content, media_type="text/csv; charset=utf-8", headers=headers)

    async def trusted_post(request: Request) -> None:
        security.refuse_other_sites(request, public_url)
        refuse_strangers(request)
        await security.bounded_body(request)
        if not security.same(request.headers.get("x-kataribe-form", ""), security.form_token(session)):
            raise HTTPException(403)

    async def release(request: Request) -> Response:
        await trusted_post(request)
        await run_in_threadpool(store.release, request.path_params["number"])
        return Response(status_code=204)

    async def invite(request: Request) -> Response:
        await trusted_post(request)
        name, link = await run_in_threadpool(store.invite)
        return Response(msgspec.json.encode({"name": name, "path": f"/r/{link}"}), media_type="application/json")

    return [
        Route("/admin", page),
        Route("/admin/data", data),
        Route("/admin/ratings.csv", export),
        Route("/admin/release/{number:int}", release, methods=["POST"]),
        Route("/admin/invite", invite, methods=["POST"]),
    ]
