"""Uvicorn's HTTP/1.1 with three additions that are usually left to a proxy: a limited time for the head of a request,
a limited time to take a response, and error responses of the common shape for what is not HTTP.
"""

from __future__ import annotations

import asyncio
import sys

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tersely.web.errors import ApiError
from tersely.web.middleware import MAX_HEAD

HEAD_SECONDS = 10.0
SEND_SECONDS = 20.0


class TimeoutProtocol(H11Protocol):
    """One connection, which is cut if its client does not send a head in time, or does not take what it is sent."""

    head_seconds = HEAD_SECONDS
    send_seconds = SEND_SECONDS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
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
            too_big = getattr(cause, "error_status_hint", 400) == 431
            error = ApiError("head_too_big", limit=MAX_HEAD) if too_big else ApiError("not_http", reason=msg)
            self.transport.write(error.raw())
        self.transport.close()
