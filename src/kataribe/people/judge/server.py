"""Running the application: a socket, or the reason why there is none, and a server that keeps links out of logs."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

from kataribe.core.errors import UsageError
from kataribe.core.need import need


def require() -> None:
    """The app's own dependencies come with an extra."""
    for module in ("starlette", "uvicorn"):
        need(module, extra="judge", purpose="the judging app")


def listen(host: str, port: int) -> socket.socket:
    """An open socket; port 0 takes a free one."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server(address[:2], family=family, backlog=512)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {host} port {port} ({error.strerror})",
            hint="choose another <port>, or 0 for a free one",
            options=["port"],
        ) from None
    return listener


def run(app: Any, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until interrupted. Requests are not logged: their addresses hold the raters' secret links."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            ready()

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        timeout_keep_alive=60,
        timeout_graceful_shutdown=5,  # a film that is still being sent need not be waited for
    )
    Server(config).run(sockets=[listener])
