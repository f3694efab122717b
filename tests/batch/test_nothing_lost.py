"""What could lose rows: inputs that change, foreign folders, damaged parts and manifests, odd names and numbers."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from batch_toys import OFTEN, AtText, Batch, Stopped, read_csv, sentence, write_csv
from threadpoolctl import threadpool_info

from tersely.batch.engines import Engine
from tersely.batch.job import Job
from tersely.batch.paths import find_inputs
from tersely.batch.pipeline import summarize_texts
from tersely.batch.row_blocks import RowBlock, TableSettings
from tersely.batch.stores import FileStore
from tersely.batch.text_formats import MAX_BLOCK_CHARS
from tersely.errors import InputError
from tersely.summary.options import Options

DEEP = b"[" * 100_000  # JSON that no stack holds


@pytest.mark.parametrize("change", ["shorter", "longer", "rewritten", "same size and time"])
def test_an_input_that_changes_while_it_is_read_is_never_done(
    batch: Batch, at_text: AtText, tmp_path: Path, change: str
) -> None:
    path, out = write_csv(tmp_path / "in.csv", 600), tmp_path / "out.csv"
    content, times = path.read_bytes(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    new = {
        "shorter": content[:15_000],
        "longer": content + b"600,ship ran aground,x\n",
        "rewritten": content.upper(),
        "same size and time": content.upper(),
    }[change]

    def rewrite() -> None:
        path.write_bytes(new)
        if change == "same size and time":
            os.utime(path, ns=times)

    with at_text(50, rewrite):
        code, _, err = batch(path, out, *OFTEN)
    assert (code, err.count("\n"), out.exists()) == (1, 1, False)
    assert "changed" in err
    path.write_bytes(content)
    os.utime(path, ns=times)
    code, _, err = batch(path, out)
    if code != 0:  # some of what was done is not in the input any more
        assert "--restart" in err
        assert batch(path, out, "--restart")[0] == 0
    assert [row["id"] for row in read_csv(out)] == [str(number) for number in range(600)]
    assert read_csv(out)[300]["text"] == sentence(300)


@pytest.mark.parametrize("options", [(), ("--restart",)])
@pytest.mark.parametrize("name", ["journal.txt", "tersely.json.bak", "000000-000000"])
def test_a_foreign_folder_is_left_alone(batch: Batch, tmp_path: Path, name: str, options: tuple[str, ...]) -> None:
    write_csv(tmp_path / "in.csv", 5)
    (tmp_path / "out.csv.run").mkdir()
    (tmp_path / "out.csv.run" / name).write_text("precious")
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv", *options)
    assert (code, err.count("\n")) == (1, 1)
    assert "out.csv.run" in err
    assert [path.name for path in (tmp_path / "out.csv.run").iterdir()] == [name]


def test_a_foreign_subfolder_is_left_alone(batch: Batch, tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", 5)
    (tmp_path / "out.csv.run" / "mine").mkdir(parents=True)
    assert batch(tmp_path / "in.csv", tmp_path / "out.csv")[0] == 0
    assert [path.name for path in (tmp_path / "out.csv.run").iterdir()] == ["mine"]


def test_a_foreign_manifest_is_not_replaced(batch: Batch, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "in.csv", 5)
    (tmp_path / "out").mkdir()
    for manifest, out in (("out.csv.manifest.json", "out.csv"), ("out/_manifest.json", "out/")):
        (tmp_path / manifest).write_text('{"mine": 1}')
        code, _, err = batch(path, f"{tmp_path}/{out}")
        assert (code, err.count("\n"), f"{manifest} exists already" in err) == (1, 1, True)
        assert (tmp_path / manifest).read_text() == '{"mine": 1}'
        assert batch(path, f"{tmp_path}/{out}", "--restart")[0] == 0


def test_an_output_that_was_deleted_is_made_again_by_any_command(batch: Batch, tmp_path: Path) -> None:
    path, out = write_csv(tmp_path / "in.csv", 5), tmp_path / "out.csv"
    assert batch(path, out)[0] == 0
    out.unlink()
    assert batch(path, out, "--kept")[0] == 0
    assert "kept" in out.read_text()


def test_a_name_that_is_too_long_for_the_manifest_costs_no_work(batch: Batch, at_text: AtText, tmp_path: Path) -> None:
    with at_text(0):
        code, _, err = batch(write_csv(tmp_path / "in.csv", 5), tmp_path / f"{'x' * 245}.csv")
    assert (code, err.count("\n"), "File name too long" in err) == (1, 1, True)


@pytest.mark.parametrize(
    "content", [b"", b"\0\0", DEEP, b"shorter", b"errors"], ids=["empty", "zeros", "deep", "shorter", "errors"]
)
@pytest.mark.parametrize("file_type", ["csv", "parquet"])
def test_a_damaged_part_is_made_again(
    batch: Batch, stopped: Stopped, tmp_path: Path, content: bytes, file_type: str
) -> None:
    write_csv(tmp_path / "in.csv", 90)
    out = tmp_path / f"out.{file_type}"
    assert batch(tmp_path / "in.csv", tmp_path / f"whole.{file_type}")[0] == 0
    stopped(70, tmp_path / "in.csv", out)
    parts = sorted(Path(f"{out}.run").glob("000000-*"))
    assert len(parts) > 3
    part = parts[2].read_bytes()
    changed = {b"shorter": part[:-1], b"errors": part.replace(b'"errors": {}', b'"errors": {"no": 1}')}
    parts[2].write_bytes(changed.get(content, content))
    assert parts[2].read_bytes() != part
    code, _, err = batch(tmp_path / "in.csv", out)
    done = re.search(r"\((\d+) done before\)", err)
    assert code == 0, err
    assert done, err
    assert 0 < int(done[1]) < 40, err  # of the two parts before it, whose rows depend on the machine's speed
    assert out.read_bytes() == (tmp_path / f"whole.{file_type}").read_bytes()


@pytest.mark.parametrize("change", ["swapped", "doubled", "of another run"])
def test_a_part_in_another_place_is_made_again(batch: Batch, stopped: Stopped, tmp_path: Path, change: str) -> None:
    """The last part is untouched, and the numbers of rows are right: only the order or the content is wrong."""
    path, out = write_csv(tmp_path / "in.csv", 90), tmp_path / "out.csv"
    assert batch(path, tmp_path / "whole.csv")[0] == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "adapt", lambda *ignored: None)  # all parts have the same number of rows
        stopped(70, path, out)
        stopped(70, path, tmp_path / "other.csv", "--words", 3)
    first, second, *rest = sorted(Path(f"{out}.run").glob("000000-*"))
    assert rest
    parts = {"swapped": (second, first), "doubled": (first, first)}
    other = Path(f"{tmp_path / 'other.csv'}.run")
    contents = [part.read_bytes() for part in parts.get(change, (first, other / second.name))]
    for part, content in zip((first, second), contents, strict=True):
        part.write_bytes(content)
    assert batch(path, out)[0] == 0
    assert out.read_bytes() == (tmp_path / "whole.csv").read_bytes()


DAMAGED = {
    "zeros": b"\0\0\0\n",
    "cut": b"{",
    "list": b"[]",
    "text": b'"text"',
    "bytes": b"\xff",
    "null": b"null",
    "deep": DEEP,
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_damaged_settings_and_manifests_are_one_line(
    batch: Batch, stopped: Stopped, tmp_path: Path, content: bytes
) -> None:
    write_csv(tmp_path / "in.csv", 50)
    stopped(30, tmp_path / "in.csv", tmp_path / "out.csv")
    (tmp_path / "out.csv.run" / "tersely.json").write_bytes(content)
    code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv")
    assert (code, err.count("\n"), "--restart" in err) == (1, 1, True)
    assert batch(tmp_path / "in.csv", tmp_path / "out.csv", "--restart")[0] == 0
    for garbage in (content, b'{"settings": 1}', b'{"settings": {}, "bytes": [], "rows": 1, "errors": {}}'):
        (tmp_path / "out.csv.manifest.json").write_bytes(garbage)
        code, _, err = batch(tmp_path / "in.csv", tmp_path / "out.csv")
        assert (code, err.count("\n"), "--restart" in err) == (1, 1, True)


@pytest.mark.parametrize("change", [{"rows": float("inf")}, {"bytes": []}, {"errors": {"no": "x"}}, {"errors": []}])
def test_a_manifest_with_one_wrong_value_is_one_line(batch: Batch, tmp_path: Path, change: dict[str, object]) -> None:
    path, manifest = write_csv(tmp_path / "in.csv", 5), tmp_path / "out.csv.manifest.json"
    assert batch(path, tmp_path / "out.csv")[0] == 0
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), **change}))
    code, _, err = batch(path, tmp_path / "out.csv")
    assert (code, err.count("\n"), "--restart" in err) == (1, 1, True)


def test_a_long_setting_of_a_damaged_file_is_cut(batch: Batch, stopped: Stopped, tmp_path: Path) -> None:
    path, settings = write_csv(tmp_path / "in.csv", 50), tmp_path / "out.csv.run" / "tersely.json"
    stopped(30, path, tmp_path / "out.csv")
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "column": "text\n" + "[" * 100_000}))
    code, _, err = batch(path, tmp_path / "out.csv")
    assert (code, err.count("\n"), "--restart" in err) == (1, 1, True)
    assert len(err) < 500 + len(str(tmp_path))


def test_a_folder_that_cannot_be_read_is_not_left_out(
    batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "secret"):
        (tmp_path / "in" / name).mkdir(parents=True)
        write_csv(tmp_path / "in" / name / "news.csv", 2)
    scandir = os.scandir

    def refusing(path: str) -> object:
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    code, _, err = batch(tmp_path / "in", tmp_path / "out.csv")
    assert (code, err.count("\n"), "secret: Permission denied" in err) == (1, 1, True)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("pattern", ["in", "in/*.csv"])
def test_a_link_to_nothing_is_not_left_out(batch: Batch, tmp_path: Path, pattern: str) -> None:
    (tmp_path / "in").mkdir()
    write_csv(tmp_path / "in" / "a.csv", 2)
    (tmp_path / "in" / ".#a.csv").symlink_to("nowhere")  # hidden, as editors make them
    assert batch(tmp_path / pattern, tmp_path / "first.csv")[0] == 0
    (tmp_path / "in" / "b.csv").symlink_to("nowhere")
    code, _, err = batch(tmp_path / pattern, tmp_path / "out.csv")
    assert (code, err.count("\n"), "b.csv is gone, or a link to nothing" in err) == (1, 1, True)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("options", [(), ("--restart",)])
def test_a_pipe_is_not_replaced_by_a_file(batch: Batch, tmp_path: Path, options: tuple[str, ...]) -> None:
    os.mkfifo(tmp_path / "out.csv")
    code, _, err = batch(write_csv(tmp_path / "in.csv", 2), tmp_path / "out.csv", *options)
    assert (code, err.count("\n"), "a pipe or a device" in err) == (1, 1, True)
    assert (tmp_path / "out.csv").is_fifo()


def test_blocks_are_limited_by_their_size(tmp_path: Path) -> None:
    rows = [{"text": "ship ran aground", "n": {"cells": list(range(100_000))}} for _ in range(5)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "b.parquet", use_dictionary=False)
    for one in find_inputs([str(tmp_path)]):
        with one.open(TableSettings()) as reader:
            sizes = []
            while len(block := reader.read(1000)):
                sizes.append(len(block))
        assert sum(sizes) == 5
        assert max(sizes) * 600_000 <= 2 * MAX_BLOCK_CHARS, one.name


def test_a_file_name_that_is_not_utf_8(batch: Batch, tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9.csv"
    with open(name, "wb") as stream:
        stream.write(b"text\nship ran aground\n")
    path = os.fsdecode(name)
    assert batch(path, tmp_path / "out.csv")[0] == 0
    (tmp_path / "out.csv").unlink()
    assert batch(tmp_path, f"{tmp_path}-out/")[0] == 0
    assert batch(path, os.fsdecode(os.fsencode(tmp_path) + b"/\xe9.csv"))[0] == 0
    code, _, err = batch(f"{path}x", tmp_path / "out.csv")
    assert (code, err.count("\n")) == (1, 1)


def test_two_names_that_are_shown_alike(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name, text in ((b"caf\xe9.csv", "ship ran aground"), (rb"caf\xe9.csv", "minister paid billion")):
        with open(os.fsencode(tmp_path / "in") + b"/" + name, "w") as stream:
            stream.write(f"text\n{text}\n")
    for _ in range(2):
        assert batch(tmp_path / "in", tmp_path / "out.csv")[0] == 0
    assert [row["summary"] for row in read_csv(tmp_path / "out.csv")] == ["minister paid", "ship ran"]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_column_whose_name_is_half_a_surrogate_pair(batch: Batch, tmp_path: Path, suffix: str) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": "ship ran aground", "\\ud800": 1}\n')
    code, _, err = batch(tmp_path / "in.jsonl", tmp_path / f"out.{suffix}")
    assert (code, err.count("\n")) == (0, 1)


@pytest.mark.parametrize("option", ["--column", "--prefix", "--delimiter"])
def test_an_option_that_is_not_utf_8_is_one_line(batch: Batch, tmp_path: Path, option: str) -> None:
    code, _, err = batch(write_csv(tmp_path / "in.csv", 2), tmp_path / "out.csv", option, os.fsdecode(b"\xff"))
    assert (code, err) == (1, f"tersely: {option} is not valid UTF-8\n")


def test_two_parquet_columns_of_one_name(batch: Batch, tmp_path: Path) -> None:
    nested = pa.ListArray.from_arrays([0, 1], pa.StructArray.from_arrays([pa.array([1])] * 2, names=["text", "text"]))
    for names, second in ((["text", "text"], pa.array(["a"])), (["a", "b"], nested)):
        pq.write_table(pa.Table.from_arrays([pa.array(["a"]), second], names=names), tmp_path / "in.parquet")
        code, _, err = batch(tmp_path / "in.parquet", tmp_path / "out.parquet", "--column", names[0])
        assert (code, err.count("\n"), "'text'" in err) == (1, 1, True)


def test_cells_of_jsonl_stay_as_they_were(batch: Batch, tmp_path: Path) -> None:
    lines = [
        '{"text": "ship ran aground", "n": 1e999}', '{"n":1.10,"text":"ship ran early",  "n": 2 }', "{no json", "[1]",
        '{"big": ' + "9" * 5000 + ', "text": "ship ran aground"}', "{}",
    ]  # fmt: skip
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    assert batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl")[0] == 1
    out = (tmp_path / "out.jsonl").read_text().splitlines()
    assert out[0] == '{"text": "ship ran aground", "n": 1e999, "summary": "ship ran", "error": null}'
    assert out[1] == '{"n":1.10,"text":"ship ran early",  "n": 2, "summary": "ship ran", "error": null}'
    assert [json.loads(line)["text"] for line in out[2:4]] == ["{no json", "[1]"]
    assert "9" * 5000 in out[4]
    assert json.loads(out[5])["summary"] is None
    assert batch(tmp_path / "in.jsonl", tmp_path / "out.csv", "--errors-ok")[0] == 0
    assert read_csv(tmp_path / "out.csv")[0]["n"] == "1e999"


def test_threads_do_not_change_the_bytes(two_threads: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A product that is large enough for BLAS to share it has other last bits with two threads."""
    seen: list[int] = []

    class Watching:
        def attempt(self, text: str, options: Options) -> InputError:
            seen.extend(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
            return InputError("no")

    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    summarize_texts(Job(Options.of(words=2)), Watching(), ["a"])  # type: ignore[arg-type]
    assert set(seen) == {1}


def test_an_interrupt_between_writing_and_counting_brings_no_row_twice(
    batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out, whole = write_csv(tmp_path / "in.csv", 60), tmp_path / "out.csv", tmp_path / "whole.csv"
    assert batch(path, whole)[0] == 0
    note, left = FileStore.note, [2]

    def interrupted(self: FileStore, block: RowBlock) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        note(self, block)

    with monkeypatch.context() as patch:
        patch.setattr(FileStore, "note", interrupted)
        assert batch(path, out)[0] != 0
    assert batch(path, out)[0] == 0
    assert out.read_bytes() == whole.read_bytes()


def test_a_text_file_has_no_place_for_other_summaries(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("the german ship ran aground\n")
    code, _, err = batch(tmp_path / "in.txt", tmp_path / "out.txt", "--n-best", 2)
    assert (code, "no columns" in err) == (1, True)
