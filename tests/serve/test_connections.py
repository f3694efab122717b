"""Connections: their number is bounded, and so is the time that a client may take. Others are served meanwhile."""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from service_load import served
from serving import connect, serving
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from tersely.web.protocol import TimeoutProtocol
from tersely.web.server import OncePerSecond, address_of, bind

BIG = PlainTextResponse("x" * 20_000_000)
HELLO = PlainTextResponse("hello")
GET = b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"


def status_from(address: str, source: str) -> int:
    """The status that a new client gets."""
    with httpx.Client(transport=httpx.HTTPTransport(local_address=source)) as client:
        return client.get(f"{address}/healthz", timeout=20).status_code


@contextmanager
def connections(address: str, n: int, source: str = "127.0.0.1") -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(connect(address, source)) for _ in range(n)]


def wait_for_status(address: str, status: int) -> None:
    end = time.monotonic() + 20
    while status_from(address, "127.0.0.1") != status:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_client_that_does_not_read_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TimeoutProtocol, "send_seconds", 0.3)
    with serving(BIG) as address, connect(address) as idle, connect(address) as reader:
        idle.sendall(GET)
        reader.sendall(GET)
        assert b"200 OK" in reader.recv(1_000)
        time.sleep(1)
        received = 0
        with suppress(ConnectionError):
            while block := idle.recv(1_000_000):
                received += len(block)
        assert received < 20_000_000  # the connection ends before the body does


def test_the_rest_of_a_body_that_nobody_reads_has_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TimeoutProtocol, "head_seconds", 0.5)
    with serving(HELLO) as address, connect(address) as slow:
        slow.sendall(b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000\r\n\r\n")
        n_sent = 0
        with suppress(ConnectionError):
            for n_sent in range(100):  # noqa: B007
                slow.sendall(b"x")
                time.sleep(0.05)
        assert n_sent < 99


def test_of_pipelined_requests_few_are_read_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    receive, waiting = TimeoutProtocol.data_received, []

    def noted(protocol: TimeoutProtocol, data: bytes) -> None:
        receive(protocol, data)
        waiting.append(len(protocol.conn.trailing_data[0]))

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()  # reads on, to notice that the client disconnects
        await asyncio.sleep(0.005)
        await HELLO(scope, receive, send)

    monkeypatch.setattr(TimeoutProtocol, "data_received", noted)
    request = b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: " + b"a" * 8_000 + b"\r\n\r\n"
    with serving(slow) as address, connect(address) as line:
        sender = threading.Thread(target=line.sendall, args=(200 * request,))
        sender.start()
        received = b""
        while received.count(b"hello") < 200:
            received += line.recv(65_536)
        sender.join()
    assert max(waiting) < 400_000  # what one read of the socket can take, and a head; all have 1.6 MB


def test_connections_of_an_address_are_bounded() -> None:
    with serving(HELLO, max_connections=8) as address, connections(address, 4):
        assert status_from(address, "127.0.0.1") == 503
        assert status_from(address, "127.0.0.2") == 200


def test_connections_of_an_ipv6_network_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = iter(["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"])
    with bind("127.0.0.1", 0, 4) as listener, ExitStack() as stack:

        def accept(self: socket.socket) -> tuple[socket.socket, Any]:
            return stack.enter_context(socket.socket()), (next(hosts), 1, 0, 0)

        monkeypatch.setattr(socket.socket, "accept", accept)
        for _ in range(2):
            listener.accept()
        with pytest.raises(BlockingIOError):  # the third of one network
            listener.accept()
        listener.accept()


def test_connections_are_bounded_in_all() -> None:
    with serving(HELLO, max_connections=8) as address:
        with connections(address, 4), connections(address, 4, "127.0.0.3"):
            reply = httpx.get(address, headers={"connection": "close"})
            assert (reply.status_code, reply.json()["error"]["code"]) == (503, "too_many_connections")
            assert status_from(address, "127.0.0.2") == 503
        wait_for_status(address, 200)


def test_small_responses_are_sent_at_once() -> None:
    with bind("127.0.0.1", 0) as listener, connect(address_of(listener)):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_message_is_logged_once_a_second(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    monkeypatch.setattr("tersely.web.server.monotonic", lambda: now)
    log = logging.getLogger("test_connections")
    log.addFilter(OncePerSecond())
    for now in (10.0, 10.5, 10.9, 11.0, 11.5):
        log.warning("at %s", now)
    log.warning("another line")
    assert [record.getMessage() for record in caplog.records] == ["at 10.0", "at 11.0", "another line"]


@pytest.mark.slow
@pytest.mark.parametrize("when", ["before", "after"])
def test_few_open_files_and_many_connections(tiny_bundle: Path, tmp_path: Path, when: str) -> None:
    """Before: the limit of connections fits the limit of files. After: accepting fails, again and again."""
    log = tmp_path / "log"
    options: dict[str, Any] = {"log": log, "files": 64 if when == "before" else None}
    with served(tiny_bundle, "--workers", "2", **options) as (process, address):
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (64, 64))
        with connections(address, 200):
            time.sleep(1)
            if when == "before":
                assert status_from(address, "127.0.0.2") == 200
        wait_for_status(address, 200)
        body = {"text": "the ship ran aground on tuesday", "words": 3}
        assert httpx.post(f"{address}/v1/summarize", json=body, timeout=60).status_code == 200
    assert log.stat().st_size < 100_000
