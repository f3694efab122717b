"""Uvicorn's HTTP/1.1 with additions that are usually left to a proxy: a limited time for the head of a request and to
take a response, a limited number of chunks, little read ahead, and error responses of the common shape.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import h11
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol

from tersely.web.errors import ApiError
from tersely.web.middleware import MAX_HEAD

HEAD_SECONDS = 10.0
SEND_SECONDS = 20.0
MAX_CHUNKS = 1_000  # of a body: a chunk of one byte costs as much time as one of a thousand


class BoundedConnection(h11.Connection):
    """The HTTP of one connection, which has an error for a body of too many chunks."""

    n_chunks = 0

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Data) and event.chunk_start:
            self.n_chunks += 1
            if self.n_chunks > MAX_CHUNKS:
                raise h11.RemoteProtocolError("too many chunks", error_status_hint=413)
        elif isinstance(event, h11.Request):
            self.n_chunks = 0
        return event


class BoundedFlow(FlowControl):
    """Flow control that reads no further while more requests wait than h11 could need to find the next of them.

    Otherwise each request that is handled would read many more, and all of them would be in memory.
    """

    def __init__(self, transport: asyncio.Transport, conn: h11.Connection) -> None:
        super().__init__(transport)
        self._conn = conn

    def resume_reading(self) -> None:
        if len(self._conn.trailing_data[0]) <= MAX_HEAD:
            super().resume_reading()


class TimeoutProtocol(H11Protocol):
    """One connection, which is cut if its client does not send a head in time, or does not take what it is sent."""

    head_seconds = HEAD_SECONDS
    send_seconds = SEND_SECONDS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.conn = BoundedConnection(h11.SERVER, MAX_HEAD)
        self.flow = BoundedFlow(transport, self.conn)
        self._timers: dict[str, asyncio.TimerHandle] = {}
        transport.set_write_buffer_limits(0)  # `pause_writing` is then called whenever something remains unsent
        self._watch_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch_head()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_timer("send", self.send_seconds)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_timer("send")

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for name in list(self._timers):
            self._stop_timer(name)

    def _watch_head(self) -> None:
        """Run the timer while no request is in work; the rest of a body that nobody reads counts as well."""
        if self.cycle is None or self.cycle.response_complete:
            self._start_timer("head", self.head_seconds)
        else:
            self._stop_timer("head")

    def _start_timer(self, name: str, seconds: float) -> None:
        if name not in self._timers and not self.transport.is_closing():
            self._timers[name] = self.loop.call_later(seconds, self.transport.abort)

    def _stop_timer(self, name: str) -> None:
        if timer := self._timers.pop(name, None):
            timer.cancel()

    def send_400_response(self, msg: str) -> None:
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):  # otherwise a response has begun already
            cause = sys.exc_info()[1]  # that of h11, which uvicorn handles
            errors = {
                413: ApiError("too_many", what="chunks", n=MAX_CHUNKS + 1, limit=MAX_CHUNKS),
                431: ApiError("head_too_big", limit=MAX_HEAD),
            }
            error = errors.get(getattr(cause, "error_status_hint", 400)) or ApiError("not_http", reason=msg)
            self.transport.write(error.raw())
        self.transport.close()
