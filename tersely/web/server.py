"""A server in the foreground. When it is interrupted it finishes the requests that it has begun."""

from __future__ import annotations

import logging
import socket
from time import monotonic
from typing import TYPE_CHECKING

import uvicorn

from tersely.errors import InputError
from tersely.web.listener import MAX_CONNECTIONS, Listener
from tersely.web.middleware import MAX_HEAD
from tersely.web.protocol import TimeoutProtocol

if TYPE_CHECKING:
    from starlette.types import ASGIApp


class OncePerSecond(logging.Filter):
    """Lets each line of code log once a second, so that no client can fill a disk."""

    def __init__(self) -> None:
        super().__init__()
        self._next: dict[tuple[str, int], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        where = (record.pathname, record.lineno)
        if monotonic() < self._next.get(where, 0.0):
            return False
        self._next[where] = monotonic() + 1.0
        return True


_ONCE_PER_SECOND = OncePerSecond()


def bind(host: str, port: int, max_connections: int = MAX_CONNECTIONS) -> Listener:
    """A socket to serve on; port 0 is any free one."""
    if not 0 <= port <= 65_535:
        raise InputError(f"--port must be from 0 to 65535, not {port}")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return Listener(socket.create_server((host, port), family=family), max_connections)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot serve on {host}, port {port}: {reason}") from None


def address_of(bound: socket.socket) -> str:
    """The URL of a bound socket, for people to open.

    >>> with bind("127.0.0.1", 0) as bound:
    ...     address_of(bound).rpartition(":")[0]
    'http://127.0.0.1'
    """
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def make_server(app: ASGIApp, *, grace: float | None = None) -> uvicorn.Server:
    """A server whose `run` serves until interrupted, and then finishes open requests for up to `grace` seconds."""
    config = uvicorn.Config(
        app,
        http=TimeoutProtocol,
        loop="asyncio",  # uvloop would not call the `accept` of the listener
        ws="none",
        h11_max_incomplete_event_size=MAX_HEAD,
        timeout_graceful_shutdown=None if grace is None else max(1, round(grace)),
        log_level="warning",
        server_header=False,
        proxy_headers=False,
    )
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(_ONCE_PER_SECOND)
    return uvicorn.Server(config)
