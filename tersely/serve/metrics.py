"""What the service counts, for Prometheus: requests, their time, who waits, errors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MEDIA_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """The counters of one service. What is not one of its `paths` is counted as "other": people ask for anything."""

    def __init__(self, paths: Iterable[str], waiting: Callable[[], int]) -> None:
        self._paths = frozenset(paths)
        self._registry = CollectorRegistry()
        self._requests = Counter("tersely_requests", "Requests answered.", ["path", "status"], registry=self._registry)
        self._seconds = Histogram(
            "tersely_request_seconds",
            "Seconds from the head of a request to the end of its answer.",
            ["path"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._errors = Counter("tersely_errors", "Requests refused.", ["path", "status"], registry=self._registry)
        queue = Gauge("tersely_queue_requests", "Requests that wait or are worked on.", registry=self._registry)
        queue.set_function(waiting)

    def text(self) -> bytes:
        """All of it in Prometheus' text format."""
        return generate_latest(self._registry)

    def counted(self, app: ASGIApp) -> ASGIApp:
        """The application, with its requests counted."""

        async def count(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            status = 499  # nginx's number for a client that did not wait

            async def send_counted(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                await send(message)

            begin = time.perf_counter()
            path = scope["path"] if scope["path"] in self._paths else "other"
            try:
                await app(scope, receive, send_counted)
            finally:
                self._requests.labels(path, status).inc()
                self._seconds.labels(path).observe(time.perf_counter() - begin)
                if status >= 400:
                    self._errors.labels(path, status).inc()

        return count
