"""Stage 0: a pool of worker processes that share one object, each with a core to itself.

The object, such as a `Summarizer`, is pickled once and unpickled in every worker. It names its bundle by path, and all
workers map the same file, so that its pages are in memory once. When a worker dies, a new one gets its work at once.

    with WorkerPool(summarizer, workers=4) as pool:
        future = pool.submit(Summarizer.shorten, text, options)  # of shorten(summarizer, text, options)
        for summary in pool.map(partial(Summarizer.shorten, options=options), texts):
            ...
"""

from __future__ import annotations

import contextlib
import operator
import os
import pickle
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from itertools import islice
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from tersely.errors import GivenUp, InputError, WorkerLost, short_repr
from tersely.system.worker_process import WorkerDied, WorkerProcess, answer_of, result_of

S = TypeVar("S")  # the shared object
T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")
Task = tuple[bytes, Future[Any]]  # a pickled call and its future

ATTEMPTS = 3  # a call that has killed this many workers would kill the next one too
RETRY_SECONDS = 5.0  # without work; then a worker that died or could not load the shared object is replaced
MAX_CHUNK = 16  # items sent at once: sending a quick one should not cost more than the work


def available_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checked_workers(workers: int | None) -> int:
    """A valid number of workers; for None, the number of cores."""
    if workers is None:
        return available_cores()
    try:
        number = 0 if isinstance(workers, bool) else operator.index(workers)
    except TypeError:
        number = 0
    if number < 1:
        raise InputError(f"workers must be a whole number of at least 1, not {short_repr(workers)}")
    return number


class WorkerPool(Generic[S]):
    """Worker processes that call functions on an object they share. Thread-safe; a context manager.

    A task that runs for more than `timeout` seconds is cancelled.
    """

    def __init__(self, shared: S, workers: int | None = None, timeout: float | None = None) -> None:
        self.workers = checked_workers(workers)
        self.timeout = timeout
        self._shared = pickle.dumps(shared)
        self._waiting: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._running: dict[Future[Any], WorkerProcess] = {}
        self._given_up: set[Future[Any]] = set()  # those of them whose worker was killed
        self._alive: set[WorkerProcess] = set()
        self._closed = False
        self._lock = threading.Lock()  # for the four attributes before it
        self._threads = [threading.Thread(target=self._serve_worker, daemon=True) for _ in range(self.workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, work: Callable[Concatenate[S, P], T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The future of `work(shared, *args, **kwargs)`; `asyncio.wrap_future` fits it to an event loop.

        A waiting task can be cancelled by its future, a running one by `give_up`.
        """
        try:
            call = pickle.dumps((work, args, kwargs))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InputError(f"this cannot be sent to a worker process: {error}") from None
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise WorkerLost("the pool of workers is closed")
            self._waiting.put((call, future))
        return future

    @property
    def n_ready(self) -> int:
        """The number of workers that have loaded the shared object, at work or not."""
        with self._lock:
            return sum(worker.is_ready for worker in self._alive)

    def give_up(self, future: Future[Any]) -> None:
        """Cancel a task: if it already runs, it ends with GivenUp, and its worker is replaced."""
        future.cancel()
        with self._lock:
            if worker := self._running.get(future):
                self._given_up.add(future)
                worker.kill()

    def map(self, work: Callable[[S, T], R], items: Iterable[T], max_chunk: int = MAX_CHUNK) -> Iterator[R]:
        """`work(shared, item)` for each item, in order; an error is raised in place of its result.

        Items are sent in chunks of up to `max_chunk`. Only a few chunks for each worker are read ahead of the
        results, so that memory stays flat.
        """
        waiting: deque[Future[list[bytes]]] = deque()
        try:
            for chunk in _chunks(items, max_chunk):
                waiting.append(self.submit(_each, work, chunk))
                while waiting and (len(waiting) > 3 * self.workers or waiting[0].done()):
                    yield from map(result_of, waiting.popleft().result())
            while waiting:
                yield from map(result_of, waiting.popleft().result())
        finally:
            for future in waiting:
                self.give_up(future)

    def close(self) -> None:
        """End all workers. Waiting tasks are cancelled, running ones end with WorkerLost."""
        with self._lock:
            self._closed = True
            # The threads take tasks as well, so a get() that waits could wait for ever.
            with contextlib.suppress(queue.Empty):
                while True:
                    if task := self._waiting.get_nowait():
                        task[1].cancel()
            for _ in self._threads:
                self._waiting.put(None)
            for worker in self._alive:
                worker.kill()
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> WorkerPool[S]:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _serve_worker(self) -> None:
        """Send tasks to one worker, and replace it when it dies. Runs in a thread of its own."""
        worker: WorkerProcess | None = None
        while True:
            with contextlib.suppress(Exception):  # the next task will raise it
                worker = worker or self._start()
            try:
                task = self._waiting.get(timeout=RETRY_SECONDS)
            except queue.Empty:
                if worker and not worker.is_ready:
                    self._end(worker)
                    worker = None
                continue
            if task is None:
                break
            call, future = task
            if not future.set_running_or_notify_cancel():
                continue
            ends: list[str] = []
            while not future.done():
                try:
                    worker = worker or self._start()
                    future.set_result(self._run(worker, call, future))
                except WorkerDied as died:
                    ends.append(self._end(worker) if worker else str(died))
                    worker = None
                    if future in self._given_up:
                        future.set_exception(GivenUp("the work took too long and was given up"))
                    elif len(ends) == ATTEMPTS:
                        causes = ", ".join(dict.fromkeys(ends))
                        message = f"{ATTEMPTS} worker processes died in the same call ({causes}): check the memory"
                        future.set_exception(WorkerLost(message))
                except BaseException as error:
                    future.set_exception(error)
            self._given_up.discard(future)
        if worker:
            self._end(worker)

    def _start(self) -> WorkerProcess:
        """A worker that is ready. One that cannot load the shared object is ended: another may be able to, later."""
        with self._lock:
            if self._closed:
                raise WorkerLost("the pool of workers was closed")
            try:
                worker = WorkerProcess(self._shared)
            except OSError as error:
                raise WorkerLost(f"cannot start a worker process: {error.strerror or error}") from None
            self._alive.add(worker)
        try:
            worker.wait_until_ready()
        except WorkerDied:
            raise WorkerDied(self._end(worker)) from None
        except BaseException:
            self._end(worker)
            raise
        return worker

    def _end(self, worker: WorkerProcess) -> str:
        with self._lock:
            self._alive.discard(worker)
        return worker.end()

    def _run(self, worker: WorkerProcess, call: bytes, future: Future[Any]) -> Any:
        with self._lock:
            self._running[future] = worker
        timer = threading.Timer(self.timeout or 0, self.give_up, [future])
        timer.daemon = True
        try:
            if self.timeout is not None:
                timer.start()
            return worker.call(call)
        finally:
            timer.cancel()
            with self._lock:
                del self._running[future]


def in_parallel(
    shared: S, work: Callable[[S, T], R], items: Iterable[T], workers: int | None, max_chunk: int = MAX_CHUNK
) -> Iterator[R]:
    """`WorkerPool.map` with a pool that is closed after the last result."""
    pool = partial(WorkerPool, shared, checked_workers(workers))  # raises an error for a bad number now

    def results() -> Iterator[R]:
        with pool() as opened:
            yield from opened.map(work, items, max_chunk)

    return results()


def _each(shared: S, work: Callable[[S, T], R], chunk: list[T]) -> list[bytes]:
    return [answer_of(partial(work, shared, item)) for item in chunk]


def _chunks(items: Iterable[T], max_chunk: int) -> Iterator[list[T]]:
    """The items in lists that grow from one item: the first result comes soon, later ones cost little to send.

    >>> list(_chunks(range(9), 4))
    [[0], [1, 2], [3, 4, 5, 6], [7, 8]]
    """
    rest, size = iter(items), 1
    while chunk := list(islice(rest, size)):
        yield chunk
        size = min(2 * size, max_chunk)
