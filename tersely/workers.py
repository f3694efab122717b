"""Stage 0: a pool of worker processes that share one object, each with a core to itself.

The object, a `Summarizer` for one, is pickled once and unpickled in every worker; it names its bundle by the path, and
all workers map the same file, so that they hold its pages once. A worker that dies is noticed at once, and its work
goes to a new one.

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
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from tersely.errors import GivenUp, InputError, WorkerLost, seen
from tersely.worker_process import WorkerDied, WorkerProcess, answer_of, result_of

S = TypeVar("S")  # what is shared
T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

ATTEMPTS = 3  # work that has ended so many workers would end the next one as well
MOST_IN_A_CHUNK = 16  # items handed over at once: a quick one should not cost more to send than to do


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checked_workers(workers: int | None) -> int:
    """A number of workers; without one, all cores."""
    if workers is None:
        return available_cores()
    try:
        number = 0 if isinstance(workers, bool) else operator.index(workers)
    except TypeError:
        number = 0
    if number < 1:
        raise InputError(f"workers must be a whole number of at least 1, not {seen(workers)}")
    return number


@dataclass(eq=False)
class _Task:
    """A call on its way: its pickle, its future, and, while it runs, the worker that it runs in."""

    call: bytes
    future: Future[Any] = field(default_factory=Future)
    worker: WorkerProcess | None = None
    given_up: bool = False


class WorkerPool(Generic[S]):
    """Worker processes that call functions on an object they share. Thread-safe; a context manager.

    With a `timeout`, a task that runs for more seconds than that is given up.
    """

    def __init__(self, shared: S, workers: int | None = None, timeout: float | None = None) -> None:
        self.workers = checked_workers(workers)
        self.timeout = timeout
        self._shared = pickle.dumps(shared)
        self._waiting: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._running: dict[Future[Any], _Task] = {}
        self._alive: set[WorkerProcess] = set()
        self._closed = False
        self._lock = threading.Lock()  # over the three before it
        self._threads = [threading.Thread(target=self._tend, daemon=True) for _ in range(self.workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, work: Callable[Concatenate[S, P], T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The future of `work(shared, *args, **kwargs)`; `asyncio.wrap_future` fits it to an event loop.

        What still waits can be cancelled by its future, what already runs by `give_up`.
        """
        try:
            task = _Task(pickle.dumps((work, args, kwargs)))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InputError(f"this cannot be sent to a worker process: {error}") from None
        with self._lock:
            if self._closed:
                raise WorkerLost("the pool of workers is closed")
            self._waiting.put(task)
        return task.future

    def give_up(self, future: Future[Any]) -> None:
        """Wait no longer for a task: where it already runs it ends with GivenUp, and its worker is replaced."""
        future.cancel()
        with self._lock:
            task = self._running.get(future)
            if task is not None and task.worker is not None:
                task.given_up = True
                task.worker.kill()

    def map(self, work: Callable[[S, T], R], items: Iterable[T], most: int = MOST_IN_A_CHUNK) -> Iterator[R]:
        """`work(shared, item)` for each item, in their order; an error is raised where its result would have been.

        Items are handed over in chunks of up to `most`, and only a few chunks for each worker are read ahead of the
        results that were taken, so that memory stays flat.
        """
        waiting: deque[Future[list[bytes]]] = deque()
        try:
            for chunk in _chunks(items, most):
                waiting.append(self.submit(_each, work, chunk))
                while waiting and (len(waiting) > 3 * self.workers or waiting[0].done()):
                    yield from map(result_of, waiting.popleft().result())
            while waiting:
                yield from map(result_of, waiting.popleft().result())
        finally:
            for future in waiting:
                self.give_up(future)

    def close(self) -> None:
        """End all workers. What is not done yet is cancelled, or ends with WorkerLost."""
        with self._lock:
            self._closed = True
            while not self._waiting.empty():
                if task := self._waiting.get():
                    task.future.cancel()
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

    def _tend(self) -> None:
        """What a thread does for one worker: hand it tasks, and put a new one in its place when it has died."""
        worker: WorkerProcess | None = None
        while True:
            with contextlib.suppress(WorkerLost):  # the next task will say why
                worker = worker or self._start()
            task = self._waiting.get()
            if task is None:
                break
            if not task.future.set_running_or_notify_cancel():
                continue
            ends: list[str] = []
            while not task.future.done():
                try:
                    worker = worker or self._start()
                    task.future.set_result(self._ask(worker, task))
                except WorkerDied:
                    ends.append(self._end(worker))
                    worker = None
                    if task.given_up:
                        task.future.set_exception(GivenUp("the work took too long and was given up"))
                    elif len(ends) == ATTEMPTS:
                        task.future.set_exception(WorkerLost(_died_over(ends)))
                except BaseException as error:
                    task.future.set_exception(error)
        self._end(worker)

    def _start(self) -> WorkerProcess:
        with self._lock:
            if self._closed:
                raise WorkerLost("the pool of workers was closed")
            try:
                worker = WorkerProcess(self._shared)
            except OSError as error:
                raise WorkerLost(f"cannot start a worker process: {error.strerror or error}") from None
            self._alive.add(worker)
            return worker

    def _end(self, worker: WorkerProcess | None) -> str:
        if worker is None:
            return "never started"
        with self._lock:
            self._alive.discard(worker)
        return worker.end()

    def _ask(self, worker: WorkerProcess, task: _Task) -> Any:
        worker.wait_until_ready()  # the clock of a task starts when its worker can work
        with self._lock:
            task.worker, self._running[task.future] = worker, task
        clock = threading.Timer(self.timeout or 0, self.give_up, [task.future])
        clock.daemon = True
        try:
            if self.timeout is not None:
                clock.start()
            return worker.ask(task.call)
        finally:
            clock.cancel()
            with self._lock:
                task.worker = None
                del self._running[task.future]


def in_parallel(
    shared: S, work: Callable[[S, T], R], items: Iterable[T], workers: int | None, most: int = MOST_IN_A_CHUNK
) -> Iterator[R]:
    """`WorkerPool.map` with a pool of its own, which ends with the results."""
    pool = partial(WorkerPool, shared, checked_workers(workers))  # refuses a bad number now

    def results() -> Iterator[R]:
        with pool() as opened:
            yield from opened.map(work, items, most)

    return results()


def _died_over(ends: list[str]) -> str:
    seen = ", ".join(dict.fromkeys(ends))
    return f"worker processes ended {len(ends)} times over the same work ({seen}): is memory short?"


def _each(shared: S, work: Callable[[S, T], R], chunk: list[T]) -> list[bytes]:
    return [answer_of(partial(work, shared, item)) for item in chunk]


def _chunks(items: Iterable[T], most: int) -> Iterator[list[T]]:
    """The items in lists that grow from one item: the first result is soon there, the later ones cost little to send.

    >>> list(_chunks(range(9), 4))
    [[0], [1, 2], [3, 4, 5, 6], [7, 8]]
    """
    rest, size = iter(items), 1
    while chunk := list(islice(rest, size)):
        yield chunk
        size = min(2 * size, most)
