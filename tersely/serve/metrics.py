"""The metrics of the service, for Prometheus: requests, their time, errors, and the length of the queue. Each request
gets an id, which is in its response and in the access log.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from uuid import uuid4

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tersely.web.errors import ERRORS

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """The counters of one service. Paths that are not in `paths` count as "other", so that nobody can add labels."""

    def __init__(self, paths: Iterable[str], queue_length: Callable[[], int]) -> None:
        self._paths = frozenset(paths)
        self._registry = registry = CollectorRegistry()
        help = "Seconds from the head of a request to the end of its response."
        self._requests = Counter("tersely_requests", "Responses sent.", ["path", "status"], registry=registry)
        self._seconds = Histogram("tersely_request_seconds", help, ["path"], buckets=_SECONDS, registry=registry)
        self._errors = Counter("tersely_errors", "Error responses sent.", ["path", "status"], registry=registry)
        queue = Gauge("tersely_queue_requests", "Requests that wait or are in work.", registry=registry)
        queue.set_function(queue_length)

    def text(self) -> bytes:
        """All metrics in the text format of Prometheus."""
        return generate_latest(self._registry)

    def counted(self, app: ASGIApp, access_log: bool = False) -> ASGIApp:
        """The application, its requests counted and perhaps logged. The table of errors says which errors count."""

        async def count(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            status = 499  # nginx's number for a client that disconnected before the response
            request_id = uuid4().hex

            async def send_counted(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                    message = {**message, "headers": [*message["headers"], (b"x-request-id", request_id.encode())]}
                await send(message)

            begin = time.perf_counter()
            path = scope["path"] if scope["path"] in self._paths else "other"
            try:
                await app(scope, receive, send_counted)
            finally:
                seconds = time.perf_counter() - begin
                self._requests.labels(path, status).inc()
                self._seconds.labels(path).observe(seconds)
                error = ERRORS.get(scope.get("error", ""))
                if status >= 400 and (error is None or error.counted):
                    self._errors.labels(path, status).inc()
                if access_log:
                    _log(scope, request_id, status, seconds)

        return count


def _log(scope: Scope, request_id: str, status: int, seconds: float) -> None:
    """Write a request to the access log, as one line of JSON on stderr."""
    line = {
        "time": datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
        "id": request_id,
        "client": (scope.get("client") or ("",))[0],
        "method": scope["method"],
        "path": scope["path"],
        "status": status,
        "error": scope.get("error"),
        "seconds": round(seconds, 4),
    }
    print(json.dumps(line), file=sys.stderr, flush=True)
