"""The checks in front of every application: the Host header, the size of the head, the size, time and type of
the body. It also adds security headers to all responses, and turns errors into error responses.

A page of another site could point its own name at a local server (DNS rebinding), so the Host header must be a numeric
address, localhost or the name that is served. Bodies must be JSON: browsers do not send that for a page of another
origin unless the server allows it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request

from tersely.errors import short_repr
from tersely.web.errors import ApiError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECURITY_HEADERS = [
    (b"content-security-policy", b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
     b"img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
     b"require-trusted-types-for 'script'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-cache"),
]  # fmt: skip
MAX_HEAD = 16_384  # bytes
MAX_VALUES = 20_000  # of a JSON body: to read more takes so long that other clients notice
_log = logging.getLogger("uvicorn.error")


@dataclass(frozen=True)
class SecurityMiddleware:
    """An application behind these checks. Without `allowed_host` every Host header is accepted."""

    app: ASGIApp
    allowed_host: str | None = "127.0.0.1"
    max_body: int = 10_000  # bytes
    body_seconds: float = 20.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *SECURITY_HEADERS]}
            await send(message)

        try:
            self._check_head(scope)
            await self.app(scope, self._body_or(receive, scope), send_secured)
        except ApiError as error:
            await error.response(scope)(scope, receive, send_secured)
        except Exception:
            _log.exception("a request failed")  # the application has sent an error response

    def _check_head(self, scope: Scope) -> None:
        if len(scope["raw_path"]) + len(scope["query_string"]) + sum(map(len, chain(*scope["headers"]))) > MAX_HEAD:
            raise ApiError("head_too_big", limit=MAX_HEAD)
        headers = Headers(scope=scope)
        host, declared = headers.get("host", ""), headers.get("content-length", "0")
        if self.allowed_host is not None and not is_allowed_host(host, self.allowed_host):
            raise ApiError("wrong_host", host=short_repr(host))
        if declared.isdigit() and int(declared[:20]) > self.max_body:
            raise ApiError("body_too_big", limit=self.max_body)
        media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["method"] == "POST" and media_type != "application/json":
            raise ApiError("not_json")

    def _body_or(self, receive: Receive, scope: Scope) -> Receive:
        """A `receive` that first gives the whole body, and then whatever the connection sends.

        The body is read when the application asks for it: not before it has checked a token.
        """
        read = False

        async def receive_body() -> Message:
            nonlocal read
            if read:
                return await receive()
            read = True
            return {"type": "http.request", "body": await self._read_body(scope, receive), "more_body": False}

        return receive_body

    async def _read_body(self, scope: Scope, receive: Receive) -> bytes:
        try:
            body = await asyncio.wait_for(self._receive_body(Request(scope, receive)), self.body_seconds)
        except asyncio.TimeoutError:
            raise ApiError("slow_body", seconds=self.body_seconds) from None
        except ClientDisconnect:
            raise ApiError("incomplete_body") from None
        if (n := estimate_values(body)) > MAX_VALUES:
            raise ApiError("too_many", what="JSON strings, lists and objects", n=n, limit=MAX_VALUES)
        return body

    async def _receive_body(self, request: Request) -> bytes:
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self.max_body:
                raise ApiError("body_too_big", limit=self.max_body)
        return bytes(body)


def estimate_values(body: bytes) -> int:
    """About how many strings, lists and objects a JSON has; brackets inside of strings count, too.

    >>> estimate_values(b'{"text": ["a", "b"]}')
    5
    """
    quotes = body.count(b'"') - body.count(b'\\"')
    return quotes // 2 + body.count(b"[") + body.count(b"{")


def is_allowed_host(header: str, host: str) -> bool:
    """Whether a Host header is a numeric address, localhost or `host` itself.

    >>> [is_allowed_host(name, "judges.lan") for name in ("127.0.0.1:8765", "[::1]", "judges.lan:80", "evil.example")]
    [True, True, True, False]
    """
    name = header.lower()
    name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
    try:
        ipaddress.ip_address(name)
        return True
    except ValueError:
        return name in ("localhost", host.lower())
