"""Who may ask: tokens, names, other origins, and what the command refuses to serve."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tiny_bundle import write_tiny_bundle

from tersely.cli import main
from tersely.serve.app import create_app
from tersely.serve.service import Settings
from tersely.summarizer import Summarizer

LOCAL = "http://127.0.0.1:8017"
ORIGIN = "https://example.org"


def open_client(summarizer: Summarizer, **settings: Any) -> TestClient:
    """A client of an application that has not started its workers: it refuses and tells, and does no work."""
    return TestClient(create_app(summarizer, Settings(**settings)), base_url=LOCAL)


@pytest.fixture
def guarded(summarizer: Summarizer) -> Iterator[TestClient]:
    with open_client(summarizer, token="sesame", origins=(ORIGIN,)) as client:
        yield client


@pytest.mark.parametrize(
    "header", [None, "sesame", "Bearer", "Bearer sesam", "Bearer sesamee", "bearer sesame", "Bearer ö"]
)
def test_without_the_token_nothing_is_done(guarded: TestClient, header: str | None) -> None:
    headers = {} if header is None else {"authorization": header.encode()}
    for path in ("/v1/info", "/metrics"):
        reply = guarded.get(path, headers=headers)
        assert (reply.status_code, reply.json()["error"]["code"]) == (401, "unauthorized")
    assert guarded.post("/v1/summarize", json={"text": "a b", "words": 1}, headers=headers).status_code == 401


def test_with_the_token_it_is(guarded: TestClient) -> None:
    reply = guarded.post(
        "/v1/summarize", json={"text": "the ship ran", "words": 1}, headers={"authorization": "Bearer sesame"}
    )
    assert reply.status_code == 200


@pytest.mark.parametrize("path", ["/", "/docs", "/healthz", "/openapi.json", "/static/main.js", "/looks/looks.css"])
def test_the_page_and_the_health_are_open(guarded: TestClient, path: str) -> None:
    assert guarded.get(path).status_code == 200


def test_other_origins_may_ask_only_where_they_are_named(guarded: TestClient, summarizer: Summarizer) -> None:
    asking = {
        "origin": ORIGIN,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
    }
    preflight = guarded.options("/v1/summarize", headers=asking)
    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == ORIGIN
    assert "POST" in preflight.headers["access-control-allow-methods"]
    allowed = preflight.headers["access-control-allow-headers"].lower()
    assert "authorization" in allowed
    assert "content-type" in allowed
    refused = guarded.get("/v1/info", headers={"origin": ORIGIN})
    assert refused.headers["access-control-allow-origin"] == ORIGIN  # its page can read why
    stranger = guarded.get("/v1/info", headers={"origin": "https://evil.example"})
    assert "access-control-allow-origin" not in stranger.headers
    closed = open_client(summarizer)
    assert "access-control-allow-origin" not in closed.get("/v1/info", headers={"origin": ORIGIN}).headers
    assert closed.options("/v1/summarize", headers=asking).status_code == 405


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", ""])
def test_a_foreign_name_is_not_answered(summarizer: Summarizer, host: str) -> None:
    for path in ("/", "/v1/info", "/healthz"):
        reply = open_client(summarizer).get(path, headers={"host": host})
        assert (reply.status_code, reply.json()["error"]["code"]) == (421, "wrong_host")
    assert open_client(summarizer, own_name=None).get("/healthz", headers={"host": host}).status_code == 200


def test_every_answer_keeps_foreign_scripts_out(summarizer: Summarizer) -> None:
    client = open_client(summarizer)
    for path in ("/", "/docs", "/static/main.js", "/v1/info", "/nowhere"):
        headers = client.get(path).headers
        assert "default-src 'none'; script-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_before_the_workers_are_there_it_is_not_ready(summarizer: Summarizer) -> None:
    client = open_client(summarizer)
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code == 503
    assert client.post("/v1/summarize", json={"text": "a b", "words": 1}).json()["error"]["code"] == "not_ready"


def test_fast_is_offered_where_the_bundle_has_a_selector(summarizer: Summarizer, tmp_path: Path) -> None:
    assert open_client(summarizer).get("/v1/info").json()["fast"] == ["paper"]
    slow = Summarizer.load(write_tiny_bundle(tmp_path / "slow", selector=False))
    with open_client(slow, workers=1) as client:
        assert client.get("/v1/info").json()["fast"] == []
        for path in ("/v1/summarize", "/v1/lengths"):
            reply = client.post(path, json={"text": "the ship ran", "words": 1, "fast": True})
            assert (reply.status_code, reply.json()["error"]["field"]) == (422, "fast")
            assert str(tmp_path) not in reply.text


def test_a_factor_that_the_bundle_cannot_serve(tmp_path: Path) -> None:
    plain = Summarizer.load(write_tiny_bundle(tmp_path / "plain", parser=False))
    with open_client(plain, workers=1) as client:
        reply = client.post("/v1/summarize", json={"text": "the ship ran", "words": 1, "objective": {"grammar": 1}})
    assert (reply.status_code, reply.json()["error"]["field"]) == (422, "objective")
    assert str(tmp_path) not in reply.text


def test_what_goes_wrong_inside_is_not_told_to_the_world(
    summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = open_client(summarizer)
    monkeypatch.setattr(Summarizer, "default_objective", property(lambda self: 1 / 0))
    reply = client.get("/v1/info")
    assert (reply.status_code, reply.json()["error"]["code"]) == (500, "internal")
    assert "ZeroDivision" not in reply.text
    assert "content-security-policy" in reply.headers


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--host", "0.0.0.0"], "0.0.0.0 can be reached from other machines: give --token TOKEN, or --no-token"),
        (["--port", "99999"], "--port must be from 0 to 65535, not 99999"),
        (["--host", "256.0.0.1", "--no-token"], "cannot serve on 256.0.0.1, port 8017: "),
        (["--max-texts", "0"], "max_texts must be above 0, not 0"),
        (["--max-chars", "1000000"], "max_chars must be at most 100,000, not 1,000,000"),
        (["--workers", "0"], "workers must be a whole number of at least 1, not 0"),
        (["--bundle", "nowhere"], "nowhere"),
    ],
)
def test_what_the_command_refuses(
    tiny_bundle: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert main(["serve", *([] if "--bundle" in options else ["--bundle", str(tiny_bundle)]), *options]) == 1
    said = capsys.readouterr().err
    assert said.startswith("tersely: ")
    assert message in said
    assert said.count("\n") == 1
