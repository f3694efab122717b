"""The check of the token, which all requests for work must have. The page itself is open, and asks for the token."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from fastapi import Request
from fastapi.security import HTTPBearer
from starlette.types import ASGIApp, Receive, Scope, Send

from tersely.web.errors import ApiError

PROTECTED = ("/v1/", "/metrics")
bearer = HTTPBearer(auto_error=False, description="the token of the service")


@dataclass(frozen=True)
class TokenAuthentication:
    """An application whose protected paths need a token. As a middleware it checks before the body is read."""

    app: ASGIApp
    token: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self.app
        if scope["type"] == "http" and scope["path"].startswith(PROTECTED) and not await self._has_token(scope):
            app = ApiError("unauthorized").response(scope)
        await app(scope, receive, send)

    async def _has_token(self, scope: Scope) -> bool:
        given = await bearer(Request(scope))
        sent = b"" if given is None else given.credentials.encode("latin-1")
        return hmac.compare_digest(sent, self.token.encode())  # takes as long for every wrong token
