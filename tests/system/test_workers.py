"""The pool of workers: order, errors, workers that die, cancelled work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import CancelledError
from pathlib import Path

import pytest
import worker_toys as toys

from tersely.errors import GivenUp, InputError, WorkerLost
from tersely.system.workers import WorkerPool, available_cores, checked_workers, in_parallel


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text() if Path("/proc").is_dir() else True


def wait_until(true, seconds: float = 60) -> None:  # type: ignore[no-untyped-def]
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def test_results_come_in_the_order_of_the_items() -> None:
    with WorkerPool(100, workers=2) as pool:
        assert list(pool.map(toys.add, range(50))) == [100 + i for i in range(50)]
        assert pool.submit(toys.add, 1).result() == 101


def test_what_is_shared_is_opened_once_in_each_worker(tmp_path: Path) -> None:
    shared = toys.Shared(tmp_path / "log")
    with WorkerPool(shared, workers=2) as pool:
        pids = {str(pid) for pid in pool.map(toys.whoami_of, range(40), max_chunk=1)}
        wait_until(lambda: len(shared.log.read_text().split()) == 2)
    opened = shared.log.read_text().split()
    assert len(opened) == len(set(opened)) == 2
    assert pids <= set(opened)


def test_one_thread_in_each_worker_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    with WorkerPool(None, workers=1) as pool:
        assert set(pool.submit(toys.threads).result()) == {1}


def test_only_a_few_items_are_read_ahead() -> None:
    read: list[int] = []

    def items():  # type: ignore[no-untyped-def]
        for i in range(10_000):
            read.append(i)
            yield i

    with WorkerPool(0, workers=2) as pool:
        results = pool.map(toys.add, items(), max_chunk=4)
        for _ in range(50):
            next(results)
        assert len(read) < 50 + 4 * 4 * 2 * 2
        results.close()  # type: ignore[attr-defined]


def test_an_error_is_raised_in_its_place_and_says_where() -> None:
    with WorkerPool(12, workers=2) as pool:
        results = pool.map(toys.divide, [1, 2, 3, 0, 4])
        assert [next(results) for _ in range(3)] == [12, 6, 4]
        with pytest.raises(ZeroDivisionError) as caught:
            next(results)
        assert "in divide" in str(caught.value.__cause__)
        with pytest.raises(RuntimeError, match="OddError: onetwo"):
            pool.submit(toys.raise_odd_error).result()
        assert pool.submit(toys.divide, 4).result() == 3


def test_a_worker_that_prints_does_not_disturb() -> None:
    with WorkerPool(None, workers=1) as pool:
        assert pool.submit(toys.write_and_print).result() == "whole"


def test_a_worker_that_dies_while_it_waits_is_replaced() -> None:
    with WorkerPool(None, workers=1) as pool:
        first = pool.submit(toys.whoami).result()
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: not alive(first))
        assert pool.submit(toys.whoami).result() != first


def test_workers_are_killed_in_the_middle_and_nothing_is_lost() -> None:
    with WorkerPool(0, workers=2) as pool:
        results = pool.map(toys.slowly, range(30), max_chunk=4)
        found = []
        for _ in range(2):  # once more, and the same work could have ended three workers
            found += [next(results) for _ in range(3)]
            for worker in list(pool._alive):
                worker.kill()
        assert found + list(results) == list(range(30))


def test_work_that_ends_every_worker_is_an_error_and_costs_nothing_else() -> None:
    with WorkerPool(1, workers=2) as pool:
        with pytest.raises(WorkerLost, match=r"3 worker processes died in the same call \(killed by SIGKILL\)"):
            pool.submit(toys.die).result()
        assert pool.submit(toys.add, 1).result() == 2


def test_work_that_takes_too_long_is_given_up() -> None:
    with WorkerPool(1, workers=1, timeout=0.5) as pool:
        long, short = pool.submit(toys.wait, 600), pool.submit(toys.add, 1)
        with pytest.raises(GivenUp, match="took too long"):
            long.result()
        assert short.result() == 2
        assert isinstance(long.exception(), TimeoutError)


def test_one_can_give_up_at_any_moment() -> None:
    with WorkerPool(1, workers=1) as pool:
        running, waiting = pool.submit(toys.wait, 600), pool.submit(toys.wait, 600)
        wait_until(lambda: running in pool._running)
        pool.give_up(waiting)
        pool.give_up(running)
        with pytest.raises(GivenUp):
            running.result()
        assert waiting.cancelled()
        done = pool.submit(toys.add, 1)
        assert done.result() == 2
        pool.give_up(done)  # too late, and no harm
        assert pool.submit(toys.add, 2).result() == 3


def test_a_closed_pool_leaves_nothing_behind() -> None:
    pool = WorkerPool(1, workers=2)
    pids = {pool.submit(toys.whoami).result() for _ in range(10)}
    running, waiting = [pool.submit(toys.wait, 600) for _ in range(2)], pool.submit(toys.wait, 600)
    wait_until(lambda: len(pool._running) == 2)
    pool.close()
    assert not any(map(alive, pids))
    for future in running:
        with pytest.raises(WorkerLost, match="closed"):
            future.result()
    with pytest.raises(CancelledError):
        waiting.result()
    with pytest.raises(WorkerLost, match="closed"):
        pool.submit(toys.add, 1)


def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    program = """
import sys, time, worker_toys as toys
from tersely.system.workers import WorkerPool
pool = WorkerPool(1, workers=1)
print(pool.submit(toys.whoami).result(), flush=True)
pool.submit(toys.wait, 600).result()
"""
    owner = subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{program}"], stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    worker = int(owner.stdout.readline())
    assert alive(worker)
    owner.kill()
    owner.wait()
    wait_until(lambda: not alive(worker))


def test_what_cannot_be_shared_or_sent() -> None:
    with WorkerPool(toys.Broken(), workers=1) as pool:
        for _ in range(2):
            with pytest.raises(ValueError, match="not a number"):
                pool.submit(toys.whoami).result()
    with WorkerPool(1, workers=1) as pool, pytest.raises(InputError, match="cannot be sent to a worker process"):
        pool.submit(lambda shared: shared)


def test_a_worker_that_cannot_load_what_is_shared_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tersely.system.workers.RETRY_SECONDS", 0.05)
    shared = toys.OnDisk(tmp_path / "file")
    shared.file.touch()
    with WorkerPool(shared, workers=1) as pool:
        os.kill(pool.submit(toys.whoami).result(), signal.SIGKILL)
        shared.file.unlink()
        wait_until(lambda: pool.n_ready == 0)
        with pytest.raises(FileNotFoundError):
            pool.submit(toys.whoami).result()
        shared.file.touch()
        assert pool.submit(toys.whoami).result() > 0
        os.kill(pool.submit(toys.whoami).result(), signal.SIGKILL)
        wait_until(lambda: pool.n_ready == 0)
        wait_until(lambda: pool.n_ready == 1)  # also if there is no work


def test_a_function_of_a_script_is_an_error_of_one_line() -> None:
    program = """
from tersely.system.workers import WorkerPool
def mine(shared): pass
with WorkerPool(1, workers=1) as pool:
    print(pool.submit(mine).exception())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("a worker process cannot import")
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("workers", [0, -1, 1.5, "two", True])
def test_a_bad_number_of_workers(workers: object) -> None:
    with pytest.raises(InputError, match="workers must be a whole number of at least 1"):
        in_parallel(1, toys.add, [1], workers)  # type: ignore[arg-type]
    assert checked_workers(None) == available_cores() >= 1
