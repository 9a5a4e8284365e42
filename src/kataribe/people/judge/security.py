"""What protects raters and answers: headers, bounded bodies, no posts from other sites, comparisons in constant time.

The pages run scripts and styles of this server only, so a caption cannot bring its own; every text reaches the page
as text. A post counts when it comes from a page of this server and carries the token that only such a page knows.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.requests import Request

# An answer to 26 texts in a dozen dimensions takes a few kilobytes.
MAX_BODY = 32_768

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # a link is a secret: no other site may learn it
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Headers:
    """Every response carries the headers; what is not a file of ours is never kept by a cache."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                have = {name for name, _ in message["headers"]}
                wanted = HEADERS if b"cache-control" in have else HEADERS | {"cache-control": "no-store"}
                message["headers"] = [*message["headers"], *((n.encode(), v.encode()) for n, v in wanted.items())]
            await send(message)

        await self.app(scope, receive, send_with_headers)


async def bounded_body(request: Request) -> bytes:
    """The body, unless it is longer than any page of ours sends; what is too long is not read to its end."""
    from starlette.exceptions import HTTPException

    announced = request.headers.get("content-length", "0")
    if not announced.isdecimal() or int(announced) > MAX_BODY:
        raise HTTPException(413)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise HTTPException(413)
    return body


def refuse_other_sites(request: Request, public_url: str) -> None:
    """Browsers say where a post comes from; programs that are no browser say nothing and have no cookies to steal."""
    from starlette.exceptions import HTTPException

    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    host = request.headers.get("host", "")
    ours = origin is not None and (urlsplit(origin).netloc == host or origin == public_url)
    if (site is not None and site not in ("same-origin", "none")) or (origin is not None and not ours):
        raise HTTPException(403)


def form_token(session: str) -> str:
    """What a page of this session sends along with each post; another site cannot compute it."""
    return hmac.new(session.encode(), b"kataribe form", hashlib.sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Compared in constant time."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
