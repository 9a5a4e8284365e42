"""The researcher's page: who is how far, who fails checks, how well people agree, while the study runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from kataribe.people.judge import security
from kataribe.people.judge.collected import RaterProgress, agreement, coverage, progress, ratings
from kataribe.people.judge.pages import Pages
from kataribe.people.judge.store import Store, hashed
from kataribe.people.judge.study import Study
from kataribe.people.judge.words import words
from kataribe.people.ratings import format_ratings


def routes(study: Study, store: Store, token: str, pages: Pages, public_url: str) -> list[Route]:
    admin = _Admin(study, store, token, pages, public_url)
    return [
        Route("/admin", admin.page),
        Route("/admin/data", admin.data),
        Route("/admin/ratings.csv", admin.export),
        Route("/admin/release/{number:int}", admin.release, methods=["POST"]),
        Route("/admin/invite", admin.invite, methods=["POST"]),
    ]


@dataclass(frozen=True)
class _Admin:
    """Every request of the researcher's page; whoever has the token once has a cookie from then on."""

    study: Study
    store: Store
    token: str
    pages: Pages
    public_url: str

    @cached_property
    def cookie(self) -> str:
        """Cookies do not tell ports apart: two studies on one machine need two names."""
        return f"kataribe_admin_{self.study.fingerprint()[:8]}"

    @cached_property
    def session(self) -> str:
        return hashed(self.token)

    def page(self, request: Request) -> Response:
        """The token leaves the address bar at once; a cookie that only /admin sees replaces it."""
        given = request.query_params.get("token")
        if given is None:
            self._refuse_strangers(request)
            return self.pages.show(request, "admin.html")
        if not security.same(given, self.token):
            raise HTTPException(403)
        response = RedirectResponse("/admin", status_code=303)
        secure = self.public_url.startswith("https:")
        response.set_cookie(self.cookie, self.session, path="/admin", httponly=True, samesite="lax", secure=secure)
        return response

    def data(self, request: Request) -> Response:
        self._refuse_strangers(request)
        raters, answers = self.store.raters(), self.store.answers()
        content = {
            "form": security.form_token(self.session),
            "words": words(self.pages.language(request)),
            "raters": [_row(one) for one in progress(self.study, raters, answers)],
            "coverage": list(coverage(self.study, answers).items()),
            "agreement": agreement(self.study, answers),
        }
        return Response(msgspec.json.encode(content), media_type="application/json")

    def export(self, request: Request) -> Response:
        self._refuse_strangers(request)
        content = format_ratings(ratings(self.study, self.store.answers()), ".csv")
        headers = {"content-disposition": 'attachment; filename="ratings.csv"'}
        return Response(content, media_type="text/csv; charset=utf-8", headers=headers)

    async def release(self, request: Request) -> Response:
        await self._refuse_untrusted_post(request)
        await run_in_threadpool(self.store.release, request.path_params["number"])
        return Response(status_code=204)

    async def invite(self, request: Request) -> Response:
        await self._refuse_untrusted_post(request)
        name, link = await run_in_threadpool(self.store.invite)
        return Response(msgspec.json.encode({"name": name, "path": f"/r/{link}"}), media_type="application/json")

    def _refuse_strangers(self, request: Request) -> None:
        if not security.same(request.cookies.get(self.cookie, ""), self.session):
            raise HTTPException(403)

    async def _refuse_untrusted_post(self, request: Request) -> None:
        security.refuse_other_sites(request, self.public_url)
        self._refuse_strangers(request)
        await security.bounded_body(request)
        if not security.same(request.headers.get("x-kataribe-form", ""), security.form_token(self.session)):
            raise HTTPException(403)


def _row(one: RaterProgress) -> dict[str, Any]:
    """A row of the page's table of raters."""
    return {
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
