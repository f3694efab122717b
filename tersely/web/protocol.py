"""HTTP/1.1 as uvicorn speaks it, with two things that it leaves to a proxy in front of it: a client that never ends the
head of its request is hung up on, and what is not HTTP is refused in the shape of all refusals.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tersely.web.refusals import Refused

HEAD_SECONDS = 10.0


class PatientProtocol(H11Protocol):
    """One connection. The clock runs whenever the head of a request is awaited and some of it may have come."""

    head_seconds = HEAD_SECONDS
    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop()

    def _watch(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._clock is None:
            self._clock = self.loop.call_later(self.head_seconds, self.transport.abort)

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def send_400_response(self, msg: str) -> None:
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):  # an answer is on its way already
            self.transport.close()
            return
        response = Refused(400, "not_http", msg).response()
        headers = [*response.raw_headers, (b"connection", b"close")]
        events: list[Any] = [h11.Response(status_code=400, headers=headers), h11.Data(data=bytes(response.body))]
        for event in (*events, h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
