"""A server in the foreground: it binds, answers until it is interrupted, and then finishes what it has begun."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import uvicorn

from tersely.errors import InputError
from tersely.web.guard import MAX_HEAD
from tersely.web.protocol import PatientProtocol

if TYPE_CHECKING:
    from starlette.types import ASGIApp


def bind(host: str, port: int) -> socket.socket:
    """A socket to serve on; port 0 is any that is free."""
    if not 0 <= port <= 65_535:
        raise InputError(f"--port must be from 0 to 65535, not {port}")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2_048)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"cannot serve on {host}, port {port}: {why}") from None


def address_of(bound: socket.socket) -> str:
    """The address of a bound socket, for people to open.

    >>> with bind("127.0.0.1", 0) as bound:
    ...     address_of(bound).rpartition(":")[0]
    'http://127.0.0.1'
    """
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def make_server(app: ASGIApp, *, grace: float | None = None) -> uvicorn.Server:
    """A server for an application; `grace` is how many seconds it goes on, when stopped, with what it has begun."""
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        h11_max_incomplete_event_size=MAX_HEAD,
        timeout_graceful_shutdown=None if grace is None else max(1, round(grace)),
        log_level="warning",
        server_header=False,
        proxy_headers=False,
    )
    return uvicorn.Server(config)


def serve(app: ASGIApp, bound: socket.socket, *, grace: float | None = None) -> None:
    """Serve until interrupted."""
    make_server(app, grace=grace).run(sockets=[bound])
