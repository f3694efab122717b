"""The service behind the addresses: requests are checked here, and worker processes do the work (`tasks.py`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from fastapi import FastAPI

from tersely.errors import BundleError, InputError
from tersely.options import Options
from tersely.search import SEARCHES
from tersely.serve import tasks
from tersely.serve.desk import Call, Desk
from tersely.serve.limits import Limits
from tersely.serve.requests import Asked
from tersely.summarizer import Summarizer
from tersely.text import MAX_WORDS
from tersely.version import __version__
from tersely.web.refusals import Refused
from tersely.workers import WorkerPool, checked_workers


@dataclass(frozen=True)
class Settings:
    """How a service is set up. Without `own_name` it answers to every Host header."""

    workers: int | None = None
    limits: Limits = field(default_factory=Limits)
    token: str | None = None
    origins: tuple[str, ...] = ()  # of other pages that may ask (CORS)
    own_name: str | None = "127.0.0.1"

    def __post_init__(self) -> None:
        checked_workers(self.workers)  # before the server starts


class Service:
    """A summariser behind addresses."""

    def __init__(self, summarizer: Summarizer, settings: Settings) -> None:
        self.summarizer, self.settings = summarizer, settings
        self.limits = settings.limits
        self.ready = False
        self._desk: Desk | None = None

    @property
    def desk(self) -> Desk:
        if self._desk is None:
            raise Refused(503, "not_ready", "the service has not started yet")
        return self._desk

    @asynccontextmanager
    async def running(self, app: FastAPI) -> AsyncIterator[None]:
        """The worker processes, from the start of the server to its end."""
        pool = WorkerPool(self.summarizer, self.settings.workers, timeout=self.limits.max_seconds)
        self._desk = Desk(pool, self.limits)
        warming = asyncio.ensure_future(self._warm_up(pool))
        try:
            yield
        finally:
            warming.cancel()
            with suppress(asyncio.CancelledError):
                await warming
            await asyncio.to_thread(pool.close)

    async def _warm_up(self, pool: WorkerPool[Summarizer]) -> None:
        """The first request should not wait for a bundle to be opened."""
        started = [asyncio.wrap_future(pool.submit(tasks.warm_up)) for _ in range(pool.workers)]
        await asyncio.wait(started, return_when=asyncio.FIRST_COMPLETED)
        self.ready = True

    def checked(self, asked: Asked) -> Options:
        """The options of a request that keeps to the limits and to what the bundle has."""
        options = asked.options
        self.limits.check(asked.texts, options.n_best)
        bundle = self.summarizer.bundle
        if options.fast and not bundle.styles:
            raise Refused(422, "invalid", "the bundle of this service has no selector, which fast needs", "fast")
        try:
            self.summarizer.check(options)
        except (InputError, BundleError) as error:
            message = str(error).replace(str(bundle.folder), "of this service")  # where it lies is not for everybody
            raise Refused(422, "invalid", message, "objective") from None
        return options

    async def summaries(self, asked: Any, options: Options) -> AsyncIterator[str]:
        calls = [(tasks.summarize, text, options, asked.explain) for text in asked.texts]
        yield '{"summaries": [' + ", ".join(await self.desk.ask_all(calls)) + "]}"

    async def lengths(self, asked: Any, options: Options) -> AsyncIterator[str]:
        yield await self.desk.ask(tasks.every_length, asked.text, options, self._first(asked, options))

    async def lengths_in_lines(self, asked: Any, options: Options) -> AsyncIterator[str]:
        """The length that was asked for first does not wait for the others; it may be too short for what is kept."""
        calls: list[Call] = [(tasks.every_length, asked.text, options)]
        if (first := self._first(asked, options)) is not None:
            calls.insert(0, (tasks.one_length, asked.text, first))
        for call in calls:  # one after the other: both at once would share the cores, and the first one would wait
            try:
                yield await self.desk.ask(*call) + "\n"
            except Refused as refused:
                if refused.status != 422 or call is calls[-1]:
                    raise

    def _first(self, asked: Any, options: Options) -> Options | None:
        return None if asked.first is None else replace(options, length=asked.first.length)

    async def climb(self, asked: Any, options: Options) -> AsyncIterator[str]:
        yield await self.desk.ask(tasks.climb, asked.text, options)

    def info(self) -> dict[str, Any]:
        bundle = self.summarizer.bundle
        return {
            "version": __version__,
            "bundle": bundle.signature,
            "objectives": {name: dict(weights) for name, weights in bundle.objectives.items()},
            "prose": {name: dict(weights) for name, weights in bundle.prose.items()},
            "default_objective": self.summarizer.default_objective,
            "fast": list(bundle.styles),
            "searches": list(SEARCHES),
            "limits": {**asdict(self.limits), "max_words": MAX_WORDS},
        }
