"""The local page of the judge: static files and a small JSON interface over a `Judge`.

The page never learns which system wrote what. Answers must come as JSON, which browsers do not send for the page of
another origin unless this server allows it, and it does not.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.errors import InputError, missing_extra
from tersely.evaluation.judge import Judge

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

PAGE = Path(__file__).parent / "judge_page"


def create_app(judge: Judge) -> Starlette:
    """The web application that asks for the answers of one comparison."""
    try:
        from starlette.applications import Starlette
        from starlette.concurrency import run_in_threadpool
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
        try:
            given = await request.json()
            return JSONResponse(await run_in_threadpool(_keep, judge, given))
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
        ]
    )


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
    uvicorn.run(create_app(judge), host=host, port=port, log_level="warning")
