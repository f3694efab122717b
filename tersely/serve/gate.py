"""The token: who does not bring it gets no work done. The page itself is open to all, and asks for the token."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tersely.web.refusals import Refused

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

CLOSED = ("/v1/", "/metrics")


@dataclass(frozen=True)
class Gate:
    """An application behind its token."""

    app: ASGIApp
    token: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(CLOSED) and not self._brings_token(scope):
            needed = Refused(
                401, "unauthorized", "this needs the header authorization: Bearer TOKEN", headers=_CHALLENGE
            )
            await needed.response()(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _brings_token(self, scope: Scope) -> bool:
        given = dict(scope["headers"]).get(b"authorization", b"")
        return hmac.compare_digest(given, f"Bearer {self.token}".encode())  # takes as long for every wrong token


_CHALLENGE = {"www-authenticate": "Bearer"}
