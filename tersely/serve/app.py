"""The paths of the service: the API under /v1, the page, the API description, health and metrics."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from fastapi import APIRouter, FastAPI, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.middleware.cors import CORSMiddleware
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from tersely.serve import responses
from tersely.serve.authentication import TokenAuthentication, bearer
from tersely.serve.metrics import Metrics
from tersely.serve.queued_response import QueuedResponse
from tersely.serve.requests import ClimbRequest, LengthsRequest, SubtitlesRequest, SummarizeRequest, validation_error
from tersely.serve.service import Service, Settings
from tersely.summary.summarizer import Summarizer
from tersely.version import __version__
from tersely.web import THEME
from tersely.web.errors import ApiError, exception_handlers
from tersely.web.middleware import SecurityMiddleware

PAGE = Path(__file__).parent / "page"
LINES = "application/x-ndjson"


def create_app(summarizer: Summarizer, settings: Settings) -> ASGIApp:
    """The web application of a service."""
    service = Service(summarizer, settings)
    app = FastAPI(
        title="tersely",
        version=__version__,
        description="Shortens a sentence to exactly the length asked for, using only its own words, in order.",
        lifespan=service.lifespan,
        docs_url=None,
        redoc_url=None,
        responses=responses.error_responses(),
        exception_handlers=exception_handlers() | {RequestValidationError: _respond_invalid},
    )
    protected = APIRouter(dependencies=[] if settings.token is None else [Security(bearer)])  # for the description
    _add_work(protected, service)
    metrics = Metrics(
        [route.path for route in protected.routes if hasattr(route, "path")], lambda: service.queue.n_requests
    )
    _add_state(app, protected, service, metrics)
    app.include_router(protected)
    _add_pages(app)
    if settings.token is not None:
        app.add_middleware(TokenAuthentication, token=settings.token)
    if settings.origins:
        methods, headers = ["GET", "POST"], ["authorization"]
        app.add_middleware(CORSMiddleware, allow_origins=settings.origins, allow_methods=methods, allow_headers=headers)
    secured = SecurityMiddleware(app, settings.allowed_host, settings.limits.max_body)
    return metrics.counted(secured, settings.access_log)


async def _respond_invalid(request: Request, error: RequestValidationError) -> Response:
    return validation_error(error.errors()[0]).response(request.scope)


def _add_work(app: APIRouter, service: Service) -> None:
    @app.post("/v1/summarize", response_model=responses.SummarizeResponse)
    async def summarize(body: SummarizeRequest) -> Response:
        """Shorten a text, or several."""
        return QueuedResponse(service.queue, partial(service.summarize, body, service.check(body)))

    in_lines = {"description": "One object or, if the client accepts them, lines.", "content": {LINES: {}}}

    @app.post("/v1/lengths", response_model=responses.LengthsResponse, responses={200: in_lines})
    async def lengths(body: LengthsRequest, request: Request) -> Response:
        """Shorten a text to every length, from one word up."""
        media_type = LINES if LINES in request.headers.get("accept", "") else "application/json"
        lines = partial(service.lengths, body, service.check(body), media_type == LINES)
        return QueuedResponse(service.queue, lines, media_type)

    @app.post("/v1/climb", response_model=responses.ClimbResponse)
    async def climb(body: ClimbRequest) -> Response:
        """Watch the hill climbing of the paper: the candidates that its best restart moved to."""
        return QueuedResponse(service.queue, partial(service.climb, body, service.check(body)))

    @app.post("/v1/subtitles", response_model=responses.SubtitlesResponse)
    async def subtitles(body: SubtitlesRequest) -> Response:
        """Shorten the cues of an SRT or WebVTT file that cannot be read in their time."""
        service.check(body)
        return QueuedResponse(service.queue, partial(service.subtitles, body))


def _add_state(app: FastAPI, protected: APIRouter, service: Service, metrics: Metrics) -> None:
    @protected.get("/v1/info")
    async def info() -> responses.Info:
        """What the service can do, and its limits."""
        return responses.Info(**service.info())

    @app.get("/healthz")
    async def health() -> dict[str, str]:
        """Whether the server responds."""
        return {"status": "ok"}

    @app.get("/readyz")
    async def readiness() -> dict[str, str]:
        """Whether a worker is ready."""
        if not service.ready:
            raise ApiError("not_ready")
        return {"status": "ready"}

    @protected.get("/metrics", response_class=Response, responses={200: {"content": {CONTENT_TYPE_LATEST: {}}}})
    async def prometheus() -> Response:
        """Requests, seconds, errors and the length of the queue, for Prometheus."""
        return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)


def _add_pages(app: FastAPI) -> None:
    app.add_route("/", lambda request: FileResponse(PAGE / "index.html"))
    app.add_route("/docs", lambda request: FileResponse(PAGE / "docs.html"))
    app.mount("/static", StaticFiles(directory=PAGE))
    app.mount("/theme", StaticFiles(directory=THEME))
