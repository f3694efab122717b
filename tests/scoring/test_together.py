"""Searches that run together: the same answers from fewer products, in order, and no thread outlives its use."""

from __future__ import annotations

import contextlib
import itertools
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.scoring import together
from tersely.scoring.lstm import Array, LanguageModel
from tersely.scoring.together import read, run_together
from tersely.summarizer import Summarizer

Reading = tuple[int, int]  # which of two models, how many rows
MANY = 20_000  # readings: seconds of work that nobody waits for


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) == before


@pytest.fixture(scope="module")
def models(summarizer: Summarizer) -> list[LanguageModel]:
    return [summarizer.bundle.language_model(direction) for direction in ("forward", "backward")]


def job(models: list[LanguageModel], readings: list[Reading]) -> Callable[[], list[Array]]:
    """Reads rows of its own, one reading after the other, and gives the features back."""

    def run() -> list[Array]:
        found = []
        for number, (which, rows) in enumerate(readings):
            ids = (np.arange(rows) + 7 * number + rows) % 50
            state, features = read(models[which], models[which].project(ids), models[which].start(rows))
            assert len(state.h[0]) == rows
            found.append(features)
        return found

    return run


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 1), st.integers(1, 5) | st.just(together._ENOUGH)), max_size=6)),
    st.integers(1, 5),
)
def test_everyone_gets_the_answer_to_their_own_request(
    models: list[LanguageModel], jobs: list[list[Reading]], at_once: int
) -> None:
    found = list(run_together([job(models, readings) for readings in jobs], at_once))
    alone = [job(models, readings)() for readings in jobs]
    assert [len(features) for features in found] == [len(features) for features in alone]
    for one, other in zip(itertools.chain(*found), itertools.chain(*alone), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_one_product_for_all_that_ask_the_same_model(
    models: list[LanguageModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    plain = LanguageModel.read

    def counted(model: LanguageModel, projected: Array, state: object) -> object:
        sizes.append(len(projected))
        return plain(model, projected, state)  # type: ignore[arg-type]

    monkeypatch.setattr(LanguageModel, "read", counted)
    list(run_together([job(models, [(0, 1), (1, 2)]), job(models, [(0, 3), (1, 4)])], 2))
    assert sizes == [4, 6]
    sizes.clear()
    # The third waits for the others to come to the second model, and a large request is not worth waiting for.
    list(
        run_together([job(models, [(0, 1), (1, 2)]), job(models, [(0, 64), (0, 3), (1, 4)]), job(models, [(1, 5)])], 3)
    )
    assert sizes == [64, 4, 11]


def test_an_endless_input_is_read_a_few_jobs_ahead(models: list[LanguageModel]) -> None:
    begun = []

    def jobs() -> Iterator[Callable[[], int]]:
        for number in itertools.count():
            begun.append(number)
            # The first one is slow: the results behind it have to wait.
            readings = job(models, [(0, 1)] * (100 if number == 0 else number % 3))
            yield lambda number=number, readings=readings: (readings(), number)[1]  # type: ignore[misc]

    results = run_together(jobs(), 3)
    assert begun == []
    assert next(results) == 0
    assert len(begun) == 6
    assert list(itertools.islice(results, 50)) == list(range(1, 51))
    assert len(begun) <= 51 + 6
    results.close()  # type: ignore[attr-defined]


def test_a_result_does_not_wait_for_input_behind_it() -> None:
    read_so_far = []

    def jobs() -> Iterator[Callable[[], int]]:
        for number in range(3):
            read_so_far.append(number)
            yield lambda number=number: number  # type: ignore[misc]

    for number in run_together(jobs(), 2):
        assert read_so_far[-1] == number


@pytest.mark.parametrize("at_once", [1, 2, 8])
def test_an_error_is_raised_when_its_turn_comes(models: list[LanguageModel], at_once: int) -> None:
    def fail() -> list[Array]:
        raise ValueError("this one")

    slow, quick = job(models, [(0, 1)] * 9), job(models, [(0, 1)])
    results = run_together([slow, quick, fail, quick, slow], at_once)
    assert len(next(results)) == 9
    assert len(next(results)) == 1
    with pytest.raises(ValueError, match="this one"):
        next(results)
    assert list(results) == []


@pytest.mark.parametrize("at_once", [1, 2, 8])
def test_an_error_of_the_input_is_raised_behind_the_results_before_it(
    models: list[LanguageModel], at_once: int
) -> None:
    def jobs() -> Iterator[Callable[[], list[Array]]]:
        yield job(models, [(0, 1)] * 9)
        yield job(models, [(0, 1)])
        raise OSError("the disk is gone")

    results = run_together(jobs(), at_once)
    assert [len(next(results)), len(next(results))] == [9, 1]
    with pytest.raises(OSError, match="the disk is gone"):
        next(results)


def test_closing_half_way_ends_even_a_job_that_catches_errors(models: list[LanguageModel]) -> None:
    def stubborn() -> list[Array]:
        while True:
            with contextlib.suppress(Exception):
                job(models, [(0, 1)])()

    results = run_together([job(models, [(0, 1)]), stubborn, stubborn], 3)
    assert next(results)
    assert threading.active_count() > 1
    results.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("rows", [1, together._ENOUGH])
def test_control_c_while_a_search_runs(models: list[LanguageModel], rows: int) -> None:
    ended = []

    def interrupted() -> list[Array]:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        ended.append(job(models, [(0, rows)] * MANY)())
        return ended[0]

    with pytest.raises(KeyboardInterrupt):
        list(run_together([job(models, [(1, 1)] * MANY), interrupted], 2))
    assert not ended


def test_control_c_in_the_input_is_raised_at_once(models: list[LanguageModel]) -> None:
    def jobs() -> Iterator[Callable[[], list[Array]]]:
        yield job(models, [(0, 1)] * MANY)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next(run_together(jobs(), 2))


def test_a_program_may_forget_the_iterator(tiny_bundle: Path) -> None:
    texts = ["ship ran", "the german ship ran aground at the french port early on tuesday"] * 9
    program = (
        "import threading\nfrom tersely import Summarizer\n"
        f"summaries = Summarizer.load({str(tiny_bundle)!r}).batch({texts}, words=4, together=4)\n"
        "print(next(summaries), threading.active_count() > 1)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ship ran True\n", "")
