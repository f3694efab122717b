"""The list of formats: one object adds a format, and nothing else knows formats by name."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import pytest
from batch_toys import Batch

from tersely.batch import formats
from tersely.batch.formats import FORMATS, text_format
from tersely.batch.row_blocks import RowBlock, TableSettings
from tersely.errors import InputError


def parse_pairs(stream: IO[bytes], settings: TableSettings) -> Any:
    """Lines of `name=value` pairs between semicolons."""
    rows = [dict(pair.split("=", 1) for pair in line.decode().strip().split(";")) for line in stream]
    return [], ((row, row.get(settings.column) or InputError("no text"), 9) for row in rows)


def encode_pairs(block: RowBlock, new: list[dict[str, Any]], columns: Sequence[str], settings: TableSettings) -> str:
    rows = [{**cells, **more} for cells, more in zip(block.rows(), new, strict=True)]
    return "".join(";".join(f"{k}={v}" for k, v in row.items() if v) + "\n" for row in rows)


def test_a_format_is_added_by_one_object(batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    added = text_format("pairs", (".pairs", ".prs"), parse_pairs, encode_pairs)
    content = "id=1;text=ship ran aground\nid=2\n"
    written = "id=1;text=ship ran aground;summary=ship ran\nid=2;error=no text\n"
    monkeypatch.setitem(FORMATS, added.name, added)
    (tmp_path / "in.prs").write_text(content)
    for source, target in [
        ("in.prs", "a.jsonl"), ("a.jsonl", "b.pairs"), ("in.prs", "c.pairs"), ("in.prs", "d.parquet"),
    ]:  # fmt: skip
        prefix = ["--prefix", "second_"] if source == "a.jsonl" else []
        assert batch(tmp_path / source, tmp_path / target, *prefix)[0] == 1  # a row has no text
    assert (tmp_path / "c.pairs").read_text() == written
    assert "second_summary" in (tmp_path / "b.pairs").read_text()
    code, out, _ = batch("-", "-", "--from", added.name, stdin=content.encode())
    assert (code, out) == (1, written)


def test_no_other_module_knows_a_format_by_its_name() -> None:
    for module in Path(formats.__file__).parent.glob("*.py"):
        found = [node.value for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.Constant)]
        assert module.name == "formats.py" or not {*FORMATS, *formats.suffixes()}.intersection(map(str, found)), module
