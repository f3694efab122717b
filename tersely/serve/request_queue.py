"""The request queue in front of the worker processes. It is fair between clients: places and workers that several of
them want are shared. When all places are taken, the newest request of the client with the most is rejected.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from tersely.errors import BundleError, InputError, TerselyError
from tersely.serve import tasks
from tersely.serve.limits import Limits
from tersely.summary.summarizer import Summarizer
from tersely.system.workers import WorkerPool
from tersely.web.errors import ApiError

Call = tuple[Any, ...]  # a function of `tasks.py` and its arguments after the summariser
ABANDONED_SECONDS = 10.0  # for work whose client has disconnected: replacing its worker would take seconds as well
RECENT_SECONDS = 10.0  # how long a client keeps its share of the workers after its last request
_log = logging.getLogger("uvicorn.error")


@dataclass(eq=False)
class Client:
    """An address with its requests, and its calls that wait for a worker."""

    places: list[Place] = field(default_factory=list)
    waiting: dict[asyncio.Future[str | int], Call] = field(default_factory=dict)
    n_running: int = 0
    used: float = 0.0  # seconds of workers
    seen: float = 0.0


class RequestQueue:
    """The workers, and the requests that wait for them. It belongs to one event loop."""

    def __init__(self, pool: WorkerPool[Summarizer], limits: Limits) -> None:
        self.pool, self.limits = pool, limits
        self._clients: dict[str, Client] = {}

    @property
    def n_requests(self) -> int:
        """The number of requests that wait, are in work, or are being sent."""
        return sum(len(client.places) for client in self._clients.values())

    @contextmanager
    def place(self, address: str) -> Iterator[Place]:
        """A place in the queue, for as long as the block lasts."""
        self._forget_clients()
        client = self._clients.get(address) or Client()
        if not client.places:  # what others have used before it came gives it no advantage
            client.used = max(client.used, min((one.used for one in self._clients.values() if one.places), default=0.0))
        if self.n_requests >= self.limits.max_waiting + self.pool.workers:
            self._make_room_for(client)
        self._clients[address] = client
        place = Place(self, client)
        client.places.append(place)
        try:
            yield place
        finally:
            client.seen = monotonic()
            if place in client.places:
                client.places.remove(place)

    def _forget_clients(self) -> None:
        """Keep those clients that are here, or were a moment ago."""
        now = monotonic()
        kept = {a: c for a, c in self._clients.items() if c.places or c.n_running or now - c.seen < RECENT_SECONDS}
        self._clients = kept

    def _make_room_for(self, client: Client) -> None:
        greediest = max(self._clients.values(), key=lambda one: len(one.places))
        if len(greediest.places) <= len(client.places) + 1:
            raise ApiError("busy")
        greediest.places.pop().rejected.set_result(None)

    def submit(self, client: Client, call: Call) -> asyncio.Future[str | int]:
        """The result of a call, once a worker has done it. Cancelling this future cancels the call."""
        result: asyncio.Future[str | int] = asyncio.get_running_loop().create_future()
        client.waiting[result] = call
        result.add_done_callback(lambda _: client.waiting.pop(result, None))  # nobody waits for it any more
        self._start_calls()
        return result

    def _start_calls(self) -> None:
        """Give free workers to waiting clients: first to those with the fewest, then to those that used them least.

        No client gets more than an equal share, even if a worker stays free: a slow call would take it from the next
        request of a client that was here a moment ago.
        """
        self._forget_clients()
        share = math.ceil(self.pool.workers / max(1, len(self._clients)))
        while sum(client.n_running for client in self._clients.values()) < self.pool.workers:
            waiting = [one for one in self._clients.values() if one.waiting and one.n_running < share]
            if not waiting:
                break
            client = min(waiting, key=lambda one: (one.n_running, one.used))
            result = next(iter(client.waiting))
            call = client.waiting.pop(result)
            if not result.cancelled():
                self._start_call(client, call, result)

    def _start_call(self, client: Client, call: Call, result: asyncio.Future[str | int]) -> None:
        try:
            future = self.pool.submit(*call)
        except TerselyError as error:
            result.set_exception(error)
            return
        client.n_running += 1
        begin = monotonic()

        def end(done: asyncio.Future[str | int]) -> None:
            client.n_running -= 1
            client.used += monotonic() - begin
            error = None if done.cancelled() else done.exception()  # read also if nobody waits for it any more
            if done.cancelled():
                result.cancel()
            elif error is not None and not result.done():
                result.set_exception(error)
            elif not result.done():
                result.set_result(done.result())
            self._start_calls()

        def abandon(_: object) -> None:
            if result.cancelled() and not future.cancel():
                loop.call_later(ABANDONED_SECONDS, self.pool.give_up, future)

        loop = asyncio.get_running_loop()
        asyncio.wrap_future(future).add_done_callback(end)
        result.add_done_callback(abandon)


class Place:
    """The place of a request in the queue. `rejected` is done when the request must leave it."""

    def __init__(self, queue: RequestQueue, client: Client) -> None:
        self._queue, self._client = queue, client
        self._size = 0  # characters of all results
        self.rejected: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self, *call: Any, field: str = "text") -> str:
        """The result of one call in a worker."""
        most = self._queue.limits.max_response
        try:
            result = await self._queue.submit(self._client, (tasks.bounded, most, *call))
        except InputError as error:
            raise ApiError("cannot_shorten", field, reason=error) from None
        except BundleError as error:
            _log.error("a worker cannot read the bundle: %s", error)
            raise ApiError("not_ready") from None
        self._size += result if isinstance(result, int) else len(result)
        if isinstance(result, int) or self._size > most:
            raise ApiError("response_too_big", n=self._size, limit=most)
        return result

    async def run_all(self, calls: Sequence[Call]) -> list[str]:
        """The results of several calls, in their order. The first that fails cancels the others.

        At most one call for each worker waits at a time, so that other requests get their turn.
        """
        turn = asyncio.Semaphore(self._queue.pool.workers)

        async def run_one(index: int, call: Call) -> str:
            async with turn:
                return await self.run(*call, field="text" if len(calls) == 1 else f"text.{index}")

        working = [asyncio.ensure_future(run_one(index, call)) for index, call in enumerate(calls)]
        try:
            return await asyncio.gather(*working)
        finally:
            for one in working:
                one.cancel()
