"""The web page of the judge: static files and a small JSON API over a `Judge`. The page never learns which system wrote
which summary.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, JSONResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tersely.errors import InputError, short_repr
from tersely.evaluation.judge import Judge
from tersely.web import THEME
from tersely.web.errors import ApiError, exception_handlers
from tersely.web.middleware import SecurityMiddleware

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

PAGE = Path(__file__).parent / "judge_page"
MAX_BODY = 10_000  # bytes; an answer has about a hundred


def create_app(judge: Judge, host: str = "127.0.0.1") -> ASGIApp:
    """The web application that collects the answers of one comparison, for requests to `host`."""

    def view(request: Request) -> Response:
        query = request.query_params
        position = _position(query["position"]) if "position" in query else None
        return JSONResponse(judge.view(query.get("annotator", ""), position))

    async def answer(request: Request) -> Response:
        try:
            body = json.loads(await request.body())
        except (ValueError, RecursionError) as error:
            raise ApiError("bad_json", reason=error) from None
        return JSONResponse(await run_in_threadpool(_save, judge, body))

    app = Starlette(
        routes=[
            Route("/", lambda request: FileResponse(PAGE / "index.html")),
            Route("/api/view", view),
            Route("/api/answer", answer, methods=["POST"]),
            Mount("/static", StaticFiles(directory=PAGE)),
            Mount("/theme", StaticFiles(directory=THEME)),
        ],
        exception_handlers=exception_handlers(),
    )
    return SecurityMiddleware(app, host, MAX_BODY)


def _position(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"invalid position {short_repr(text)}: expected a whole number") from None


def _save(judge: Judge, body: Any) -> dict[str, Any]:
    """Save an answer and return the new view of its item."""
    if not isinstance(body, dict) or not isinstance(body.get("position"), int):
        raise InputError("expected an object with annotator, position, question and choice")
    name, position = str(body.get("annotator", "")), body["position"]
    judge.answer(name, position, str(body.get("question")), str(body.get("choice")))
    return judge.view(name, position)
