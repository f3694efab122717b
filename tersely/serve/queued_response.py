"""A response that workers write, in one line or several, each sent as soon as it is ready. A request that takes too
long, or whose client has disconnected, is cancelled.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tersely.errors import GivenUp, TerselyError
from tersely.serve.request_queue import Place, RequestQueue
from tersely.web.errors import ApiError, api_error_of
from tersely.web.listener import client_of

Lines = Callable[[Place], AsyncIterator[str]]


class QueuedResponse(Response):
    """The status waits for the first line. A later error is sent as the last line, if the others were taken in time;
    otherwise the connection is cut, so that the client sees that the body is incomplete.
    """

    def __init__(self, queue: RequestQueue, lines: Lines, media_type: str = "application/json") -> None:
        super().__init__(media_type=media_type)
        del self.headers["content-length"]
        self._queue, self._lines = queue, lines
        self._started = self._sending = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client, seconds = client_of((scope.get("client") or ("", 0))[0]), self._queue.limits.max_seconds
        with self._queue.place(client) as place:
            try:
                await self._send_unless_disconnected(place, receive, send, seconds)
            except (TerselyError, asyncio.TimeoutError) as raised:
                too_slow = isinstance(raised, (GivenUp, asyncio.TimeoutError))
                error = ApiError("too_slow", seconds=seconds) if too_slow else api_error_of(raised)
                if not self._started:
                    raise error from None
                if not self._sending:
                    await self._send(json.dumps(error.content) + "\n", send, last=True)

    async def _send_unless_disconnected(self, place: Place, receive: Receive, send: Send, seconds: float) -> None:
        working = asyncio.ensure_future(asyncio.wait_for(self._send_lines(place, send), seconds))
        leaving = asyncio.ensure_future(_disconnect(receive))
        try:
            await asyncio.wait([working, leaving, place.rejected], return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                working.result()
            elif place.rejected.done():
                raise ApiError("busy")
        finally:
            for task in (working, leaving):
                task.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await task

    async def _send_lines(self, place: Place, send: Send) -> None:
        async for line in self._lines(place):
            await self._send(line, send)
        await self._send("", send, last=True)

    async def _send(self, line: str, send: Send, *, last: bool = False) -> None:
        self._sending = True
        if not self._started:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            self._started = True
        await send({"type": "http.response.body", "body": line.encode(), "more_body": not last})
        self._sending = False


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
