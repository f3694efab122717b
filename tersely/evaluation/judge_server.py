"""The local page of the judge: static files and a small JSON interface over a `Judge`, behind the guard of all pages.

The page never learns which system wrote what.
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

from tersely.errors import InputError
from tersely.evaluation.judge import Judge
from tersely.web import LOOKS
from tersely.web.guard import Guard
from tersely.web.refusals import HANDLERS, Refused

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

PAGE = Path(__file__).parent / "judge_page"
MAX_BODY = 10_000  # bytes; an answer has about a hundred


def create_app(judge: Judge, host: str = "127.0.0.1") -> ASGIApp:
    """The web application that asks for the answers of one comparison, for pages of `host`."""

    def page(request: Request) -> Response:
        return FileResponse(PAGE / "index.html")

    def view(request: Request) -> Response:
        query = request.query_params
        try:
            position = int(query["position"]) if "position" in query else None
            return JSONResponse(judge.view(query.get("annotator", ""), position))
        except ValueError as error:  # InputError is one
            raise Refused(400, "invalid", str(error)) from None

    async def answer(request: Request) -> Response:
        try:
            return JSONResponse(await run_in_threadpool(_keep, judge, _read(await request.body())))
        except ValueError as error:
            raise Refused(400, "invalid", str(error)) from None

    app = Starlette(
        routes=[
            Route("/", page),
            Route("/api/view", view),
            Route("/api/answer", answer, methods=["POST"]),
            Mount("/static", StaticFiles(directory=PAGE)),
            Mount("/looks", StaticFiles(directory=LOOKS)),
        ],
        exception_handlers=HANDLERS,
    )
    return Guard(app, host, MAX_BODY)


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
