"""A stopped run is resumed to the same bytes; a changed input or option is an error; nothing is done twice."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from batch_toys import OFTEN, AtText, Batch, Stopped, read_csv, write_csv

from tersely.batch import stores
from tersely.batch.journal import Journal
from tersely.batch.storage import LocalFiles


class Stop(BaseException):
    pass


@pytest.mark.parametrize("file_type", ["csv", "jsonl.gz", "parquet", "txt.zst", "folder"])
def test_resumed_to_the_same_bytes(batch: Batch, stopped: Stopped, tmp_path: Path, file_type: str) -> None:
    (tmp_path / "in").mkdir()
    for name, rows in (("a.csv", 120), ("b.csv", 0), ("c.csv", 150)):
        write_csv(tmp_path / "in" / name, rows)
    whole, out = (
        tmp_path / f"{name}.{file_type}" if file_type != "folder" else tmp_path / name for name in ("whole", "out")
    )
    assert batch(tmp_path / "in", whole, *OFTEN)[0] == 0
    for _ in range(4):
        stopped(33, tmp_path / "in", out)
    code, _, err = batch(tmp_path / "in", out, *OFTEN)
    assert code == 0
    assert " done before)" in err
    files = [whole] if whole.is_file() else sorted(whole.rglob("*.csv"))
    for path in files:
        again = out if whole.is_file() else out / path.relative_to(whole)
        assert again.read_bytes() == path.read_bytes()
    assert len(files) == (3 if file_type == "folder" else 1)
    assert not list(tmp_path.rglob("*run"))


def test_the_header_is_that_of_the_first_run(batch: Batch, stopped: Stopped, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("text,n\n" + "ship ran aground,1\n" * 10)
    (tmp_path / "in" / "b.csv").write_text("n,text\n" + "".join(f"2,port {number} paid\n" for number in range(20)))
    assert batch(tmp_path / "in", tmp_path / "whole.csv")[0] == 0
    stopped(15, tmp_path / "in", tmp_path / "out.csv")
    code, _, err = batch(tmp_path / "in", tmp_path / "out.csv")
    assert (code, " done before)" in err) == (0, True)
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_every_moment_of_a_kill_can_be_resumed(batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill between any two changes on the disk: each of them fails once, and the run is resumed."""
    write_csv(tmp_path / "in.csv", 60)
    assert batch(tmp_path / "in.csv", tmp_path / "whole.csv")[0] == 0
    for name in ("replace", "fsync"):
        for moment in range(40):
            out, left = tmp_path / f"{name}-{moment}.csv", [moment]
            real = getattr(os, name)

            def killed(*args, real=real, left=left):  # type: ignore[no-untyped-def]
                left[0] -= 1
                if left[0] == -1:
                    raise Stop
                return real(*args)

            with monkeypatch.context() as patch:
                patch.setattr(os, name, killed)
                patch.setattr(stores.FileStore, "flush", _flush_unless_killed(left))
                with contextlib.suppress(Stop):
                    batch(tmp_path / "in.csv", out, *OFTEN)
            assert batch(tmp_path / "in.csv", out, *OFTEN)[0] == 0
            assert out.read_bytes() == (tmp_path / "whole.csv").read_bytes()
            assert not Path(f"{out}.run").exists()
            if left[0] >= 0:
                break  # the run was over before that moment
        assert moment > 3


def test_a_folder_that_a_kill_left_empty_is_deleted(batch: Batch, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", 5)
    assert batch(tmp_path / "in.csv", tmp_path / "out.csv")[0] == 0
    (tmp_path / "out.csv.run").mkdir()
    assert batch(tmp_path / "in.csv", tmp_path / "out.csv")[0] == 0
    assert not (tmp_path / "out.csv.run").exists()


def _flush_unless_killed(left: list[int]):  # type: ignore[no-untyped-def]
    real = stores.FileStore.flush
    return lambda self: None if left[0] < 0 else real(self)  # a process that was killed does not tidy up


def test_a_finished_run_is_not_done_twice(batch: Batch, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", 20)
    assert batch(tmp_path / "in.csv", tmp_path / "out.csv")[0] == 0
    before = (tmp_path / "out.csv").read_bytes()
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv")
    assert (code, err) == (0, "tersely: 20 rows, all done before: nothing left to do\n")
    assert (tmp_path / "out.csv").read_bytes() == before
    (tmp_path / "out.csv").write_bytes(before[:-1])
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv")
    assert code == 1
    assert "was complete, but is gone or has changed: use --restart" in err


CHANGES: list[tuple[list[object], str]] = [
    (["--words", 3], "length: words=2 before, words=3 now"),
    (["--seed", 1], "seed: 0 before, 1 now"),
    (["--drop", "ship"], "drop: none before, ship now"),
    (["--n-best", 2], "n_best: 1 before, 2 now"),
    (["--score"], "new columns: summary, error before, summary, score, error now"),
    (["--column", "note"], "column: text before, note now"),
    (["--objective", "paper"], "objective: headline(position:1"),
]


@pytest.mark.parametrize(("options", "message"), CHANGES, ids=[message for _, message in CHANGES])
@pytest.mark.parametrize("finished", [True, False])
def test_a_changed_option_is_an_error(
    batch: Batch, at_text: AtText, tmp_path: Path, options: list[object], message: str, finished: bool
) -> None:
    write_csv(tmp_path / "in.csv", 50)
    with at_text(99 if finished else 20):
        batch(tmp_path / "in.csv", tmp_path / "out.csv")
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv", *options)
    assert code == 1
    assert message in err
    assert err.count("\n") == 1
    assert batch(tmp_path / "in.csv", tmp_path / "out.csv", *options, "--restart")[0] == 0


@pytest.mark.parametrize("change", ["start", "end", "longer", "same size, same time"])
def test_a_changed_input_is_an_error(batch: Batch, stopped: Stopped, tmp_path: Path, change: str) -> None:
    path = write_csv(tmp_path / "in.csv", 50)
    before, time = path.read_bytes(), path.stat().st_mtime_ns
    stopped(20, path, tmp_path / "out.csv")
    changed = {
        "start": before.replace(b'note, 1"', b'note. 1"'),
        "end": before.replace(b"note, 49", b"note. 49"),
        "longer": before + b"50,ship ran aground,x\n",
        "same size, same time": before.replace(b'aground,"note, 30', b'agrounb,"note, 30'),
    }[change]
    assert changed != before
    path.write_bytes(changed)
    os.utime(path, ns=(time, time))
    code, _, err = batch(path, tmp_path / "out.csv")
    assert (code, err.count("\n")) == (1, 1)
    assert "holds an unfinished run of another command (input in.csv has changed): " in err
    path.write_bytes(before)  # with another time, but the same content
    assert batch(path, tmp_path / "out.csv")[0] == 0


def test_a_folder_with_more_or_fewer_files_is_an_error(batch: Batch, stopped: Stopped, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a.csv", "b.csv"):
        write_csv(tmp_path / "in" / name, 30)
    stopped(10, tmp_path / "in", tmp_path / "out")
    write_csv(tmp_path / "in" / "c.csv", 3)
    assert "(input c.csv is new)" in batch(tmp_path / "in", tmp_path / "out")[2]
    (tmp_path / "in" / "c.csv").unlink()
    (tmp_path / "in" / "b.csv").unlink()
    assert "(input b.csv is gone)" in batch(tmp_path / "in", tmp_path / "out")[2]


def test_an_existing_file_is_not_overwritten(batch: Batch, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", 5)
    (tmp_path / "out.csv").write_text("precious")
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv")
    assert (code, (tmp_path / "out.csv").read_text()) == (1, "precious")
    assert "exists already: give another OUT, or --restart to replace it" in err
    assert batch(tmp_path / "in.csv", tmp_path / "out.csv", "--restart")[0] == 0
    assert len(read_csv(tmp_path / "out.csv")) == 5


def test_stdin_is_resumed_if_it_begins_alike(batch: Batch, stopped: Stopped, tmp_path: Path) -> None:
    content = write_csv(tmp_path / "in.csv", 60).read_bytes()
    assert batch("-", tmp_path / "whole.csv", *OFTEN, "--from", "csv", stdin=content)[0] == 0
    stopped(30, "-", tmp_path / "out.csv", "--from", "csv", stdin=content)
    for other in (content.replace(b"note, 3", b"note. 3"), content[:300], content.replace(b"text,note", b"text,nose")):
        code, _, err = batch("-", tmp_path / "out.csv", *OFTEN, "--from", "csv", stdin=other)
        assert (code, err.count("\n")) == (1, 1)
        assert "stdin does not start with the rows that are done" in err
    assert batch("-", tmp_path / "out.csv", *OFTEN, "--from", "csv", stdin=content)[0] == 0
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_two_processes_do_not_write_the_same(batch: Batch, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", 5)
    with Journal(LocalFiles(), f"{tmp_path}/out.csv.run"):
        code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv")
    assert code == 1
    assert "another process uses" in err
