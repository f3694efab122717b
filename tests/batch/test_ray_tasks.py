"""What the machines of a cluster do, without a cluster: blocks are read and shortened, and parts are written."""

from __future__ import annotations

import gzip
import json
import pickle
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from batch_toys import read_csv, sentence, write_csv

pytest.importorskip("ray")
from tersely.batch import cluster, ray_tasks
from tersely.batch.formats import FileType
from tersely.batch.job import Job
from tersely.batch.ray_tasks import BlockSource, BlockSummarizer, PartSink, RayRun, WrittenPart, read_blocks
from tersely.batch.remote_files import RemoteFolder, find_remote
from tersely.batch.row_blocks import TableSettings
from tersely.errors import FileError, InputError, WorkerLost
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer

JOB = Job(Options.of(words=2))


@pytest.fixture
def ray_run(quick_bundle: Path, tmp_path: Path) -> RayRun:
    folder, summarizer = RemoteFolder(str(tmp_path / "out")), pickle.dumps(Summarizer.load(quick_bundle))
    return RayRun(JOB, FileType("jsonl"), ["text"], folder, 1, summarizer)


def summarized(run: RayRun, source: Path, rows: int = 16) -> list[pa.Table]:
    (one,) = find_remote(str(source))
    worker = BlockSummarizer(run)
    return [pa.table(worker(table.to_pydict())) for table in read_blocks(one, TableSettings(), rows)]


def test_rows_go_through(ray_run: RayRun, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", 40)
    run = replace(ray_run, file_type=FileType("csv", ".gz"), columns=["id", "text", "note"])
    done = summarized(run, tmp_path / "in.csv")
    assert [table["rows"][0].as_py() for table in done] == [16, 16, 8]
    sink = PartSink(run, wave=3)
    written = sink.write(done, SimpleNamespace(task_idx=5))
    assert written is not None
    assert (written.name, written.rows, written.errors) == ("part-000003-000005.csv.gz", 40, {})
    assert (tmp_path / "out" / written.name).stat().st_size == written.bytes
    (tmp_path / "out.csv").write_bytes(gzip.decompress((tmp_path / "out" / written.name).read_bytes()))
    rows = read_csv(tmp_path / "out.csv")
    assert [(row["id"], row["summary"]) for row in rows] == [
        (str(number), " ".join(sentence(number).split()[:2])) for number in range(40)
    ]
    assert sink.write([], SimpleNamespace(task_idx=6)) is None


def test_equal_texts_are_shortened_once_and_errors_counted(
    ray_run: RayRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortened: list[str] = []
    attempt = Summarizer.attempt
    monkeypatch.setattr(
        Summarizer, "attempt", lambda self, text, options: shortened.append(text) or attempt(self, text, options)
    )
    texts = ["ship ran aground", None, "port paid early", "ship ran aground", ""]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    done = summarized(ray_run, tmp_path / "in.jsonl", rows=2)
    assert shortened == ["ship ran aground", "port paid early", ""]
    assert [json.loads(table["errors"][0].as_py()) for table in done] == [
        {"the cell is null": 1}, {}, {"the text is empty": 1}
    ]  # fmt: skip


def test_strict_names_the_row(ray_run: RayRun, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("ship ran aground\n\n")
    with pytest.raises(InputError, match=r"in.txt, row 2: the text is empty"):
        summarized(replace(ray_run, job=Job(JOB.options, strict=True)), tmp_path / "in.txt")


def test_there_is_a_task_for_each_file(ray_run: RayRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_tasks, "BLOCK_ROWS", 8)
    for name in ("a.csv", "b.csv"):
        write_csv(tmp_path / name, 20)
    source = BlockSource(ray_run, find_remote(str(tmp_path)))
    tasks = source.get_read_tasks(100)
    assert [sum(1 for _ in task()) for task in tasks] == [3, 3]
    assert source.estimate_inmemory_data_size() == sum(path.stat().st_size for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("raised", "kind", "message"),
    [
        ("Traceback\ntersely.errors.InputError: in.csv, row 3: no\n\nmore\nhelp", InputError, "in.csv, row 3: no"),
        ("Traceback\ntersely.errors.FileError: cannot read a.csv: gone", FileError, "cannot read a.csv: gone"),
        ("something\nfell over", WorkerLost, "the work on Ray failed: fell over"),
        ("", WorkerLost, "the work on Ray failed: RuntimeError"),
    ],
)
def test_an_error_of_a_worker_is_raised(raised: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught, cluster._worker_errors():
        raise RuntimeError(raised)
    assert str(caught.value) == message


def test_a_part_on_another_machine_is_an_error(
    ray_run: RayRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_csv(tmp_path / "in.csv", 3)

    class Elsewhere:
        """A dataset whose parts are written to the disk of another machine."""

        def map_batches(self, *args: Any, **kwargs: Any) -> Elsewhere:
            return self

        def write_datasink(self, sink: PartSink, **kwargs: Any) -> None:
            sink.on_write_complete(SimpleNamespace(write_returns=[None, WrittenPart("part-1", 9, 3, Counter())]))

    monkeypatch.setattr(cluster.ray.data, "read_datasource", lambda *args, **kwargs: Elsewhere())
    with pytest.raises(FileError, match="all machines share"):
        cluster._wave(ray_run, find_remote(str(tmp_path / "in.csv")), 0)
