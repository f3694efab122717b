"""What stands between a server and the world: it answers to its own names alone, takes bodies of bounded size and
time, keeps foreign scripts out of its pages, and turns whatever goes wrong into a refusal.

A page of another site could point its own name at a local server (DNS rebinding), so only numeric addresses, localhost
and the name that is served on are answered. Bodies must be JSON, which browsers do not send for the page of another
origin unless the server allows it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from tersely.web.refusals import Refused

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}
MAX_HEAD = 16_384  # bytes
_ENCODED = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
_CLOSE = {"connection": "close"}  # the rest of the body is not read
_log = logging.getLogger("uvicorn.error")


@dataclass(frozen=True)
class Guard:
    """An application behind its guard. Without `own_name` every Host header is answered."""

    app: ASGIApp
    own_name: str | None = "127.0.0.1"
    max_body: int = 10_000  # bytes
    body_seconds: float = 20.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *_ENCODED]}
            await send(message)

        try:
            headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
            if len(scope["raw_path"]) + sum(map(len, chain(*scope["headers"]))) > MAX_HEAD:
                raise Refused(431, "head_too_big", f"the head of a request has at most {MAX_HEAD:,} bytes")
            if self.own_name is not None and not is_own_host(headers.get(b"host", ""), self.own_name):
                raise Refused(421, "wrong_host", "this server does not answer to that name")
            body = await self._body(scope, headers, receive)
            await self.app(scope, _replay(body, receive), send_guarded)
        except Refused as refused:
            await refused.response()(scope, receive, send_guarded)
        except Exception:
            _log.exception("a request failed")  # its application has answered

    async def _body(self, scope: Scope, headers: dict[bytes, str], receive: Receive) -> bytes:
        """The whole body, read before anybody works on it."""
        declared = headers.get(b"content-length", "0")
        if declared.isdigit() and int(declared[:20]) > self.max_body:
            raise self._too_big()
        try:
            body = await asyncio.wait_for(self._read(receive), self.body_seconds)
        except asyncio.TimeoutError:
            message = f"the body did not arrive within {self.body_seconds:g} seconds"
            raise Refused(408, "slow_body", message, headers=_CLOSE) from None
        kind = headers.get(b"content-type", "").partition(";")[0].strip().lower()
        if (body or scope["method"] == "POST") and kind != "application/json":
            raise Refused(400, "not_json", "send the body as JSON, with content-type: application/json")
        return body

    async def _read(self, receive: Receive) -> bytes:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Refused(400, "half_a_body", "the connection ended before the body did")
            body += message.get("body", b"")
            if len(body) > self.max_body:
                raise self._too_big()
            if not message.get("more_body"):
                return bytes(body)

    def _too_big(self) -> Refused:
        return Refused(413, "body_too_big", f"a body has at most {self.max_body:,} bytes", headers=_CLOSE)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A body that was read, to be read once more; after it, whatever the connection says."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return pending.pop() if pending else await receive()

    return replayed


def is_own_host(header: str, host: str) -> bool:
    """Whether a Host header is a numeric address, localhost or `host` itself.

    >>> [is_own_host(name, "judges.lan") for name in ("127.0.0.1:8765", "[::1]", "judges.lan:80", "evil.example")]
    [True, True, True, False]
    """
    name = header.lower()
    name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
    try:
        ipaddress.ip_address(name)
        return True
    except ValueError:
        return name in ("localhost", host.lower())
