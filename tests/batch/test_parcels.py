"""What the machines of a cluster do, without one: rows become parcels, parcels are shortened, and parts are written."""

from __future__ import annotations

import gzip
import json
import pickle
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from batch_toys import read_csv, sentence, write_csv

pytest.importorskip("ray")
from tersely.batch import cluster
from tersely.batch.anywhere import Folder, find_anywhere
from tersely.batch.job import Job
from tersely.batch.parcels import Reading, Shortening, Target, Writing, Written, parcels
from tersely.batch.places import Form
from tersely.batch.text_formats import Dialect
from tersely.errors import FileError, InputError, WorkerLost
from tersely.options import Options
from tersely.summarizer import Summarizer

JOB = Job(Options.of(words=2))


def shortened(bundle: Path, source: Path, target: Target, job: Job = JOB, rows: int = 16) -> list[pa.Table]:
    (one,) = find_anywhere(str(source))
    worker = Shortening(pickle.dumps(Summarizer.load(bundle)), job, target)
    return [pa.table(worker(table.to_pydict())) for table in parcels(one, Dialect(), rows)]


def test_rows_go_through(quick_bundle: Path, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", 40)
    target = Target(Form("csv", ".gz"), ["id", "text", "note"])
    done = shortened(quick_bundle, tmp_path / "in.csv", target)
    assert [table["rows"][0].as_py() for table in done] == [16, 16, 8]
    writing = Writing(Folder(str(tmp_path / "out")), JOB, target, wave=3, rows=16)
    written = writing.write(done, SimpleNamespace(task_idx=5))
    assert written is not None
    assert (written.name, written.rows, written.errors) == ("part-000003-000005.csv.gz", 40, {})
    assert (tmp_path / "out" / written.name).stat().st_size == written.bytes
    (tmp_path / "out.csv").write_bytes(gzip.decompress((tmp_path / "out" / written.name).read_bytes()))
    rows = read_csv(tmp_path / "out.csv")
    assert [(row["id"], row["summary"]) for row in rows] == [
        (str(number), " ".join(sentence(number).split()[:2])) for number in range(40)
    ]
    assert writing.write([], SimpleNamespace(task_idx=6)) is None


def test_equal_texts_are_shortened_once_and_errors_counted(
    quick_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    attempt = Summarizer.attempt
    monkeypatch.setattr(
        Summarizer, "attempt", lambda self, text, options: asked.append(text) or attempt(self, text, options)
    )
    texts = ["ship ran aground", None, "port paid early", "ship ran aground", ""]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    done = shortened(quick_bundle, tmp_path / "in.jsonl", Target(Form("jsonl"), ["text"]), rows=2)
    assert asked == ["ship ran aground", "port paid early", ""]
    assert [json.loads(table["errors"][0].as_py()) for table in done] == [
        {"the cell is null": 1}, {}, {"the text is empty": 1}
    ]  # fmt: skip


def test_strict_names_the_row(quick_bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("ship ran aground\n\n")
    with pytest.raises(InputError, match=r"in.txt, row 2: the text is empty"):
        shortened(quick_bundle, tmp_path / "in.txt", Target(Form("txt"), ["text"]), Job(JOB.options, strict=True))


def test_there_is_a_task_for_each_file(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        write_csv(tmp_path / name, 20)
    reading = Reading(find_anywhere(str(tmp_path)), Dialect(), 8)
    tasks = reading.get_read_tasks(100)
    assert [sum(1 for _ in task()) for task in tasks] == [3, 3]
    assert reading.estimate_inmemory_data_size() == sum(path.stat().st_size for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("raised", "kind", "message"),
    [
        ("Traceback\ntersely.errors.InputError: in.csv, row 3: no\n\nmore\nhelp", InputError, "in.csv, row 3: no"),
        ("Traceback\ntersely.errors.FileError: cannot read a.csv: gone", FileError, "cannot read a.csv: gone"),
        ("something\nfell over", WorkerLost, "the work on Ray failed: fell over"),
        ("", WorkerLost, "the work on Ray failed: RuntimeError"),
    ],
)
def test_what_a_worker_raised_is_raised_here(raised: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught, cluster._errors_told():
        raise RuntimeError(raised)
    assert str(caught.value) == message


def test_a_part_that_the_others_do_not_see_is_told(
    quick_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_csv(tmp_path / "in.csv", 3)

    class Elsewhere:
        """A dataset whose parts are written to the disk of another machine."""

        def map_batches(self, *args: Any, **kwargs: Any) -> Elsewhere:
            return self

        def write_datasink(self, sink: Writing, **kwargs: Any) -> None:
            sink.on_write_complete(SimpleNamespace(write_returns=[None, Written("part-1", 9, 3, Counter())]))

    monkeypatch.setattr(cluster.ray.data, "read_datasource", lambda *args, **kwargs: Elsewhere())
    folder = Folder(str(tmp_path / "out"))
    with pytest.raises(FileError, match="OUT has to be a place that they share"):
        cluster._wave(JOB, find_anywhere(str(tmp_path / "in.csv")), Target(Form("csv"), []), folder, 1, b"", 0)
