"""The two ways to run work on texts: processes of this machine, and a Ray cluster.

An engine is a context manager that gives a function `submit(texts)`, which returns the future of `work(summarizer,
texts)`. If a worker is lost, its work is repeated; if that fails as well, the future has the error WorkerLost.
"""

from __future__ import annotations

import logging
import os
import pickle
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from tersely.batch.row_blocks import Outcome
from tersely.errors import FileError, WorkerLost, missing_extra
from tersely.summary.summarizer import Summarizer
from tersely.system.worker_process import answer_of, result_of
from tersely.system.workers import WorkerPool, checked_workers

Result = tuple[float, list[Outcome]]  # seconds, and the outcome of each text
Work = Callable[[Summarizer, list[str]], Result]
_RETRIES = 2  # of work whose worker was lost; the machines of a cluster come and go


@dataclass
class Engine:
    """A running engine, and how many rows a block for it should have."""

    submit: Callable[[list[str]], Future[Result]]
    workers: int = 1
    block_seconds: float = 0.5  # worth a message to a worker, and short enough to keep all workers busy
    max_block_rows: int = 256
    block_rows: int = 4

    def adapt(self, texts: int, seconds: float) -> None:
        """Adapt the size of blocks to the seconds that the texts of one have taken."""
        if texts:
            wanted = self.block_seconds * texts / max(seconds, 1e-9)
            self.block_rows = round(max(1, min(self.max_block_rows, 2 * self.block_rows, wanted)))


@contextmanager
def local_engine(work: Work, summarizer: Summarizer, workers: int | None) -> Iterator[Engine]:
    """Processes of this machine; a single worker is this process."""
    if checked_workers(workers) == 1:
        yield Engine(partial(_done, work, summarizer))
        return
    with WorkerPool(summarizer, workers) as pool:
        yield Engine(lambda texts: pool.submit(work, texts), pool.workers)


def _done(work: Work, summarizer: Summarizer, texts: list[str]) -> Future[Result]:
    future: Future[Result] = Future()
    future.set_result(work(summarizer, texts))
    return future


@contextmanager
def ray_engine(work: Work, summarizer: Summarizer, workers: int | None, address: str | None) -> Iterator[Engine]:
    """Tasks on a Ray cluster, as many at a time as there are workers, by default one for each core that it has now.

    A block takes some seconds: a Ray task costs the driver milliseconds.
    """
    try:
        import ray
    except ImportError:
        raise missing_extra("ray", "ray") from None
    with _connected(ray, address, workers and checked_workers(workers)):
        wanted = workers or int(ray.cluster_resources().get("CPU", 1))
        task = ray.remote(num_cpus=1, max_retries=_RETRIES)(_ray_task)
        shared, running = ray.put(pickle.dumps(summarizer)), set[Future[Any]]()

        def submit(texts: list[str]) -> Future[Result]:
            while len(running) >= wanted:
                running.difference_update(wait(running, return_when=FIRST_COMPLETED).done)
            reference, future = task.remote(shared, work, texts), Future[Result]()
            running.add(future)
            reference.future().add_done_callback(partial(_pass_on, future))
            return future

        yield Engine(submit, wanted, 5.0, 1024)


def _ray_task(shared: bytes, work: Work, texts: list[str]) -> bytes:
    """Runs in a worker of Ray. The answer is pickled here, so that errors come back as they are."""
    return answer_of(lambda: work(_summarizer(shared), texts))


@lru_cache(maxsize=1)
def _summarizer(shared: bytes) -> Summarizer:
    return pickle.loads(shared)  # type: ignore[no-any-return]


def _pass_on(future: Future[Result], answer: Future[bytes]) -> None:
    try:
        future.set_result(result_of(answer.result()))
    except Exception as error:
        if type(error).__module__.startswith("ray."):
            first = (str(error).strip().splitlines() or [type(error).__name__])[0]
            error = WorkerLost(f"the work on Ray failed: {first}")
        future.set_exception(error)


@contextmanager
def _connected(ray: Any, address: str | None, workers: int | None) -> Iterator[None]:
    """Connect to Ray: to that of this process, to the one at the address, or to one that is started here."""
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # failures are raised, and Ray has its own logs
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    options: dict[str, Any] = {"address": address, "logging_level": logging.CRITICAL, "log_to_driver": False}
    if address == "local" or not (address or os.environ.get("RAY_ADDRESS")):
        options |= {"address": "local", "num_cpus": workers, "include_dashboard": False}
    stop = signal.getsignal(signal.SIGTERM)
    try:
        if address and re.fullmatch(r"[^/]+:\d+", address):  # Ray would try for minutes
            socket.create_connection((address.rpartition(":")[0], int(address.rpartition(":")[2])), 10).close()
        with _silent_stderr():
            ray.init(**options)
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, stop)  # Ray has set its own
    except (OSError, RuntimeError, ValueError) as error:
        where = f" at {address}" if address else ""
        raise FileError(f"cannot reach Ray{where}: {str(error).splitlines()[0]}") from None
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def _silent_stderr() -> Iterator[None]:
    """Suppress what Ray writes to stderr outside Python while it starts."""
    sys.stderr.flush()
    stderr, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(null)
