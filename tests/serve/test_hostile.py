"""Hostile and broken clients: they get an error response, and the service stays alive."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import httpx
import pytest
from pydantic import ValidationError
from serving import connect, open_client, serving
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tersely.serve.requests import SummarizeRequest
from tersely.summary.summarizer import Summarizer
from tersely.web.errors import exception_handlers
from tersely.web.middleware import SecurityMiddleware
from tersely.web.protocol import TimeoutProtocol

HEAD = b"POST /v1/summarize HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
GOOD = json.dumps({"text": "the ship ran aground on tuesday", "words": 3}).encode()


@pytest.fixture
def line(address: str) -> Iterator[socket.socket]:
    with connect(address) as line:
        yield line


@pytest.fixture(autouse=True)
def alive(client: httpx.Client) -> Iterator[None]:
    yield
    reply = client.post("/v1/summarize", content=GOOD, headers={"content-type": "application/json"})
    assert reply.status_code == 200


def reply_to(line: socket.socket, *parts: bytes) -> bytes:
    """What comes back until the server closes the connection; empty if it sends nothing."""
    received = b""
    try:
        for part in parts:
            line.sendall(part)
        while block := line.recv(65_536):
            received += block
            head, _, body = received.partition(b"\r\n\r\n")
            if body.endswith(b"}}") or (b"content-length: 0" in head):
                break
    except (ConnectionError, TimeoutError):
        pass
    return received


def status_and_code(reply: bytes) -> tuple[int, str]:
    head, _, body = reply.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]["code"]


@pytest.mark.parametrize("sent", [b"", HEAD])
def test_the_head_never_ends(address: str, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(TimeoutProtocol, "head_seconds", 0.3)
    with connect(address) as slow:
        slow.sendall(sent)
        assert slow.recv(65_536) == b""  # the server closes the connection: if it waited, this would raise TimeoutError


def test_the_second_head_on_a_connection_never_ends(line: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TimeoutProtocol, "head_seconds", 0.3)
    line.sendall(b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
    assert b"200 OK" in line.recv(65_536)
    assert b"HTTP/1.1" not in reply_to(line, b"GET /healthz HT")


def test_the_body_never_ends() -> None:
    async def read(request: Request) -> Response:
        return Response(await request.body())

    app = Starlette(routes=[Route("/v1/summarize", read, methods=["POST"])], exception_handlers=exception_handlers())
    with serving(SecurityMiddleware(app, body_seconds=0.3)) as address, connect(address) as line:
        reply = reply_to(line, HEAD + b"content-length: 500\r\n\r\n" + GOOD)
        assert status_and_code(reply) == (408, "slow_body")


def test_an_incomplete_body(line: socket.socket) -> None:
    line.sendall(HEAD + b"content-length: 500\r\n\r\n" + GOOD)
    line.close()


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: " + b"a" * 100_000 + b"\r\n\r\n", (431, "head_too_big")),
        (b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n", (431, "head_too_big")),
        (b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n" + b"x: y\r\n" * 10_000 + b"\r\n", (431, "head_too_big")),
        (b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: " + b"a" * 20_000, (431, "head_too_big")),  # its end never comes
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", (400, "not_http")),
        (b"\0\0\0\0\r\n\r\n", (400, "not_http")),
        (b"GET / HTTP/1.1\r\nhost: a\0b\r\n\r\n", (400, "not_http")),
        (HEAD + b"content-length: -1\r\n\r\n", (400, "not_http")),
        (HEAD + b"content-length: 99999999999999999999\r\n\r\n", (413, "body_too_big")),
        (HEAD + b"transfer-encoding: chunked\r\n\r\n" + b"5000\r\n" + b"[" * 0x5000 + b"\r\n", (413, "body_too_big")),
        (HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n", (400, "not_http")),
        (HEAD + b"transfer-encoding: chunked\r\n\r\n" + 1_001 * b"1\r\n[\r\n", (413, "too_many")),
    ],
    ids=range(12),
)
def test_invalid_requests(line: socket.socket, sent: bytes, expected: tuple[int, str]) -> None:
    reply = reply_to(line, sent)
    if reply:
        assert status_and_code(reply) == expected
    else:  # a client that is still sending when the connection is closed may not see the response
        assert len(sent) > 10_000


def test_chunks_are_counted_for_each_request(line: socket.socket) -> None:
    body = 900 * b"1\r\n \r\n" + b"2\r\n{}\r\n0\r\n\r\n"
    for _ in range(2):
        reply = reply_to(line, HEAD + b"transfer-encoding: chunked\r\n\r\n" + body)
        assert status_and_code(reply) == (422, "invalid")


@pytest.mark.parametrize("values", ['"k%d": 0, ', '"k%d": {}, ', '"k%d": [[]], '])
def test_a_body_of_too_many_values(summarizer: Summarizer, values: str) -> None:
    body = "{" + "".join(values % i for i in range(30_000)) + '"text": "a b", "words": 1}'
    with open_client(summarizer, workers=1) as client:
        reply = client.post("/v1/summarize", content=body, headers={"content-type": "application/json"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "too_many")


def test_of_many_unknown_fields_only_one_is_described() -> None:
    with pytest.raises(ValidationError) as raised:
        SummarizeRequest.model_validate({"text": "a b", "words": 1, **{f"k{i}": 0 for i in range(9_000)}})
    assert len(raised.value.errors()) == 1


def test_many_open_connections_do_not_block_others(address: str, client: httpx.Client) -> None:
    lines = [connect(address) for _ in range(200)]
    try:
        for line in lines:
            line.sendall(HEAD[:20])
        assert client.get("/healthz").status_code == 200
    finally:
        for line in lines:
            line.close()


@pytest.mark.parametrize("upgrade", ["websocket", "h2c"])
def test_other_protocols(client: httpx.Client, upgrade: str) -> None:
    reply = client.get("/healthz", headers={"connection": "upgrade", "upgrade": upgrade})
    assert reply.status_code == 200
