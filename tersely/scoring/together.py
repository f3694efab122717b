"""Stage 3: several searches at once, so that a language model reads for many sentences in one matrix product.

A search knows no models and cannot be left half-way, so each runs in a thread of its own. Only one thread runs at any
time: a search runs until it asks a model to read, then it is the next one's turn; when all of them ask, those that ask
the same model are answered with one product. So nothing needs a lock, and what is read together depends on the texts
alone, never on the clock.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from queue import SimpleQueue
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from tersely.scoring.lstm import Array, LanguageModel, State

T = TypeVar("T")
Answer = tuple[State, Array]

_ENOUGH = 64  # a row of a product with so many rows costs hardly more than one of a larger product
_AHEAD = 2  # texts in hand per search that runs: a long text holds up the results behind it, not the searches


class Request(NamedTuple):
    """What `LanguageModel.read` is to be called with."""

    model: LanguageModel
    projected: Array
    state: State


def read(model: LanguageModel, projected: Array, state: State) -> Answer:
    """`model.read(projected, state)`; in a search that runs together with others, read along with theirs."""
    search = threading.current_thread()
    if isinstance(search, _Search):
        return search.read(Request(model, projected, state))
    return model.read(projected, state)


def run_together(jobs: Iterable[Callable[[], T]], at_once: int) -> Iterator[T]:
    """The results of the jobs in their order, or the error of the first that fails; `at_once` of them run at a time.

    >>> list(run_together([lambda: "ship", lambda: "port"], at_once=2))
    ['ship', 'port']
    """
    coming = iter(jobs)
    searches: deque[_Search[T]] = deque()  # in the order of the jobs; some have ended and wait for those before them
    try:
        while True:
            asking = [search for search in searches if search.request]
            if searches and not searches[0].request:
                yield searches.popleft().result()
            elif len(asking) < at_once and len(searches) < _AHEAD * at_once and (job := _next(coming)):
                searches.append(_Search(job))
                searches[-1].begin()
            elif asking:
                _answer(asking)
            else:
                return
    finally:  # also when the caller wants no more results, or is interrupted
        for search in searches:
            search.stop()


def _next(coming: Iterator[Callable[[], T]]) -> Callable[[], T] | None:
    """The next job, None behind the last; where there is an error instead, a job that raises it when its turn comes."""
    try:
        return next(coming, None)
    except Exception as error:
        failure = error

    def fail() -> T:
        raise failure

    return fail


def _answer(searches: Sequence[_Search[T]]) -> None:
    """Answer those who ask the model that most of them ask, so that the others may come to ask it too."""
    by_model: dict[int, dict[_Search[T], Request]] = {}
    for search in searches:
        if search.request:
            by_model.setdefault(id(search.request.model), {})[search] = search.request
    most = max(by_model.values(), key=len)
    for search, answer in zip(most, _read_all(list(most.values())), strict=True):
        search.resume(answer)


def _read_all(requests: Sequence[Request]) -> list[Answer]:
    """The answers to requests for one model, from one reading."""
    models, projected, states = zip(*requests, strict=True)
    state, features = models[0].read(np.concatenate(projected), State.joined(states))
    ends = np.cumsum([len(rows) for rows in projected])
    parts = [slice(end - len(rows), end) for rows, end in zip(projected, ends, strict=True)]
    return [(state.take(part), features[part]) for part in parts]


class _Stopped(BaseException):
    """Ends a search whose result nobody waits for; no `except Exception` holds it up."""


class _Search(threading.Thread, Generic[T]):
    """A job in a thread, which runs while somebody waits in `begin` or `resume`, until it asks or ends."""

    def __init__(self, job: Callable[[], T]) -> None:
        # A daemon, or a program that forgets the iterator half-way could not end; all others are joined.
        super().__init__(daemon=True)
        self.request: Request | None = None  # None when the job has ended
        self._job = job
        self._requests: SimpleQueue[Request | None] = SimpleQueue()
        self._answers: SimpleQueue[Answer | None] = SimpleQueue()
        self._results: list[T] = []
        self._error: BaseException | None = None
        self._stopped = False

    def run(self) -> None:
        """The job; only the thread itself calls this and `read`."""
        try:
            self._results.append(self._job())
        except BaseException as error:
            self._error = error
        self._requests.put(None)

    def read(self, request: Request) -> Answer:
        """The answer, which somebody else finds, unless there is nothing to gain by that."""
        if len(request.projected) < _ENOUGH:
            self._requests.put(request)
            answer = self._answers.get()
        else:
            answer = request.model.read(request.projected, request.state)
        if answer is None or self._stopped:
            raise _Stopped
        return answer

    def begin(self) -> None:
        """Run until the first request."""
        self.start()
        self.request = self._requests.get()

    def resume(self, answer: Answer) -> None:
        """Run until the next request."""
        self._answers.put(answer)
        self.request = self._requests.get()

    def stop(self) -> None:
        """End the thread, at its next reading at the latest."""
        self._stopped = True
        self._answers.put(None)
        if self.is_alive():
            self.join()

    def result(self) -> T:
        """What the job returned; its error is raised."""
        self.join()
        if self._error is not None:
            raise self._error
        return self._results[0]
