"""The service behind the paths: it checks requests, and worker processes do the work (`tasks.py`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from fastapi import FastAPI

from tersely.bundle.objectives import FAST
from tersely.errors import BundleError, InputError
from tersely.search import SEARCHES
from tersely.serve import subtitles, tasks
from tersely.serve.limits import Limits
from tersely.serve.request_queue import Place, RequestQueue
from tersely.serve.requests import SUBTITLE_OPTIONS, BaseRequest
from tersely.subtitles.limits import Limits as ReadingLimits
from tersely.summary.options import Options, fields
from tersely.summary.summarizer import Summarizer
from tersely.system.workers import WorkerPool, checked_workers
from tersely.text.words import MAX_WORDS
from tersely.version import __version__
from tersely.web.errors import ApiError


@dataclass(frozen=True)
class Settings:
    """The settings of a service. Without `allowed_host` it accepts every Host header."""

    workers: int | None = None
    limits: Limits = field(default_factory=Limits)
    token: str | None = None
    origins: tuple[str, ...] = ()  # whose pages may call the service (CORS)
    allowed_host: str | None = "127.0.0.1"
    access_log: bool = False

    def __post_init__(self) -> None:
        checked_workers(self.workers)  # before the server starts


class Service:
    """A summariser with its worker processes."""

    def __init__(self, summarizer: Summarizer, settings: Settings) -> None:
        self.summarizer, self.settings = summarizer, settings
        self.limits = settings.limits
        self._warm = False
        self._queue: RequestQueue | None = None

    @property
    def queue(self) -> RequestQueue:
        if self._queue is None:
            raise ApiError("not_ready")
        return self._queue

    @property
    def ready(self) -> bool:
        """Whether a worker can take a request."""
        return self._warm and self.queue.pool.n_ready > 0

    @asynccontextmanager
    async def lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        """Run the worker processes, from the start of the server to its end."""
        seconds = self.limits.max_seconds
        pool = WorkerPool(self.summarizer, self.settings.workers, timeout=seconds)
        self._queue = RequestQueue(pool, self.limits)
        warming = asyncio.ensure_future(self._warm_up(pool))
        try:
            yield
        finally:
            warming.cancel()
            with suppress(asyncio.CancelledError):
                await warming
            await asyncio.to_thread(pool.close)

    async def _warm_up(self, pool: WorkerPool[Summarizer]) -> None:
        """Let the workers open the bundle, so that the first request does not wait for it."""
        started = [asyncio.wrap_future(pool.submit(tasks.warm_up)) for _ in range(pool.workers)]
        for future in started:  # nobody else reads the error of a worker that was stopped while it started
            future.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.wait(started, return_when=asyncio.FIRST_COMPLETED)
        self._warm = True

    def check(self, body: BaseRequest) -> Options:
        """The options of a request, if it is within the limits and the bundle has what they need."""
        options = body.options
        self.limits.check(body.texts, options.n_best)
        bundle = self.summarizer.bundle
        try:
            self.summarizer.check(options)
        except (InputError, BundleError) as error:
            reason = str(error).replace(str(bundle.folder), "of this service")  # its path is not for clients
            raise ApiError("invalid", "fast" if options.fast else "objective", reason=reason) from None
        return options

    async def summarize(self, body: Any, options: Options, place: Place) -> AsyncIterator[str]:
        calls = [(tasks.summarize, text, options, body.explain) for text in body.texts]
        yield '{"summaries": [' + ", ".join(await place.run_all(calls)) + "]}"

    async def lengths(self, body: Any, options: Options, in_lines: bool, place: Place) -> AsyncIterator[str]:
        """All lengths; in lines, the summary of the length `first` comes before them; with `split` it is the only one.

        One after the other: at the same time they would share the cores, and the first would come later.
        """
        first = body.first if in_lines else None
        if options.split and first is None:
            raise ApiError("invalid", "split", reason="split has one length: ask for every length of each sentence")
        if first is not None:
            try:
                one = replace(options, length=first.options.length)
                yield await place.run(tasks.one_length, body.text, one) + "\n"
            except ApiError as error:  # a length that is too short for the pinned words has no summary
                if options.split or error.code != "cannot_shorten":
                    raise
        if not options.split:
            yield await place.run(tasks.every_length, body.text, options) + "\n"

    async def climb(self, body: Any, options: Options, place: Place) -> AsyncIterator[str]:
        yield await place.run(tasks.climb, body.text, options)

    async def subtitles(self, body: Any, place: Place) -> AsyncIterator[str]:
        asked = None if body.check else {name: getattr(body, name) for name in SUBTITLE_OPTIONS}
        reading = ReadingLimits(body.cps, body.line, body.lines)
        yield await place.run(subtitles.shorten, body.text, body.cues, reading, self.limits, asked)

    def info(self) -> dict[str, Any]:
        bundle = self.summarizer.bundle
        named = bundle.objectives.named
        return {
            "version": __version__,
            "bundle": bundle.signature,
            "objectives": {name: dict(weights) for name, weights in named.items() if name != FAST},
            "default_objective": bundle.objectives.default,
            "fast": FAST in named,
            "flags": {name: one.metadata["help"] for name, one in fields().items() if one.default is False},
            "searches": list(SEARCHES),
            "limits": {**asdict(self.limits), "max_words": MAX_WORDS},
        }
