"""The local page of the judge: static files and a small JSON interface over a `Judge`.

The page never learns which system wrote what. Answers must come as JSON, which browsers do not send for the page of
another origin unless this server allows it, and it does not. A page of another site could point its own name at this
server (DNS rebinding), so only numeric addresses, localhost and the name that is served on are answered.
"""

from __future__ import annotations

import ipaddress
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.errors import InputError, missing_extra
from tersely.evaluation.judge import Judge

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGE = Path(__file__).parent / "judge_page"
MAX_BODY = 10_000  # bytes; an answer has about a hundred
_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


def create_app(judge: Judge, host: str = "127.0.0.1") -> Starlette:
    """The web application that asks for the answers of one comparison, for pages of `host`."""
    try:
        from starlette.applications import Starlette
        from starlette.concurrency import run_in_threadpool
        from starlette.middleware import Middleware
        from starlette.responses import FileResponse, JSONResponse
        from starlette.routing import Mount, Route
        from starlette.staticfiles import StaticFiles
    except ImportError:
        raise missing_extra("serve", "starlette") from None

    def page(request: Request) -> Response:
        return FileResponse(PAGE / "index.html")

    def view(request: Request) -> Response:
        query = request.query_params
        try:
            position = int(query["position"]) if "position" in query else None
            return JSONResponse(judge.view(query.get("annotator", ""), position))
        except ValueError as error:  # InputError is one
            return _refusal(error)

    async def answer(request: Request) -> Response:
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            return JSONResponse({"error": "send the answer as application/json"}, status_code=415)
        body = b""
        async for block in request.stream():
            body += block
            if len(body) > MAX_BODY:
                return JSONResponse({"error": f"an answer has at most {MAX_BODY:,} bytes"}, status_code=413)
        try:
            return JSONResponse(await run_in_threadpool(_keep, judge, _read(body)))
        except ValueError as error:
            return _refusal(error)

    def _refusal(error: ValueError) -> Response:
        return JSONResponse({"error": str(error)}, status_code=400)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/api/view", view),
            Route("/api/answer", answer, methods=["POST"]),
            Mount("/static", StaticFiles(directory=PAGE)),
        ],
        middleware=[Middleware(_Guard, host=host)],
    )


class _Guard:
    """Refuses requests for a foreign name, and gives every answer the headers that keep foreign scripts out."""

    def __init__(self, app: ASGIApp, host: str) -> None:
        self.app, self.host = app, host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif is_own_host(dict(scope["headers"]).get(b"host", b"").decode("latin-1"), self.host):
            await self.app(scope, receive, send_guarded)
        else:
            from starlette.responses import JSONResponse

            refusal = JSONResponse({"error": "this server does not answer to that name"}, status_code=421)
            await refusal(scope, receive, send_guarded)


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


def _read(body: bytes) -> Any:
    try:
        return json.loads(body)
    except RecursionError:
        raise InputError("the answer is nested too deeply") from None


def _keep(judge: Judge, given: Any) -> dict[str, Any]:
    """Keep an answer and give the item as it stands now."""
    if not isinstance(given, dict) or not isinstance(given.get("position"), int):
        raise InputError("an answer is an object with annotator, position, question and choice")
    name, position = str(given.get("annotator", "")), given["position"]
    judge.answer(name, position, str(given.get("question")), str(given.get("choice")))
    return judge.view(name, position)


def serve(judge: Judge, host: str, port: int) -> None:
    """Serve the page until interrupted."""
    try:
        import uvicorn
    except ImportError:
        raise missing_extra("serve", "uvicorn") from None
    uvicorn.run(create_app(judge, host), host=host, port=port, log_level="warning")
