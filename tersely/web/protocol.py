"""Uvicorn's HTTP/1.1 with two additions that are usually left to a proxy: a timeout for the head of a request,
and error responses of the common shape for what is not HTTP.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tersely.web.errors import ApiError

HEAD_SECONDS = 10.0


class HeadTimeoutProtocol(H11Protocol):
    """One connection. The timer runs while the server waits for the head of a request, or for the rest of it."""

    head_seconds = HEAD_SECONDS
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._set_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._set_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_timer()

    def _set_timer(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop_timer()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.head_seconds, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def send_400_response(self, msg: str) -> None:
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):  # otherwise a response has begun already
            response = ApiError("not_http", reason=msg).response({})
            head = h11.Response(status_code=response.status_code, headers=response.raw_headers)
            events: list[Any] = [head, h11.Data(data=bytes(response.body)), h11.EndOfMessage()]
            for event in events:
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
