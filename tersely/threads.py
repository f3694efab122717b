"""Stage 0: one BLAS thread for a summary, unless the user says otherwise.

The matrix products here are too small to share. A second thread gains little, on a busy machine both wait for each
other (a summary was six times as slow), and the last bits of a score would depend on the number of cores.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def use_one_thread() -> None:
    """For a program of its own, before numpy is imported: costs nothing later."""
    if "OMP_NUM_THREADS" not in os.environ:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def one_thread() -> AbstractContextManager[Any]:
    """For a library: one thread inside the block; as the environment says where it says anything."""
    if any(name in os.environ for name in _VARIABLES):
        return nullcontext()
    limited: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limited


@cache
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController  # finds the loaded libraries, which takes milliseconds: once

    return ThreadpoolController()
