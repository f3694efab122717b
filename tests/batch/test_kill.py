"""Processes killed at any moment, a full disk, and memory: the command in a process of its own."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from batch_toys import OFTEN, Batch, read_csv, write_csv
from service_load import workers_of

from tersely.batch.journal import Journal

ROWS = 3_000


def command(bundle: Path, *arguments: object) -> list[str]:
    return [sys.executable, "-m", "tersely", "batch", "--bundle", str(bundle), "--words", "2", *map(str, arguments)]


def rows_done(out: Path) -> int:
    """The rows in the finished parts of a run."""
    rows = 0
    for part in Path(f"{out}.run").glob("000000-0*"):
        with contextlib.suppress(FileNotFoundError), part.open("rb") as stream:
            stream.readline()  # the checksum of what follows
            rows += json.loads(stream.readline())["rows"]
    return rows


@pytest.mark.slow
def test_killed_five_times_and_resumed_to_the_same_bytes(quick_bundle: Path, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", ROWS)
    options = ("--workers", 2, "--save-every", 0.1)
    rng, out = random.Random(15), tmp_path / "out.csv"
    for moment in sorted(rng.randrange(int(0.6 * ROWS)) for _ in range(5)):
        process = subprocess.Popen(command(quick_bundle, tmp_path / "in.csv", out, *options))
        while rows_done(out) < moment:
            assert process.poll() is None
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.1))
        assert process.poll() is None, "it was over before it could be killed"
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not out.exists()
    done = subprocess.run(command(quick_bundle, tmp_path / "in.csv", out, *options), capture_output=True, check=True)
    assert b" done before), " in done.stderr
    subprocess.run(command(quick_bundle, tmp_path / "in.csv", tmp_path / "whole.csv", *options), check=True)
    assert out.read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert len(read_csv(out)) == ROWS
    assert not Path(f"{out}.run").exists()


def test_a_worker_that_is_killed_costs_nothing_but_time(quick_bundle: Path, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", 1500)
    process = subprocess.Popen(command(quick_bundle, tmp_path / "in.csv", tmp_path / "out.csv", "--workers", 2, *OFTEN))
    while rows_done(tmp_path / "out.csv") < 50:
        assert process.poll() is None
        time.sleep(0.005)
    one, _ = workers_of(process.pid)
    os.kill(one, signal.SIGKILL)
    assert process.wait() == 0
    assert [row["id"] for row in read_csv(tmp_path / "out.csv")] == [str(number) for number in range(1500)]


def test_a_full_disk_is_one_line_and_finished_rows_stay(
    batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_csv(tmp_path / "in.csv", 300)
    assert batch(tmp_path / "in.csv", tmp_path / "whole.csv")[0] == 0
    left, fsync = [5], os.fsync

    def full(number: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(number)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv", *OFTEN)
    assert (code, err) == (
        1,
        f"tersely: cannot write to {tmp_path / 'out.csv.run'}: No space left on device; "
        "finished rows stay there, and the same command resumes from them\n",
    )
    assert 0 < rows_done(tmp_path / "out.csv") < 300
    assert batch(tmp_path / "in.csv", tmp_path / "out.csv")[0] == 0
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_a_folder_that_goes_away_is_one_line(batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_csv(tmp_path / "in.csv", 300)
    (tmp_path / "out").mkdir()
    write_part = Journal.write_part

    def gone(self: Journal, *args: object) -> None:
        shutil.rmtree(tmp_path / "out")
        write_part(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Journal, "write_part", gone)
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out" / "out.csv", *OFTEN)
    assert (code, err.count("\n")) == (1, 1)
    assert "is gone, and with it the finished rows" in err


PEAK = """
import resource, sys
from tersely.cli import main
code = main(sys.argv[1:])
with open("/proc/self/status") as status:  # ru_maxrss of a process knows of the one that started it
    peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
print(peak, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
raise SystemExit(code)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_input(quick_bundle: Path, tmp_path: Path) -> None:
    """Eight times the rows, at most 1.3 times the memory, in the command and in its workers."""
    peaks = []
    for rows in (1_000, 8_000):
        path = write_csv(tmp_path / f"{rows}.csv", rows)
        path.write_text(path.read_text().replace("note, ", "note, " + 2_000 * "x"))  # so that kept rows are seen
        options = ("--workers", 2, "--save-every", 0.5)
        run = command(quick_bundle, path, tmp_path / f"{rows}-out.csv", *options)[3:]
        done = subprocess.run([sys.executable, "-c", PEAK, *run], capture_output=True, text=True, check=True)
        peaks.append([int(peak) for peak in done.stdout.split()])
    assert all(large <= 1.3 * small for small, large in zip(*peaks, strict=True)), peaks
