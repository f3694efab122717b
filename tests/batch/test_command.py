"""`tersely batch`: exit codes, encodings, delimiters, fields inside others, several inputs, SIGTERM."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from batch_toys import Batch, read_csv, read_jsonl, write_csv, write_jsonl

from tersely.system import progress


@pytest.mark.parametrize(
    ("texts", "code"), [([], 0), (["ship ran"], 0), (["ship ran", ""], 1), (["", None], 2)], ids=str
)
def test_the_exit_code_says_whether_rows_failed(batch: Batch, tmp_path: Path, texts: list[str], code: int) -> None:
    write_jsonl(tmp_path / "in.jsonl", [{"text": text} for text in texts])
    assert batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl")[0] == code
    assert batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl")[0] == code  # all done before
    assert batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl", "--errors-ok")[0] == 0


@pytest.mark.parametrize("name", ["in.jsonl", "in.csv", "in.parquet"])
def test_a_column_that_no_row_has(batch: Batch, tmp_path: Path, name: str) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": "ship ran aground", "id": 1}\n')
    batch(tmp_path / "in.jsonl", tmp_path / "in.csv", "--prefix", "old_")
    batch(tmp_path / "in.jsonl", tmp_path / "in.parquet", "--prefix", "old_")
    code, _, err = batch(tmp_path / name, tmp_path / "out.csv", "--column", "body")
    assert (code, err.count("\n"), "'body'" in err) == (2, 1, True)


def test_an_encoding_is_read_and_written(batch: Batch, tmp_path: Path) -> None:
    content = "text,n\nZoë’s ship aground,é\nport paid early,\x81\n".encode("cp1252", "ignore") + b"port paid,\x81\n"
    (tmp_path / "in.csv").write_bytes(content)
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "bad.csv")
    assert (code, "--encoding cp1252" in read_csv_error(tmp_path / "bad.csv")) == (1, True), err
    rows = (tmp_path / "bad.csv").read_bytes().splitlines()
    assert rows[1].startswith("Zoë’s ship aground,é,".encode("cp1252"))  # no byte of the row has changed
    assert batch(tmp_path / "in.csv", tmp_path / "out.csv", "--encoding", "windows-1252")[0] == 1
    rows = (tmp_path / "out.csv").read_bytes().splitlines()
    assert rows[1] == "Zoë’s ship aground,é,Zoë’s ship,".encode("cp1252")
    assert rows[3].startswith(b"port paid,\x81,")
    assert batch(tmp_path / "in.csv", tmp_path / "out.jsonl", "--encoding", "cp1252")[0] == 1
    assert json.loads((tmp_path / "out.jsonl").read_bytes().splitlines()[0])["summary"] == "Zoë’s ship"


def read_csv_error(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()[1].partition("not valid")[2]


def test_utf_16(batch: Batch, tmp_path: Path) -> None:
    for codec in ("utf-16", "utf-16-le"):
        (tmp_path / "in.csv").write_text("text,n\nZoë ran aground,1\nship ran aground,2\n", encoding=codec)
        code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv")
        assert (code, err.count("\n"), "--encoding utf-16" in err) == (1, 1, True)
        assert batch(tmp_path / "in.csv", tmp_path / "out.csv", "--encoding", codec, "--restart")[0] == 0
        out = (tmp_path / "out.csv").read_bytes().decode(codec)
        assert out == "text,n,summary,error\nZoë ran aground,1,Zoë ran,\nship ran aground,2,ship ran,\n"
        (tmp_path / "out.csv").unlink()
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv", "--encoding", "latin-99")
    assert (code, "latin-99" in err) == (1, True)


def test_a_delimiter(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id;text\n1;ship ran aground\n")
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv")
    assert (code, "--delimiter ';'" in err) == (2, True)
    assert batch(tmp_path / "in.csv", tmp_path / "out.csv", "--delimiter", ";")[0] == 0
    assert (tmp_path / "out.csv").read_text() == "id;text;summary;error\n1;ship ran aground;ship ran;\n"
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv", "--delimiter", ";;")
    assert (code, "';;'" in err) == (1, True)


def test_a_field_inside_another(batch: Batch, tmp_path: Path) -> None:
    rows = [{"doc": {"body": "ship ran aground"}, "n": 1}, {"doc": {"body": None}}, {"doc": None}]
    write_jsonl(tmp_path / "in.jsonl", rows)
    for name in ("out.jsonl", "out.parquet"):
        assert batch(tmp_path / "in.jsonl", tmp_path / name, "--column", "doc.body")[0] == 1
    assert [row["summary"] for row in read_jsonl(tmp_path / "out.jsonl")] == ["ship ran", None, None]
    options = ("--column", "doc.body", "--prefix", "new_")
    assert batch(tmp_path / "out.parquet", tmp_path / "again.parquet", *options)[0] == 1
    table = pq.read_table(tmp_path / "again.parquet")
    assert table["new_summary"].to_pylist() == table["summary"].to_pylist() == ["ship ran", None, None]
    assert table["doc"].to_pylist()[0] == {"body": "ship ran aground"}


def test_a_pattern_that_the_shell_has_expanded(batch: Batch, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        write_csv(tmp_path / name, 3)
    assert batch(tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "out")[0] == 0
    assert [len(read_csv(tmp_path / "out" / name)) for name in ("a.csv", "b.csv")] == [3, 3]
    assert batch(tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "all.csv")[0] == 0
    assert len(read_csv(tmp_path / "all.csv")) == 6
    assert batch(tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "all.csv", "--restart")[0] == 0
    write_csv(tmp_path / "c.csv", 3)
    for options in ((), ("--restart",)):  # OUT was forgotten, and the last input is not overwritten
        assert batch(tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "c.csv", *options)[0] == 1
    assert "summary" not in (tmp_path / "c.csv").read_text()


def test_stdin_needs_a_format(batch: Batch) -> None:
    code, out, err = batch("-", "-", stdin=b"ship ran aground\n")
    assert (code, out, err.count("\n"), "--from" in err) == (1, "", 1, True)


def test_the_index_of_pandas_survives(batch: Batch, tmp_path: Path) -> None:
    frame = pd.DataFrame({"text": ["ship ran aground", "port paid early"]}, index=pd.Index(["x", "y"], name="key"))
    frame.to_parquet(tmp_path / "in.parquet")
    assert batch(tmp_path / "in.parquet", tmp_path / "out.parquet")[0] == 0
    made = pd.read_parquet(tmp_path / "out.parquet")
    assert (made.index.name, list(made.index), list(made.summary)) == ("key", ["x", "y"], ["ship ran", "port paid"])


def test_a_log_has_rows_rate_and_time_left(batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_csv(tmp_path / "in.csv", 50)
    run = batch  # the fixture has switched the lines off
    monkeypatch.setattr(progress, "LOG_INTERVAL", 0.0)
    lines = run(tmp_path / "in.csv", tmp_path / "out.csv")[2].splitlines()
    assert " of 50, " in lines[0]
    assert lines[0].endswith(" left")


def test_sigterm_saves_and_says_how_to_go_on(quick_bundle: Path, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", 20_000)
    options = ["--bundle", str(quick_bundle), "--words", "2", "--workers", "2", "--save-every", "0"]
    command = [sys.executable, "-m", "tersely", "batch", str(tmp_path / "in.csv"), str(tmp_path / "out.csv"), *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not list(tmp_path.glob("out.csv.run/000000-*")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate()
    assert (process.returncode, err.count("\n"), "same command" in err) == (143, 1, True)


def test_the_report_counts_warnings(batch: Batch, tmp_path: Path) -> None:
    texts = ["ship ran aground", "Ship ran aground. No casualties.", "Die Fischer fanden heute nichts im Netz"]
    write_jsonl(tmp_path / "in.jsonl", [{"text": text} for text in texts])
    code, _, err = batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl")
    assert (code, "2 warnings" in err, "1 several sentences" in err, "1 more than half" in err) == (0, True, True, True)
    assert "warnings" not in json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])


@pytest.mark.parametrize("name", ["out.txt", "out.tsv", "out.csv"])
def test_each_sentence_by_itself(batch: Batch, tmp_path: Path, name: str) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": "Ship ran aground. No casualties there."}\n{"text": "port"}\n')
    assert batch(tmp_path / "in.jsonl", tmp_path / name, "--split")[0] == 0
    lines = (tmp_path / name).read_text().splitlines()
    assert len(lines) == {"out.txt": 2, "out.tsv": 4, "out.csv": 4}[name]
    code, _, _ = batch(tmp_path / "in.jsonl", tmp_path / f"lead{name}", "--lead")
    assert code == 0
