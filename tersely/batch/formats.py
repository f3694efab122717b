"""The list of file formats. To add a format, add an entry to FORMATS: nothing else knows a format by its name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import IO, Any, Protocol

from tersely.batch import text_formats as text
from tersely.batch.jsonl import JsonBlock, encode_jsonl, parse_jsonl
from tersely.batch.row_blocks import Outcome, RowBlock, TableSettings
from tersely.batch.text_formats import Encode, Parse, TextReader, TextWriter, check_header, count_lines
from tersely.errors import InputError
from tersely.system.files import COMPRESSIONS, decompressing


class Reader(Protocol):
    """An open input. `columns` are those of all rows, or, where each row has its own, of the first row."""

    columns: list[str]

    def read(self, max_rows: int) -> RowBlock:
        """The next rows; an empty block at the end."""


class Writer(Protocol):
    """The rows of one output. They are taken in parts, and the parts are joined to the content of a file."""

    size: int  # bytes, roughly, that were added and not taken yet

    def add(self, block: RowBlock, outcomes: Sequence[Outcome]) -> None:
        """Add the rows of a block with their outcomes."""

    def take(self) -> bytes:
        """The rows that were added since the last call, as a part."""

    def skip(self, block: RowBlock) -> None:
        """Take note of rows that are in a part of an earlier process: they decide the columns as well."""

    def join(self, parts: Iterable[IO[bytes]], stream: IO[bytes]) -> None:
        """Write all parts as one file. For a format that can be streamed, no parts give the header."""


@dataclass(frozen=True)
class Format:
    """A file format: how it is recognised, read in blocks of rows, written in parts, and joined."""

    name: str
    suffixes: tuple[str, ...]
    reader: Callable[[IO[bytes], str, TableSettings], Reader]  # from an open file and its name, for messages
    writer: Callable[[TableSettings], Writer]
    count_rows: Callable[[IO[bytes]], int]  # about how many rows an open file has
    has_columns: bool = True  # False: a row is a line with the summary, and nothing else
    has_header: bool = False  # the columns are written once, before all rows
    needs_file: bool = False  # it is not read from start to end: no stdin, no stdout, no compression around it

    def check(self, settings: TableSettings, columns: Mapping[str, Sequence[str]]) -> None:
        """Raise an error if the format cannot hold the columns of the inputs, given by name, and the new ones."""
        if not self.has_columns and (settings.score or settings.kept or settings.prefix or settings.others):
            others = ", ".join(format.name for format in FORMATS.values() if format.has_columns)
            raise InputError(f"{self.name} has a line for the summary and no columns: write one of {others}")
        for source, names in columns.items():
            if self.has_columns:
                settings.check_names(names, source)
            if self.has_header:
                check_header(names, next(iter(columns.values())), source)


def text_format(
    name: str,
    suffixes: tuple[str, ...],
    parse: Parse,
    encode: Encode,
    block_type: type[RowBlock] = RowBlock,
    *,
    columns: bool = True,
    header: bool = False,
) -> Format:
    """A text format, from a function that parses a stream and one that encodes rows."""
    reader, writer = partial(TextReader, parse, block_type), partial(TextWriter, encode, columns, header)
    return Format(name, suffixes, reader, writer, partial(count_lines, header), columns, header)


def separated_format(name: str, separator: str) -> Format:
    """A text format with a header, one row per line, and a separator between cells."""
    parse, encode = partial(text.parse_separated, separator), partial(text.encode_separated, separator)
    return text_format(name, (f".{name}",), parse, encode, header=True)


def _parquet(name: str, *args: Any) -> Any:
    """Call something in the module for Parquet. It is imported when it is used: it needs pyarrow, an extra."""
    return getattr(import_module("tersely.batch.parquet"), name)(*args)


FORMATS = {
    format.name: format
    for format in (
        text_format("txt", (".txt",), text.parse_lines, text.encode_lines, columns=False),
        separated_format("csv", ","),
        separated_format("tsv", "\t"),
        text_format("jsonl", (".jsonl", ".ndjson"), parse_jsonl, encode_jsonl, JsonBlock),
        Format(
            "parquet",
            (".parquet",),
            partial(_parquet, "ParquetReader"),
            partial(_parquet, "ParquetWriter"),
            partial(_parquet, "count_rows"),
            needs_file=True,
        ),
    )
}


def suffixes() -> dict[str, Format]:
    """The formats by their suffixes."""
    return {suffix: format for format in FORMATS.values() for suffix in format.suffixes}


@dataclass(frozen=True)
class FileType:
    """The format and the compression of a file.

    >>> str(FileType.of("news/May.jsonl.gz")), FileType.of("news/May")
    ('jsonl.gz', None)
    """

    name: str
    compression: str = ""

    def __str__(self) -> str:
        return f"{self.name}{self.compression}"

    @property
    def format(self) -> Format:
        return FORMATS[self.name]

    @classmethod
    def of(cls, path: str) -> FileType | None:
        """The type that the suffixes of a path say; None if they say none."""
        _, suffix, compression = _split(path)
        format = suffixes().get(suffix.lower())
        return None if format is None or (format.needs_file and compression) else cls(format.name, compression)

    @classmethod
    def required(cls, path: str, option: str) -> FileType:
        """The same; an error that names the option if the path says no type."""
        if (found := cls.of(path)) is None:
            raise InputError(f"unknown format of {path}: use a suffix ({', '.join(suffixes())}) or {option} FORMAT")
        return found

    @classmethod
    def parse(cls, name: str) -> FileType:
        """The type that an option names, `csv` or `csv.gz`."""
        found = cls.of(f"x.{name}")
        if found is None:
            known = f"{', '.join(FORMATS)}, and {', '.join(COMPRESSIONS)} after a text format"
            raise InputError(f"unknown format {name!r}: expected one of {known}")
        return found

    @contextmanager
    def open(self, open_file: Callable[[], Any], name: str, settings: TableSettings) -> Iterator[Reader]:
        """A reader of the file that `open_file` opens; errors in the file are raised with its name.

        Do nothing but read inside the block: any other failure there would be reported as one of the file.
        """
        try:
            with decompressing(open_file, self.compression, name) as stream:
                yield self.format.reader(stream, name, settings)
        except InputError as error:
            raise type(error)(f"{name}: {error}") from None

    def renamed(self, path: str) -> str:
        """A path with the suffixes of this type in place of its own."""
        stem, suffix, _ = _split(path)
        return f"{stem}{'' if suffix.lower() in suffixes() else suffix}.{self}"


def _split(path: str) -> tuple[str, str, str]:
    """A path as stem, suffix and compression.

    >>> _split("a.csv.gz"), _split("a.b")
    (('a', '.csv', '.gz'), ('a', '.b', ''))
    """
    stem, last = os.path.splitext(path)
    return (*os.path.splitext(stem), last) if last in COMPRESSIONS else (stem, last, "")
