"""The journal of a run: its settings, and which parts are done. With it, a killed run can be resumed.

A run has a folder beside its output, `OUT.run`, with a file for each part and the journal, which has a JSON object per
line: first the settings, then one for each part, after the part is safely on the disk, and one for each output that is
complete. A part that is not in the journal was not finished, and is written again.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tersely.batch.job import JobSettings, check_same_settings
from tersely.errors import FileError
from tersely.system.files import replacing


@dataclass
class OutputState:
    """How much of an output is done."""

    parts: int = 0
    rows: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    checksum: str = ""  # of the rows so far
    bytes: int | None = None  # of the whole file, when it is complete


class Journal:
    """The journal of a run, locked for this process. A context manager."""

    def __init__(self, folder: Path, restart: bool = False) -> None:
        self.folder = folder
        self.settings: JobSettings = {}
        self.outputs: dict[int, OutputState] = {}
        with self.saving():
            folder.mkdir(parents=True, exist_ok=True)
            self._stream = (folder / "journal.jsonl").open("a+b")
            _lock(self._stream, folder)
            if restart:
                self._stream.truncate(0)
            self._read()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *failure: object) -> None:
        self._stream.close()

    def start(self, settings: JobSettings) -> None:
        """Start a run, or resume one with the same settings."""
        if not self.settings:
            self._append({"settings": dict(settings)})
        check_same_settings(self.settings, settings, f"{self.folder} holds an unfinished run of another command")

    def part(self, output: int, number: int) -> Path:
        return self.folder / f"{output:06}-{number:06}"

    def parts(self, output: int) -> Iterator[IO[bytes]]:
        """The finished parts of an output in order, each open until the next one is requested."""
        for number in range(self.state(output).parts):
            with self.part(output, number).open("rb") as stream:
                yield stream

    def state(self, output: int) -> OutputState:
        return self.outputs.setdefault(output, OutputState())

    def write_part(self, output: int, content: bytes, rows: int, errors: Mapping[str, int], checksum: str) -> None:
        """Write the next part of an output to the disk, and then to the journal."""
        with self.saving():
            if os.fstat(self._stream.fileno()).st_nlink == 0:
                raise FileError(f"the folder {self.folder} is gone, and with it the finished rows")
            with replacing(self.part(output, self.state(output).parts)) as stream:
                stream.write(content)
        self._append({"output": output, "rows": rows, "errors": errors, "checksum": checksum})

    def complete(self, output: int, size: int) -> None:
        """Note that the file of an output is complete, and delete its parts."""
        self._append({"output": output, "bytes": size})
        for number in range(self.state(output).parts):
            self.part(output, number).unlink(missing_ok=True)

    @contextmanager
    def saving(self) -> Iterator[None]:
        """Turn a failure to write into an error that says what is left and how to resume."""
        try:
            yield
        except OSError as error:
            cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
            if isinstance(cause, FileError):
                raise
            raise FileError(
                f"cannot write to {self.folder}: {cause.strerror or cause}; "
                "finished rows stay there, and the same command resumes from them"
            ) from None

    def _append(self, entry: dict[str, Any]) -> None:
        with self.saving():
            self._stream.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
            self._stream.flush()
            os.fsync(self._stream.fileno())
        self._apply(entry)

    def _read(self) -> None:
        self._stream.seek(0)
        valid = 0
        for line in self._stream:
            if not line.endswith(b"\n"):
                break
            self._apply(json.loads(line))
            valid += len(line)
        self._stream.truncate(valid)  # a line that was being written when the disk was full may be incomplete

    def _apply(self, entry: dict[str, Any]) -> None:
        if "settings" in entry:
            self.settings = entry["settings"]
            return
        state = self.state(entry["output"])
        if "bytes" in entry:
            state.bytes = entry["bytes"]
            return
        state.parts += 1
        state.rows += entry["rows"]
        state.errors.update(entry["errors"])
        state.checksum = entry["checksum"]


def _lock(stream: IO[bytes], folder: Path) -> None:
    """Lock the journal against other processes. The system releases the lock when this process ends, in any way."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise FileError(f"another process uses {folder}: wait for it, or give another OUT") from None
