"""What each address answers: the interface under /v1, the page, its description, health and metrics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, Response
from starlette.middleware.cors import CORSMiddleware
from starlette.staticfiles import StaticFiles

from tersely.serve.answers import ClimbAnswer, Info, LengthsAnswer, State, SummarizeAnswer
from tersely.serve.desk import Answer
from tersely.serve.faults import FAULTS, register_faults
from tersely.serve.gate import Gate
from tersely.serve.metrics import MEDIA_TYPE, Metrics
from tersely.serve.requests import ClimbRequest, LengthsRequest, SummarizeRequest
from tersely.serve.service import Service, Settings
from tersely.summarizer import Summarizer
from tersely.version import __version__
from tersely.web import LOOKS
from tersely.web.guard import Guard
from tersely.web.refusals import Refused

if TYPE_CHECKING:
    from starlette.types import ASGIApp

PAGE = Path(__file__).parent / "page"
LINES = "application/x-ndjson"
_AS_LINES: dict[int | str, dict[str, Any]] = {
    200: {"description": "One object, or, if that is accepted, lines as they come.", "content": {LINES: {}}}
}


def create_app(summarizer: Summarizer, settings: Settings) -> ASGIApp:
    """The web application of a service."""
    service = Service(summarizer, settings)
    app = FastAPI(
        title="tersely",
        version=__version__,
        description="Shortens a sentence to exactly the length asked for, using only its own words, in order.",
        lifespan=service.running,
        docs_url=None,
        redoc_url=None,
    )
    register_faults(app)
    _add_work(app, service)
    metrics = Metrics([route.path for route in app.routes if hasattr(route, "path")], lambda: service.desk.present)
    _add_state(app, service, metrics)
    _add_page(app)
    if settings.token is not None:
        app.add_middleware(Gate, token=settings.token)
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=["GET", "POST"],
            allow_headers=["authorization"],
        )
    return metrics.counted(Guard(app, settings.own_name, settings.limits.max_body))


def _add_work(app: FastAPI, service: Service) -> None:
    @app.post("/v1/summarize", response_model=SummarizeAnswer, responses=FAULTS)
    async def summarize(asked: SummarizeRequest) -> Response:
        """Shorten a text, or several."""
        return Answer(service.desk, service.summaries(asked, service.checked(asked)))

    @app.post("/v1/lengths", response_model=LengthsAnswer, responses=FAULTS | _AS_LINES)
    async def lengths(asked: LengthsRequest, request: Request) -> Response:
        """Shorten a text to every length, from one word up."""
        options = service.checked(asked)
        if LINES in request.headers.get("accept", ""):
            return Answer(service.desk, service.lengths_in_lines(asked, options), LINES)
        return Answer(service.desk, service.lengths(asked, options))

    @app.post("/v1/climb", response_model=ClimbAnswer, responses=FAULTS)
    async def climb(asked: ClimbRequest) -> Response:
        """Watch the hill climbing of the paper: the candidates that its best restart moved to."""
        return Answer(service.desk, service.climb(asked, service.checked(asked)))


def _add_state(app: FastAPI, service: Service, metrics: Metrics) -> None:
    @app.get("/v1/info", responses=FAULTS)
    async def info() -> Info:
        """What the service can do, and its limits."""
        return Info(**service.info())

    @app.get("/healthz")
    async def health() -> State:
        """Whether the server answers."""
        return State(status="ok")

    @app.get("/readyz", responses=FAULTS)
    async def readiness() -> State:
        """Whether a worker is ready to shorten."""
        if not service.ready:
            raise Refused(503, "not_ready", "no worker is ready yet")
        return State(status="ready")

    @app.get("/metrics", response_class=Response, responses=FAULTS | {200: {"content": {MEDIA_TYPE: {}}}})
    async def numbers() -> Response:
        """Requests, seconds, errors and who waits, for Prometheus."""
        return Response(metrics.text(), media_type=MEDIA_TYPE)


def _add_page(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(PAGE / "index.html")

    @app.get("/docs", include_in_schema=False)
    async def description() -> Response:
        return FileResponse(PAGE / "docs.html")

    app.mount("/static", StaticFiles(directory=PAGE))
    app.mount("/looks", StaticFiles(directory=LOOKS))
