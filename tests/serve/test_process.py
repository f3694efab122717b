"""The command as a process: a worker that is killed, a stop in the middle of a request, memory under load."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from serving import command, workers_of

# With a tiny bundle this takes a second or two.
LONG = {
    "text": " ".join(["the ship ran aground on tuesday and the minister said there were no casualties"] * 4),
    "words": 7,
    "search": "hill_climbing",
}
SHORT = {"text": "the ship ran aground on tuesday", "words": 3}


class Asking(threading.Thread):
    """A request on its way."""

    def __init__(self, address: str, asked: dict[str, Any]) -> None:
        super().__init__()
        self.address, self.asked = address, asked
        self.reply: httpx.Response | None = None
        self.start()
        time.sleep(0.5)  # it has reached a worker

    def run(self) -> None:
        self.reply = httpx.post(f"{self.address}/v1/summarize", json=self.asked, timeout=60)


def wait_until_ready(address: str) -> None:
    while httpx.get(f"{address}/readyz").status_code != 200:
        time.sleep(0.05)


@pytest.mark.slow
def test_a_killed_worker_costs_nothing_but_time(tiny_bundle: Path) -> None:
    with command(tiny_bundle, "--workers", "1") as (process, address):
        wait_until_ready(address)
        asking = Asking(address, LONG)
        assert asking.reply is None, "the work was over too soon to be disturbed"
        [worker] = workers_of(process)
        os.kill(worker, signal.SIGKILL)
        assert httpx.get(f"{address}/healthz").status_code == 200
        asking.join()
        assert asking.reply is not None
        assert asking.reply.status_code in (200, 503)
        assert httpx.post(f"{address}/v1/summarize", json=SHORT, timeout=60).status_code == 200
        assert workers_of(process) != [worker]


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_finishes_what_was_begun(tiny_bundle: Path, stop: signal.Signals) -> None:
    with command(tiny_bundle, "--workers", "1") as (process, address):
        wait_until_ready(address)
        workers = workers_of(process)
        asking = Asking(address, LONG)
        assert asking.reply is None, "the work was over too soon to be disturbed"
        process.send_signal(stop)
        asking.join()
        assert asking.reply is not None
        assert asking.reply.status_code == 200
        process.wait(timeout=30)
        assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


@pytest.mark.slow
def test_what_takes_too_long_is_refused_and_keeps_no_worker(tiny_bundle: Path) -> None:
    with command(tiny_bundle, "--workers", "1", "--max-seconds", "4") as (_, address):
        wait_until_ready(address)
        reply = httpx.post(f"{address}/v1/summarize", json={**LONG, "words": 16}, timeout=60)
        assert (reply.status_code, reply.json()["error"]["code"]) == (503, "too_slow")
        statuses: list[int] = []
        while 200 not in statuses and len(statuses) < 10:  # a new worker needs a moment
            statuses.append(httpx.post(f"{address}/v1/summarize", json=SHORT, timeout=60).status_code)
        assert statuses[-1] == 200
