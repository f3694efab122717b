"""`tersely batch --engine ray` on a Ray of two workers: the same rows as on one machine; kills; errors."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from batch_toys import read_csv, read_jsonl, sentence, write_csv

ray = pytest.importorskip("ray")
from tersely.batch import cluster  # noqa: E402
from tersely.batch.job import Job  # noqa: E402
from tersely.errors import BundleError  # noqa: E402
from tersely.summary.options import Options  # noqa: E402
from tersely.summary.summarizer import Summarizer  # noqa: E402

Batch = Callable[..., tuple[int, str, str]]
RAY = ("--engine", "ray", "--workers", 2)


@pytest.fixture(scope="module")
def ray_here() -> Iterator[None]:
    """A Ray with two workers, which ends with the tests of this file."""
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112  (its name; it is not the only one that works here)
    with cluster._connected("local", 2):
        yield
    assert not ray.is_initialized()


BAD = [
    {"text": "ship ran aground", "id": 0}, {"text": "", "id": 1}, {"text": None, "id": 2}, {"text": "...", "id": 3},
    {"text": "a " * 1001, "id": 4}, {"text": "port paid early", "id": 5, "more": {"a": [1, None]}},
]  # fmt: skip


def write_inputs(folder: Path) -> None:
    """Two files of each format, with rows that cannot be shortened."""
    folder.mkdir()
    rows = [{"text": sentence(number), "id": number} for number in range(10, 200)]
    for name in ("jsonl", "csv", "parquet"):
        (folder / name).mkdir()
    (folder / "jsonl" / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*BAD, *rows]))
    (folder / "jsonl" / "b.jsonl.gz").write_bytes(
        gzip.compress(b'{"text": 7, "id": 6}\n{no\n{"id": 7}\n{"text": "b\xffd"}')
    )
    write_csv(folder / "csv" / "a.csv", 150)
    (folder / "csv" / "b.csv").write_bytes(b"note,id,text\n,007,ship ran aground\n,8\n,9,b\xffd\n")
    pq.write_table(pa.Table.from_pylist(rows), folder / "parquet" / "a.parquet", row_group_size=50)
    pq.write_table(pa.table({"text": [b"ship ran aground", None], "id": [1, 2]}), folder / "parquet" / "b.parquet")


def read_rows(folder: Path) -> list[str]:
    """All rows of a file or of the parts in a folder, each as JSON, sorted."""
    rows: list[Any] = []
    for path in sorted(folder.glob("part-*")) if folder.is_dir() else [folder]:
        read: Callable[[Path], Any] = {".csv": read_csv, ".jsonl": read_jsonl}.get(path.suffix, _read_parquet)
        rows += read(path)
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def _read_parquet(path: Path) -> list[Any]:
    rows: list[Any] = pq.read_table(path).to_pylist()
    return [{k: v.decode() if isinstance(v, bytes) else v for k, v in row.items()} for row in rows]


@pytest.mark.slow
@pytest.mark.usefixtures("ray_here")
@pytest.mark.parametrize(
    ("source", "target"),
    [("jsonl", "jsonl"), ("csv", "csv"), ("parquet", "parquet"), ("csv", "parquet"), ("parquet", "jsonl")],
)
def test_ray_writes_the_same_rows(batch: Batch, tmp_path: Path, source: str, target: str) -> None:
    write_inputs(tmp_path / "in")
    command = (tmp_path / "in" / source, "--to", target, "--score", "--kept")
    code, _, here = batch(command[0], tmp_path / f"here.{target}", *command[1:])
    assert code == 0, here
    code, out, err = batch(command[0], tmp_path / "out", *command[1:], *RAY)
    assert (code, out, err.count("\n")) == (0, "", 1), err
    assert _counts(err) == _counts(here)
    rows = read_rows(tmp_path / "out")
    assert rows == read_rows(tmp_path / f"here.{target}")
    assert len(rows) > 100
    assert not (tmp_path / "out" / "_run").exists()


def _counts(line: str) -> tuple[str, list[str]]:
    """How many rows there were, and how many errors of each kind."""
    return line.split(" rows")[0], sorted(line.partition("error: ")[2].strip().split(", "))


@pytest.mark.slow
@pytest.mark.usefixtures("ray_here")
def test_a_worker_that_is_killed_costs_nothing_but_time(batch: Batch, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", 6000)
    killed: list[int] = []

    def kill() -> None:
        """Kill a worker as soon as it has begun, and another one after it."""
        for _ in range(2):
            while not (workers := [pid for pid in workers_of(os.getpid()) if pid not in killed and busy(pid)]):
                time.sleep(0.01)
            os.kill(workers[0], signal.SIGKILL)
            killed.append(workers[0])

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out", *RAY, "--to", "csv")
    assert (code, len(killed)) == (0, 2), err
    assert "6,000 rows" in err
    assert batch(tmp_path / "in.csv", tmp_path / "here.csv")[0] == 0
    assert read_rows(tmp_path / "out") == read_rows(tmp_path / "here.csv")


def workers_of(pid: int) -> list[int]:
    """The actors of Ray among the processes that this one has started."""
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
        if title.startswith("ray::") and "MapWorker" in title:
            found.append(one)
    return found


def busy(pid: int) -> bool:
    """Whether an actor has been given work: then its title says so."""
    try:
        title = Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False
    return ".submit" in title


@pytest.mark.slow
@pytest.mark.usefixtures("ray_here")
def test_a_driver_that_was_stopped_resumes_after_the_last_wave(
    batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    for number in range(4):
        write_csv(tmp_path / "in" / f"{number}.csv", 30 + number)
    monkeypatch.setattr(cluster, "FIRST_WAVE_BYTES", 1)  # a wave for each file
    monkeypatch.setattr(cluster, "WAVE_SECONDS", 1e-9)
    wave, seen = cluster._wave, []

    def watched(run: Any, inputs: Any, *more: Any) -> Any:
        seen.append([one.name for one in inputs])
        if len(seen) == 3:
            (tmp_path / "out" / "part-000002-000007.csv").write_text("a half")
            raise KeyboardInterrupt
        return wave(run, inputs, *more)

    monkeypatch.setattr(cluster, "_wave", watched)
    assert batch(tmp_path / "in", tmp_path / "out", *RAY)[0] == 130
    assert len(read_rows(tmp_path / "out")) > 60
    code, _, err = batch(tmp_path / "in", tmp_path / "out", *RAY, "--words", 3)
    assert (code, "length: words=2 before, words=3 now" in err) == (1, True)
    code, _, err = batch(tmp_path / "in", tmp_path / "out", *RAY)
    assert code == 0, err
    assert "126 rows (61 done before)" in err
    assert seen == [["0.csv"], ["1.csv"], ["2.csv"], ["2.csv"], ["3.csv"]]
    assert batch(tmp_path / "in", tmp_path / "here.csv")[0] == 0
    assert read_rows(tmp_path / "out") == read_rows(tmp_path / "here.csv")
    code, _, err = batch(tmp_path / "in", tmp_path / "out", *RAY)
    assert (code, "all done before" in err) == (0, True)


@pytest.mark.slow
@pytest.mark.usefixtures("ray_here")
def test_an_error_of_a_worker_is_one_line(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text('{"text": "ship ran aground"}\n{"text": null}\n')
    code, _, err = batch(tmp_path / "in", tmp_path / "out", *RAY, "--strict")
    assert (code, err) == (1, f"tersely: {tmp_path / 'in' / 'a.jsonl'}, row 2: the cell is null\n")
    (tmp_path / "in" / "b.jsonl.gz").write_bytes(gzip.compress(b'{"text": "ship ran aground"}\n' * 99)[:-9])
    code, _, err = batch(tmp_path / "in", tmp_path / "other", *RAY)
    assert (code, err.count("\n")) == (1, 1), err
    assert f"cannot read {tmp_path / 'in' / 'b.jsonl.gz'}: Compressed file ended" in err


@pytest.mark.slow
@pytest.mark.usefixtures("ray_here")
def test_a_bundle_that_a_worker_does_not_find_is_one_line(
    quick_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_csv(tmp_path / "in.csv", 5)
    shutil.copytree(quick_bundle, tmp_path / "bundle")
    made = Summarizer.load(tmp_path / "bundle")
    wave = cluster._wave

    def without(*args: Any) -> Any:
        shutil.rmtree(tmp_path / "bundle")
        return wave(*args)

    monkeypatch.setattr(cluster, "_wave", without)
    job = Job(Options.of(words=2), workers=2)
    with pytest.raises(BundleError, match=r"^no bundle at .*: there is no such folder$"):
        cluster.run(job, str(tmp_path / "in.csv"), str(tmp_path / "out"), (None, None), None, made)


ERRORS: list[tuple[list[object], str]] = [
    (["in", "in/short"], "in/short is in in, which is read: give another OUT"),
    (["in", "full"], "full has precious.txt already: give another OUT, or --restart to replace parts"),
    (["in", "out", "--column", "body"], "in/a.csv: there is no column 'body'"),
    (["in", "out", "--to", "txt", "--score"], "txt has a line for the summary and no columns"),
    (["in", "out", "--workers", 0], "workers must be a whole number of at least 1, not 0"),
    (["-", "out"], "Ray reads and writes files: - works only"),
    (["in", "no/such/out"], "no such folder: "),
    (["in", "out", "--address", "127.0.0.1:9"], "cannot reach Ray at 127.0.0.1:9: "),
]


@pytest.mark.parametrize(("arguments", "message"), ERRORS, ids=[message for _, message in ERRORS])
def test_errors_before_any_work(
    batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[object], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    for name in ("in", "full"):
        (tmp_path / name).mkdir()
    write_csv(tmp_path / "in" / "a.csv", 3)
    (tmp_path / "full" / "precious.txt").write_text("")
    code, out, err = batch(*arguments, "--engine", "ray")
    assert (code, out, err.count("\n")) == (1, "", 1), err
    assert message in err


def test_an_address_is_for_ray(batch: Batch, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", 3)
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv", "--address", "auto")
    assert (code, err) == (1, "tersely: --address is for a Ray cluster: add --engine ray\n")
