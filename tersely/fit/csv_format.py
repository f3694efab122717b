"""Stage 8: CSV and TSV with a header. A cell is named by its column, "title", and with the first cell, "4711.title"."""

from __future__ import annotations

import csv
import io
import re
from functools import partial
from typing import Any

from tersely.fit.value import Value


def find(text: str, name: str) -> list[Value]:
    parse(text)
    separator = _separator(text)
    rows = _rows(text, separator)
    header = [cell for *_, cell in rows[0]] if rows else []
    found = []
    for row in rows[1:]:
        for column, (start, end, cell) in zip(header, row, strict=False):
            names = (column, f"{row[0][2]}.{column}")
            found.append(Value(start, end, cell, names, partial(_encoded, text[start:end], separator)))
    return found


def parse(text: str) -> list[Any]:
    """All cells, as the standard library reads them."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True))
    except csv.Error as error:
        raise ValueError(str(error)) from None
    return [part for row in rows for part in (("row", len(row)), *row)]


def _separator(text: str) -> str:
    """What separates cells: whichever of them the header has most often."""
    header = re.sub(r'"[^"]*"', "", text[: 1 << 16]).partition("\n")[0]
    return max(",\t;", key=header.count)


def _rows(text: str, separator: str) -> list[list[tuple[int, int, str]]]:
    """The cells of each row that is not empty: start, end, and what it says."""
    cell = re.compile(rf'("(?:[^"]|"")*"|[^{separator}\r\n]*)({separator}|\r\n|\r|\n|\Z)')
    rows: list[list[tuple[int, int, str]]] = [[]]
    at = 0
    while at < len(text):
        match = cell.match(text, at)
        if match is None:
            raise ValueError(f"line {text.count(chr(10), 0, at) + 1}: a cell goes on after its closing quote")
        source = match[1]
        said = source[1:-1].replace('""', '"') if source.startswith('"') else source
        rows[-1].append((*match.span(1), said))
        at = match.end()
        if match[2] != separator:
            rows.append([])
    return [row for row in rows if [said for *_, said in row] not in ([], [""])]


def _encoded(source: str, separator: str, text: str) -> str:
    if source.startswith('"') or re.search(rf'["\r\n{separator}]', text):
        return '"' + text.replace('"', '""') + '"'
    return text
