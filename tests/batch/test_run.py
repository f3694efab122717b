"""`tersely batch` on this machine: every row once, in order, resumed to the same bytes; errors."""

from __future__ import annotations

import gzip
import json
from concurrent.futures import Future
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from batch_toys import Batch, read_csv, read_jsonl, sentence, write_csv, write_jsonl

from tersely.batch import pipeline
from tersely.batch.engines import Engine
from tersely.summary.summarizer import Summarizer


def first_two(number: int) -> str:
    return " ".join(sentence(number).split()[:2])


def test_rows_columns_and_order_are_kept(batch: Batch, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", 300)
    code, out, err = batch(tmp_path / "in.csv", tmp_path / "out.csv")
    assert (code, out) == (0, "")
    assert err.startswith("tersely: 300 rows, ")
    rows = read_csv(tmp_path / "out.csv")
    assert list(rows[0]) == ["id", "text", "note", "summary", "error"]
    assert [row["id"] for row in rows] == [str(number) for number in range(300)]
    assert rows[7] == {"id": "7", "text": sentence(7), "note": "note, 7", "summary": first_two(7), "error": ""}
    assert all(row["summary"] == first_two(number) for number, row in enumerate(rows))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.csv", "out.csv.manifest.json"]


def test_workers_write_the_same(batch: Batch, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", 200)
    for workers in (1, 2):
        options = ("--score", "--kept", "--n-best", 2)
        assert batch(tmp_path / "in.csv", tmp_path / f"{workers}.csv", "--workers", workers, *options)[0] == 0
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()
    row = read_csv(tmp_path / "1.csv")[3]
    assert list(row)[3:] == ["summary", "score", "kept", "others", "error"]
    assert (row["kept"], len(json.loads(row["others"]))) == ("[0, 1]", 1)


TYPES = ["txt", "csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.zst", "txt.xz"]


@pytest.mark.parametrize(
    ("source", "target"),
    [*((form, "jsonl") for form in TYPES), *(("jsonl", form) for form in TYPES), ("parquet", "csv")],
)
def test_every_format_to_every_format(batch: Batch, tmp_path: Path, source: str, target: str) -> None:
    texts = [sentence(1), "", "Zoë’s ship, “aground”\tearly"]
    write_jsonl(tmp_path / "in.jsonl", [{"text": text, "n": 1} for text in texts])
    made, out = tmp_path / f"made.{source}", tmp_path / f"out.{target}"
    (tmp_path / "in.txt").write_text("\n".join(texts), encoding="utf-8")
    start = tmp_path / ("in.txt" if source.startswith("txt") else "in.jsonl")
    assert batch(start, made, *([] if source.startswith("txt") else ["--prefix", "first_"]))[0] == 1  # one bad row
    if source.startswith("txt"):  # what was written are summaries
        texts = [" ".join(text.replace("“", "").split()[:2]).rstrip(",") for text in texts]
    code, _, err = batch(made, out)
    assert (code, err.partition(";")[2]) == (1, " 1 with an error: 1 the text is empty\n")
    assert batch(out, tmp_path / "shown.jsonl", "--words", 9, *_other(target), "--errors-ok")[0] == 0
    rows = read_jsonl(tmp_path / "shown.jsonl")
    if target.startswith("txt"):
        assert [row["text"] for row in rows][:2] == [" ".join(texts[0].split()[:2]), ""]
    else:
        assert [row["text"] for row in rows] == texts
        assert [row["summary"] or "" for row in rows][:2] == [" ".join(texts[0].split()[:2]), ""]


def _other(target: str) -> list[str]:
    return [] if target.startswith("txt") else ["--prefix", "then_"]


BAD = [
    {"text": "ship ran aground", "id": 0}, {"text": "", "id": 1}, {"text": None, "id": 2}, {"text": 7, "id": 3},
    {"id": 4}, {"text": "...", "id": 5}, {"text": "a " * 1001, "id": 6}, {"text": "x" * 100_001, "id": 7},
    {"text": "ship ran early", "id": 8},
]  # fmt: skip


def test_a_bad_row_is_a_row_with_an_error(batch: Batch, tmp_path: Path) -> None:
    lines = [json.dumps(row).encode() for row in BAD]
    (tmp_path / "in.jsonl").write_bytes(b"\n".join([*lines, b'{"text": "b\xffd", "id": 9}', b"{no json"]))
    code, _, err = batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl")
    rows = read_jsonl(tmp_path / "out.jsonl")
    assert code == 1
    assert [row.get("id") for row in rows] == [*range(10), None]
    assert [row["text"] for row in rows[9:]] == ["b\udcffd", "{no json"]  # as they were
    assert [row["summary"] for row in rows] == ["ship ran", *[None] * 7, "ship ran", None, None]
    assert [str(row["error"])[:24] for row in rows] == [
        "None", "the text is empty", "the cell is null", "the cell has type int: e", "the row has no 'text': i",
        "the text has no words, o", "the text has 1,001 words", "the text has 100,001 cha", "None",
        "not valid UTF-8 (byte 12", "the line is not JSON",
    ]  # fmt: skip
    assert "; 9 with an error: 1 the text is empty, 1 the cell is null, " in err


def test_strict_stops_at_the_first_and_keeps_what_is_done(batch: Batch, tmp_path: Path) -> None:
    rows = [*({"text": sentence(number)} for number in range(40)), {"text": None}, {"text": ""}]
    write_jsonl(tmp_path / "in.jsonl", rows)
    code, _, err = batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl", "--strict")
    assert (code, err) == (1, f"tersely: {tmp_path / 'in.jsonl'}, row 41: the cell is null\n")
    assert not (tmp_path / "out.jsonl").exists()
    code, _, err = batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl")  # without --strict it resumes from there
    assert code == 1
    done = int(err.split("(")[1].split()[0])
    assert 20 <= done <= 40
    assert len(read_jsonl(tmp_path / "out.jsonl")) == 42


def watch(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that a run shortens."""
    shortened: list[str] = []
    attempt = Summarizer.attempt
    monkeypatch.setattr(
        Summarizer, "attempt", lambda self, text, options: shortened.append(text) or attempt(self, text, options)
    )
    return shortened


def test_equal_texts_are_shortened_once(batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shortened = watch(monkeypatch)
    (tmp_path / "in.txt").write_text("".join(f"{sentence(number % 7)}\n" for number in range(500)))
    assert batch(tmp_path / "in.txt", tmp_path / "out.txt")[0] == 0
    assert shortened == [sentence(number) for number in range(7)]
    assert (tmp_path / "out.txt").read_text().splitlines() == [first_two(number % 7) for number in range(500)]


def test_only_the_last_texts_are_remembered(batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "CACHE_SIZE", 2)
    shortened = watch(monkeypatch)
    (tmp_path / "in.txt").write_text("".join(f"{sentence(number)}\n" for number in (0, 0, 1, 0, 2, 0, 1)))
    assert batch(tmp_path / "in.txt", tmp_path / "out.txt")[0] == 0
    assert shortened == [sentence(number) for number in (0, 1, 2, 1)]  # 1 was the oldest when 2 came


def test_a_block_takes_about_half_a_second() -> None:
    engine = Engine(lambda texts: Future())
    for _ in range(10):
        engine.adapt(engine.block_rows, engine.block_rows * 0.001)
    assert engine.block_rows == engine.max_block_rows
    for texts, seconds, rows in ((10, 2.0, 2), (2, 5.0, 1), (0, 0.0, 1)):
        engine.adapt(texts, seconds)
        assert engine.block_rows == rows


# Columns, streams and errors


def test_an_existing_column_is_an_error_and_a_prefix_helps(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("text,summary\nship ran aground,by hand\n")
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv")
    assert code == 1
    assert "has a column 'summary' already: --prefix short_ calls the new one short_summary" in err
    assert batch(tmp_path / "in.csv", tmp_path / "out.csv", "--prefix", "short_")[0] == 0
    assert read_csv(tmp_path / "out.csv") == [
        {"text": "ship ran aground", "summary": "by hand", "short_summary": "ship ran", "short_error": ""}
    ]
    assert batch(tmp_path / "in.csv", tmp_path / "out.txt")[0] == 0  # there it is not in the way


def test_an_existing_column_in_a_later_row(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": "ship ran aground"}\n{"text": "ship", "error": "mine"}\n')
    for name in ("out.jsonl", "out.parquet"):
        code, _, err = batch(tmp_path / "in.jsonl", tmp_path / name)
        assert code == 1
        assert "has a column 'error' already" in err


def test_files_with_other_columns(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("text,n\nship ran aground,1\n")
    (tmp_path / "in" / "b.csv").write_text("n,text\n2,port ran aground\n")  # another order is none
    assert batch(tmp_path / "in", tmp_path / "ab.csv")[0] == 0
    assert [row["n"] for row in read_csv(tmp_path / "ab.csv")] == ["1", "2"]
    (tmp_path / "in" / "c.csv").write_text("text,m\nship ran aground,1\n")
    code, _, err = batch(tmp_path / "in", tmp_path / "out.csv")
    assert code == 1
    assert "has a column 'm' that the header lacks: write jsonl, parquet, or to a folder" in err
    assert batch(tmp_path / "in", tmp_path / "out.jsonl")[0] == 0
    assert [sorted(row) for row in read_jsonl(tmp_path / "out.jsonl")][2] == ["error", "m", "summary", "text"]
    assert batch(tmp_path / "in", tmp_path / "out")[0] == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["_manifest.json", "a.csv", "b.csv", "c.csv"]


def test_an_empty_input_is_an_empty_output(batch: Batch, tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": pa.array([], pa.string()), "n": pa.array([], pa.int8())}), tmp_path / "a.parquet")
    assert batch(tmp_path / "a.parquet", tmp_path / "b.parquet")[0] == 0
    assert pq.read_schema(tmp_path / "b.parquet").names == ["text", "n", "summary", "error"]
    (tmp_path / "a.csv").write_text("id,text\n")
    assert batch(tmp_path / "a.csv", tmp_path / "b.csv")[0] == 0
    assert (tmp_path / "b.csv").read_text() == "id,text,summary,error\n"
    (tmp_path / "a.txt").write_text("")
    assert batch(tmp_path / "a.txt", tmp_path / "b.txt")[0] == 0
    assert (tmp_path / "b.txt").read_text() == ""


def test_from_stdin_to_stdout(batch: Batch) -> None:
    code, out, err = batch("-", "-", "--from", "txt", stdin=b"ship ran aground\n\nport paid early\n")
    assert (code, out) == (1, "ship ran\n\nport paid\n")
    assert "1 with an error: 1 the text is empty" in err
    code, out, _ = batch("-", "-", "--from", "jsonl", "--to", "csv", stdin=b'{"n": 1, "text": "ship ran aground"}\n')
    assert (code, out) == (0, "n,text,summary,error\n1,ship ran aground,ship ran,\n")


@pytest.mark.parametrize("compression", [".gz", ".zst"])
def test_a_compressed_stdin_is_decompressed(batch: Batch, compression: str) -> None:
    content = b"text\nship ran aground\n"
    compressed = gzip.compress(content) if compression == ".gz" else zstandard.compress(content)
    code, out, _ = batch("-", "-", "--from", f"csv{compression}", "--to", "jsonl", stdin=compressed)
    assert (code, json.loads(out)) == (0, {"text": "ship ran aground", "summary": "ship ran", "error": None})
    code, _, err = batch("-", "-", "--from", f"csv{compression}", stdin=compressed[:-1])
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith("tersely: cannot read stdin: ")


ERRORS: list[tuple[list[object], str]] = [
    (["in.csv", "no/such/out.csv"], "no such folder: "),
    (["nowhere.csv", "out.csv"], "no such file: nowhere.csv"),
    (
        ["in.csv", "out.csv", "--column", "body"],
        "in.csv: there is no column 'body': set --column to one of id,",
    ),
    (["in.csv", "out.csv", "--workers", 0], "workers must be a whole number of at least 1, not 0"),
    (["in.csv", "out.csv", "--words", 0], "words must be at least 1, not 0"),
    (["in.csv", "out.csv", "--objective", "best"], "unknown objective 'best'"),
    (["in.csv", "out.txt", "--score"], "txt has a line for the summary and no columns"),
    (["in.csv", "-", "--to", "parquet"], "parquet cannot be written to stdout: give a file"),
    (["cut.csv.gz", "out.csv"], "cannot read cut.csv.gz: Compressed file ended"),
]


@pytest.mark.parametrize(("arguments", "message"), ERRORS, ids=[message for _, message in ERRORS])
def test_an_error_is_one_line(
    batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[object], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "in.csv", 5)
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress((tmp_path / "in.csv").read_bytes())[:-10])
    before = sorted(tmp_path.iterdir())
    code, out, err = batch(*arguments)
    assert (code, out, err.count("\n")) == (2 if "--column" in arguments else 1, "", 1)
    assert err.startswith(f"tersely: {message}")
    assert sorted(tmp_path.iterdir()) == before
