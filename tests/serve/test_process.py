"""The command as a process: a killed worker, a stop during a request, memory under load."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from hostile_clients import run
from service_load import good_requests, load, served, workers_of
from serving import serving

from tersely.serve.app import create_app
from tersely.serve.service import Settings
from tersely.summary.summarizer import Summarizer

# With a tiny bundle this takes a second or two.
LONG = {
    "text": " ".join(["the ship ran aground on tuesday and the minister said there were no casualties"] * 4),
    "words": 7,
    "search": "hill_climbing",
}
SHORT = {"text": "the ship ran aground on tuesday", "words": 3}


class OpenRequest(threading.Thread):
    """A request that is being worked on."""

    def __init__(self, address: str, body: dict[str, Any]) -> None:
        super().__init__()
        self.address, self.body = address, body
        self.reply: httpx.Response | None = None
        self.start()
        deadline = time.monotonic() + 30
        while "tersely_queue_requests 0.0" in httpx.get(f"{address}/metrics", timeout=30).text:
            assert time.monotonic() < deadline
        time.sleep(0.3)  # it has reached a worker

    def run(self) -> None:
        self.reply = httpx.post(f"{self.address}/v1/summarize", json=self.body, timeout=60)


@pytest.mark.slow
def test_a_killed_worker_costs_nothing_but_time(tiny_bundle: Path) -> None:
    with served(tiny_bundle, "--workers", "1") as (process, address):
        request = OpenRequest(address, LONG)
        assert request.reply is None, "the work was done too soon"
        [worker] = workers_of(process.pid)
        os.kill(worker, signal.SIGKILL)
        assert httpx.get(f"{address}/healthz").status_code == 200
        request.join()
        assert request.reply is not None
        assert request.reply.status_code in (200, 503)
        assert httpx.post(f"{address}/v1/summarize", json=SHORT, timeout=60).status_code == 200
        assert workers_of(process.pid) != [worker]


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_finishes_open_requests(tiny_bundle: Path, stop: signal.Signals) -> None:
    with served(tiny_bundle, "--workers", "1") as (process, address):
        workers = workers_of(process.pid)
        request = OpenRequest(address, LONG)
        assert request.reply is None, "the work was done too soon"
        process.send_signal(stop)
        request.join()
        assert request.reply is not None
        assert request.reply.status_code == 200
        process.wait(timeout=30)
        assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


@pytest.mark.slow
def test_a_slow_request_gets_an_error_and_frees_its_worker(tiny_bundle: Path) -> None:
    with served(tiny_bundle, "--workers", "1", "--max-seconds", "2") as (_, address):
        reply = httpx.post(f"{address}/v1/summarize", json={**LONG, "words": 16, "search": "paper"}, timeout=60)
        assert (reply.status_code, reply.json()["error"]["code"]) == (503, "too_slow")
        statuses: list[int] = []
        while 200 not in statuses and len(statuses) < 10:  # a new worker needs a moment
            statuses.append(httpx.post(f"{address}/v1/summarize", json=SHORT, timeout=60).status_code)
        assert statuses[-1] == 200


@pytest.mark.slow
def test_a_load(tiny_bundle: Path, summarizer: Summarizer) -> None:
    texts = [
        "The German ship ran aground early on Tuesday at the port.",
        "The minister said there were no talks in Cuba.",
    ]
    good = good_requests(summarizer, texts)
    with served(tiny_bundle, "--workers", "2", "--max-waiting", "20") as (process, address):
        report = asyncio.run(load(process.pid, address, good, 300, 30))
    assert report.wrong == []
    assert report.statuses.keys() <= {200, 400, 413, 422, 503}
    assert report.statuses[200] >= 15  # what waits first is served, however slow the machine: 20, some of them bad
    assert report.growth < 1.2


@pytest.mark.slow
def test_a_load_beside_hostile_clients(tiny_bundle: Path, summarizer: Summarizer) -> None:
    good = good_requests(summarizer, ["The German ship ran aground early on Tuesday at the port."], fast=True)
    with served(tiny_bundle, "--workers", "2") as (process, address):
        report, health = asyncio.run(run(process.pid, address, good, 60, 10, 3))
    assert report.wrong == []
    assert report.statuses[200] >= 50
    assert health


def test_a_service_that_stops_while_its_workers_start_logs_no_error(
    summarizer: Summarizer, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(create_app(summarizer, Settings(workers=2))):
        pass
    gc.collect()  # a future complains of an error that nobody read when it is deleted
    assert not caplog.records


@pytest.mark.slow
def test_workers_that_start_while_the_bundle_is_away(tiny_bundle: Path, tmp_path: Path) -> None:
    bundle = Path(shutil.copytree(tiny_bundle, tmp_path / "bundle"))
    with served(bundle, "--workers", "2") as (process, address):
        away = bundle.rename(tmp_path / "away")
        for worker in workers_of(process.pid):
            os.kill(worker, signal.SIGKILL)
        for _ in range(4):
            reply = httpx.post(f"{address}/v1/summarize", json=SHORT, timeout=60)
            assert (reply.status_code, reply.json()["error"]["code"]) == (503, "not_ready")
            assert str(tmp_path) not in reply.text
        assert httpx.get(f"{address}/readyz").status_code == 503
        away.rename(bundle)
        for _ in range(6):
            assert httpx.post(f"{address}/v1/summarize", json=SHORT, timeout=60).status_code == 200
        assert httpx.get(f"{address}/readyz").status_code == 200


@pytest.mark.slow
def test_a_greedy_client_does_not_shut_out_another(tiny_bundle: Path) -> None:
    with served(tiny_bundle, "--workers", "2") as (_, address):
        greedy = [GreedyRequest(address) for _ in range(80)]
        while "tersely_queue_requests 66.0" not in httpx.get(f"{address}/metrics", timeout=30).text:
            assert any(request.is_alive() for request in greedy)
        statuses = [httpx.post(f"{address}/v1/summarize", json=SHORT, timeout=60).status_code for _ in range(30)]
        assert statuses == [200] * 30
        assert any(request.is_alive() for request in greedy), "the greedy client was done too soon"


class GreedyRequest(threading.Thread):
    """A slow request of another address, whose response does not matter."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self.address = address
        self.start()

    def run(self) -> None:
        transport = httpx.HTTPTransport(local_address="127.0.0.2")
        with suppress(httpx.HTTPError), httpx.Client(transport=transport, timeout=60) as client:
            client.post(f"{self.address}/v1/summarize", json={**LONG, "words": 16})
