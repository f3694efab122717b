"""Stage 0: one BLAS thread for a summary, unless the user says otherwise.

The matrix products here are too small to share. A second thread gains little, on a busy machine both threads wait for
each other (a summary was six times as slow), and the last bits of a score would depend on the number of cores.
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
    """Use one thread in this process. For a program, before it imports numpy: costs nothing later."""
    if "OMP_NUM_THREADS" not in os.environ:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def one_thread() -> AbstractContextManager[Any]:
    """Use one thread inside the block, unless the environment sets a number. For a library."""
    if any(name in os.environ for name in VARIABLES):
        return nullcontext()
    return always_one_thread()


_lock = threading.Lock()
_inside = 0  # how many blocks are open, in all Python threads
_limits: Any = None


@contextmanager
def always_one_thread() -> Iterator[None]:
    """Use one thread inside the block, whatever the environment says.

    The limit holds for the whole process: the first open block sets it, and the last one to close lifts it.
    """
    global _inside, _limits
    with _lock:
        if _inside == 0:
            _limits = _in_new_thread(lambda: _libraries().limit(limits=1, user_api="blas").__enter__())
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _in_new_thread(lambda: _limits.__exit__(None, None, None))


def _in_new_thread(step: Callable[[], Any]) -> Any:
    """The result of a step, run in a new thread if there are other threads: while a thread lives, threadpoolctl lets
    no other thread lift the limit that it has set, and the first block to open need not be the last to close.
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
