"""The check of the token, which all requests for work must have. The page itself is open, and asks for the token."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from tersely.web.errors import ApiError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

PROTECTED = ("/v1/", "/metrics")


@dataclass(frozen=True)
class TokenAuthentication:
    """An application whose protected paths need a token."""

    app: ASGIApp
    token: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self.app
        if scope["type"] == "http" and scope["path"].startswith(PROTECTED) and not self._has_token(scope):
            app = ApiError("unauthorized").response(scope)
        await app(scope, receive, send)

    def _has_token(self, scope: Scope) -> bool:
        given = Headers(scope=scope).get("authorization", "").encode("latin-1")
        return hmac.compare_digest(given, f"Bearer {self.token}".encode())  # takes as long for every wrong token
