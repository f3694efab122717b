"""`tersely batch --engine ray` on a Ray of two workers: the same bytes as without; kills; errors."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from batch_toys import Batch, write_csv

from tersely.batch import engines, paths, pipeline
from tersely.batch.engines import Engine, Result
from tersely.batch.job import Job
from tersely.batch.row_blocks import Outcome, RowBlock
from tersely.batch.run import run
from tersely.errors import BundleError, WorkerLost
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer

RAY = ("--engine", "ray", "--workers", 2)


@pytest.fixture(scope="module")
def ray_here() -> Iterator[None]:
    """A Ray with two workers, which ends with the tests of this file."""
    ray = pytest.importorskip("ray")
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112  (its name; it is not the only one that works here)
    with engines._connected(ray, "local", 2):
        yield
    assert not ray.is_initialized()


@pytest.mark.slow
@pytest.mark.usefixtures("ray_here")
@pytest.mark.parametrize("target", ["out.jsonl.gz", "out.parquet", "out"])
def test_ray_writes_the_same_bytes(batch: Batch, tmp_path: Path, target: str) -> None:
    (tmp_path / "in").mkdir()
    write_csv(tmp_path / "in" / "a.csv", 150)
    (tmp_path / "in" / "b.csv").write_bytes(b"note,id,text\n,007,ship ran aground\n,8\n,9,\n")
    command = (tmp_path / "in", "--score", "--kept")
    code, _, here = batch(command[0], tmp_path / f"here-{target}", *command[1:])
    assert code == 1, here
    code, out, err = batch(f"file://{command[0]}", f"file://{tmp_path / target}", *command[1:], *RAY)
    assert (code, out, err.count("\n")) == (1, "", 1), err
    assert err.partition(";")[2] == here.partition(";")[2]
    for name in ("", "/a.csv", "/b.csv") if target == "out" else ("",):
        if (tmp_path / f"here-{target}{name}").is_file():
            assert (tmp_path / f"{target}{name}").read_bytes() == (tmp_path / f"here-{target}{name}").read_bytes()
    assert not list(tmp_path.rglob("*run"))


@pytest.mark.slow
@pytest.mark.usefixtures("ray_here")
def test_a_worker_that_is_killed_costs_nothing_but_time(batch: Batch, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", 3000)
    killed: list[int] = []

    def kill() -> None:
        """Kill a worker as soon as it has begun, and another one after it."""
        for _ in range(2):
            while not (workers := [pid for pid in busy_workers(os.getpid()) if pid not in killed]):
                time.sleep(0.01)
            os.kill(workers[0], signal.SIGKILL)
            killed.append(workers[0])

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv", *RAY)
    assert (code, len(killed)) == (0, 2), err
    assert batch(tmp_path / "in.csv", tmp_path / "here.csv")[0] == 0
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()


def busy_workers(pid: int) -> list[int]:
    """The workers of Ray, started by this process, that have been given work: then their title says so."""
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        try:
            children = [
                int(child)
                for task in Path(f"/proc/{one}/task").iterdir()
                for child in (task / "children").read_text().split()
            ]
            title = Path(f"/proc/{one}/cmdline").read_text()
        except OSError:
            continue
        waiting += children
        if title.startswith("ray::_ray_task"):
            found.append(one)
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("ray_here")
def test_a_driver_that_was_stopped_resumes(batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_csv(tmp_path / "in.csv", 500)
    finished, left = pipeline._finished, [3]

    def stopping(*args: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return finished(*args)

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "_finished", stopping)
        assert batch(tmp_path / "in.csv", f"file://{tmp_path}/out.csv", *RAY)[0] == 130
    code, _, err = batch(tmp_path / "in.csv", f"file://{tmp_path}/out.csv", *RAY, "--words", 3)
    assert (code, "length: words=2 before, words=3 now" in err) == (1, True)
    code, _, err = batch(tmp_path / "in.csv", f"file://{tmp_path}/out.csv")  # with another engine
    assert (code, " done before)" in err) == (0, True)
    assert batch(tmp_path / "in.csv", tmp_path / "here.csv")[0] == 0
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
    code, _, err = batch(tmp_path / "in.csv", f"file://{tmp_path}/out.csv", *RAY)
    assert (code, "all done before" in err) == (0, True)


@pytest.mark.slow
@pytest.mark.usefixtures("ray_here")
def test_a_bundle_that_a_worker_does_not_find_is_one_line(
    quick_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_csv(tmp_path / "in.csv", 5)
    shutil.copytree(quick_bundle, tmp_path / "bundle")
    made = Summarizer.load(tmp_path / "bundle")
    shorten = pipeline.summarize_blocks

    def without(*args: Any) -> Any:
        shutil.rmtree(tmp_path / "bundle")
        return shorten(*args)

    monkeypatch.setattr("tersely.batch.run.summarize_blocks", without)
    outputs = paths.find_outputs(str(tmp_path / "out.csv"), ["in.csv"], paths.find_inputs([str(tmp_path / "in.csv")]))
    with pytest.raises(BundleError, match=r"^no bundle at .*: there is no such folder$"):
        run(Job(Options.of(words=2), workers=2, ray=True), str(tmp_path / "out.csv"), outputs, made)


def test_an_address_that_does_not_answer(batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    write_csv(tmp_path / "in.csv", 3)
    code, out, err = batch(tmp_path / "in.csv", tmp_path / "out.csv", "--engine", "ray", "--address", "127.0.0.1:9")
    assert (code, out, err.count("\n")) == (1, "", 1), err
    assert "cannot reach Ray at 127.0.0.1:9: " in err
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv", "--address", "auto")
    assert (code, err) == (1, "tersely: --address is for a Ray cluster: add --engine ray\n")


# A text that kills every worker


@pytest.mark.parametrize(("survives", "summaries"), [(["a", "b"], ["A", None, "B"]), ([], None)])
def test_a_text_that_kills_workers_is_a_row_with_an_error(survives: list[str], summaries: list[str] | None) -> None:
    """Of an engine whose workers survive these texts; without any, they do not even start."""

    def submit(texts: list[str]) -> Future[Result]:
        future: Future[Result] = Future()
        if survives and set(texts) <= set(survives):
            future.set_result((1.0, [Outcome(text.upper()) for text in texts]))
        else:
            future.set_exception(WorkerLost("3 worker processes died"))
        return future

    block = RowBlock("in", 1, ["a", "deadly", "b"], [{}, {}, {}])
    results = pipeline.summarize_blocks([(0, block)], Engine(submit), Job(Options.of(words=2)))
    if summaries is None:
        with pytest.raises(WorkerLost, match="3 worker processes died"):
            next(results)
    else:
        ((_, _, outcomes),) = results
        assert [outcome.summary for outcome in outcomes] == summaries
        assert "3 worker processes died" in str(outcomes[1].error)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_text_that_needs_too_much_memory_is_a_row_with_an_error(
    batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """In the command itself it raises MemoryError; a worker process is killed."""
    (tmp_path / "in.txt").write_text("ship ran aground\nport HUGE early\nport paid early\n")
    (tmp_path / "sitecustomize.py").write_text(HUGE)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    attempt = Summarizer.attempt

    def limited(self: Summarizer, text: str, options: Options) -> Any:
        if "HUGE" in text:
            raise MemoryError
        return attempt(self, text, options)

    if workers == 1:
        monkeypatch.setattr(Summarizer, "attempt", limited)
    code, _, err = batch(tmp_path / "in.txt", tmp_path / "out.jsonl", "--workers", workers)
    assert (code, "1 with an error" in err) == (1, True), err
    assert [" ran" in line or " paid" in line for line in (tmp_path / "out.jsonl").read_text().splitlines()] == [
        True, False, True
    ]  # fmt: skip


HUGE = """
import os, sys
if "tersely.system.worker_process" in " ".join(sys.orig_argv):
    from tersely.summary.summarizer import Summarizer
    attempt = Summarizer.attempt
    def killed(self, text, options):
        if "HUGE" in text:
            os.kill(os.getpid(), 9)
        return attempt(self, text, options)
    Summarizer.attempt = killed
"""
