"""Where requests wait for a worker: refused at once when too many do, and given up when they take too long or when the
client has gone. One answer may come in several lines, each sent as soon as it is there.
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

from tersely.errors import BundleError, GivenUp, InputError, WorkerLost
from tersely.serve.limits import Limits
from tersely.summarizer import Summarizer
from tersely.web.refusals import Refused
from tersely.workers import WorkerPool

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

Call = tuple[Any, ...]  # a function of `tasks.py` and what it takes after the summariser
PATIENCE = 10.0  # seconds that work may go on which nobody waits for: on a busy machine a new worker costs a few, too
_RECENT = 0.1  # how much the newest call counts in what calls take
_AGAIN = {"retry-after": "1"}


class Desk:
    """The workers, and who waits for them. It belongs to one event loop."""

    def __init__(self, pool: WorkerPool[Summarizer], limits: Limits) -> None:
        self.pool, self.limits = pool, limits
        self.present = 0  # requests that wait or are worked on
        self._calls = 0  # of theirs that wait or are worked on
        self._pace: float | None = None  # seconds that a worker has lately needed for a call
        self._clients: Counter[str] = Counter()

    @contextmanager
    def place(self, client: str) -> Iterator[None]:
        """A place among those who wait, if there is one."""
        if self.present >= self.limits.max_waiting + self.pool.workers or self._is_behind():
            raise Refused(503, "busy", "too many requests are waiting: try again in a moment", headers=_AGAIN)
        if self._clients[client] >= self.limits.max_per_client:
            message = f"a client may have {self.limits.max_per_client:,} requests at a time: wait for their answers"
            raise Refused(429, "too_many_requests", message, headers=_AGAIN)
        self.present += 1
        self._clients[client] += 1
        try:
            yield
        finally:
            self.present -= 1
            self._clients[client] -= 1
            self._clients += Counter()  # forgets who has none

    def _is_behind(self) -> bool:
        """Whether one more would wait in vain: it is better told now than after `max_seconds`."""
        before = max(self._calls, self.present)  # who has just come has no call yet
        if self._pace is None or before < self.pool.workers:
            return False
        return self._pace * (before + 1) / self.pool.workers > self.limits.max_seconds

    async def ask(self, *call: Any, field: str = "text") -> str:
        """The result of one call in a worker."""
        work, *args = call
        future = self.pool.submit(work, *args)
        self._calls += 1
        turns, begin = max(1.0, self._calls / self.pool.workers), monotonic()
        try:
            result = str(await asyncio.wrap_future(future))
            seconds = (monotonic() - begin) / turns
            self._pace = seconds if self._pace is None else (1 - _RECENT) * self._pace + _RECENT * seconds
            return result
        except asyncio.CancelledError:
            future.cancel()
            asyncio.get_running_loop().call_later(PATIENCE, self.pool.give_up, future)
            raise
        except GivenUp:
            raise self.too_slow() from None
        except (InputError, BundleError) as error:
            raise Refused(422, "cannot_shorten", str(error), field) from None
        except WorkerLost as error:
            raise Refused(503, "worker_lost", str(error), headers=_AGAIN) from None
        finally:
            self._calls -= 1

    async def ask_all(self, calls: Sequence[Call]) -> list[str]:
        """The results of several calls, in their order; the first that fails ends them all.

        No more of them than there are workers are in the pool at a time: others get their turn in between.
        """
        turn = asyncio.Semaphore(self.pool.workers)

        async def one(index: int, call: Call) -> str:
            async with turn:
                return await self.ask(*call, field="text" if len(calls) == 1 else f"text.{index}")

        tasks = [asyncio.ensure_future(one(index, call)) for index, call in enumerate(calls)]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    def too_slow(self) -> Refused:
        message = f"the answer took more than {self.limits.max_seconds:g} seconds: ask for less, or try again later"
        return Refused(503, "too_slow", message, headers=_AGAIN)


class Answer(Response):
    """An answer that workers make: the status waits for its first line, and a refusal after that is a line itself."""

    def __init__(self, desk: Desk, lines: AsyncIterator[str], media_type: str = "application/json") -> None:
        super().__init__(media_type=media_type)
        del self.headers["content-length"]
        self._desk, self._lines, self._started = desk, lines, False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = (scope.get("client") or ("", 0))[0]
        with self._desk.place(client):
            work = asyncio.wait_for(self._send_all(send), self._desk.limits.max_seconds)
            try:
                await unless_gone(receive, work)
            except asyncio.TimeoutError:
                await self._refuse(self._desk.too_slow(), send)
            except Refused as refused:
                await self._refuse(refused, send)

    async def _send_all(self, send: Send) -> None:
        async for line in self._lines:
            await self._send_line(line, send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_line(self, line: str, send: Send) -> None:
        if not self._started:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            self._started = True
        await send({"type": "http.response.body", "body": line.encode(), "more_body": True})

    async def _refuse(self, refused: Refused, send: Send) -> None:
        if not self._started:
            raise refused
        await self._send_line(json.dumps(refused.content) + "\n", send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def unless_gone(receive: Receive, work: Coroutine[Any, Any, None]) -> None:
    """Do the work, unless the client goes before it is done."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
