"""The request queue in front of the worker processes. A full queue rejects a request at once; a request that takes too
long, or whose client has disconnected, is cancelled. A response may come in several lines, each sent as soon as it is
ready.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from tersely.errors import BundleError, GivenUp, InputError, TerselyError
from tersely.serve.limits import Limits
from tersely.summary.summarizer import Summarizer
from tersely.system.workers import WorkerPool
from tersely.web.errors import ApiError, api_error_of

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

Call = tuple[Any, ...]  # a function of `tasks.py` and its arguments after the summariser
ABANDONED_SECONDS = 10.0  # for work whose client has gone: to replace its worker takes a few seconds, too
_SMOOTHING = 0.1  # the weight of the newest call in the average time of a call


class RequestQueue:
    """The workers, and the requests that wait for them. It belongs to one event loop."""

    def __init__(self, pool: WorkerPool[Summarizer], limits: Limits) -> None:
        self.pool, self.limits = pool, limits
        self.n_requests = 0  # waiting or in work
        self._n_calls = 0  # of these requests, waiting or in work
        self._call_seconds: float | None = None  # moving average of the time that a worker needs for a call
        self._by_client: Counter[str] = Counter()

    @contextmanager
    def slot(self, client: str) -> Iterator[None]:
        """A slot in the queue, for as long as the block lasts."""
        if self.n_requests >= self.limits.max_waiting + self.pool.workers or self._is_overloaded():
            raise ApiError("busy")
        if self._by_client[client] >= self.limits.max_per_client:
            raise ApiError("too_many_requests", limit=self.limits.max_per_client)
        self.n_requests += 1
        self._by_client[client] += 1
        try:
            yield
        finally:
            self.n_requests -= 1
            self._by_client[client] -= 1
            self._by_client += Counter()  # removes clients without a request

    def _is_overloaded(self) -> bool:
        """Whether one more request would wait longer than `max_seconds`: better reject it now."""
        before = max(self._n_calls, self.n_requests)  # a new request has no call yet
        if self._call_seconds is None or before < self.pool.workers:
            return False
        return self._call_seconds * (before + 1) / self.pool.workers > self.limits.max_seconds

    async def run(self, *call: Any, field: str = "text") -> str:
        """The result of one call in a worker."""
        future = self.pool.submit(*call)
        self._n_calls += 1
        rounds, begin = max(1.0, self._n_calls / self.pool.workers), monotonic()
        try:
            result = str(await asyncio.wrap_future(future))
            seconds = (monotonic() - begin) / rounds
            previous = seconds if self._call_seconds is None else self._call_seconds
            self._call_seconds = previous + _SMOOTHING * (seconds - previous)
            return result
        except asyncio.CancelledError:
            future.cancel()
            asyncio.get_running_loop().call_later(ABANDONED_SECONDS, self.pool.give_up, future)
            raise
        except (InputError, BundleError) as error:
            raise ApiError("cannot_shorten", field, reason=error) from None
        finally:
            self._n_calls -= 1

    async def run_all(self, calls: Sequence[Call]) -> list[str]:
        """The results of several calls, in their order. The first that fails cancels the others.

        At most one call for each worker is in the pool at a time, so that other requests get their turn.
        """
        turn = asyncio.Semaphore(self.pool.workers)

        async def run_one(index: int, call: Call) -> str:
            async with turn:
                return await self.run(*call, field="text" if len(calls) == 1 else f"text.{index}")

        tasks = [asyncio.ensure_future(run_one(index, call)) for index, call in enumerate(calls)]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()


class QueuedResponse(Response):
    """A response that workers write. Its status waits for the first line; a later error is sent as the last line."""

    def __init__(self, queue: RequestQueue, lines: AsyncIterator[str], media_type: str = "application/json") -> None:
        super().__init__(media_type=media_type)
        del self.headers["content-length"]
        self._queue, self._lines, self._started = queue, lines, False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client, seconds = (scope.get("client") or ("", 0))[0], self._queue.limits.max_seconds
        with self._queue.slot(client):
            try:
                await run_unless_disconnected(receive, asyncio.wait_for(self._send_lines(send), seconds))
            except (TerselyError, asyncio.TimeoutError) as raised:
                too_slow = isinstance(raised, (GivenUp, asyncio.TimeoutError))
                error = ApiError("too_slow", seconds=seconds) if too_slow else api_error_of(raised)
                if not self._started:
                    raise error from None
                await self._send(json.dumps(error.content) + "\n", send, last=True)

    async def _send_lines(self, send: Send) -> None:
        async for line in self._lines:
            await self._send(line, send)
        await self._send("", send, last=True)

    async def _send(self, line: str, send: Send, *, last: bool = False) -> None:
        if not self._started:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            self._started = True
        await send({"type": "http.response.body", "body": line.encode(), "more_body": not last})


async def run_unless_disconnected(receive: Receive, work: Coroutine[Any, Any, None]) -> None:
    """Do the work; cancel it if the client disconnects."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_disconnect(receive))
    try:
        await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
