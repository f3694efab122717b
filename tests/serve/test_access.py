"""Access: tokens, Host headers, other origins, and invalid options of the command."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import open_client
from starlette.testclient import TestClient
from tiny_bundle import write_tiny_bundle

from tersely.cli import main
from tersely.serve.authentication import PROTECTED
from tersely.serve.service import Service
from tersely.summary.summarizer import Summarizer

ORIGIN = "https://example.org"


@pytest.fixture(scope="module")
def protected(summarizer: Summarizer) -> Iterator[TestClient]:
    with open_client(summarizer, token="sesame", origins=(ORIGIN,)) as client:
        yield client


@pytest.mark.parametrize(
    "header", [None, "sesame", "Bearer", "Bearer sesam", "Bearer sesamee", "Basic sesame", "Bearer ö"]
)
def test_requests_without_the_token(protected: TestClient, header: str | None) -> None:
    headers = {} if header is None else {"authorization": header.encode()}
    for path in ("/v1/info", "/metrics"):
        reply = protected.get(path, headers=headers)
        assert (reply.status_code, reply.json()["error"]["code"]) == (401, "unauthorized")
    assert protected.post("/v1/summarize", json={"text": "a b", "words": 1}, headers=headers).status_code == 401


def test_a_request_with_the_token(protected: TestClient) -> None:
    reply = protected.post(
        "/v1/summarize", json={"text": "the ship ran", "words": 1}, headers={"authorization": "Bearer sesame"}
    )
    assert reply.status_code == 200


def test_the_token_is_checked_before_the_body_is_read(protected: TestClient) -> None:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        raise AssertionError("the body was read")

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/v1/summarize",
        "raw_path": b"/v1/summarize",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")],
    }
    asyncio.run(protected.app(scope, receive, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == 401


def test_the_token_is_in_the_description(protected: TestClient, summarizer: Summarizer) -> None:
    described = protected.get("/openapi.json").json()
    assert described["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"
    with_token = {path for path, by in described["paths"].items() for one in by.values() if "security" in one}
    assert with_token == {path for path in described["paths"] if path.startswith(PROTECTED)}
    assert "securitySchemes" not in open_client(summarizer).get("/openapi.json").json()["components"]


@pytest.mark.parametrize("path", ["/", "/docs", "/healthz", "/openapi.json", "/static/main.js", "/theme/theme.css"])
def test_the_page_and_the_health_are_open(protected: TestClient, path: str) -> None:
    assert protected.get(path).status_code == 200


def test_only_named_origins_may_call(protected: TestClient, summarizer: Summarizer) -> None:
    preflight_headers = {
        "origin": ORIGIN,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
    }
    preflight = protected.options("/v1/summarize", headers=preflight_headers)
    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == ORIGIN
    assert "POST" in preflight.headers["access-control-allow-methods"]
    allowed = preflight.headers["access-control-allow-headers"].lower()
    assert "authorization" in allowed
    assert "content-type" in allowed
    rejected = protected.get("/v1/info", headers={"origin": ORIGIN})
    assert rejected.headers["access-control-allow-origin"] == ORIGIN  # its page can read why
    stranger = protected.get("/v1/info", headers={"origin": "https://evil.example"})
    assert "access-control-allow-origin" not in stranger.headers
    closed = open_client(summarizer)
    assert "access-control-allow-origin" not in closed.get("/v1/info", headers={"origin": ORIGIN}).headers
    assert closed.options("/v1/summarize", headers=preflight_headers).status_code == 405


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", ""])
def test_a_foreign_host_is_rejected(summarizer: Summarizer, host: str) -> None:
    for path in ("/", "/v1/info", "/healthz"):
        reply = open_client(summarizer).get(path, headers={"host": host})
        assert (reply.status_code, reply.json()["error"]["code"]) == (421, "wrong_host")
    assert open_client(summarizer, allowed_host=None).get("/healthz", headers={"host": host}).status_code == 200


def test_every_response_has_security_headers(summarizer: Summarizer) -> None:
    client = open_client(summarizer)
    for path in ("/", "/docs", "/static/main.js", "/v1/info", "/nowhere"):
        headers = client.get(path).headers
        assert "default-src 'none'; script-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_the_access_log_has_a_line_for_each_request(summarizer: Summarizer, capfd: pytest.CaptureFixture[str]) -> None:
    client = open_client(summarizer, access_log=True)
    replies = [client.get("/healthz"), client.post("/v1/summarize", json={"text": "a b"})]
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert [line["id"] for line in lines] == [reply.headers["x-request-id"] for reply in replies]
    assert [(line["method"], line["path"], line["status"], line["error"]) for line in lines] == [
        ("GET", "/healthz", 200, None),
        ("POST", "/v1/summarize", 422, "invalid"),
    ]
    open_client(summarizer).get("/healthz")
    assert capfd.readouterr().err == ""


def test_without_workers_it_is_not_ready(summarizer: Summarizer) -> None:
    client = open_client(summarizer)
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code == 503
    assert client.post("/v1/summarize", json={"text": "a b", "words": 1}).json()["error"]["code"] == "not_ready"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of a service whose bundle has no parser and no editor."""
    bundle = write_tiny_bundle(tmp_path_factory.mktemp("a-bundle") / "plain", parser=False)
    with open_client(Summarizer.load(bundle), workers=1) as client:
        yield client


@pytest.mark.parametrize(
    ("path", "option"),
    [
        ("/v1/summarize", {"fast": True}),
        ("/v1/lengths", {"fast": True}),
        ("/v1/summarize", {"objective": {"grammar": 1}}),
    ],
)
def test_what_the_bundle_lacks_is_an_error(plain: TestClient, path: str, option: dict[str, Any]) -> None:
    assert plain.get("/v1/info").json()["fast"] is False
    reply = plain.post(path, json={"text": "the ship ran", "words": 1, **option})
    assert (reply.status_code, reply.json()["error"]["field"]) == (422, *option)
    assert "a-bundle" not in reply.text


def test_internal_errors_show_no_details(summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch) -> None:
    client = open_client(summarizer)
    monkeypatch.setattr(Service, "info", lambda self: 1 / 0)
    reply = client.get("/v1/info")
    assert (reply.status_code, reply.json()["error"]["code"]) == (500, "internal")
    assert "ZeroDivision" not in reply.text
    assert "content-security-policy" in reply.headers


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--host", "0.0.0.0"], "0.0.0.0 can be reached from other machines: give --token TOKEN, or --no-token"),
        (["--token", ""], "the token is empty"),
        (["--token", " "], "the token is empty"),
        (["--port", "99999"], "--port must be from 0 to 65535, not 99999"),
        (["--host", "256.0.0.1", "--no-token"], "cannot serve on 256.0.0.1, port 8017: "),
        (["--max-texts", "0"], "max_texts must be above 0, not 0"),
        (["--max-chars", "1000000"], "max_chars must be at most 100,000, not 1,000,000"),
        (["--workers", "0"], "workers must be a whole number of at least 1, not 0"),
        (["--bundle", "nowhere"], "nowhere"),
    ],
)
def test_invalid_options_of_the_command(
    tiny_bundle: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert main(["serve", *([] if "--bundle" in options else ["--bundle", str(tiny_bundle)]), *options]) == 1
    said = capsys.readouterr().err
    assert said.startswith("tersely: ")
    assert message in said
    assert said.count("\n") == 1
