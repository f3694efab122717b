"""Stage 0: one BLAS thread for a summary, unless the user says otherwise.

The matrix products here are too small to share. A second thread gains little, on a busy machine both wait for each
other (a summary was six times as slow), and the last bits of a score would depend on the number of cores.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any

VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def use_one_thread() -> None:
    """For a program of its own, before numpy is imported: costs nothing later."""
    if "OMP_NUM_THREADS" not in os.environ:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def one_thread() -> AbstractContextManager[Any]:
    """For a library: one thread inside the block; as the environment says where it says anything."""
    if any(name in os.environ for name in VARIABLES):
        return nullcontext()
    return _limit()


_lock = threading.Lock()
_inside = 0  # how many blocks are open, in all Python threads
_limits: Any = None


@contextmanager
def _limit() -> Iterator[None]:
    """The limit holds for the whole process: the first who comes in sets it, and the last who leaves lifts it."""
    global _inside, _limits
    with _lock:
        if _inside == 0:
            _limits = _elsewhere(lambda: _libraries().limit(limits=1, user_api="blas").__enter__())
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _elsewhere(lambda: _limits.__exit__(None, None, None))


def _elsewhere(step: Callable[[], Any]) -> Any:
    """What a step gives in a thread of its own, if there are others: threadpoolctl lets only the thread that set a
    limit lift it, as long as that thread lives, but the first to come in need not be the last to leave.
    """
    if threading.active_count() == 1:
        return step()
    given: list[Any] = []
    thread = threading.Thread(target=lambda: given.append(step()))
    thread.start()
    thread.join()
    return given[0]


@cache
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController  # finds the loaded libraries, which takes milliseconds: once

    return ThreadpoolController()
