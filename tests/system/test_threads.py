"""One BLAS thread inside a summary, as many as before outside of all of them."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from tersely.system.threads import one_thread


def blas_threads() -> set[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_one_thread_inside(two_threads: None) -> None:
    assert blas_threads() == {2}
    with one_thread():
        assert blas_threads() == {1}
        with one_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_the_first_block_to_close_does_not_lift_the_limit_of_the_others(two_threads: None) -> None:
    inside, leave = threading.Event(), threading.Event()

    def first() -> None:
        with one_thread():
            inside.set()
            leave.wait()

    thread = threading.Thread(target=first)
    thread.start()
    inside.wait()
    with one_thread():
        leave.set()
        thread.join()
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_the_environment_decides_where_it_says_anything(two_threads: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    with one_thread():
        assert blas_threads() == {2}
