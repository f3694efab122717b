"""Lines of JSON objects. A line is kept as it is, and the new cells are inserted before its last brace."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from math import isfinite
from typing import IO, NamedTuple

from tersely.batch.row_blocks import Cells, RowBlock, TableSettings, text_at
from tersely.batch.text_formats import Row, Table, lines_of
from tersely.errors import InputError

# Half of a surrogate pair has no UTF-8, but JSON can spell it. Those that stand for invalid bytes are not included.
_HALF_PAIR = re.compile("[\ud800-\udc7f\udd00-\udfff]")


class JsonLine(NamedTuple):
    """A row: a JSON object as text, and the names in it."""

    text: str
    names: tuple[str, ...]


class JsonBlock(RowBlock):
    """A block whose cells are a `JsonLine` for each row. Values stay text until another format needs them."""

    def rows(self) -> list[Cells]:
        return [json.loads(line.text, parse_float=_number) for line in self.cells]

    def names(self) -> Iterable[str]:
        return dict.fromkeys(chain(self.columns, *(line.names for line in self.cells)))

    def content(self) -> bytes:
        return "".join(f"{line.text}\n" for line in self.cells).encode("utf-8", "surrogatepass")


def _number(text: str) -> float | str:
    """A number; as text if it is too large for a float, so that it does not become infinite."""
    return number if isfinite(number := float(text)) else text


def parse_jsonl(stream: IO[bytes], settings: TableSettings) -> Table:
    """The columns are those of the first row with a text; if the first rows have none, those of the first row."""
    rows, start = _rows(stream, settings), list[Row]()
    for row in islice(rows, 100):
        start.append(row)
        if isinstance(row[1], str):
            return list(row[0].names), chain(start, rows)
    return list(start[0][0].names) if start else [], chain(start, rows)


def _rows(stream: IO[bytes], settings: TableSettings) -> Iterator[Row]:
    for line, problem in lines_of(stream, settings):
        line = line.strip()
        if not line and not problem:
            continue
        try:
            cells = json.loads(line)
            if not isinstance(cells, dict):
                raise InputError("the line is not a JSON object")
        except (ValueError, RecursionError) as error:  # the line is kept as a text
            problem = problem or (error if isinstance(error, InputError) else InputError("the line is not JSON"))
            cells = {settings.column.partition(".")[0]: line}
            line = json.dumps(cells, ensure_ascii=settings.encoding != "utf-8")
        yield JsonLine(line, tuple(cells)), problem or text_at(cells, settings.column), len(line)


def encode_jsonl(block: RowBlock, new: list[Cells], columns: Sequence[str], settings: TableSettings) -> str:
    """Rows as lines of JSON. Rows of other formats become ASCII if the encoding is not that of JSON."""
    ascii = settings.encoding != "utf-8"
    if not isinstance(block, JsonBlock):
        rows = [{**cells, **more} for cells, more in zip(block.rows(), new, strict=True)]
        return "".join(f"{_dumps(row, ascii)}\n" for row in rows)
    lines = []
    for line, more in zip(block.cells, new, strict=True):
        comma = ", " if line.names else ""
        lines.append(f"{line.text[:-1].rstrip()}{comma}{_dumps(more, ascii)[1:]}\n")
    return "".join(lines)


def _dumps(cells: Cells, ascii: bool) -> str:
    text = json.dumps(cells, ensure_ascii=ascii, default=str)
    return json.dumps(cells, default=str) if _HALF_PAIR.search(text) else text
