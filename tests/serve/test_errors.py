"""The table of HTTP errors: one entry is enough for an error response, the API description and the metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from serving import open_client
from starlette.testclient import TestClient

from tersely.evaluation.judge import Item, Judge
from tersely.evaluation.judge_server import create_app as create_judge_app
from tersely.serve.service import Service
from tersely.summary.summarizer import Summarizer
from tersely.web.errors import ERRORS, ErrorType, api_error_of

LOCAL = "http://127.0.0.1:8017"
EXPECTED = {"error": {"code": "no_paper", "message": "the printer has no paper: A4", "field": None}}


class NoPaper(Exception):
    pass


def raise_no_paper(*args: Any) -> Any:
    raise NoPaper("A4")


@pytest.fixture(params=[True, False])
def counted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """A new error in the table, and whether the metrics count it."""
    message = "the printer has no paper: {reason}"
    added = ErrorType(507, message, (NoPaper,), counted=request.param)
    monkeypatch.setitem(ERRORS, "no_paper", added)
    return bool(request.param)


def test_an_added_error_in_the_service(summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch, counted: bool) -> None:
    monkeypatch.setattr(Service, "info", raise_no_paper)
    with open_client(summarizer, workers=1) as client:
        reply = client.get("/v1/info")
        assert (reply.status_code, reply.json()) == (507, EXPECTED)
        for operations in client.get("/openapi.json").json()["paths"].values():
            for operation in operations.values():
                assert operation["responses"]["507"]["description"] == "no_paper (the printer has no paper: {reason})"
        metrics = client.get("/metrics").text
        assert 'tersely_requests_total{path="other",status="507"} 1.0' in metrics
        assert ('tersely_errors_total{path="other",status="507"} 1.0' in metrics) is counted


def test_an_added_error_in_the_judges_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted: bool) -> None:
    monkeypatch.setattr(Judge, "view", raise_no_paper)
    judge = Judge.create(tmp_path / "judge.sqlite", ("A", "B"), [Item("a ship", "ship", "a")])
    reply = TestClient(create_judge_app(judge), base_url=LOCAL).get("/api/view")
    assert (reply.status_code, reply.json()) == (507, EXPECTED)


def test_every_error_is_in_the_description(summarizer: Summarizer) -> None:
    client = open_client(summarizer)
    responses = client.get("/openapi.json").json()["paths"]["/v1/summarize"]["post"]["responses"]
    for code, error in ERRORS.items():
        assert f"{code} ({error.description})" in responses[str(error.status)]["description"]


def test_the_nearest_class_decides() -> None:
    class Special(NoPaper):
        pass

    assert api_error_of(Special("x")).code == "internal"
    assert "x" not in str(api_error_of(Special("x"))).split()
