"""Stage 8: a file with values: read with its encoding, and rewritten so that nothing but those values changes."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tersely.errors import FileError, InputError
from tersely.fit import csv_format, json_format, po_format, properties_format, text_format, xliff_format, yaml_format
from tersely.fit.value import FileFormat, Value, replaced
from tersely.system.files import BYTE_ORDER_MARKS, replacing

FORMATS: dict[str, FileFormat] = {
    ".json": json_format,
    ".arb": json_format,
    ".yaml": yaml_format,
    ".yml": yaml_format,
    ".properties": properties_format,
    ".po": po_format,
    ".pot": po_format,
    ".xlf": xliff_format,
    ".xliff": xliff_format,
    ".csv": csv_format,
    ".tsv": csv_format,
    ".txt": text_format,
}


@dataclass(frozen=True, eq=False)  # one file is one document: comparing its texts would take long
class Document:
    """A file and its values."""

    path: Path
    format: FileFormat
    mark: bytes  # the byte order mark, if any
    encoding: str
    text: str
    values: tuple[Value, ...]

    @classmethod
    def read(cls, path: Path) -> Document:
        """The document of a path; an InputError names what is wrong with it."""
        found = FORMATS.get(path.suffix.lower())
        if found is None:
            raise InputError(f"{path} has no format that is known: {', '.join(FORMATS)}, or a folder with .txt files")
        try:
            data = path.read_bytes()
        except OSError as error:
            raise FileError(f"cannot read {path}: {error.strerror}") from None
        mark = next((mark for mark in BYTE_ORDER_MARKS if data.startswith(mark)), b"")
        text, encoding = _decoded(path, data[len(mark) :], BYTE_ORDER_MARKS.get(mark, "utf-8"))
        try:
            return cls(path, found, mark, encoding, text, tuple(found.find(text, str(path.resolve()))))
        except ValueError as error:
            raise InputError(f"{path} cannot be read as {path.suffix.lower()}: {error}") from None

    def place(self, value: Value) -> str:
        """Where a value is, as compilers say it."""
        return f"{self.path}:{self.text.count(chr(10), 0, value.start) + 1}: {value.names[-1]}: "

    def rewritten(self, changes: Mapping[Value, str]) -> bytes:
        """The bytes of the file with new values; an InputError if anything else would change."""
        text = replaced(self.text, changes)
        ordered = sorted(changes, key=lambda value: value.start)
        try:
            before, after = self.format.parse(self.text), self.format.parse(text)
            different = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
            if different != [(value.text, changes[value]) for value in ordered]:
                raise ValueError
            return self.mark + text.encode(self.encoding)
        except ValueError:  # also for what the encoding does not have
            keys = ", ".join(value.names[-1] for value in ordered)
            raise InputError(f"{self.path} is not written: more than {keys} would change") from None

    def write(self, data: bytes) -> None:
        """Replace the file as a whole, with the rights that it has; a link stays a link."""
        path = self.path.resolve()
        with replacing(path) as stream:
            os.chmod(stream.fileno(), stat.S_IMODE(path.stat().st_mode))
            stream.write(data)


def _decoded(path: Path, data: bytes, encoding: str) -> tuple[str, str]:
    """The text and its encoding. Properties were Latin-1 before Java 9."""
    try:
        return data.decode(encoding), encoding
    except UnicodeDecodeError as error:
        if path.suffix.lower() == ".properties":
            return data.decode("latin-1"), "latin-1"
        raise InputError(f"{path} is not valid {encoding.upper()} (byte {error.start + 1}): convert it first") from None
